"""Statements for entities: named things that memories mention, by the key of their name and their type. No policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.records import EntityRow

if TYPE_CHECKING:
    from sqlite3 import Connection

RENAME_ENTITY = """
UPDATE OR REPLACE entities
SET key = :key
WHERE node = :node
"""
SELECT_ENTITIES_BY_NAME = """
SELECT node, key, type
FROM entities
WHERE key = :key
ORDER BY type
"""
INSERT_ENTITY = """
INSERT INTO entities (node, key, type)
VALUES (?, ?, ?)
"""
SELECT_EVERY_ENTITY = """
SELECT node, key, type
FROM entities
ORDER BY node
"""
DELETE_ENTITY = """
DELETE FROM entities
WHERE node = :node
"""
DELETE_LOST_ENTITIES = """
DELETE FROM entities
WHERE node NOT IN (SELECT key FROM nodes WHERE kind = 'entity')
"""


def find_entities(connection: Connection, key: str) -> list[EntityRow]:
    """The entities of that name, by type."""
    return [EntityRow._make(row) for row in connection.execute(SELECT_ENTITIES_BY_NAME, {"key": key})]


def rename_entity(connection: Connection, node: int, key: str) -> None:
    """Gives an entity another key; one that has it already, with the same type, gives way."""
    connection.execute(RENAME_ENTITY, {"node": node, "key": key})


def load_entities(connection: Connection) -> list[EntityRow]:
    """All entities."""
    return [EntityRow._make(row) for row in connection.execute(SELECT_EVERY_ENTITY)]


def insert_entity(connection: Connection, row: EntityRow) -> None:
    """Adds an entity."""
    connection.execute(INSERT_ENTITY, row)


def delete_entity(connection: Connection, node: int) -> None:
    """Forgets the name and type of an entity that goes."""
    connection.execute(DELETE_ENTITY, {"node": node})


def delete_lost_entities(connection: Connection) -> None:
    """Forgets entities whose nodes are gone."""
    connection.execute(DELETE_LOST_ENTITIES)
