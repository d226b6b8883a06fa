"""Statements for pictures of the graph: what is shown of stations, where they were put, what waits. No policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection


class DrawnRow(NamedTuple):
    """A station. `label` is None where it follows from the `opening`; `parent` is the station around it. Times are
    milliseconds."""

    key: int
    id: str
    kind: str
    label: str | None
    opening: str | None
    root: str
    source: str
    parent: int | None
    tokens: int
    created_at: int
    updated_at: int
    x: float | None
    y: float | None


class GhostRow(NamedTuple):
    """Links of one label and type that wait in one station; the weight is in millionths."""

    label: str
    station: int
    type: str
    weight: int
    links: int


SELECT_DRAWN = """
SELECT n.key, n.id, n.kind, n.label, CASE WHEN n.label IS NULL THEN substr(n.content, 1, 400) END,
       coalesce(r.name, ''), coalesce(d.source, ''), u.station, n.tokens,
       coalesce(m.created_at, (SELECT a.at FROM arrivals AS a WHERE a.last >= n.key ORDER BY a.last LIMIT 1), 0),
       coalesce(m.updated_at, d.mtime / 1000000, 0), p.x, p.y
FROM json_each(:keys) AS k
JOIN nodes AS n ON n.key = k.value
LEFT JOIN nodes AS u ON u.key = n.parent
LEFT JOIN documents AS d ON d.node = n.document
LEFT JOIN roots AS r ON r.key = d.root
LEFT JOIN memories AS m ON m.node = n.key
LEFT JOIN positions AS p ON p.node = n.key
"""
SELECT_STATION_TAGS = """
SELECT DISTINCT n.station, t.tag
FROM tags AS t
JOIN nodes AS n ON n.key = t.node
ORDER BY n.station, t.tag
"""
SELECT_GHOSTS = """
SELECT CASE WHEN l.label <> '' THEN l.label WHEN l.source <> '' THEN l.source WHEN l.id <> '' THEN l.id ELSE '' END
       || CASE WHEN l.anchor <> '' THEN '#' || l.anchor ELSE '' END AS shown, n.station, y.name, max(l.weight), count(*)
FROM links AS l
JOIN nodes AS n ON n.key = l.node
JOIN relationship_types AS y ON y.code = l.type
WHERE l.state IN ('pending', 'partial', 'missing')
GROUP BY 1, 2, 3
UNION ALL
SELECT CASE WHEN q.label <> '' THEN q.label ELSE q.id END, n.station, y.name, max(q.weight), count(*)
FROM relations AS q
JOIN nodes AS n ON n.key = q.source
JOIN relationship_types AS y ON y.code = q.type
WHERE q.target IS NULL
GROUP BY 1, 2, 3
ORDER BY 5 DESC, 1, 2, 3
LIMIT :limit
"""
SELECT_TOTALS = """
SELECT (SELECT count(*) FROM edges),
       coalesce((SELECT max(id) FROM snapshots), 0),
       coalesce((SELECT max(seq) FROM graph_changes), 0)
"""
PUT_POSITION = """
INSERT INTO positions (node, x, y)
SELECT n.key, :x, :y
FROM nodes AS n
WHERE n.id = :id
ON CONFLICT (node) DO UPDATE SET x = excluded.x, y = excluded.y
"""
# Nodes that are gone may return, and then to their place; keys are never used again.
DELETE_LOST_POSITIONS = """
DELETE FROM positions
WHERE NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = positions.node)
  AND NOT EXISTS (SELECT 1 FROM removed AS g WHERE g.key = positions.node)
"""


def load_drawn(connection: Connection, keys: Iterable[int]) -> dict[int, DrawnRow]:
    """The rows of stations by key; what is gone is left out."""
    rows = map(DrawnRow._make, connection.execute(SELECT_DRAWN, {"keys": json_list(keys)}))
    return {row.key: row for row in rows}


def load_station_tags(connection: Connection) -> Mapping[int, Sequence[str]]:
    """The tags of anything in a station, by the station's key."""
    found: dict[int, list[str]] = {}
    for station, tag in connection.execute(SELECT_STATION_TAGS):
        found.setdefault(station, []).append(tag)
    return found


def load_ghosts(connection: Connection, limit: int) -> list[GhostRow]:
    """At most `limit` labels that links and relations wait for, most wanted first."""
    return [GhostRow._make(row) for row in connection.execute(SELECT_GHOSTS, {"limit": limit})]


def count_totals(connection: Connection) -> tuple[int, int, int]:
    """(edges of the store, its newest snapshot, the newest change of its graph)."""
    edges, snapshot, change = connection.execute(SELECT_TOTALS).fetchone()
    return edges, snapshot, change


def put_positions(connection: Connection, positions: Iterable[tuple[str, float, float]]) -> int:
    """Notes where nodes (by id) were put, and forgets the places of nodes that can never return. Gives how many of
    them there are."""
    rows = [{"id": id, "x": x, "y": y} for id, x, y in positions]
    placed = connection.executemany(PUT_POSITION, rows).rowcount
    connection.execute(DELETE_LOST_POSITIONS)
    return placed
