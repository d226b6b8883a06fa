"""What exports and imports read that nothing else does: all memories at once, places of nodes, texts of documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from remem.records import MemoryRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_LIVING_MEMORIES = """
SELECT m.node, m.id, m.type, m.importance, m.source, m.metadata, m.tags, m.hash, m.created_at, m.updated_at, m.ttl,
       m.expires_at, m.archived_at, m.archived_by
FROM memories AS m
JOIN nodes AS n ON n.key = m.node
ORDER BY m.created_at, m.node
"""
SELECT_ARCHIVED_MEMORIES = """
SELECT m.node, m.id, m.type, m.importance, m.source, m.metadata, m.tags, m.hash, m.created_at, m.updated_at, m.ttl,
       m.expires_at, m.archived_at, m.archived_by, c.text
FROM memories AS m
JOIN removed AS r ON r.key = m.node
JOIN contents AS c ON c.hash = r.content
WHERE m.archived_at IS NOT NULL
ORDER BY m.created_at, m.node
"""
SELECT_ENTITY_TYPES = """
SELECT n.id, e.type
FROM entities AS e
JOIN nodes AS n ON n.key = e.node
"""
SELECT_DOCUMENT_IDS = """
SELECT d.node, n.id
FROM documents AS d
JOIN nodes AS n ON n.key = d.node
"""
SELECT_AT_PLACES = """
SELECT json_extract(k.value, '$[0]'), n.id
FROM json_each(:places) AS k
JOIN roots AS r ON r.name = json_extract(k.value, '$[1]')
JOIN documents AS d ON d.root = r.key AND d.source = json_extract(k.value, '$[2]')
JOIN nodes AS n ON n.document = d.node AND n.position = json_extract(k.value, '$[3]')
"""
UPDATE_ROOT_PATH = """
UPDATE roots
SET path = :path
WHERE name = :name
"""


def load_living_memories(connection: Connection) -> list[MemoryRow]:
    """The rows of all memories that live, by when they were made."""
    return [MemoryRow(*row) for row in connection.execute(SELECT_LIVING_MEMORIES)]


def load_archived_memories(connection: Connection) -> list[tuple[MemoryRow, str]]:
    """The rows of all archived memories with their texts, by when they were made."""
    return [(MemoryRow(*row), text) for *row, text in connection.execute(SELECT_ARCHIVED_MEMORIES)]


def load_entity_types(connection: Connection) -> dict[str, str]:
    """The types of entities ('' for none) by id."""
    return dict(connection.execute(SELECT_ENTITY_TYPES).fetchall())


def load_document_ids(connection: Connection) -> dict[int, str]:
    """The ids of the documents of files by key."""
    return dict(connection.execute(SELECT_DOCUMENT_IDS).fetchall())


def find_at_places(connection: Connection, places: Iterable[tuple[str, str, str, int]]) -> dict[str, str]:
    """The ids of nodes by their places in files: (name for the answer, root, source, position)."""
    return dict(connection.execute(SELECT_AT_PLACES, {"places": json_list(list(places))}).fetchall())


def move_root(connection: Connection, name: str, path: str) -> None:
    """Says where a root lies, and nothing else of it."""
    connection.execute(UPDATE_ROOT_PATH, {"name": name, "path": path})
