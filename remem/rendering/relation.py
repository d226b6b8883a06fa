"""What became of an edge that a call asked for, in one line."""

from __future__ import annotations

from remem.records import Relation
from remem.rendering.lines import show_label, show_number


def tell_relation(made: Relation) -> str:
    """The line for people and models."""
    told = f"{made.relationship_type} {show_number(made.weight)} from {made.source_id}"
    label = show_label(made.label)
    if made.pending:
        return f"waiting: {told} to '{label}', which no node is called yet; it is listed as pending"
    line = f"{'made' if made.created else 'updated'}: {told} to {made.target_id}"
    if made.partial:
        line += f"; the heading of '{label}' does not exist yet and is waited for"
    if made.ambiguous:
        line += f"; several nodes are called '{label}', this is the one that a link would lead to"
    return line
