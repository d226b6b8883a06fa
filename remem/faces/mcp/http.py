"""MCP over streamable HTTP: one ASGI application over an open store. Who may call it is decided before it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from remem.faces.mcp.feed import ResourceFeed
from remem.faces.mcp.host import StoreHost
from remem.faces.mcp.server import build_server

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from remem.engine import Remem

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
        await self._manager.handle_request(scope, receive, send)
