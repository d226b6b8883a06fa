"""Rows of `memories`: what is kept beside the nodes of memories. Decides nothing about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.records import MemoryFilter, MemoryRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_BY_ID = """
SELECT node, id, type, importance, source, metadata, tags, hash, created_at, updated_at, ttl, expires_at, archived_at,
       archived_by
FROM memories
WHERE id = :id
"""
SELECT_BY_NODES = """
SELECT m.node, m.id, m.type, m.importance, m.source, m.metadata, m.tags, m.hash, m.created_at, m.updated_at, m.ttl,
       m.expires_at, m.archived_at, m.archived_by
FROM json_each(:nodes) AS k
JOIN memories AS m ON m.node = k.value
"""
SELECT_IMPORTANCES = """
SELECT m.node, m.importance
FROM json_each(:nodes) AS k
JOIN memories AS m ON m.node = k.value
"""
# The living one first, then the one that was archived last.
SELECT_BY_HASH = """
SELECT node, id, type, importance, source, metadata, tags, hash, created_at, updated_at, ttl, expires_at, archived_at,
       archived_by
FROM memories
WHERE hash = :hash
  AND source = :source
ORDER BY archived_at IS NOT NULL, archived_at DESC, node
LIMIT 1
"""
SELECT_DUE = """
SELECT node, id, type, importance, source, metadata, tags, hash, created_at, updated_at, ttl, expires_at, archived_at,
       archived_by
FROM memories
WHERE expires_at <= :now
  AND archived_at IS NULL
ORDER BY expires_at, node
"""
SELECT_DUE_NODES = """
SELECT node
FROM memories
WHERE expires_at <= :now
  AND archived_at IS NULL
"""
SELECT_OLD = """
SELECT node, id, type, importance, source, metadata, tags, hash, created_at, updated_at, ttl, expires_at, archived_at,
       archived_by
FROM memories
WHERE archived_at <= :before
ORDER BY archived_at, node
"""
SELECT_ARCHIVED = """
SELECT node, id, type, importance, source, metadata, tags, hash, created_at, updated_at, ttl, expires_at, archived_at,
       archived_by
FROM memories
WHERE archived_at IS NOT NULL
ORDER BY node
"""
SELECT_BEFORE = """
SELECT n.content
FROM memories AS m
JOIN nodes AS n ON n.key = m.node
WHERE m.source = :source
  AND m.source <> ''
  AND m.archived_at IS NULL
  AND (m.created_at, m.node) < (:created_at, :node)
ORDER BY m.created_at DESC, m.node DESC
LIMIT 1
"""
SELECT_AFTER = """
SELECT m.node
FROM memories AS m
WHERE m.source = :source
  AND m.source <> ''
  AND m.archived_at IS NULL
  AND (m.created_at, m.node) > (:created_at, :node)
ORDER BY m.created_at, m.node
LIMIT 1
"""
INSERT_MEMORY = """
INSERT INTO memories (node, id, type, importance, source, metadata, tags, hash, created_at, updated_at, ttl, expires_at,
                      archived_at, archived_by)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
