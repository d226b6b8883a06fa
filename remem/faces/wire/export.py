"""Everything in a store as JSON: as one object, or as lines that can be read one by one. What an import needs to make
the same store again stands in it; no vectors, no history, no use of nodes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from remem.faces.wire.graph import show_pending_edge
from remem.faces.wire.nodes import show_edge, show_node
from remem.faces.wire.values import Json, show_time

if TYPE_CHECKING:
    from remem.records import Export, ExportRows, MemoryRow, Node


def show_export(export: Export) -> Json:
    """`{nodes, edges, pending, archived}`: everything that lives, and archived memories. A memory has its fields in
    `memory`, an entity its `entity_type`, the document of a file its whole `text` (and `file`, the name that goes with
    it, where that is not its source)."""
    facts = _Facts(export.rows)
    return {
        "nodes": [facts.show(node) for node in export.nodes],
        "edges": [show_edge(edge) for edge in export.edges],
        "pending": [show_pending_edge(edge) for edge in export.pending],
        "archived": [show_archived(row, content) for row, content in export.rows.archived],
    }


def list_lines(export: Export) -> Iterator[Json]:
    """The same, an object at a time, each with its `type`: node, archived, edge, pending."""
    facts = _Facts(export.rows)
    yield from ({"type": "node", **facts.show(node)} for node in export.nodes)
    for row, content in export.rows.archived:
        yield {"type": "archived", **show_archived(row, content)}
    yield from ({"type": "edge", **show_edge(edge)} for edge in export.edges)
    yield from ({"type": "pending", **show_pending_edge(edge)} for edge in export.pending)


class _Facts:
    """What is told of nodes beside what all nodes have."""

    def __init__(self, rows: ExportRows) -> None:
        self._memories = {row.id: row for row in rows.memories}
        self._rows = rows

    def show(self, node: Node) -> Json:
        """A node with all that is known of it."""
        shown = show_node(node)
        if node.id in self._memories:
            shown["memory"] = show_facts(self._memories[node.id])
        if node.id in self._rows.entities:
            shown["entity_type"] = self._rows.entities[node.id]
        if node.id in self._rows.texts:
            name, shown["text"] = self._rows.texts[node.id]
            if name != node.source:
                shown["file"] = name
        return shown


def show_archived(row: MemoryRow, content: str) -> Json:
    """An archived memory, which is no node: its id, text and fields."""
    return {"id": row.id, "content": content, "memory": show_facts(row)}


def show_facts(row: MemoryRow) -> Json:
    """The fields of a memory as a call gave them; `ttl` in seconds, times null where there is none."""
    times = {
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "expires_at": row.expires_at,
        "archived_at": row.archived_at,
    }
    return {
        "memory_type": row.type,
        "importance": row.importance,
        "source": row.source,
        "tags": json.loads(row.tags),
        "metadata": json.loads(row.metadata),
        "ttl": None if row.ttl is None else row.ttl / 1000,
        **{name: None if time is None else show_time(time) for name, time in times.items()},
    }
