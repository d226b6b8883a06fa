"""Nodes, the edges at them, and the index as JSON shapes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from remem.faces.wire.values import Json, pick_fields, show_time
from remem.records import DEFAULT_IMPORTANCE

if TYPE_CHECKING:
    from remem.records import Crumb, Edge, Node, NodeUsage, NodeView, Page, TreeLine

_PLACE = ("id", "kind", "label", "root", "source")
_node_fields = pick_fields(*_PLACE, "parent_id", "position", "depth", "tokens")
_line_fields = pick_fields(*_PLACE, "parent_id", "depth", "tokens", "total_tokens", "hidden", "temperature", "pinned")
_usage_fields = pick_fields("id", "kind", "label", "temperature", "pinned")
_edge_fields = pick_fields("source_id", "target_id", "relationship_type", "origin", "weight", "links", "ambiguous")
_crumb_fields = pick_fields("id", "label")


def show_node(node: Node) -> Json:
    """A node with its content."""
    return {**_node_fields(node), "tags": list(node.tags), "content": node.content}


def show_memory(node: Node, truncated: bool, importance: float = DEFAULT_IMPORTANCE) -> Json:
    """A node where a memory may stand: its `content` is the text of its section, `truncated` where that was cut."""
    return {**show_node(node), "importance": importance, "truncated": truncated}


def show_line(line: TreeLine) -> Json:
    """One line of the index."""
    return _line_fields(line)


def show_tree(lines: Sequence[TreeLine]) -> Json:
    """`{nodes}`: the index in its order."""
    return {"nodes": [show_line(line) for line in lines]}


def show_rest(page: Page[Any]) -> Json:
    """`{total, left_out, cursor}` of a page: how many match, how many come after it, where to go on (null: nowhere)."""
    return {"total": page.total, "left_out": page.left_out, "cursor": page.cursor}


def show_crumbs(crumbs: Iterable[Crumb]) -> list[Json]:
    """`[{id, label}]`: what something lies in, outermost first."""
    return [_crumb_fields(crumb) for crumb in crumbs]


def show_view(view: NodeView) -> Json:
    """A node with `breadcrumb`, the `text` of its section, the lines below it and the edges at it."""
    return {
        **show_node(view.node),
        "total_tokens": view.total_tokens or view.node.tokens,
        "temperature": view.node.temperature,
        "pinned": view.node.pinned,
        "breadcrumb": show_crumbs(view.breadcrumb),
        "text": view.text,
        "children": [show_line(line) for line in view.children],
        "edges": [show_edge(edge) for edge in view.edges],
    }


def show_usage(usage: NodeUsage) -> Json:
    """How a node is used; `accessed_at` is null where it was never read."""
    read_at = None if usage.accessed_at is None else show_time(usage.accessed_at)
    return {**_usage_fields(usage), "access_count": usage.accesses, "accessed_at": read_at}


def show_edge(edge: Edge) -> Json:
    """One edge between two nodes; `links` is the number of links behind it."""
    times = {"created_at": show_time(edge.created_at), "updated_at": show_time(edge.updated_at)}
    return {**_edge_fields(edge), **times}