UPDATE_MEMORY = """
UPDATE memories
SET type = ?3, importance = ?4, source = ?5, metadata = ?6, tags = ?7, hash = ?8, created_at = ?9, updated_at = ?10,
    ttl = ?11, expires_at = ?12, archived_at = ?13, archived_by = ?14
WHERE node = ?1
  AND id = ?2
"""
DELETE_MEMORY = """
DELETE FROM memories
WHERE node = :node
"""
# Of one that is hidden from the reader, too.
SELECT_TEXT = """
SELECT coalesce(n.content, c.text)
FROM memories AS m
LEFT JOIN main.nodes AS n ON n.key = m.node
LEFT JOIN removed AS r ON r.key = m.node
LEFT JOIN contents AS c ON c.hash = r.content
WHERE m.node = :node
"""
SELECT_HASHED = """
SELECT m.id, m.hash, coalesce(n.content, c.text, '')
FROM memories AS m
LEFT JOIN nodes AS n ON n.key = m.node
LEFT JOIN removed AS r ON r.key = m.node
LEFT JOIN contents AS c ON c.hash = r.content
ORDER BY m.node
"""
UPDATE_HASH = """
UPDATE memories
SET hash = ?2
WHERE id = ?1
"""
SELECT_SEEN = """
SELECT coalesce((SELECT a.at FROM arrivals AS a WHERE a.last >= :node ORDER BY a.last LIMIT 1), 0),
       (SELECT max(s.created_at)
        FROM changes AS c
        JOIN snapshots AS s ON s.id = c.snapshot
        WHERE c.node = :node
          AND c.op <> 'add')
"""
SELECT_SINGLE_KEYS = """
SELECT key
FROM nodes
WHERE kind IN ('memory', 'entity')
ORDER BY key
"""
SELECT_DOUBLES = """
SELECT m.id, o.id
FROM json_each(:nodes) AS k
JOIN memories AS m ON m.node = k.value
JOIN memories AS o ON o.hash = m.hash AND o.source = m.source AND o.node <> m.node
WHERE m.archived_at IS NULL
  AND o.archived_at IS NULL
ORDER BY m.node, o.node
"""
KEEP_MEMORIES = """
SELECT n.key
FROM json_each(:nodes) AS k
JOIN nodes AS n ON n.key = k.value
WHERE n.kind = 'memory'
"""
SELECT_MATCHING = """
SELECT m.node,
       CASE :sort
           WHEN 'created_at' THEN m.created_at
           WHEN 'updated_at' THEN m.updated_at
           WHEN 'accessed_at' THEN coalesce((SELECT u.accessed_at FROM usage AS u WHERE u.node = m.node), 0)
           ELSE m.importance
       END
FROM memories AS m
WHERE :archived = (m.archived_at IS NOT NULL OR m.node IN (SELECT value FROM json_each(:hidden)))
  AND (:type IS NULL OR m.type = :type)
  AND m.importance BETWEEN :least AND :most
  AND (:sources IS NULL OR m.source IN (SELECT value FROM json_each(:sources)))
  AND (:after IS NULL OR m.created_at > :after)
  AND (:before IS NULL OR m.created_at < :before)
"""
SELECT_SOURCES = """
SELECT DISTINCT m.source
FROM memories AS m
"""
SELECT_TAGGED = """
SELECT t.node
FROM json_each(:tags) AS g
JOIN tags AS t ON t.key = g.value
GROUP BY t.node
HAVING count(*) = json_array_length(:tags)
"""
SELECT_NEWEST = """
SELECT node, created_at
FROM memories
WHERE archived_at IS NULL
  AND node NOT IN (SELECT value FROM json_each(:hidden))
  AND (created_at, node) < (:value, :node)
ORDER BY created_at DESC, node DESC
LIMIT :limit
"""
COUNT_NEWEST = """
SELECT count(*)
FROM memories
WHERE archived_at IS NULL
  AND node NOT IN (SELECT value FROM json_each(:hidden))
  AND (created_at, node) < (:value, :node)
"""


class Match(NamedTuple):
    """A memory that passes a filter, with the value it is sorted by."""

    node: int
    value: float


# --- reading ----------------------------------------------------------------------------------------------------------


def find_memory(connection: Connection, id: str) -> MemoryRow | None:
    """The memory of that id, archived or not, or None."""
    row = connection.execute(SELECT_BY_ID, {"id": id}).fetchone()
    return None if row is None else MemoryRow._make(row)


def find_same(connection: Connection, hash: bytes, source: str) -> MemoryRow | None:
    """The memory of that content within the source: a living one before archived ones. None where there is none."""
    row = connection.execute(SELECT_BY_HASH, {"hash": hash, "source": source}).fetchone()
    return None if row is None else MemoryRow._make(row)


def load_memories(connection: Connection, nodes: Iterable[int]) -> dict[int, MemoryRow]:
    """The rows of the memories among the nodes, archived or not, by node key."""
    rows = connection.execute(SELECT_BY_NODES, {"nodes": json_list(nodes)})
    return {row[0]: MemoryRow._make(row) for row in rows}


def load_importances(connection: Connection, nodes: Sequence[int]) -> dict[int, float]:
    """How important the memories among the nodes are, by node key."""
    return dict(connection.execute(SELECT_IMPORTANCES, {"nodes": json_list(nodes)}).fetchall()) if nodes else {}


def find_doubles(connection: Connection, nodes: Iterable[int]) -> list[tuple[str, str]]:
    """The living memories among the nodes, each with another living one that says the same in the same source (ids)."""
    return connection.execute(SELECT_DOUBLES, {"nodes": json_list(nodes)}).fetchall()


def keep_memories(connection: Connection, nodes: Iterable[int]) -> set[int]:
    """Those of the nodes that are living memories."""
    return {row[0] for row in connection.execute(KEEP_MEMORIES, {"nodes": json_list(nodes)})}


def load_due(connection: Connection, now: int) -> list[MemoryRow]:
    """Living memories whose time has come, in that order."""
    return [MemoryRow._make(row) for row in connection.execute(SELECT_DUE, {"now": now})]


def load_due_nodes(connection: Connection, now: int) -> list[int]:
    """The keys of the same. One look into an index where there are none."""
    return [row[0] for row in connection.execute(SELECT_DUE_NODES, {"now": now}).fetchall()]


