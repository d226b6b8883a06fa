"""Statements of the doctor on rows that hang on nodes by their key alone: those of nodes that never were, and values
that nothing writes. Decides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_EARLIER_NAMES = """
SELECT m.text
FROM names AS m
WHERE m.kind IN ('old_label', 'old_stem', 'old_source')
  AND NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = m.node)
  AND NOT EXISTS (SELECT 1 FROM removed AS r WHERE r.key = m.node)
"""
DELETE_EARLIER_NAMES = """
DELETE FROM names
WHERE kind IN ('old_label', 'old_stem', 'old_source')
  AND node NOT IN (SELECT key FROM nodes)
  AND node NOT IN (SELECT key FROM removed)
"""
SELECT_DISCOVERY_REFUSALS = """
SELECT f.source
FROM discovery_refusals AS f
WHERE NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = f.source UNION ALL SELECT 1 FROM removed WHERE key = f.source)
   OR NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = f.target UNION ALL SELECT 1 FROM removed WHERE key = f.target)
"""
DELETE_DISCOVERY_REFUSALS = """
DELETE FROM discovery_refusals
WHERE source NOT IN (SELECT key FROM nodes UNION ALL SELECT key FROM removed)
   OR target NOT IN (SELECT key FROM nodes UNION ALL SELECT key FROM removed)
"""
SELECT_MENTION_REFUSALS = """
SELECT f.document
FROM mention_refusals AS f
WHERE NOT EXISTS (SELECT 1 FROM nodes WHERE key = f.document UNION ALL SELECT 1 FROM removed WHERE key = f.document)
   OR NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = f.target UNION ALL SELECT 1 FROM removed WHERE key = f.target)
"""
DELETE_MENTION_REFUSALS = """
DELETE FROM mention_refusals
WHERE document NOT IN (SELECT key FROM nodes UNION ALL SELECT key FROM removed)
   OR target NOT IN (SELECT key FROM nodes UNION ALL SELECT key FROM removed)
"""
SELECT_MENTION_WORK = """
SELECT kind
FROM mention_work
WHERE kind NOT IN ('text', 'name', 'edges')
"""
DELETE_MENTION_WORK = """
DELETE FROM mention_work
WHERE kind NOT IN ('text', 'name', 'edges')
"""
SELECT_JOBS = """
SELECT kind
FROM jobs
WHERE kind NOT IN ('embed', 'discover')
"""
DELETE_JOBS = """
DELETE FROM jobs
WHERE kind NOT IN ('embed', 'discover')
"""
SELECT_SUMMARIES = """
SELECT s.node
FROM summaries AS s
WHERE NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = s.node)
  AND NOT EXISTS (SELECT 1 FROM removed AS r WHERE r.key = s.node)
"""
DELETE_SUMMARIES = """
DELETE FROM summaries
WHERE node NOT IN (SELECT key FROM nodes)
  AND node NOT IN (SELECT key FROM removed)
"""
# 1.8e308 is infinity.
SELECT_POSITIONS = """
SELECT p.node
FROM positions AS p
WHERE abs(p.x) >= 1.8e308
   OR abs(p.y) >= 1.8e308
   OR (NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = p.node)
       AND NOT EXISTS (SELECT 1 FROM removed AS r WHERE r.key = p.node))
"""
DELETE_POSITIONS = """
DELETE FROM positions
WHERE abs(x) >= 1.8e308
   OR abs(y) >= 1.8e308
   OR (node NOT IN (SELECT key FROM nodes) AND node NOT IN (SELECT key FROM removed))
"""
SELECT_STRANGE_EDGES = """
SELECT source
FROM edges
WHERE type NOT IN (SELECT code FROM relationship_types)
   OR origin NOT IN (SELECT code FROM origins)
"""
DELETE_STRANGE_EDGES = """
DELETE FROM edges
WHERE type NOT IN (SELECT code FROM relationship_types)
   OR origin NOT IN (SELECT code FROM origins)
