"""Rows of `former_memories`, `former_entities` and `former_roots`: what stood beside nodes that are gone, and where
roots lay. Triggers keep them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from remem.records import EntityRow, MemoryRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_FORMER_MEMORY = """
SELECT f.node, r.id, f.type, f.importance, f.source, f.metadata, f.tags, f.hash, f.created_at, f.created_at, f.ttl
FROM former_memories AS f
JOIN removed AS r ON r.key = f.node
WHERE f.node = :node
"""
SELECT_FORMER_ENTITY = """
SELECT node, key, type
FROM former_entities
WHERE node = :node
"""
SELECT_FORMER_ENTITY_NODE = """
SELECT f.node
FROM former_entities AS f
JOIN removed AS r ON r.key = f.node AND r.kind = 'entity'
WHERE f.key = :key
  AND f.type = :type
ORDER BY f.node DESC
LIMIT 1
"""
SELECT_FORMER_ROOT = """
SELECT path
FROM former_roots
WHERE name = :name
"""
DELETE_FORMER_MEMORIES = """
DELETE FROM former_memories
WHERE node IN (SELECT value FROM json_each(:nodes))
"""
DELETE_FORMER_ENTITIES = """
DELETE FROM former_entities
WHERE node IN (SELECT value FROM json_each(:nodes))
"""


def find_former_memory(connection: Connection, node: int) -> MemoryRow | None:
    """What stood beside a memory that was removed for good, its time not begun; None where that is not known."""
    row = connection.execute(SELECT_FORMER_MEMORY, {"node": node}).fetchone()
    return None if row is None else MemoryRow._make((*row, None, None, None))


def find_former_entity(connection: Connection, node: int) -> EntityRow | None:
    """The name and type of an entity that is gone."""
    row = connection.execute(SELECT_FORMER_ENTITY, {"node": node}).fetchone()
    return None if row is None else EntityRow._make(row)


def find_entity_node(connection: Connection, key: str, type: str) -> int | None:
    """The key of the node that an entity of that name and type had before it went."""
    row = connection.execute(SELECT_FORMER_ENTITY_NODE, {"key": key, "type": type}).fetchone()
    return None if row is None else int(row[0])


def find_former_root(connection: Connection, name: str) -> str | None:
    """Where a root lay that is gone; None where there never was one of that name."""
    row = connection.execute(SELECT_FORMER_ROOT, {"name": name}).fetchone()
    return None if row is None else str(row[0])


def forget_former(connection: Connection, nodes: Iterable[int]) -> None:
    """Keeps nothing of nodes any longer that are back, or purged."""
    parameters = {"nodes": json_list(nodes)}
    connection.execute(DELETE_FORMER_MEMORIES, parameters)
    connection.execute(DELETE_FORMER_ENTITIES, parameters)
