"""Connections: all edges of the store, or those at one node, oldest first, by pages. What has expired or is archived is
no end of any."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from remem.reading import find
from remem.reading.cursors import lost_cursor_error, mark_request, read_cursor, write_cursor
from remem.reading.pages import Listing, make_page
from remem.reading.tree import shown_label
from remem.records import MICRO, ORIGINS, RELATIONSHIP_TYPES, Edge, EdgeFilter, Page, PageRequest
from remem.rendering.connections import render_connection
from remem.storage import edges as edge_rows
from remem.storage import outline
from remem.storage.edges import EdgeRank, ListedEdge
from remem.storage.hiding import is_hiding

if TYPE_CHECKING:
    from sqlite3 import Connection

EMPTY = "no connection matches"


def page_connections(
    connection: Connection, wanted: EdgeFilter, limit: int, offset: int, request: PageRequest
) -> Page[Edge]:
    """A page of at most `limit` edges, from the one of a number or of a cursor on.

    Raises NotFoundError, AmbiguousError, InvalidInputError.
    """
    mark = mark_request("connections", wanted)
    after = None if request.cursor is None else _read_rank(connection, read_cursor(mark, request.cursor, 5))
    rows, rest, total = _find_rows(connection, wanted, after, limit, offset)
    nodes = outline.load_shown(connection, {key for row in rows for key in (row.source, row.target)})
    labels = {node.id: shown_label(node) for node in nodes.values()}

    def follow(number: int) -> str:
        row = rows[number]
        return write_cursor(mark, (row.created_at, row.source, row.target, row.type, row.origin))

    def render(edge: Edge) -> str:
        return render_connection(edge, labels.get(edge.source_id, ""), labels.get(edge.target_id, ""))

    listing = Listing([_tell(row) for row in rows], rest, total, render, follow, EMPTY)
    return make_page(listing, request.budget)


def _find_rows(
    connection: Connection, wanted: EdgeFilter, after: EdgeRank | None, limit: int, offset: int
) -> tuple[Sequence[ListedEdge], int, int]:
    """The edges of a page, how many come from its first on, and how many match in all."""
    type = None if wanted.type is None else RELATIONSHIP_TYPES.index(wanted.type)
    origin = None if wanted.origin is None else ORIGINS.index(wanted.origin)
    if wanted.node is not None:
        rows = edge_rows.list_edges_at(connection, find.get_node(connection, wanted.node), type, origin)
        start = offset if after is None else bisect_right(rows, after, key=_rank)
        return rows[start : start + limit], max(len(rows) - start, 0), len(rows)
    # Edges have living ends, unless one is hidden from just this connection.
    count = edge_rows.count_listed if is_hiding(connection) else _count_all
    total = count(connection, type, origin, None)
    rest = max(total - offset, 0) if after is None else edge_rows.count_listed(connection, type, origin, after)
    return edge_rows.list_edges(connection, type, origin, after, limit, offset), rest, total


def _count_all(connection: Connection, type: int | None, origin: int | None, after: EdgeRank | None) -> int:
    return edge_rows.count_edges(connection, type, origin)


def _read_rank(connection: Connection, place: tuple[int, ...]) -> EdgeRank:
    created_at, source, target, type, origin = place
    ends = outline.find_id(connection, source), outline.find_id(connection, target)
    if ends[0] is None or ends[1] is None:
        raise lost_cursor_error()
    return EdgeRank(created_at, ends[0], ends[1], type, origin)


def _rank(row: ListedEdge) -> EdgeRank:
    return EdgeRank(row.created_at, row.source_id, row.target_id, row.type, row.origin)


def _tell(row: ListedEdge) -> Edge:
    return Edge(
        source_id=row.source_id,
        target_id=row.target_id,
        relationship_type=RELATIONSHIP_TYPES[row.type],
        origin=ORIGINS[row.origin],
        weight=row.weight / MICRO,
        links=row.links,
        ambiguous=bool(row.ambiguous),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
