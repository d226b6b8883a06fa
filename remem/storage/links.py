"""Rows of `links`: every link as written, and what it leads to. How a link is resolved is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.records import LinkRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection


class LinkPlace(NamedTuple):
    """Where a link stands: its node's key and position, the document, its root's name and source ('' for memories)."""

    link: int
    root: str
    source: str
    document: int
    position: int


SELECT_BY_NAMES = """
SELECT l.key
FROM json_each(:keys) AS k
JOIN links AS l ON l.name_key = k.value
UNION
SELECT l.key
FROM json_each(:keys) AS k
JOIN links AS l ON l.source_key = k.value
WHERE l.source_key IS NOT NULL
"""
SELECT_BY_IDS = """
SELECT l.key
FROM json_each(:ids) AS i
JOIN links AS l ON l.id = i.value
WHERE l.id <> ''
"""
SELECT_INTO_DOCUMENTS = """
SELECT l.key
FROM json_each(:documents) AS d
JOIN nodes AS n ON n.document = d.value
JOIN links AS l ON l.target = n.key
"""
SELECT_INTO_NODES = """
SELECT l.key
FROM json_each(:nodes) AS k
JOIN links AS l ON l.target = k.value
"""
SELECT_OF_DOCUMENTS = """
SELECT l.key
FROM json_each(:documents) AS d
JOIN nodes AS n ON n.document = d.value
JOIN links AS l ON l.node = n.key
"""
SELECT_LINKS = """
SELECT l.key, l.node, l.ordinal, l.form, l.label, l.anchor, l.shown, l.source, l.id, l.type, l.weight, l.name_key,
       l.source_key, l.state, l.target, l.rule, l.ambiguous, l.stale
FROM json_each(:links) AS k
JOIN links AS l ON l.key = k.value
"""
SELECT_PLACES = """
SELECT l.key, coalesce(r.name, ''), coalesce(d.source, ''), n.document, n.position
FROM json_each(:links) AS k
JOIN links AS l ON l.key = k.value
JOIN nodes AS n ON n.key = l.node
LEFT JOIN documents AS d ON d.node = n.document
LEFT JOIN roots AS r ON r.key = d.root
"""
SELECT_LINKS_OF_NODES = """
SELECT l.key, l.node, l.ordinal, l.form, l.label, l.anchor, l.shown, l.source, l.id, l.type, l.weight, l.name_key,
       l.source_key, l.state, l.target, l.rule, l.ambiguous, l.stale
FROM json_each(:nodes) AS k
JOIN links AS l ON l.node = k.value
ORDER BY l.node, l.ordinal
"""
SELECT_LAST_LINK = """
SELECT coalesce(max(key), 0)
FROM links
"""
COUNT_LINKS = """
SELECT count(*), coalesce(sum(l.state IN ('pending', 'partial', 'missing')), 0), coalesce(sum(l.ambiguous), 0)
FROM documents AS d
JOIN nodes AS n ON n.document = d.node
JOIN links AS l ON l.node = n.key
WHERE d.root = :root
"""
INSERT_LINK = """
INSERT INTO links (key, node, ordinal, form, label, anchor, shown, source, id, type, weight, name_key, source_key,
                   state, target, rule, ambiguous, stale)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
UPDATE_TARGET = """
UPDATE links
SET state = ?2, target = ?3, rule = ?4, ambiguous = ?5, stale = ?6
WHERE key = ?1
"""
DELETE_LINKS = """
DELETE FROM links
WHERE node IN (SELECT value FROM json_each(:nodes))
"""


def find_links_by_names(connection: Connection, keys: Iterable[str]) -> set[int]:
    """Keys of the links whose resolution depends on one of the loose keys."""
    return {row[0] for row in connection.execute(SELECT_BY_NAMES, {"keys": json_list(keys)})}


def find_links_by_ids(connection: Connection, ids: Iterable[str]) -> set[int]:
    """Keys of the links that give one of the ids as a parameter."""
    return {row[0] for row in connection.execute(SELECT_BY_IDS, {"ids": json_list(ids)})}


def find_links_into_documents(connection: Connection, documents: Iterable[int]) -> set[int]:
    """Keys of the links that lead to any node of the documents."""
    return {row[0] for row in connection.execute(SELECT_INTO_DOCUMENTS, {"documents": json_list(documents)})}


def find_links_into_nodes(connection: Connection, nodes: Iterable[int]) -> set[int]:
    """Keys of the links that lead to one of the nodes, be they alive or not."""
    return {row[0] for row in connection.execute(SELECT_INTO_NODES, {"nodes": json_list(nodes)})}


def find_links_of_documents(connection: Connection, documents: Iterable[int]) -> set[int]:
    """Keys of the links written in the documents."""
    return {row[0] for row in connection.execute(SELECT_OF_DOCUMENTS, {"documents": json_list(documents)})}


def load_links(connection: Connection, links: Iterable[int]) -> list[LinkRow]:
    """The links of those keys."""
    return [LinkRow._make(row) for row in connection.execute(SELECT_LINKS, {"links": json_list(links)})]


def load_places(connection: Connection, links: Iterable[int]) -> dict[int, LinkPlace]:
    """Where the links stand, by link key."""
    return {row[0]: LinkPlace._make(row) for row in connection.execute(SELECT_PLACES, {"links": json_list(links)})}


def load_links_of_nodes(connection: Connection, nodes: Iterable[int]) -> list[LinkRow]:
    """The links written in the nodes, by node and order."""
    return [LinkRow._make(row) for row in connection.execute(SELECT_LINKS_OF_NODES, {"nodes": json_list(nodes)})]


def count_links(connection: Connection, root: int) -> tuple[int, int, int]:
    """How many links the documents of a root hold, how many of them wait, how many were ambiguous."""
    links, pending, ambiguous = connection.execute(COUNT_LINKS, {"root": root}).fetchone()
    return links, pending, ambiguous


def last_link(connection: Connection) -> int:
    """The greatest key of any link."""
    return int(connection.execute(SELECT_LAST_LINK).fetchone()[0])


def insert_links(connection: Connection, rows: Sequence[LinkRow]) -> None:
    """Adds links."""
    connection.executemany(INSERT_LINK, rows)


def update_targets(connection: Connection, rows: Sequence[tuple[int, str, int | None, str | None, int, int]]) -> None:
    """Sets what links lead to: (key, state, target, rule, ambiguous, stale)."""
    connection.executemany(UPDATE_TARGET, rows)


def delete_links_of(connection: Connection, nodes: Iterable[int]) -> None:
    """Takes away the links written in the nodes."""
    connection.execute(DELETE_LINKS, {"nodes": json_list(nodes)})