"""
DELETE_CHANGES_ASTRAY = """
DELETE FROM changes
WHERE snapshot NOT IN (SELECT id FROM snapshots)
"""
DELETE_RELATIONS_ASTRAY = """
DELETE FROM relations
WHERE source NOT IN (SELECT key FROM nodes)
  AND source NOT IN (SELECT key FROM removed)
"""
DELETE_REMOVED_ALIVE = """
DELETE FROM removed
WHERE key IN (SELECT key FROM nodes)
   OR id IN (SELECT id FROM nodes)
"""
# What a repair forgets that never was comes back as no former entity.
DELETE_FORMER_ENTITIES = """
DELETE FROM former_entities
WHERE node NOT IN (SELECT key FROM removed)
  AND node NOT IN (SELECT key FROM nodes)
"""
DELETE_FORMER_MEMORIES = """
DELETE FROM former_memories
WHERE node NOT IN (SELECT key FROM removed)
  AND node NOT IN (SELECT key FROM nodes)
"""
# The history tells by itself what the triggers wrote as it went.
SELECT_ARRIVALS = """
SELECT last, at
FROM arrivals
ORDER BY last
"""
SELECT_DERIVED_ARRIVALS = """
SELECT last, min(at)
FROM (
    SELECT max(max(c.node)) OVER (ORDER BY c.snapshot) AS last, s.created_at AS at
    FROM changes AS c
    JOIN snapshots AS s ON s.id = c.snapshot
    WHERE c.op = 'add'
    GROUP BY c.snapshot
)
GROUP BY last
ORDER BY last
"""
DELETE_ARRIVALS = """
DELETE FROM arrivals
"""
INSERT_ARRIVAL = """
INSERT INTO arrivals (last, at)
VALUES (?, ?)
"""

RULES = (
    ("names", "an earlier name belongs to a node that never was", SELECT_EARLIER_NAMES),
    ("edges", "an edge has a type or an origin that there is not, from key", SELECT_STRANGE_EDGES),
    ("discovery", "an edge is refused at a node that never was, key", SELECT_DISCOVERY_REFUSALS),
    ("mentions", "a mention is refused at a node that never was, key", SELECT_MENTION_REFUSALS),
    ("mentions", "work of a kind that there is not is owed", SELECT_MENTION_WORK),
    ("jobs", "work of a kind that there is not is owed", SELECT_JOBS),
    ("summaries", "a summary is kept of a node that never was, key", SELECT_SUMMARIES),
    ("positions", "a node that never was, or nowhere, has a place in the picture, key", SELECT_POSITIONS),
)
"""(check, what is wrong, the statement that lists where)."""


def delete_strays(connection: Connection) -> None:
    """Takes away what the rules find. Must run inside a write transaction."""
    statements = (
        DELETE_REMOVED_ALIVE,
        DELETE_EARLIER_NAMES,
        DELETE_STRANGE_EDGES,
        DELETE_DISCOVERY_REFUSALS,
        DELETE_MENTION_REFUSALS,
        DELETE_MENTION_WORK,
        DELETE_JOBS,
        DELETE_SUMMARIES,
        DELETE_POSITIONS,
        DELETE_CHANGES_ASTRAY,
        DELETE_RELATIONS_ASTRAY,
    )
    for statement in statements:
        connection.execute(statement)


def delete_former(connection: Connection) -> None:
    """Takes away what stands beside nodes that never were, after rows of these were deleted."""
    connection.execute(DELETE_FORMER_ENTITIES)
    connection.execute(DELETE_FORMER_MEMORIES)


def load_arrivals(connection: Connection) -> list[tuple[int, int]]:
    """(last key, instant) as they stand."""
    return connection.execute(SELECT_ARRIVALS).fetchall()


def derive_arrivals(connection: Connection) -> list[tuple[int, int]]:
    """(last key, instant) as the history tells them: of each snapshot that added nodes."""
    return connection.execute(SELECT_DERIVED_ARRIVALS).fetchall()


def replace_arrivals(connection: Connection, rows: list[tuple[int, int]]) -> None:
    """Tells anew when nodes were first seen."""
    connection.execute(DELETE_ARRIVALS)
    connection.executemany(INSERT_ARRIVAL, rows)
