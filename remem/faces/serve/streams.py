"""What stays open while it is read (events, sessions) is ended when the server stops. Other requests are left alone."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from remem.faces.mcp.messages import LASTING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

EVENTS = b"text/event-stream"
LISTENS = (b"mcp-method", LASTING.encode())
LAST: Message = {"type": "http.response.body", "body": b"", "more_body": False}


class StreamKeeper:
    """An ASGI application that knows the streams of events that the one behind it has open.

    Only answers to GET are such, and to an MCP client that listens: those to a call that is under way are left to end.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._streams: set[asyncio.Task[Any]] = set()
        self._stopped = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_listening(scope):
            return await self._app(scope, receive, send)
        task = asyncio.current_task()
        assert task is not None

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start" and is_stream(message):
                self._streams.add(task)
            await send(message)

        try:
            await self._app(scope, receive, watch)
        except asyncio.CancelledError:
            if not self._stopped or task not in self._streams:
                raise
            task.uncancel()
            with suppress(Exception):  # whoever read it may have gone
                await send(LAST)
        finally:
            self._streams.discard(task)

    def end(self) -> None:
        """Ends what is open now. In the event loop alone."""
        self._stopped = True
        for task in list(self._streams):
            task.cancel()


def is_listening(scope: Scope) -> bool:
    """Whether a request asks for what may go on for ever. A body's method of MCP is that of its header, or refused."""
    return scope["method"] == "GET" or LISTENS in scope["headers"]


def is_stream(message: Message) -> bool:
    """Whether the head of an answer announces a stream of events."""
    return any(name.lower() == b"content-type" and value.startswith(EVENTS) for name, value in message["headers"])
