"""Escapes in the strings of data files: `\\n` ends a line and is no letter of the next word. Text in, text out."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:([nrtbf])|.)", re.DOTALL)
_DATA = (".json", ".jsonl", ".yaml", ".yml", ".toml")


def holds_escapes(source: str) -> bool:
    """Whether a source is a data file, in which a backslash escapes."""
    return source.lower().endswith(_DATA)


def blank_escapes(text: str) -> str:
    """The text with white space, as long, for the escapes of white space."""
    return _ESCAPE.sub(_blank_escape, text) if "\\" in text else text


def _blank_escape(match: re.Match[str]) -> str:
    return "  " if match[1] else match[0]
