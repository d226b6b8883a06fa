"""A node to read as text: where it stands, its section's text, the edges at it, the index below it. Cuts nothing."""

from __future__ import annotations

from remem.records import Crumb, Edge, Node, NodeView
from remem.rendering.lines import show_arrow, show_crumbs, show_label, show_name, show_place
from remem.rendering.tree import Branch, render_line

EDGES = "edges:"
BELOW = "below:"


class _Seen:
    """An edge as seen from one of its ends."""

    def __init__(self, edge: Edge, node_id: str) -> None:
        self.relationship_type = edge.relationship_type
        self.weight = edge.weight
        self.direction = "out" if edge.source_id == node_id else "in"


def render_head(view: NodeView) -> list[str]:
    """The breadcrumb, where there is one, and `Label [kind] id root/path 12t 0.50° #tag`."""
    node = view.node
    crumbs = [show_crumbs(crumb.label for crumb in view.breadcrumb)] if view.breadcrumb else []
    return [*crumbs, _render_facts(node, view.total_tokens or node.tokens)]


def render_edge(edge: Edge, node_id: str, other: Crumb) -> str:
    """`-references 2.5-> Label id`: the arrow points the way of the edge, as seen from the node."""
    arrow = show_arrow(_Seen(edge, node_id))
    doubt = " (ambiguous)" if edge.ambiguous else ""
    return f"{arrow} {show_label(other.label)} {other.id} {edge.origin}{doubt}"


def render_child(view: NodeView, number: int) -> str:
    """One line of the index below the node."""
    child = view.children[number]
    return render_line(Branch(child, child.hidden))


def _render_facts(node: Node, tokens: int) -> str:
    parts = [show_name(node.label, node.kind, node.id), show_place(node.root, node.source)]
    parts += [f"{tokens}t" if tokens else "", f"{node.temperature:.2f}°", "pinned" if node.pinned else ""]
    parts += [f"#{show_label(tag)}" for tag in node.tags]
    return " ".join(part for part in parts if part)
