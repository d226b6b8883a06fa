"""Memories as text: a line that names one with what it carries, and a line of its content."""

from __future__ import annotations

from remem.records import SHORT_TERM, Memory
from remem.rendering.lines import show_label, show_name, show_number

LONGEST_LINE = 400
"""So many characters of the content are shown."""


def render_memory(memory: Memory) -> str:
    """Two lines: `- Label [memory] id importance 0.5 #tag`, and the beginning of the content."""
    facts = [f"importance {show_number(memory.importance)}"]
    facts += ["short-term"] if memory.memory_type == SHORT_TERM else []
    facts += [f"from {show_label(memory.source)}"] if memory.source else []
    facts += ["pinned"] if memory.pinned else []
    facts += ["archived"] if memory.archived else []
    facts += [f"#{show_label(tag)}" for tag in memory.tags]
    name = show_name(memory.label, memory.kind, memory.id)
    text = " ".join(memory.content[: 4 * LONGEST_LINE].split())
    more = "…" if len(text) > LONGEST_LINE or len(memory.content) > 4 * LONGEST_LINE else ""
    return f"- {name} {', '.join(facts)}\n  {show_label(text[:LONGEST_LINE])}{more}"
