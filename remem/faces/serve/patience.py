"""Reads requests as uvicorn does, but waits only so long for the head of one and takes only so much of it: no key has
been seen by then. What bodies may take is bounded where they are read."""

from __future__ import annotations

from asyncio import TimerHandle, Transport

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from remem.errors import MalformedError
from remem.faces.rest.frame import NO_SNIFF, NO_STORE, make_id
from remem.faces.rest.problems import PROBLEM_TYPE, dump_problem, show_problem

HEAD_SECONDS = 20.0
MOST_HEAD_BYTES = 65_536
UNREADABLE = "the request cannot be read: it is no HTTP, or its head is too long"


class PatientProtocol(HttpToolsProtocol):
    """One connection. It is closed where the head of its next request has not come whole in time, and with an answer
    where that is too long."""

    _timer: TimerHandle | None = None
    _taken = 0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Waits for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Takes what came, and measures what has not become a request yet."""
        within = self._timer
        super().data_received(data)
        if within is None or self._timer is not within:
            return
        self._taken += len(data)
        if self._taken > MOST_HEAD_BYTES:
            self._rest()
            self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """Waits for the head of one more request, or of the first."""
        super().on_message_begin()
        if self._timer is None:
            self._wait()

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._rest()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Waits no more."""
        self._rest()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answers what is no request, which nobody behind this sees, as the service answers errors."""
        id = make_id()
        status, problem, _ = show_problem(MalformedError(UNREADABLE), id)
        body = dump_problem(problem)
        headers = [
            *((name.lower(), value) for name, value in self.server_state.default_headers),
            (b"content-type", PROBLEM_TYPE),
            (b"content-length", str(len(body)).encode()),
            (b"x-request-id", id.encode()),
            NO_SNIFF,
            NO_STORE,
            (b"connection", b"close"),
        ]
        lines = b"".join(b"%b: %b\r\n" % header for header in headers)
        self.transport.write(b"HTTP/1.1 %d Bad Request\r\n%b\r\n%b" % (status, lines, body))
        self.transport.close()

    def _wait(self) -> None:
        self._taken = 0
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
