"""Connections as text: who is linked to whom, how strongly, by whom that was made."""

from __future__ import annotations

from remem.records import Edge
from remem.rendering.lines import show_label, show_number


def render_connection(edge: Edge, source: str, target: str) -> str:
    """`- Label id -related_to 0.82-> Other id2 discovered`; the labels of the ends are given."""
    arrow = f"-{edge.relationship_type} {show_number(edge.weight)}->"
    ends = f"{show_label(source)} {edge.source_id} {arrow} {show_label(target)} {edge.target_id}"
    return f"- {ends} {edge.origin}"
