"""Pending edges as text: what is missing, who says so, what may be meant."""

from __future__ import annotations

from remem.records import PendingEdge
from remem.rendering.lines import show_label, show_number, show_place


def render_pending(edge: PendingEdge) -> str:
    """`- [[Label]] references 1 from Source id in root/path; may be Other id2`: the hint as written, and its source."""
    gone = " (gone)" if edge.source_missing else ""
    manual = " by a call" if edge.origin == "manual" else ""
    told = f"- {show_hint(edge)} {edge.relationship_type} {show_number(edge.weight)}{manual}"
    told += f" from {show_label(edge.source_label)} {edge.source_id}{gone}"
    place = show_place(edge.root, edge.path)
    offers = ", ".join(f"{show_label(label)} {id}" for id, label in edge.suggestions)
    return told + (f" in {place}" if place else "") + (f"; may be {offers}" if offers else "")


def show_hint(edge: PendingEdge) -> str:
    """`[[Label#Anchor; source=path; id=x]]`: all that the link says of its target."""
    label = edge.label + (f"#{edge.anchor}" if edge.anchor else "")
    hints = [f"{name}={value}" for name, value in (("source", edge.source), ("id", edge.id)) if value]
    return f"[[{show_label('; '.join([label, *hints]))}]]"
