"""Roots as text."""

from __future__ import annotations

from datetime import UTC, datetime

from remem.records import Root
from remem.rendering.lines import show_count, show_label


def render_root(root: Root) -> str:
    """`- name path 12 documents, compiled 2026-03-02 09:30 UTC`."""
    when = datetime.fromtimestamp(root.compiled_at / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    documents = show_count(root.documents, "document")
    return f"- {show_label(root.name)} {show_label(root.path)} {documents}, compiled {when}"
