"""Rows of `relations`: manual edges as they were asked for. Which of them stand as edges is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from remem.records import RelationRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_BY_SOURCES = """
SELECT r.key, r.source, r.type, r.weight, r.target, r.id, r.root, r.place, r.label, r.name_key, r.source_key,
       r.created_at, r.updated_at, r.partial, r.ambiguous
FROM json_each(:nodes) AS k
JOIN relations AS r ON r.source = k.value
"""
SELECT_BY_TARGETS = """
SELECT r.key, r.source, r.type, r.weight, r.target, r.id, r.root, r.place, r.label, r.name_key, r.source_key,
       r.created_at, r.updated_at, r.partial, r.ambiguous
FROM json_each(:nodes) AS k
JOIN relations AS r ON r.target = k.value
"""
SELECT_BY_IDS = """
SELECT r.key, r.source, r.type, r.weight, r.target, r.id, r.root, r.place, r.label, r.name_key, r.source_key,
       r.created_at, r.updated_at, r.partial, r.ambiguous
FROM json_each(:ids) AS i
JOIN relations AS r ON r.id = i.value AND r.id <> ''
"""
# The plus keeps SQLite from looking through all that wait: the names lead to the few in question.
SELECT_WAITING = """
SELECT r.key, r.source, r.type, r.weight, r.target, r.id, r.root, r.place, r.label, r.name_key, r.source_key,
       r.created_at, r.updated_at, r.partial, r.ambiguous
FROM relations AS r
WHERE (+r.target IS NULL OR r.partial = 1)
  AND (r.name_key IN (SELECT value FROM json_each(:keys))
       OR (r.source_key IS NOT NULL AND r.source_key IN (SELECT value FROM json_each(:keys))))
"""
SELECT_PARTIAL = """
SELECT r.key, r.source, r.type, r.weight, r.target, r.id, r.root, r.place, r.label, r.name_key, r.source_key,
       r.created_at, r.updated_at, r.partial, r.ambiguous
FROM relations AS r
JOIN nodes AS n ON n.key = coalesce(r.target, r.source)
WHERE (r.partial = 1 OR r.target IS NULL)
  AND n.document IN (SELECT value FROM json_each(:documents))
"""
SELECT_ALL = """
SELECT r.key, r.source, r.type, r.weight, r.target, r.id, r.root, r.place, r.label, r.name_key, r.source_key,
       r.created_at, r.updated_at, r.partial, r.ambiguous
FROM relations AS r
ORDER BY r.key
"""
SELECT_ANY = """
SELECT EXISTS (SELECT 1 FROM relations)
"""
INSERT_RELATION = """
INSERT INTO relations (source, type, weight, target, id, root, place, label, name_key, source_key, created_at,
                       updated_at, partial, ambiguous)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
UPDATE_RELATION = """
UPDATE relations
SET source = ?2, type = ?3, weight = ?4, target = ?5, id = ?6, root = ?7, place = ?8, label = ?9, name_key = ?10,
    source_key = ?11, created_at = ?12, updated_at = ?13, partial = ?14, ambiguous = ?15
WHERE key = ?1
"""
DELETE_RELATIONS = """
DELETE FROM relations
WHERE key IN (SELECT value FROM json_each(:keys))
"""


def load_relations_from(connection: Connection, nodes: Iterable[int]) -> list[RelationRow]:
    """The relations that leave the nodes, be the nodes alive or not."""
    return [RelationRow._make(row) for row in connection.execute(SELECT_BY_SOURCES, {"nodes": json_list(nodes)})]


def load_relations_to(connection: Connection, nodes: Iterable[int]) -> list[RelationRow]:
    """The relations that lead to the nodes now."""
    return [RelationRow._make(row) for row in connection.execute(SELECT_BY_TARGETS, {"nodes": json_list(nodes)})]


def load_relations_by_ids(connection: Connection, ids: Iterable[str]) -> list[RelationRow]:
    """The relations that were made to nodes of these ids, wherever they lead now."""
    return [RelationRow._make(row) for row in connection.execute(SELECT_BY_IDS, {"ids": json_list(ids)})]


def load_waiting_relations(connection: Connection, keys: Iterable[str]) -> list[RelationRow]:
    """The relations without a target, or without their heading, that hope for one of the name keys."""
    return [RelationRow._make(row) for row in connection.execute(SELECT_WAITING, {"keys": json_list(keys)})]


def load_partial_relations(connection: Connection, documents: Iterable[int]) -> list[RelationRow]:
    """The relations that lead to one of the documents and wait for a heading in it, and those without a target that
    leave a node of it: what they say may have led back to that."""
    parameters = {"documents": json_list(documents)}
    return [RelationRow._make(row) for row in connection.execute(SELECT_PARTIAL, parameters)]


def has_relations(connection: Connection) -> bool:
    """Whether there is any relation."""
    return bool(connection.execute(SELECT_ANY).fetchone()[0])


def load_all_relations(connection: Connection) -> list[RelationRow]:
    """Every relation, oldest first."""
    return [RelationRow._make(row) for row in connection.execute(SELECT_ALL)]


def insert_relation(connection: Connection, row: RelationRow) -> int:
    """Adds a relation (its key is ignored) and returns its key."""
    cursor = connection.execute(INSERT_RELATION, row[1:])
    return int(cursor.lastrowid or 0)


def update_relations(connection: Connection, rows: Sequence[RelationRow]) -> None:
    """Rewrites relations."""
    connection.executemany(UPDATE_RELATION, rows)


def delete_relations(connection: Connection, keys: Iterable[int]) -> None:
    """Takes relations away."""
    connection.execute(DELETE_RELATIONS, {"keys": json_list(keys)})
