"""Walks, relations and what waits as JSON shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remem.faces.wire.nodes import show_memory
from remem.faces.wire.values import Json, pick_fields, show_time
from remem.rendering.lines import show_count

if TYPE_CHECKING:
    from remem.records import Edge, Mention, Neighbourhood, Page, PendingEdge, Related, Relation, Unrelated

_WALKED = ("source_id", "target_id", "relationship_type", "origin", "weight", "direction")
_direct_fields = pick_fields(*_WALKED)
show_step = pick_fields("id", "label", *_WALKED)
"""One hop of a path, and the station that it reaches."""
_drawn_node_fields = pick_fields("id", "kind", "label", "root", "source", "degree", "distance")
_drawn_edge_fields = pick_fields(
    *("source_id", "target_id", "relationship_type", "origin", "weight", "edge_source_id", "edge_target_id"),
)
_score_fields = pick_fields("score", "distance", "hops")
_pending_fields = pick_fields(
    *("source_id", "source_label", "source_missing", "root", "path"),
    *("label", "source", "id", "anchor", "relationship_type", "origin", "weight"),
)
_mention_fields = pick_fields(
    *("source_id", "source_label", "root", "path", "name", "target_id", "target_label", "weight", "texts"),
)


def show_all_related(memory_id: str, found: Sequence[Related]) -> Json:
    """`{memory_id, related}`: the results of a traversal, best first."""
    return {"memory_id": memory_id, "related": [show_related(item) for item in found]}


def show_path(source_id: str, target_id: str, found: Related | None) -> Json:
    """`{source_id, target_id, found}`: the best way between two nodes, `found` null where there is none."""
    shown = None if found is None else show_related(found)
    return {"source_id": source_id, "target_id": target_id, "found": shown}


def show_related(item: Related) -> Json:
    """One result: the node reached, the last edge of its path as seen on arrival, score, distance, direct, path."""
    last = item.path[-1]
    connection = _show_connection(item.node.id, last.relationship_type, last.weight, last.origin, item.created_at)
    return {
        "memory": show_memory(item.node, item.truncated, item.importance),
        "connection": {**connection, "direction": last.direction},
        **_score_fields(item),
        "direct": None if item.direct is None else _direct_fields(item.direct),
        "path": [show_step(step) for step in item.path],
    }


def show_relation(relation: Relation) -> Json:
    """`{source_id, connection, created, pending, partial, ambiguous, label}`; `connection.target_id` is null while the
    edge waits, `partial` says that it waits for a heading only."""
    connection = _show_connection(
        relation.target_id, relation.relationship_type, relation.weight, "manual", relation.created_at
    )
    return {
        "source_id": relation.source_id,
        "connection": {**connection, "updated_at": show_time(relation.updated_at)},
        "created": relation.created,
        "pending": relation.pending,
        "partial": relation.partial,
        "ambiguous": relation.ambiguous,
        "label": relation.label,
    }


def _show_connection(target_id: str | None, type: str, weight: float, origin: str, created_at: int) -> Json:
    return {
        "target_id": target_id,
        "relationship_type": type,
        "strength": min(weight, 1.0),
        "weight": weight,
        "origin": origin,
        "created_at": show_time(created_at),
    }


def show_connection(edge: Edge) -> Json:
    """`{source_id, connection: {target_id, relationship_type, strength, weight, origin, created_at}}`."""
    connection = _show_connection(edge.target_id, edge.relationship_type, edge.weight, edge.origin, edge.created_at)
    return {"source_id": edge.source_id, "connection": connection}


def show_neighbourhood(found: Neighbourhood) -> Json:
    """`{nodes, edges, left_out}`: a part of the graph to look at."""
    return {
        "nodes": [_drawn_node_fields(node) for node in found.nodes],
        "edges": [_drawn_edge_fields(edge) for edge in found.edges],
        "left_out": found.left_out,
    }


def show_connections(page: Page[Edge], limit: int, offset: int) -> Json:
    """`{connections, total, limit, offset}`."""
    return {
        "connections": [show_connection(edge) for edge in page],
        "total": page.total,
        "limit": limit,
        "offset": offset,
    }


def show_unrelated(removed: Unrelated) -> Json:
    """`{success, message, deleted, source_id, target_id}`."""
    return {
        "success": True,
        "message": f"{show_count(removed.deleted, 'edge')} removed",
        "deleted": removed.deleted,
        "source_id": removed.source_id,
        "target_id": removed.target_id,
    }


def show_pending_edge(edge: PendingEdge) -> Json:
    """An edge that waits, with the whole hint of its link."""
    return {**_pending_fields(edge), "suggestions": [{"id": id, "label": label} for id, label in edge.suggestions]}


def show_pending(edges: Sequence[PendingEdge]) -> Json:
    """`{pending, total}`."""
    return {"pending": [show_pending_edge(edge) for edge in edges], "total": len(edges)}


def show_mention(mention: Mention) -> Json:
    """An edge from the first node of a text that names another node without a link."""
    return {**_mention_fields(mention), "created_at": show_time(mention.created_at)}


def show_mentions(mentions: Sequence[Mention]) -> Json:
    """`{mentions, total}`."""
    return {"mentions": [show_mention(mention) for mention in mentions], "total": len(mentions)}
