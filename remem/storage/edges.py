"""Rows of `edges`. Which edges there are is decided by links, relations, discovery and mentions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.records import EdgeRow, NodeRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_BY_SOURCES = """
SELECT e.source, e.target, e.type, e.origin, e.weight, e.links, e.ambiguous, e.created_at, e.updated_at
FROM json_each(:sources) AS k
JOIN edges AS e ON e.source = k.value
WHERE e.origin = :origin
"""
SELECT_BETWEEN = """
SELECT source, target, type, origin, weight, links, ambiguous, created_at, updated_at
FROM edges
WHERE source = :source
  AND target = :target
"""
SELECT_BELOW = """
SELECT s.id, t.id, y.name, o.name
FROM nodes AS s
CROSS JOIN edges AS e ON e.source = s.key
CROSS JOIN nodes AS t ON t.key = e.target
CROSS JOIN relationship_types AS y ON y.code = e.type
CROSS JOIN origins AS o ON o.code = e.origin
WHERE s.document = :document
  AND s.position BETWEEN :first AND :last
  AND t.document = :other
  AND t.position BETWEEN :other_first AND :other_last
  AND (:type IS NULL OR e.type = :type)
ORDER BY s.position, t.position, e.origin
LIMIT :limit
"""
SELECT_ALL = """
SELECT s.id, t.id, y.name, o.name, e.weight, e.links, e.ambiguous, e.created_at, e.updated_at
FROM edges AS e
JOIN nodes AS s ON s.key = e.source
JOIN nodes AS t ON t.key = e.target
JOIN relationship_types AS y ON y.code = e.type
JOIN origins AS o ON o.code = e.origin
ORDER BY s.id, t.id, y.name, o.name
"""
# Found first, joined then: else SQLite scans all edges for the two ways in which one may stand at the node.
SELECT_AT = """
WITH e AS MATERIALIZED (
    SELECT *
    FROM edges
    WHERE source = :node
       OR target = :node
)
SELECT s.id, t.id, y.name, o.name, e.weight, e.links, e.ambiguous, e.created_at, e.updated_at
FROM e
CROSS JOIN nodes AS s ON s.key = e.source
CROSS JOIN nodes AS t ON t.key = e.target
CROSS JOIN relationship_types AS y ON y.code = e.type
CROSS JOIN origins AS o ON o.code = e.origin
ORDER BY e.source <> :node, e.weight DESC, t.id, s.id, y.name, o.code
"""
# CROSS JOIN keeps the order of the tables, whatever old statistics of the file say of their sizes.
SELECT_LISTED = """
SELECT e.source, e.target, s.id, t.id, e.type, e.origin, e.weight, e.links, e.ambiguous, e.created_at, e.updated_at
FROM edges AS e
CROSS JOIN nodes AS s ON s.key = e.source
CROSS JOIN nodes AS t ON t.key = e.target
WHERE (:type IS NULL OR e.type = :type)
  AND (:origin IS NULL OR e.origin = :origin)
  AND (:after_at IS NULL
       OR (e.created_at, s.id, t.id, e.type, e.origin)
          > (:after_at, :after_source, :after_target, :after_type, :after_origin))
ORDER BY e.created_at, s.id, t.id, e.type, e.origin
LIMIT :limit OFFSET :offset
"""
COUNT_LISTED = """
SELECT count(*)
FROM edges AS e
CROSS JOIN nodes AS s ON s.key = e.source
CROSS JOIN nodes AS t ON t.key = e.target
WHERE (:type IS NULL OR e.type = :type)
  AND (:origin IS NULL OR e.origin = :origin)
  AND (:after_at IS NULL
       OR (e.created_at, s.id, t.id, e.type, e.origin)
          > (:after_at, :after_source, :after_target, :after_type, :after_origin))
"""
SELECT_LISTED_AT = """
WITH held (key) AS MATERIALIZED (
    SELECT key
    FROM nodes
    WHERE document = :document
      AND position BETWEEN :first AND :last
),
ends (source, target, type, origin) AS (
    SELECT e.source, e.target, e.type, e.origin
    FROM held AS h
    CROSS JOIN edges AS e ON e.source = h.key
    UNION
    SELECT e.source, e.target, e.type, e.origin
    FROM held AS h
    CROSS JOIN edges AS e ON e.target = h.key
)
SELECT e.source, e.target, s.id, t.id, e.type, e.origin, e.weight, e.links, e.ambiguous, e.created_at, e.updated_at
FROM ends AS n
CROSS JOIN edges AS e ON e.source = n.source AND e.target = n.target AND e.type = n.type AND e.origin = n.origin
CROSS JOIN nodes AS s ON s.key = e.source
CROSS JOIN nodes AS t ON t.key = e.target
WHERE (:type IS NULL OR e.type = :type)
  AND (:origin IS NULL OR e.origin = :origin)
ORDER BY e.created_at, s.id, t.id, e.type, e.origin
"""
COUNT_EDGES = """
SELECT count(*)
FROM edges
WHERE (:type IS NULL OR type = :type)
  AND (:origin IS NULL OR origin = :origin)
