"""The mark that stands where a secret stood. It decides nothing."""

from __future__ import annotations

import re

MARK_START = "[redacted:"
MARK = re.compile(r"\[redacted:[a-z0-9_]{1,64}\]")
_OPEN_MARK = re.compile(r"\[redacted:[a-z0-9_]{0,64}\Z")


def make_mark(kind: str) -> str:
    """The mark of a kind."""
    return f"[redacted:{kind}]"


def is_in_mark(text: str, place: int) -> bool:
    """Whether a place lies inside a mark's kind."""
    return bool(_OPEN_MARK.search(text, max(0, place - 76), place))
