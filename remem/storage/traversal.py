"""The SQL engine's statements: the hops around an anchor, and what is told of the stations found. Decides no path.

A hop leaves a station by an edge of any node of the station's subtree; an edge with both ends in the subtree counts
only where it leaves the station node itself or, for a document, its title heading. With scope `node` the parameter
`strict` makes each node its own subtree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from remem.records import HopFilter, SectionText, StationRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.records import HopRow

SELECT_ANCHOR_HOPS = """
SELECT :anchor, place.key, e.source, e.target, e.type, e.origin, e.weight, 1
FROM nodes AS near
CROSS JOIN edges AS e ON e.source = near.key
CROSS JOIN nodes AS far ON far.key = e.target
CROSS JOIN nodes AS place ON place.key = CASE :scope
    WHEN 'section' THEN far.station
    WHEN 'document' THEN far.document
    ELSE far.key
END
WHERE :forward
  AND near.document = :document
  AND near.position BETWEEN :position AND :last
  AND e.weight >= :weight_min
  AND e.type IN (SELECT value FROM json_each(:types))
  AND e.origin IN (SELECT value FROM json_each(:origins))
  AND place.key <> :anchor
  AND (near.key = :anchor
       OR near.key IS :title
       OR (NOT (far.document = :document AND far.position BETWEEN :position AND :last)
           AND NOT (place.document = :document
                    AND place.position <= :last
                    AND iif(:strict, place.position, place.last) >= :position)))
UNION ALL
SELECT :anchor, place.key, e.source, e.target, e.type, e.origin, e.weight, 0
FROM nodes AS near
CROSS JOIN edges AS e ON e.target = near.key
CROSS JOIN nodes AS far ON far.key = e.source
CROSS JOIN nodes AS place ON place.key = CASE :scope
    WHEN 'section' THEN far.station
    WHEN 'document' THEN far.document
    ELSE far.key
END
WHERE :backward
  AND near.document = :document
  AND near.position BETWEEN :position AND :last
  AND e.weight >= :weight_min
  AND e.type IN (SELECT value FROM json_each(:types))
  AND e.origin IN (SELECT value FROM json_each(:origins))
  AND place.key <> :anchor
  AND (near.key = :anchor
       OR near.key IS :title
       OR (NOT (far.document = :document AND far.position BETWEEN :position AND :last)
           AND NOT (place.document = :document
                    AND place.position <= :last
                    AND iif(:strict, place.position, place.last) >= :position)))
"""
# UNION keeps each (station, hop) once, so the work is bounded by the hops within reach times the depth on any graph.
# Inner edges are followed too far here, which only loads more; the last part leaves them out.
SELECT_STATION_HOPS = """
WITH RECURSIVE reached (station, hop) AS (
    SELECT value, 1
    FROM json_each(:stations)
    UNION
    SELECT next.key, reached.hop + 1
    FROM reached
    CROSS JOIN nodes AS own ON own.key = reached.station
    CROSS JOIN nodes AS near ON near.document = own.document
        AND near.position BETWEEN own.position AND iif(:strict, own.position, own.last)
    CROSS JOIN edges AS e ON e.source = near.key
    CROSS JOIN nodes AS far ON far.key = e.target
    CROSS JOIN nodes AS next ON next.key = CASE :scope
        WHEN 'section' THEN far.station
        WHEN 'document' THEN far.document
        ELSE far.key
    END
    WHERE :forward
      AND reached.hop < :hops
      AND e.weight >= :weight_min
      AND e.type IN (SELECT value FROM json_each(:types))
      AND e.origin IN (SELECT value FROM json_each(:origins))
      AND NOT (next.document = :document
               AND next.position <= :last
               AND iif(:strict, next.position, next.last) >= :position)
    UNION
    SELECT next.key, reached.hop + 1
    FROM reached
    CROSS JOIN nodes AS own ON own.key = reached.station
    CROSS JOIN nodes AS near ON near.document = own.document
        AND near.position BETWEEN own.position AND iif(:strict, own.position, own.last)
    CROSS JOIN edges AS e ON e.target = near.key
    CROSS JOIN nodes AS far ON far.key = e.source
    CROSS JOIN nodes AS next ON next.key = CASE :scope
        WHEN 'section' THEN far.station
        WHEN 'document' THEN far.document
        ELSE far.key
    END
    WHERE :backward
      AND reached.hop < :hops
      AND e.weight >= :weight_min
      AND e.type IN (SELECT value FROM json_each(:types))
      AND e.origin IN (SELECT value FROM json_each(:origins))
      AND NOT (next.document = :document
               AND next.position <= :last
               AND iif(:strict, next.position, next.last) >= :position)
),
stations (key, document, position, last, title) AS MATERIALIZED (
    SELECT s.key, s.document, s.position, iif(:strict, s.position, s.last), iif(:strict, NULL, d.title_heading)
    FROM (SELECT DISTINCT station FROM reached) AS r
    CROSS JOIN nodes AS s ON s.key = r.station
    LEFT JOIN documents AS d ON d.node = s.key
)
SELECT own.key,
       CASE :scope WHEN 'section' THEN far.station WHEN 'document' THEN far.document ELSE far.key END AS place,
       e.source, e.target, e.type, e.origin, e.weight, 1
FROM stations AS own
CROSS JOIN nodes AS near ON near.document = own.document AND near.position BETWEEN own.position AND own.last
CROSS JOIN edges AS e ON e.source = near.key
CROSS JOIN nodes AS far ON far.key = e.target
WHERE :forward
  AND e.weight >= :weight_min
  AND e.type IN (SELECT value FROM json_each(:types))
  AND e.origin IN (SELECT value FROM json_each(:origins))
  AND place <> own.key
  AND (near.key = own.key
       OR near.key IS own.title
       OR NOT (far.document = own.document AND far.position BETWEEN own.position AND own.last))
