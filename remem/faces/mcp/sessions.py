"""What a request of MCP comes with: its context, and the session that it belongs to. Answers nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from mcp.server.context import ServerRequestContext

if TYPE_CHECKING:
    from mcp.server.connection import Connection

Context: TypeAlias = ServerRequestContext[Any]


def find_connection(context: Context) -> Connection:
    """The session of a request. The request's own channel ends with it, and there is no public way to the other."""
    return context.session._connection
