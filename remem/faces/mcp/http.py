"""MCP over streamable HTTP: one ASGI application over an open store. Who may call it is decided before it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from remem.errors import MediaTypeError
from remem.faces.mcp.feed import ResourceFeed
from remem.faces.mcp.host import StoreHost
from remem.faces.mcp.messages import parse_message, refuse_message
from remem.faces.mcp.server import build_server

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    from remem.engine import Remem

JSON_TYPE = "application/json"
IDLE_SECONDS = 1800.0
"""After so long without a request a session is forgotten."""


class McpEndpoint:
    """Answers MCP requests while `run` is entered, which may be done once."""

    def __init__(self, remem: Remem) -> None:
        limits = remem.settings.limits
        host = self._host = StoreHost(remem.settings, remem)
        self._feed = ResourceFeed(host)
        self._manager = StreamableHTTPSessionManager(
            build_server(host, self._feed),
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            session_idle_timeout=IDLE_SECONDS,
            max_request_body_size=limits.max_body_bytes,
            max_sessions=limits.max_sessions,
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Keeps the sessions; ends them all on leaving."""
        try:
            async with self._manager.run():
                yield
        finally:
            await self._feed.close()
            await self._host.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request. Raises MediaTypeError for a body that does not call itself JSON; what is no message is
        answered here, since the SDK would tell what it holds."""
        if scope["method"] != "POST":
            return await self._manager.handle_request(scope, receive, send)
        check_type(scope)
        first = await read_whole(receive)
        body = first.get("body", b"")
        if first["type"] == "http.request" and parse_message(body) is None:
            return await send_refusal(refuse_message(body)[0], send)
        given = iter([first])

        async def receive_again() -> Message:
            return next(given, None) or await receive()

        await self._manager.handle_request(scope, receive_again, send)


def check_type(scope: Scope) -> None:
    """Raises MediaTypeError for a body that is no JSON by its own account."""
    given = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"content-type"), "")
    if given.partition(";")[0].strip().lower() != JSON_TYPE:
        raise MediaTypeError(f"the body must be {JSON_TYPE}, not {given[:80]!r}")


async def read_whole(receive: Receive) -> Message:
    """The whole body as one message, or that the client is gone. How long it may be is bounded before."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return message
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return {"type": "http.request", "body": b"".join(parts), "more_body": False}


async def send_refusal(body: bytes, send: Send) -> None:
    """Answers what is no message."""
    headers = [(b"content-type", JSON_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 400, "headers": headers})
    await send({"type": "http.response.body", "body": body})
