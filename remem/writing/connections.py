"""Connections as calls make and change them: manual edges between two nodes that exist. `authoring` removes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.checks import rename_fields
from remem.errors import ConflictError, InvalidInputError
from remem.reading import find
from remem.records import (
    DISCOVERED,
    DISCOVERED_TYPE,
    MANUAL,
    MICRO,
    PARSED,
    RELATIONSHIP_TYPES,
    Edge,
    EdgeRow,
    NodeRow,
)
from remem.storage import discovery
from remem.storage import edges as edge_rows
from remem.storage import relations as relation_rows
from remem.writing import mention_edges, relations
from remem.writing.authoring import explain_nothing, list_edges, relate_nodes
from remem.writing.relations import Target

if TYPE_CHECKING:
    from sqlite3 import Connection


def connect_nodes(connection: Connection, source: str, target: str, type: str, weight: float, now: int) -> Edge:
    """Makes or updates a manual edge; see `Remem.connect`."""
    try:
        made = relate_nodes(connection, source, Target(id=target), type, weight, now)
    except InvalidInputError as error:
        raise rename_fields(error, {"source": "source_id", "target": "target_id"}) from None
    return Edge(
        source_id=made.source_id,
        target_id=made.target_id or target,
        relationship_type=made.relationship_type,
        origin="manual",
        weight=made.weight,
        links=1,
        ambiguous=False,
        created_at=made.created_at,
        updated_at=made.updated_at,
    )


def change_connection(
    connection: Connection,
    source: str,
    target: str,
    which: str | None,
    type: str | None,
    weight: float | None,
    now: int,
) -> Edge:
    """Changes the type and weight of the edge between two nodes that no text makes, of the type `which` where there are
    several; it is a manual one from then on and keeps its `created_at`. See `Remem.reconnect`."""
    start, end = find.get_node(connection, source), find.get_node(connection, target)
    edge = _choose_edge(connection, start, end, which)
    wanted = edge.type if type is None else RELATIONSHIP_TYPES.index(type)
    taken = edge_rows.load_edges_between(connection, start.key, edge.target)
    if wanted != edge.type and any(other.type == wanted and other.origin == MANUAL for other in taken):
        kind = RELATIONSHIP_TYPES[wanted]
        raise ConflictError(f"there is a connection of type {kind} from {start.id} to {end.id} already")
    _rewrite(connection, start, end, edge, wanted, edge.weight if weight is None else round(weight * MICRO), now)
    mention_edges.settle_edges(connection, now)
    (row,) = [
        row
        for row in edge_rows.load_edges_between(connection, start.key, end.key)
        if row.type == wanted and row.origin == MANUAL
    ]
    return Edge(
        source_id=start.id,
        target_id=end.id,
        relationship_type=RELATIONSHIP_TYPES[row.type],
        origin="manual",
        weight=row.weight / MICRO,
        links=row.links,
        ambiguous=bool(row.ambiguous),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _choose_edge(connection: Connection, start: NodeRow, end: NodeRow, which: str | None) -> EdgeRow:
    """The edge that is meant. Of several of one type, manual goes before discovered, that before mentioned.

    Raises NotFoundError where there is none, ConflictError where only a text could change it or several are meant.
    """
    code = None if which is None else RELATIONSHIP_TYPES.index(which)
    found = [edge for edge in list_edges(connection, start, end) if code in (None, edge.type)]
    free = sorted((edge for edge in found if edge.origin != PARSED), key=lambda edge: edge.origin)
    types = sorted({RELATIONSHIP_TYPES[edge.type] for edge in free})
    if len(types) > 1:
        several = f"several connections lead from {start.id} to {end.id}"
        message = f"{several}: `relationship_type` says which of {', '.join(types)}"
        raise ConflictError(message, field="relationship_type", relationship_types=types)
    if not free:
        explain_nothing(connection, start, end, which)
    return free[0]


def _rewrite(
    connection: Connection, start: NodeRow, end: NodeRow, edge: EdgeRow, type: int, weight: int, now: int
) -> None:
    """Brings the relation behind an edge to a type and a weight; what no call made becomes a relation."""
    if edge.origin != MANUAL:
        if edge.origin == DISCOVERED:
            discovery.refuse_edge(connection, start.key, end.key)
        else:
            mention_edges.refuse(connection, start, end)
        made = relations.relate(connection, start, Target(id=end.id), RELATIONSHIP_TYPES[type], weight / MICRO, now)
        rows = [made.row]
    else:
        rows = [
            row
            for row in relation_rows.load_relations_from(connection, [start.key])
            if row.target == end.key and row.type == edge.type
        ]
    deciding = [row for row in rows if not row.partial] or rows
    changed = [row._replace(type=type, weight=weight, created_at=edge.created_at, updated_at=now) for row in deciding]
    changed += [row._replace(type=type) for row in rows if row not in deciding]
    relation_rows.update_relations(connection, changed)
    relations.derive_manual_edges(connection, [start.key])
    if RELATIONSHIP_TYPES[type] == DISCOVERED_TYPE:
        discovery.refuse_edge(connection, start.key, end.key)  # an edge whose weight is set by hand is a manual one
