"""What arguments of the command line stand for: a text or what stdin holds, JSON or the file of that name."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from remem.errors import InvalidInputError

STDIN = "-"


def read_text(text: str) -> str:
    """The text of an argument, or what stdin holds. Raises InvalidInputError for what is not UTF-8."""
    if text != STDIN:
        return text
    if sys.stdin is None:  # as a shell's `<&-` leaves it
        raise InvalidInputError("stdin is closed: there is no text to read", field="content")
    try:
        return sys.stdin.buffer.read().decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"stdin is not UTF-8 at byte {error.start}", field="content") from None


def can_ask() -> bool:
    """Whether a person can answer a question."""
    return sys.stdin is not None and sys.stdin.isatty()


def read_file(text: str | None) -> str | None:
    """A JSON text as it stands; of any other text, what the file of that name holds. Raises InvalidInputError."""
    if text is None or text.lstrip()[:1] in ("{", "["):
        return text
    try:
        return Path(text).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        raise InvalidInputError(
            f"graph is no JSON object, and the file {text} cannot be read: {reason}", field="graph"
        ) from None


def read_object(field: str, text: str | None) -> object:
    """What a JSON argument holds, None where there is none. Raises InvalidInputError."""
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"{field} is not JSON: {error}", field=field) from None
