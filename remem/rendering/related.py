"""The results of a traversal as text: each with its score and the way that leads to it."""

from __future__ import annotations

from collections.abc import Sequence

from remem.records import PathStep, Related
from remem.rendering.lines import show_arrow, show_count, show_label, show_name, show_number, show_place


def render_related(start_id: str, start: str, found: Related) -> str:
    """Two lines: `- 2.5 1 hop: Label [kind] id root/path`, and the path from the anchor (its id and label)."""
    node = found.node
    line = f"- {show_number(found.score)} {show_count(found.hops, 'hop')}: {show_name(node.label, node.kind, node.id)}"
    place = show_place(node.root, node.source)
    return f"{line} {place}".rstrip() + "\n  " + render_path(start_id, start, found.path)


def render_path(start_id: str, start: str, path: Sequence[PathStep]) -> str:
    """`A -references 2.5-> B <-caused_by 1- C (links in id, id)`: an arrow points the way of its edge; the ids are
    those of the nodes that hold the links, where these are not stations of the path themselves."""
    parts = [show_label(start)]
    for step in path:
        parts += [show_arrow(step), show_label(step.label)]
    stations = {start_id, *(step.id for step in path)}
    holders = dict.fromkeys(step.source_id for step in path if step.source_id not in stations)
    return " ".join(parts) + (f" (links in {', '.join(holders)})" if holders else "")
