"""The index as text: one line a node, in the order of the documents. Chooses no lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from remem.records import Crumb, TreeLine
from remem.rendering.lines import show_label, show_name, show_place


class Branch(NamedTuple):
    """A line to be printed: how many nodes below it are not, and what it lies in (None for the top)."""

    line: TreeLine
    below: int
    parent: Crumb | None = None


def render_index(branches: Iterable[Branch]) -> str:
    """The lines, indented by depth. Where what a line lies in is not among the lines, it is named above it."""
    return "\n".join(_list_lines(branches))


def render_line(branch: Branch) -> str:
    """`- Label [kind] id 12t 0.50° … 3 below`: tokens of the node with all below it, temperature, what is left out
    below it."""
    line = branch.line
    parts = ["  " * line.depth + "- " + show_name(line.label, line.kind, line.id)]
    if line.total_tokens or line.tokens:
        parts.append(f"{line.total_tokens or line.tokens}t")
    parts.append(f"{line.temperature:.2f}°" + (" pinned" if line.pinned else ""))
    if line.parent_id is None and line.source:
        parts.append(show_place(line.root, line.source))
    if branch.below:
        parts.append(f"… {branch.below} below")
    return " ".join(parts)


def render_parent(branch: Branch) -> str:
    """The line above one whose parent is not shown."""
    parent = branch.parent
    return "" if parent is None else "  " * (branch.line.depth - 1) + f"under {show_label(parent.label)} {parent.id}:"


def _list_lines(branches: Iterable[Branch]) -> Iterator[str]:
    shown: set[str] = set()
    for branch in branches:
        parent = branch.parent
        if parent is not None and parent.id not in shown:
            yield render_parent(branch)
            shown.add(parent.id)
        shown.add(branch.line.id)
        yield render_line(branch)
