"""The version trail as text: snapshots, changes with what is said now, differences, the history of a node."""

from __future__ import annotations

from remem.records import HistoryEntry, NodeChange, NodeDiff, SnapshotLine
from remem.rendering.lines import show_label, show_name, show_place, show_time

PURGED = "(purged)"


def render_snapshot(line: SnapshotLine) -> str:
    """`- 12 2026-03-02 09:30:05 UTC compile notes: 3 add, 1 mod`."""
    counts = (("add", line.added), ("mod", line.modified), ("move", line.moved), ("rem", line.removed))
    told = ", ".join(f"{count} {op}" for op, count in counts if count)
    rest = "" if line.finished else " (interrupted)"
    return f"- {line.id} {show_time(line.created_at)} {show_label(line.message)}: {told or 'nothing'}{rest}"


def render_change(change: NodeChange) -> str:
    """`- mod Label [kind] id root/path`, and below it what the node says now."""
    text = PURGED if change.content is None else change.content
    return _render_head(change) + _indent(text)


def render_diff(change: NodeDiff) -> str:
    """The same, and below it the unified diff."""
    text = change.diff or (PURGED if change.purged else "")
    return _render_head(change) + _indent(text)


def render_entry(entry: HistoryEntry) -> str:
    """`- 12 2026-03-02 09:30:05 UTC mod compile notes`, and below it the text after and the one before."""
    head = f"- {entry.snapshot} {show_time(entry.created_at)} {entry.op}"
    told = f" ({entry.detail})" if entry.detail != entry.op else ""
    lines = [f"{head}{told} {show_label(entry.message)}: {show_label(entry.label)}"]
    if entry.after and entry.after != entry.before:
        lines.append("after:" + _indent(entry.after, "    "))
    if entry.before and entry.after != entry.before:
        lines.append("before:" + _indent(entry.before, "    "))
    if entry.purged:
        lines.append(PURGED)
    return "\n  ".join(lines)


def _render_head(change: NodeChange | NodeDiff) -> str:
    name = show_name(change.label, change.kind, change.id)
    return f"- {change.op} {name} {show_place(change.root, change.source)}".rstrip()


def _indent(text: str, margin: str = "  ") -> str:
    """The text on lines of its own, behind a margin."""
    return "".join(f"\n{margin}{show_line(line)}" for line in text.split("\n")) if text else ""


def show_line(line: str) -> str:
    """A line of a text as it stands, but for control characters."""
    return line if line.isprintable() else "".join(c if c.isprintable() or c == "\t" else " " for c in line)
