"""What elements without text of their own say: frames, controls, the notes that are embedded. It walks over nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping

from remem.ingest.elements import read_text
from remem.ingest.links import parse_markdown_target

_PLAIN = re.compile(r"[^\[\]|;#^\n]+")
_SHOWN = frozenset(("", "text", "search", "submit", "button", "reset", "number", "date", "email", "url", "tel"))


def find_note(address: str) -> str:
    """What to write between the brackets of an embed of the note at `address`; empty where it is no note's."""
    link = parse_markdown_target(address, "", 0)
    if link is None or not _PLAIN.fullmatch(link.label):
        return ""
    if not link.anchor:
        return link.label
    return f"{link.label}#{link.anchor}" if _PLAIN.fullmatch(link.anchor) else ""


def read_fallback(source: str) -> str:
    """The text of HTML that stands in for a frame."""
    return f" {read_text(source)} " if source.strip() else ""


def write_box(attributes: Mapping[str, str | None]) -> str:
    """The box of a task, ticked or not; empty for other controls."""
    if _read_type(attributes) != "checkbox":
        return ""
    return "[x] " if "checked" in attributes else "[ ] "


def read_value(attributes: Mapping[str, str | None]) -> str:
    """What a control shows: the text in a field or on a button."""
    kind = _read_type(attributes)
    value = attributes.get("alt" if kind == "image" else "value")
    return f" {value} " if value and (kind in _SHOWN or kind == "image") else ""


def _read_type(attributes: Mapping[str, str | None]) -> str:
    return (attributes.get("type") or "").strip().lower()
