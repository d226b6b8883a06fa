"""JSON-RPC messages as bytes: whether what came is one, and how an error is said."""

from __future__ import annotations

import json

from mcp.types import ErrorData, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter

LASTING = "subscriptions/listen"
"""The request that is under way for as long as the client wants."""
PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR = -32700, -32600, -32603
NO_MESSAGE = "the request is no JSON-RPC message of MCP: check `method`, `params`, and that all text is Unicode"


def parse_message(data: bytes) -> JSONRPCMessage | None:
    """The message, None where it is none."""
    try:
        return jsonrpc_message_adapter.validate_json(data, by_name=False)
    except ValueError:
        return None


def refuse_message(data: bytes) -> tuple[bytes, bool]:
    """The error that answers what is no message, and whether the request could be told by its id. Never a value of
    it."""
    try:
        value = json.loads(data.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return dump_error(None, PARSE_ERROR, "the request is not JSON"), False
    id = value.get("id") if isinstance(value, dict) and "method" in value else None
    known = isinstance(id, str | int) and not isinstance(id, bool)
    return dump_error(id if known else None, INVALID_REQUEST, NO_MESSAGE), known


def dump_error(id: str | int | None, code: int, message: str) -> bytes:
    """A JSON-RPC error as one line."""
    error = JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=message))
    return error.model_dump_json(by_alias=True, exclude_unset=True).encode()
