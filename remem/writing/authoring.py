"""Authoring: relating and unrelating nodes as callers ask for it, by id or label."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from remem.checks import check_text
from remem.errors import ConflictError, InvalidInputError, NotFoundError
from remem.ingest.links import unwrap_name
from remem.limits import LONGEST_REFERENCE
from remem.reading import find, places
from remem.records import (
    DISCOVERED_TYPE,
    MANUAL,
    MENTIONED,
    MICRO,
    RELATIONSHIP_TYPES,
    EdgeRow,
    NodeRow,
    Relation,
    Unrelated,
)
from remem.storage import discovery, versions
from remem.storage import documents as document_rows
from remem.storage import edges as edge_rows
from remem.storage import nodes as node_rows
from remem.writing import mention_edges, relations
from remem.writing.relations import Target

if TYPE_CHECKING:
    from sqlite3 import Connection


MOST_TOLD = 3
"""So many edges of what lies below are named."""


def check_target(target: str | None, label: str | None, source: str | None) -> Target:
    """What a call says of the target: an existing node, or a label (`[[Label]]` is read as one) with or without a
    source."""
    if (target is None) == (label is None):
        raise InvalidInputError("give either `target` or `target_label`", field="target")
    if target is not None:
        if source is not None:
            raise InvalidInputError("target_source goes with `target_label`", field="target_source")
        return Target(id=check_text("target", target, longest=LONGEST_REFERENCE))
    place = "" if source is None else check_text("target_source", source, longest=4096)
    name = unwrap_name(check_text("target_label", label, longest=LONGEST_REFERENCE).strip())
    if name is None:
        message = (
            "target_label is a name, or a link that holds just one; weight, type, source and id are given beside it"
        )
        raise InvalidInputError(message, field="target_label")
    return Target(label=name, source=place)


def relate_nodes(connection: Connection, source: str, target: Target, type: str, weight: float, now: int) -> Relation:
    """Makes or updates a manual edge; see `Remem.relate`."""
    start = find.get_node(connection, source, "source")
    if target.id:
        target = Target(id=find.get_node(connection, target.id, "target").id)
    if target.id == start.id:
        raise InvalidInputError(f"{start.id} cannot be related to itself", field="target")
    made = relations.relate(connection, start, target, type, weight, now)
    mention_edges.settle_edges(connection, now)
    row = made.row
    end = node_rows.load_nodes(connection, [row.target]).get(row.target) if row.target is not None else None
    if end is not None and type == DISCOVERED_TYPE:
        discovery.refuse_edge(connection, start.key, end.key)  # an edge whose weight is set by hand is a manual one
    return Relation(
        source_id=start.id,
        target_id=end.id if end else None,
        label=row.label,
        relationship_type=RELATIONSHIP_TYPES[row.type],
        weight=row.weight / MICRO,
        created_at=row.created_at,
        updated_at=row.updated_at,
        created=made.created,
        pending=end is None,
        partial=bool(row.partial),
        ambiguous=bool(row.ambiguous),
    )


def unrelate_nodes(connection: Connection, source: str, target: Target, type: str | None, now: int) -> Unrelated:
    """Removes manual, mentioned and discovered edges, and relations that wait; see `Remem.unrelate`."""
    start = _find_start(connection, source)
    end = _find_end(connection, target) if start else None
    if start is None or end is None:
        return _unrelate_waiting(connection, source, start, target, type)
    mentioned = mention_edges.refuse(connection, start, end) if type in (None, "references") else 0
    deleted = relations.unrelate(connection, start, end, type) + mentioned
    if type in (None, DISCOVERED_TYPE):
        deleted += discovery.refuse_edge(connection, start.key, end.key)
    mention_edges.settle_edges(connection, now)
    if not deleted:
        explain_nothing(connection, start, end, type)
    return Unrelated(start.id, end.id, deleted)


def _find_start(connection: Connection, source: str) -> NodeRow | None:
    """The node that the edges leave; None where only relations that wait for its return can be meant."""
    try:
        return find.get_node(connection, source, "source")
    except NotFoundError:
        if versions.find_removed(connection, source) is None:
            raise
        return None


def _find_end(connection: Connection, target: Target) -> NodeRow | None:
    """The node that `target` names; None where it is a label to wait for, or names no node."""
    if not target.id:
        return None
    try:
        return find.get_node(connection, target.id, "target")
    except NotFoundError:
        return None


def _unrelate_waiting(
    connection: Connection, source: str, start: NodeRow | None, target: Target, type: str | None
) -> Unrelated:
    """Removes relations by what was asked for: those that wait, and those that a label was resolved for."""
    removed = None if start else versions.find_removed(connection, source)
    key, id = (start.key, start.id) if start else (removed.key, removed.id) if removed else (0, source)
    alive = start is not None
    deleted = relations.unrelate_label(connection, key, target, type, alive=alive)
    if not deleted and target.id:
        deleted = relations.unrelate_label(connection, key, Target(label=target.id), type, alive=alive)
    if not deleted:
        label, kind = target.label or target.id, "" if type is None else f" of type {type}"
        raise NotFoundError(
            f"no edge{kind} of {id} leads to, or waits for, {label}; `pending` lists those that wait", label=label
        )
    return Unrelated(id, None, deleted)


def explain_nothing(connection: Connection, start: NodeRow, end: NodeRow, type: str | None) -> NoReturn:
    """Raises ConflictError with the place where a text makes the edge, NotFoundError where there is none."""
    code = None if type is None else RELATIONSHIP_TYPES.index(type)
    edges = list_edges(connection, start, end)
    left = [edge for edge in edges if code in (None, edge.type) and edge.origin != MANUAL]
    if left:
        place = places.find_place(connection, start, {edge.target for edge in left}, code)
        message = f"the edge from {start.id} to {end.id} is a link written in {place}: take the link out of the text"
        raise ConflictError(message, place=place)
    ends = {"source_id": start.id, "target_id": end.id}
    if edges and type is not None:
        kinds = sorted({RELATIONSHIP_TYPES[edge.type] for edge in edges})
        message = f"no edge of type {type} leads from {start.id} to {end.id}; those that do: {', '.join(kinds)}"
        raise NotFoundError(message, relationship_types=kinds, **ends)
    kind = "" if type is None else f" of type {type}"
    below = _tell_below(connection, start, end, code)
    raise NotFoundError(f"no edge{kind} leads from {start.id} to {end.id}{below}", **ends)


def list_edges(connection: Connection, start: NodeRow, end: NodeRow) -> list[EdgeRow]:
    """The edges from one node to another; a mention of a document leads to its title heading."""
    edges = edge_rows.load_edges_between(connection, start.key, end.key)
    title = document_rows.load_title_headings(connection, [end.key]).get(end.key)
    if title is not None:
        beside = edge_rows.load_edges_between(connection, start.key, title)
        edges += [edge for edge in beside if edge.origin == MENTIONED]
    return edges


def _tell_below(connection: Connection, start: NodeRow, end: NodeRow, type: int | None) -> str:
    """Which edges lead from what lies below one node to the other or what lies below that, "" where none does."""
    found = edge_rows.list_edges_below(connection, start, end, type, MOST_TOLD)
    if not found:
        return ""
    file = places.find_file(connection, start)
    told = []
    for source, target, kind, origin in found:
        where = f"a link in {file}" if origin == "parsed" and file else origin
        told.append(f"{kind} from {source} to {target} ({where})")
    return f" itself, but below: {'; '.join(told)}. A link goes with the text, others by these ids"
