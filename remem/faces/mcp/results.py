"""Answers and errors as results of MCP: what a model reads, and the same as JSON. Never a traceback."""

from __future__ import annotations

import logging
import traceback

from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from remem.errors import RememError
from remem.faces.mcp.tools import Answer
from remem.faces.wire import Json

logger = logging.getLogger(__name__)

LONGEST_MESSAGE = 2000


def show_answer(answer: Answer) -> Json:
    """The result of a call that went well."""
    return {**_show_text(answer.text, failed=False), "structuredContent": answer.data}


def show_error(tool: str, error: RememError, *, as_text: bool = False) -> Json:
    """The result of a call that failed: `code: message`, and as JSON with the argument that was wrong, if one was.

    With `as_text`, no JSON: that of a tool which publishes an output schema has to be as the schema says, or clients
    that check it, errors too, show the model what is wrong with it in place of the message.
    """
    message = _clip(error.message)
    shown = _show_text(f"{error.code}: {message}", failed=True)
    if as_text:
        return shown
    data: Json = {"code": error.code, "message": message, "tool": tool}
    for name in ("field", "candidates"):
        if name in error.facts:
            data[name] = error.facts[name]
    return {**shown, "structuredContent": data}


def show_crash(tool: str, error: Exception, *, as_text: bool = False) -> Json:
    """The result of a call that failed for no known reason. Only where, not what: the message may hold content."""
    frames = "".join(traceback.format_list(traceback.extract_tb(error.__traceback__)))
    logger.error("%s failed with an unexpected %s at\n%s", tool, type(error).__name__, frames)
    message = f"unexpected {type(error).__name__}; the server's log (stderr) says where. Another call may go well"
    return show_error(tool, RememError(message), as_text=as_text)


def refuse_request(error: RememError, **facts: str) -> MCPError:
    """An error of the protocol, for a request that is no tool call."""
    message = clean_text(f"{error.code}: {error.message}")
    return MCPError(INVALID_PARAMS, message, data={**facts, "code": error.code})


def clean_text(text: str) -> str:
    """A text that JSON can say: half a surrogate pair, as a path of undecodable bytes holds it, becomes `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _show_text(text: str, *, failed: bool) -> Json:
    content = [{"type": "text", "text": clean_text(text)}]
    return {"resultType": "complete", "content": content, "isError": failed}


def _clip(text: str) -> str:
    text = clean_text(text)
    return text if len(text) <= LONGEST_MESSAGE else text[:LONGEST_MESSAGE] + "…"