def load_old(connection: Connection, before: int) -> list[MemoryRow]:
    """Memories that were archived at or before that instant."""
    return [MemoryRow._make(row) for row in connection.execute(SELECT_OLD, {"before": before})]


def load_archived(connection: Connection) -> list[MemoryRow]:
    """All archived memories."""
    return [MemoryRow._make(row) for row in connection.execute(SELECT_ARCHIVED)]


def load_text(connection: Connection, node: int) -> str | None:
    """The content of a memory, archived or not; None where it is missing."""
    row = connection.execute(SELECT_TEXT, {"node": node}).fetchone()
    return None if row is None else row[0]


def find_text_before(connection: Connection, row: MemoryRow) -> str:
    """The content of the memory that was stored before this one in the same source; '' where there is none."""
    if not row.source:
        return ""
    place = {"source": row.source, "created_at": row.created_at, "node": row.node}
    found = connection.execute(SELECT_BEFORE, place).fetchone()
    return "" if found is None else str(found[0])


def find_after(connection: Connection, row: MemoryRow) -> int | None:
    """The key of the living memory that was stored after this one in the same source, or None."""
    if not row.source:
        return None
    place = {"source": row.source, "created_at": row.created_at, "node": row.node}
    found = connection.execute(SELECT_AFTER, place).fetchone()
    return None if found is None else int(found[0])


def load_seen(connection: Connection, node: int) -> tuple[int, int]:
    """When a node was first seen, and when it was changed last (milliseconds)."""
    first, last = connection.execute(SELECT_SEEN, {"node": node}).fetchone()
    return first, last or first


def list_matching(connection: Connection, wanted: MemoryFilter, sort: str, hidden: Sequence[int]) -> list[Match]:
    """The memories that pass all conditions but those on tags, in no order. `hidden` are those that count as archived
    though they are not yet. Linear in the memories."""
    parameters = {
        "sort": sort,
        "hidden": json_list(hidden),
        "archived": wanted.archived,
        "type": wanted.memory_type,
        "least": wanted.importance_min,
        "most": wanted.importance_max,
        "sources": json_list(wanted.sources) if wanted.sources else None,
        "after": wanted.created_after,
        "before": wanted.created_before,
    }
    return [Match._make(row) for row in connection.execute(SELECT_MATCHING, parameters)]


def list_sources(connection: Connection) -> list[str]:
    """The sources of all memories, "" for none, in no order."""
    return [row[0] for row in connection.execute(SELECT_SOURCES)]


def find_tagged(connection: Connection, tags: Sequence[str]) -> set[int]:
    """The living nodes that carry all tags of those keys (each given once) themselves."""
    return {row[0] for row in connection.execute(SELECT_TAGGED, {"tags": json_list(tags)})}


def list_newest(connection: Connection, after: Match, limit: int, hidden: Sequence[int]) -> list[Match]:
    """Living memories from the newest on, those after a match in that order."""
    parameters = {"value": after.value, "node": after.node, "limit": limit, "hidden": json_list(hidden)}
    return [Match._make(row) for row in connection.execute(SELECT_NEWEST, parameters)]


def count_newest(connection: Connection, after: Match, hidden: Sequence[int]) -> int:
    """How many living memories come after a match in that order."""
    parameters = {"value": after.value, "node": after.node, "hidden": json_list(hidden)}
    return int(connection.execute(COUNT_NEWEST, parameters).fetchone()[0])


# --- writing ----------------------------------------------------------------------------------------------------------


def insert_memory(connection: Connection, row: MemoryRow) -> None:
    """Adds a memory."""
    connection.execute(INSERT_MEMORY, row)


def update_memory(connection: Connection, row: MemoryRow) -> None:
    """Rewrites a memory."""
    connection.execute(UPDATE_MEMORY, row)


def delete_memory(connection: Connection, node: int) -> None:
    """Forgets what is kept beside a node."""
    connection.execute(DELETE_MEMORY, {"node": node})


# --- all of them ------------------------------------------------------------------------------------------------------


def iterate_hashed(connection: Connection) -> Iterator[tuple[str, bytes, str]]:
    """(id, hash, content) of every memory, alive or archived; '' where the content is not there."""
    yield from connection.execute(SELECT_HASHED)


def save_hashes(connection: Connection, hashes: Sequence[tuple[str, bytes]]) -> None:
    """Gives memories other hashes: (id, hash)."""
    connection.executemany(UPDATE_HASH, hashes)


def load_single_keys(connection: Connection) -> list[int]:
    """The keys of all living memories and of all entities, oldest first."""
    return [row[0] for row in connection.execute(SELECT_SINGLE_KEYS)]