UNION ALL
SELECT own.key,
       CASE :scope WHEN 'section' THEN far.station WHEN 'document' THEN far.document ELSE far.key END AS place,
       e.source, e.target, e.type, e.origin, e.weight, 0
FROM stations AS own
CROSS JOIN nodes AS near ON near.document = own.document AND near.position BETWEEN own.position AND own.last
CROSS JOIN edges AS e ON e.target = near.key
CROSS JOIN nodes AS far ON far.key = e.source
WHERE :backward
  AND e.weight >= :weight_min
  AND e.type IN (SELECT value FROM json_each(:types))
  AND e.origin IN (SELECT value FROM json_each(:origins))
  AND place <> own.key
  AND (near.key = own.key
       OR near.key IS own.title
       OR NOT (far.document = own.document AND far.position BETWEEN own.position AND own.last))
"""
SELECT_STATIONS = """
SELECT n.key, n.id, n.kind, n.document, n.position, n.last
FROM json_each(:keys) AS k
JOIN nodes AS n ON n.key = k.value
"""
SELECT_IDS = """
SELECT n.key, n.id
FROM json_each(:keys) AS k
JOIN nodes AS n ON n.key = k.value
"""
SELECT_CREATED = """
SELECT e.source, e.target, e.type, e.origin, e.created_at
FROM json_each(:pairs) AS k
CROSS JOIN edges AS e ON e.source = k.value >> 32
    AND e.target = k.value & 4294967295
"""
SELECT_TEXTS = """
SELECT own.key, own.position + :nodes < own.last, n.piece, n.gap, substr(n.content, 1, :length)
FROM json_each(:keys) AS k
CROSS JOIN nodes AS own ON own.key = k.value
CROSS JOIN nodes AS n ON n.document = own.document
    AND n.position BETWEEN own.position AND min(iif(:strict, own.position, own.last), own.position + :nodes)
ORDER BY own.key, n.position
"""
SELECT_DEPTHS = """
WITH RECURSIVE above (key, parent, depth) AS (
    SELECT n.key, n.parent, 0
    FROM json_each(:keys) AS k
    JOIN nodes AS n ON n.key = k.value
    UNION ALL
    SELECT above.key, n.parent, above.depth + 1
    FROM above
    JOIN nodes AS n ON n.key = above.parent
)
SELECT key, max(depth)
FROM above
GROUP BY key
"""


def load_anchor_hops(connection: Connection, hops: HopFilter) -> list[HopRow]:
    """The hops that leave the anchor: to stations that are not around or below it, and along its own edges to any."""
    return connection.execute(SELECT_ANCHOR_HOPS, _bind_filter(hops)).fetchall()


def load_station_hops(connection: Connection, hops: HopFilter, stations: Iterable[int], levels: int) -> list[HopRow]:
    """The hops that leave the stations, and those up to `levels` - 1 hops further. Parallel edges are not merged."""
    parameters = {**_bind_filter(hops), "stations": json_list(stations), "hops": levels}
    return connection.execute(SELECT_STATION_HOPS, parameters).fetchall()


def _bind_filter(hops: HopFilter) -> dict[str, object]:
    anchor = hops.anchor
    return {
        "anchor": anchor.key,
        "document": anchor.document,
        "position": anchor.position,
        "last": anchor.position if hops.scope == "node" else anchor.last,
        "title": hops.title,
        "scope": hops.scope,
        "strict": hops.scope == "node",
        "forward": hops.direction != "in",
        "backward": hops.direction != "out",
        "weight_min": hops.weight_min,
        "types": json_list(hops.types),
        "origins": json_list(hops.origins),
    }


def load_stations(connection: Connection, keys: Iterable[int]) -> list[StationRow]:
    """The living nodes among the keys, in no certain order."""
    rows = connection.execute(SELECT_STATIONS, {"keys": json_list(keys)})
    return [StationRow._make(row) for row in rows]


def load_ids(connection: Connection, keys: Iterable[int]) -> dict[int, str]:
    """The ids of the living nodes among the keys, by key."""
    return dict(connection.execute(SELECT_IDS, {"keys": json_list(keys)}).fetchall())


def load_created(connection: Connection, edges: Iterable[Sequence[int]]) -> dict[tuple[int, ...], int]:
    """When the edges were made (ms), by (source, target, type, origin), and others of the same ends."""
    pairs = {(edge[0] << 32) + edge[1] for edge in edges}
    return {row[:4]: row[4] for row in connection.execute(SELECT_CREATED, {"pairs": json_list(pairs)})}


def load_section_texts(
    connection: Connection, keys: Iterable[int], length: int, strict: bool
) -> dict[int, SectionText]:
    """The first `length` characters and more of each section, by the key of its first node. A node is at most cut after
    `length` characters; a section is read up to its `length`-th node (strict: only the node itself)."""
    parameters = {"keys": json_list(keys), "length": length, "nodes": length, "strict": strict}
    pieces: dict[int, list[tuple[int, str | None, str]]] = {}
    more: dict[int, bool] = {}
    for key, cut, piece, gap, content in connection.execute(SELECT_TEXTS, parameters):
        pieces.setdefault(key, []).append((piece, gap, content))
        more[key] = bool(cut) and not strict
    return {key: SectionText(tuple(found), more[key]) for key, found in pieces.items()}


def load_depths(connection: Connection, keys: Iterable[int]) -> dict[int, int]:
    """The distance of each node from its document node, by key."""
    return dict(connection.execute(SELECT_DEPTHS, {"keys": json_list(keys)}).fetchall())
