"""Nodes as callers read them: one with its section and what is around it, or all of some documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from remem.ingest.labels import label_row
from remem.keys import strict_key
from remem.reading.text import read_header, render_section
from remem.reading.tree import list_tree, shown_label
from remem.records import MICRO, Crumb, Edge, Heat, Node, NodeRow, NodeView
from remem.storage import documents as document_rows
from remem.storage import edges as edge_rows
from remem.storage import nodes as node_rows
from remem.storage import outline
from remem.storage.edges import NamedEdge
from remem.storage.outline import ShownNode
from remem.usage.temperature import Thermometer, read_nothing

if TYPE_CHECKING:
    from sqlite3 import Connection


def make_single(key: int, id: str, kind: str, label: str, content: str, tokens: int) -> NodeRow:
    """The row of a node that is a document of its own."""
    return NodeRow(key, id, kind, key, None, 0, 0, key, 0, tokens, label or None, content, "", None)


def order_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags as the store returns them: one for each key, the first as written, by key."""
    by_key: dict[str, str] = {}
    for tag in tags:
        by_key.setdefault(strict_key(tag), tag)
    return tuple(by_key[key] for key in sorted(by_key))


def view_node(connection: Connection, row: NodeRow, depth: int, *, thermometer: Thermometer = read_nothing) -> NodeView:
    """A node to read, with the lines below it down to `depth`."""
    subtree = node_rows.load_subtree(connection, row)
    shown = outline.load_shown(connection, [row.key])[row.key]
    breadcrumb = tuple(Crumb(id, label or "") for id, label, _ in outline.load_ancestors(connection, row.key))
    tags = node_rows.load_node_tags(connection, [row.key]).get(row.key, ())
    line, *children = list_tree(connection, row, depth, thermometer=thermometer)
    node = _node(row, shown, len(breadcrumb), tags, Heat(line.temperature, line.pinned))
    edges = load_edges(connection, row)
    ends = _load_ends(connection, row, edges)
    header = read_header(node_rows.find_first_piece(connection, row)) if row.kind == "table" else ""
    text = header + render_section(subtree, find_tail(connection, row))
    return NodeView(node, breadcrumb, text, tuple(children), edges, ends, line.total_tokens)


def find_tail(connection: Connection, row: NodeRow) -> str:
    """What stands after the last node of a document; nothing for any other node."""
    document = document_rows.find_document(connection, row.key) if row.kind == "document" else None
    return document.tail if document else ""


def _load_ends(connection: Connection, row: NodeRow, edges: Iterable[Edge]) -> tuple[Crumb, ...]:
    """The other end of each edge: one that is the node itself for an edge from a node to itself."""
    ids = [edge.target_id if edge.source_id == row.id else edge.source_id for edge in edges]
    keys = (key for key, _ in node_rows.find_refs(connection, set(ids)).values())
    labels = {node.id: shown_label(node) for node in outline.load_shown(connection, keys).values()}
    return tuple(Crumb(id, labels.get(id, "")) for id in ids)


def _node(row: NodeRow, shown: ShownNode, depth: int, tags: tuple[str, ...], heat: Heat) -> Node:
    return Node(
        row.id, row.kind, label_row(row), row.content, shown.root, shown.source, shown.parent_id, row.position,
        depth, row.tokens, tags, *heat,
    )  # fmt: skip


def load_edges(connection: Connection, row: NodeRow) -> tuple[Edge, ...]:
    """The edges at a node itself, those that leave it first."""
    return tuple(make_edge(found) for found in edge_rows.load_edges_at(connection, row.key))


def make_edge(row: NamedEdge) -> Edge:
    """An edge as callers see it."""
    source, target, type, origin, weight, links, ambiguous, created_at, updated_at = row
    return Edge(source, target, type, origin, weight / MICRO, links, bool(ambiguous), created_at, updated_at)


def load_all_nodes(connection: Connection, documents: Iterable[int]) -> list[Node]:
    """Every node of the documents, in order; without their temperatures."""
    cold = Heat()
    found: list[Node] = []
    for document in documents:
        rows = node_rows.load_trees(connection, [document])[document]
        shown = outline.load_shown(connection, [row.key for row in rows])
        tags = node_rows.load_tags(connection, [document])
        depths: dict[int | None, int] = {}
        for row in rows:
            depths[row.key] = depths.get(row.parent, -1) + 1
            found.append(_node(row, shown[row.key], depths[row.key], tags.get(row.key, ()), cold))
    return found
