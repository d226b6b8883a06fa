"""The frame around all applications of the service: an id for each request, errors as problems, figures and a line in
the log. What a request holds is never logged."""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
import time
from typing import TYPE_CHECKING
from uuid import uuid4

from remem.errors import ShuttingDownError
from remem.faces.rest.bodies import Disconnected, find_header
from remem.faces.rest.gate import SHARED, list_shared
from remem.faces.rest.problems import PROBLEM_TYPE, dump_problem, show_problem
from remem.faces.rest.service import ROUTE

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from remem.faces.rest.metrics import Metrics

OTHER = "other"
"""The route of what has none, so that addresses that are guessed make no figures of their own."""
CUT_OFF = (
    "the service is shutting down, and this request did not end in time: send it again when the service is back (what"
    " it asks may be done already)"
)
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
NO_SNIFF = (b"x-content-type-options", b"nosniff")
OWN_PAGES = (b"cross-origin-resource-policy", b"same-origin")
NO_STORE = (b"cache-control", b"no-store")

_PROCESS = uuid4().hex[:16]
"""Told apart from the ids of other processes; numbers tell those of this one apart."""
_numbers = itertools.count(1)
_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_log = logging.getLogger("remem.access")


class Frame:
    """Answers what the application inside raises. The outermost part of the service."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Frames one request."""
        request_id = read_id(scope)
        answer = _Reply(scope, send, request_id)
        started = time.perf_counter()
        try:
            await self._app(scope, receive, answer.send)
        except Disconnected:
            pass
        except asyncio.CancelledError:  # by the end of the server alone
            if not answer.status:
                await answer.send_problem(ShuttingDownError(CUT_OFF), scope["method"] == "HEAD")
            raise
        except Exception as error:
            if answer.status:
                raise  # the answer has begun: all that is left is to cut it off
            await answer.send_problem(error, scope["method"] == "HEAD")
        finally:
            self._tell(scope, answer.status, time.perf_counter() - started, request_id)

    def _tell(self, scope: Scope, status: int, seconds: float, request_id: str) -> None:
        method = scope["method"] if scope["method"] in METHODS else OTHER
        route = scope.get(ROUTE, OTHER)
        self._metrics.count_request(method, route, status, seconds)
        if _log.isEnabledFor(logging.INFO):
            _log.info("%s %s %s %.1f ms %s", method, route, status or "-", seconds * 1000, request_id)


class _Reply:
    """What is sent for one request: its headers gain those of the frame, its status is noted."""

    __slots__ = ("_id", "_scope", "_send", "status")

    def __init__(self, scope: Scope, send: Send, request_id: str) -> None:
        self.status = 0
        self._scope = scope
        self._send = send
        self._id = request_id

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [*message.get("headers", ()), (b"x-request-id", self._id.encode()), NO_SNIFF, OWN_PAGES]
            if not any(name == NO_STORE[0] for name, _ in headers):
                headers.append(NO_STORE)
            origin = self._scope.get(SHARED)
            message["headers"] = headers if origin is None else [*headers, *list_shared(origin)]
        await self._send(message)

    async def send_problem(self, error: BaseException, bare: bool) -> None:
        status, problem, more = show_problem(error, self._id)
        body = dump_problem(problem)
        headers = [(b"content-type", PROBLEM_TYPE), (b"content-length", str(len(body)).encode()), *more]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": b"" if bare else body})


def read_id(scope: Scope) -> str:
    """The id of a request: the one that came with it where that is one, or a new one."""
    given = find_header(scope, b"x-request-id")
    return given if given is not None and _ID.fullmatch(given) else make_id()


def make_id() -> str:
    """An id that no other request has."""
    return f"{_PROCESS}{next(_numbers):08x}"