"""
UPSERT_EDGE = """
INSERT INTO edges (source, target, type, origin, weight, links, ambiguous, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (source, target, type, origin) DO UPDATE
SET weight = excluded.weight, links = excluded.links, ambiguous = excluded.ambiguous, updated_at = excluded.updated_at
"""
DELETE_EDGE = """
DELETE FROM edges
WHERE source = ?
  AND target = ?
  AND type = ?
  AND origin = ?
"""
DELETE_OF_SOURCES = """
DELETE FROM edges
WHERE source IN (SELECT value FROM json_each(:nodes))
"""
DELETE_OF_TARGETS = """
DELETE FROM edges
WHERE target IN (SELECT value FROM json_each(:nodes))
"""


class ListedEdge(NamedTuple):
    """An edge with the keys and the ids of its ends; type and origin are codes, the weight is in millionths."""

    source: int
    target: int
    source_id: str
    target_id: str
    type: int
    origin: int
    weight: int
    links: int
    ambiguous: int
    created_at: int
    updated_at: int


class NamedEdge(NamedTuple):
    """An edge by the ids of its ends and the names of its type and origin; the weight is in millionths."""

    source_id: str
    target_id: str
    type: str
    origin: str
    weight: int
    links: int
    ambiguous: int
    created_at: int
    updated_at: int


class EdgeRank(NamedTuple):
    """What orders edges in lists, oldest first: the ids are those of the two ends."""

    created_at: int
    source_id: str
    target_id: str
    type: int
    origin: int


def list_edges(
    connection: Connection, type: int | None, origin: int | None, after: EdgeRank | None, limit: int, offset: int
) -> list[ListedEdge]:
    """Edges between living nodes in the order of `EdgeRank`. Linear in the edges, but for the sorting."""
    parameters = {"type": type, "origin": origin, **_name_rank(after), "limit": limit, "offset": offset}
    return [ListedEdge._make(row) for row in connection.execute(SELECT_LISTED, parameters)]


def count_listed(connection: Connection, type: int | None, origin: int | None, after: EdgeRank | None) -> int:
    """How many edges `list_edges` has in all."""
    parameters = {"type": type, "origin": origin, **_name_rank(after)}
    return int(connection.execute(COUNT_LISTED, parameters).fetchone()[0])


def count_edges(connection: Connection, type: int | None, origin: int | None) -> int:
    """How many edges there are, those at nodes that are hidden from the connection included."""
    return int(connection.execute(COUNT_EDGES, {"type": type, "origin": origin}).fetchone()[0])


def list_edges_at(connection: Connection, node: NodeRow, type: int | None, origin: int | None) -> list[ListedEdge]:
    """All edges that a node or anything below it is an end of, in the same order."""
    place = {"document": node.document, "first": node.position, "last": node.last}
    rows = connection.execute(SELECT_LISTED_AT, {**place, "type": type, "origin": origin})
    return [ListedEdge._make(row) for row in rows]


def _name_rank(after: EdgeRank | None) -> dict[str, object]:
    names = ("after_at", "after_source", "after_target", "after_type", "after_origin")
    return dict(zip(names, after or (None,) * len(names), strict=True))


def load_edges_from(connection: Connection, sources: Iterable[int], origin: int) -> list[EdgeRow]:
    """The edges of one origin that leave the nodes."""
    rows = connection.execute(SELECT_BY_SOURCES, {"sources": json_list(sources), "origin": origin})
    return [EdgeRow._make(row) for row in rows]


def load_edges_between(connection: Connection, source: int, target: int) -> list[EdgeRow]:
    """All edges from one node to another."""
    rows = connection.execute(SELECT_BETWEEN, {"source": source, "target": target})
    return [EdgeRow._make(row) for row in rows]


def load_all_edges(connection: Connection) -> list[NamedEdge]:
    """Every edge, in the order of the ids of its ends and the names of its type and origin."""
    return [NamedEdge._make(row) for row in connection.execute(SELECT_ALL)]


def load_edges_at(connection: Connection, node: int) -> list[NamedEdge]:
    """The edges at a node: those that leave it first, the heaviest first."""
    return [NamedEdge._make(row) for row in connection.execute(SELECT_AT, {"node": node})]


def list_edges_below(
    connection: Connection, source: NodeRow, target: NodeRow, type: int | None, limit: int
) -> list[tuple[str, str, str, str]]:
    """(source id, target id, type, origin) of the first edges from a node or what lies below it to another node or what
    lies below that."""
    parameters = {
        "document": source.document, "first": source.position, "last": source.last, "other": target.document,
        "other_first": target.position, "other_last": target.last, "type": type, "limit": limit,
    }  # fmt: skip
    return connection.execute(SELECT_BELOW, parameters).fetchall()


def save_edges(connection: Connection, rows: Sequence[EdgeRow]) -> None:
    """Adds edges, or updates those that stand (`created_at` is kept)."""
    connection.executemany(UPSERT_EDGE, rows)


def delete_edges(connection: Connection, keys: Sequence[tuple[int, int, int, int]]) -> None:
    """Takes edges away: (source, target, type, origin)."""
    connection.executemany(DELETE_EDGE, keys)


def delete_edges_of(connection: Connection, nodes: Iterable[int]) -> None:
    """Takes away every edge that one of the nodes is an end of."""
    parameters = {"nodes": json_list(nodes)}
    connection.execute(DELETE_OF_SOURCES, parameters)
    connection.execute(DELETE_OF_TARGETS, parameters)
