"""Reads requests as uvicorn does, but waits only so long for the head of one and takes only so much of it: no key has
been seen by then. What bodies may take is bounded where they are read."""

from __future__ import annotations

import re
import sys
from asyncio import TimerHandle, Transport
from http import HTTPStatus

from httptools import HttpParserError, HttpParserInvalidMethodError, HttpParserUpgrade
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from remem.errors import MalformedError, MethodError, RememError
from remem.faces.rest.frame import NO_SNIFF, NO_STORE, make_id
from remem.faces.rest.gate import ALLOWED_METHODS
from remem.faces.rest.problems import PROBLEM_TYPE, dump_problem, show_problem
from remem.faces.serve.upgrades import read_body

HEAD_SECONDS = 20.0
MOST_HEAD_BYTES = 65_536
UNREADABLE = "the request cannot be read: it is no HTTP"
TOO_LONG = f"the head of the request has more than {MOST_HEAD_BYTES} bytes, the most that are taken"
_FIRST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}) [^ \r\n]+ HTTP/1\.[01]\r?\n")


class PatientProtocol(HttpToolsProtocol):
    """One connection. It is closed where the head of its next request has not come whole in time, and with an answer
    where that is too long."""

    _timer: TimerHandle | None = None
    _taken = 0  # bytes of a head that came before what came last
    _most = 0  # bytes since that may belong to the head
    _data = b""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Waits for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Takes what came, and measures what has not become a request yet."""
        within, self._data = self._timer, data
        self._most += len(data)
        super().data_received(data)
        self._data = b""
        if within is None or self._timer is not within or self.transport.is_closing():
            return
        self._taken += len(data)
        if self._taken > MOST_HEAD_BYTES:
            self._rest()
            self._refuse(MalformedError(TOO_LONG))

    def on_message_begin(self) -> None:
        """Waits for the head of one more request, or of the first."""
        super().on_message_begin()
        if self._timer is None:
            self._wait()

    def on_headers_complete(self) -> None:
        """The head is there."""
        if self._most > MOST_HEAD_BYTES:
            self._check_size()
        self._rest()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits no more."""
        self._rest()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answers what is no request. Called while the error of the parser is handled."""
        self._refuse(explain_fault(sys.exc_info()[1], self._data))

    def _unsupported_upgrade_warning(self) -> None:
        """Another protocol was asked for: this one answers, and what follows the request is not read. Called while the
        word of the parser is handled."""
        told = sys.exc_info()[1]
        if is_idle(self.cycle) or not isinstance(told, HttpParserUpgrade):
            self.transport.close()
            return
        self.cycle.keep_alive = False
        try:
            read_body(self, self.headers, self._data[told.args[0] :])
        except HttpParserError as error:
            self._refuse(explain_fault(error, b""))

    def _check_size(self) -> None:
        """Refuses a head that is too long. Asked only where as much came: a body, or other requests, may be with it."""
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MOST_HEAD_BYTES:
            raise MalformedError(TOO_LONG)

    def _refuse(self, error: RememError) -> None:
        """Answers what nobody behind this sees as the service answers errors, and closes the connection."""
        id = make_id()
        status, problem, more = show_problem(error, id)
        body = dump_problem(problem)
        headers = [
            *((name.lower(), value) for name, value in self.server_state.default_headers),
            (b"content-type", PROBLEM_TYPE),
            (b"content-length", str(len(body)).encode()),
            (b"x-request-id", id.encode()),
            *more,
            NO_SNIFF,
            NO_STORE,
            (b"connection", b"close"),
        ]
        lines = b"".join(b"%b: %b\r\n" % header for header in headers)
        phrase = HTTPStatus(status).phrase.encode()
        self.transport.write(b"HTTP/1.1 %d %b\r\n%b\r\n%b" % (status, phrase, lines, body))
        self.transport.close()

    def _wait(self) -> None:
        self._taken, self._most = 0, len(self._data)
        self._timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if is_idle(self.cycle):  # an answer under way goes on
            self.transport.close()


def is_idle(cycle: RequestResponseCycle | None) -> bool:
    """Whether a connection has no request, or has answered it."""
    return cycle is None or cycle.response_complete


def explain_fault(error: BaseException | None, data: bytes) -> RememError:
    """What is wrong with bytes that the parser has refused."""
    cause = None if error is None else error.__context__
    if isinstance(cause, RememError):
        return cause
    line = _FIRST_LINE.match(data) if isinstance(error, HttpParserInvalidMethodError) else None
    if line is None:
        return MalformedError(UNREADABLE)
    allow = ALLOWED_METHODS.decode()
    return MethodError(f"this service does not take {line[1][:20].decode()}, but {allow}", allow=allow)
