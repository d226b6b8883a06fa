"""Statements of the doctor: rows that contradict others, whole tables, the removal of rows that belong to nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from remem.records import EdgeRow, MemoryRow
from remem.storage import sqlite
from remem.storage.faults import CORRUPT, get_code
from remem.storage.lists import json_list
from remem.storage.memories import find_memory

if TYPE_CHECKING:
    from sqlite3 import Connection

CHECK_PAGES = "PRAGMA integrity_check(20)"
# The check trusts what the connection last knew of a full-text index, which others may have merged since: it then finds
# damage where there is none. Reading from the index brings that up to date.
REFRESH_TEXTS = """
SELECT rowid
FROM passages_text
LIMIT 1
"""
# Each statement lists the public ids (or keys) of what breaks a rule.
SELECT_DOCUMENTS_WITHOUT_NODE = """
SELECT d.source
FROM documents AS d
LEFT JOIN nodes AS n ON n.key = d.node
WHERE n.key IS NULL
   OR n.kind <> 'document'
"""
SELECT_DOCUMENTS_WITHOUT_ROOT = """
SELECT d.source
FROM documents AS d
WHERE NOT EXISTS (SELECT 1 FROM roots AS r WHERE r.key = d.root)
"""
# A root by another name keeps what lies in it; compile can be told that it is what it was.
INSERT_LOST_ROOTS = """
INSERT OR IGNORE INTO roots (key, name, path, compiled_at)
SELECT DISTINCT d.root, 'lost-' || d.root, '/lost-' || d.root, 0
FROM documents AS d
WHERE NOT EXISTS (SELECT 1 FROM roots AS r WHERE r.key = d.root)
"""
SELECT_NODES_WITHOUT_DOCUMENT = """
SELECT n.id
FROM nodes AS n
LEFT JOIN nodes AS d ON d.key = n.document
LEFT JOIN documents AS f ON f.node = n.document
WHERE d.key IS NULL
   OR (d.kind NOT IN ('memory', 'entity') AND f.node IS NULL)
"""
SELECT_BOTH_ALIVE_AND_REMOVED = """
SELECT n.id
FROM nodes AS n
WHERE EXISTS (SELECT 1 FROM removed AS r WHERE r.id = n.id OR r.key = n.key)
"""
SELECT_TAGS_WITHOUT_NODE = """
SELECT t.tag
FROM tags AS t
WHERE NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = t.node)
"""
SELECT_NAMES_WITHOUT_NODE = """
SELECT m.text
FROM names AS m
WHERE m.kind NOT IN ('old_label', 'old_stem', 'old_source')
  AND NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = m.node)
"""
SELECT_LINKS_WITHOUT_NODE = """
SELECT l.label
FROM links AS l
WHERE NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = l.node)
   OR (l.target IS NOT NULL AND NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = l.target))
"""
SELECT_EDGES_WITHOUT_NODE = """
SELECT e.source
FROM edges AS e
WHERE NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = e.source)
   OR NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = e.target)
"""
SELECT_DIAGNOSTICS_WITHOUT_DOCUMENT = """
SELECT g.message
FROM diagnostics AS g
WHERE NOT EXISTS (SELECT 1 FROM documents AS d WHERE d.node = g.document)
"""
SELECT_RELATIONS_WITHOUT_TARGET = """
SELECT r.label
FROM relations AS r
WHERE r.target IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = r.target)
"""
SELECT_RELATIONS_WITHOUT_SOURCE = """
SELECT r.label
FROM relations AS r
WHERE NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = r.source)
  AND NOT EXISTS (SELECT 1 FROM removed AS g WHERE g.key = r.source)
"""
SELECT_CHANGES_WITHOUT_SNAPSHOT = """
SELECT c.node
FROM changes AS c
WHERE NOT EXISTS (SELECT 1 FROM snapshots AS s WHERE s.id = c.snapshot)
"""
SELECT_CHANGES_WITHOUT_TEXT = """
SELECT c.node
FROM changes AS c
WHERE c.op IN ('mod', 'rem', 'archive', 'unarchive', 'discard', 'amend')
  AND c.content <> x''
  AND NOT EXISTS (SELECT 1 FROM contents AS t WHERE t.hash = c.content)
"""
SELECT_REMOVED_WITHOUT_TEXT = """
SELECT r.id
FROM removed AS r
WHERE r.content <> x''
  AND NOT EXISTS (SELECT 1 FROM contents AS t WHERE t.hash = r.content)
"""
SELECT_NODES_WITHOUT_HISTORY = """
SELECT n.id
FROM nodes AS n
WHERE n.key NOT IN (SELECT node FROM changes)
  AND NOT EXISTS (SELECT 1 FROM snapshots AS s WHERE s.finished = 0)
"""
SELECT_BROKEN_CHAIN = """
SELECT s.id
FROM snapshots AS s
WHERE s.parent <> s.id - 1
"""
SELECT_USAGE_WITHOUT_NODE = """
SELECT u.node
FROM usage AS u
WHERE NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = u.node)
  AND NOT EXISTS (SELECT 1 FROM removed AS r WHERE r.key = u.node)
"""
SELECT_USAGE_OUT_OF_RANGE = """
SELECT node
FROM usage
WHERE temperature NOT BETWEEN 0 AND 1
   OR pinned NOT IN (0, 1)
   OR accesses < 0
   OR (accesses = 0) <> (accessed_at IS NULL)
"""
# A living memory has a node, an archived one had one.
SELECT_ALONE = """
SELECT n.key
FROM nodes AS n
WHERE (n.kind = 'memory' AND NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.node = n.key))
   OR (n.kind = 'entity' AND NOT EXISTS (SELECT 1 FROM entities AS e WHERE e.node = n.key))
"""
SELECT_MEMORIES_ASTRAY = """
SELECT m.id
FROM memories AS m
LEFT JOIN nodes AS n ON n.key = m.node AND n.kind = 'memory' AND n.id = m.id
LEFT JOIN removed AS r ON r.key = m.node AND r.kind = 'memory' AND r.id = m.id
WHERE (n.key IS NULL OR m.archived_at IS NOT NULL)
  AND (r.key IS NULL OR m.archived_at IS NULL)
"""
SELECT_NODES_WITHOUT_ROW = """
SELECT n.id
FROM nodes AS n
WHERE n.parent IS NULL
  AND ((n.kind = 'memory' AND NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.node = n.key))
       OR (n.kind = 'entity' AND NOT EXISTS (SELECT 1 FROM entities AS e WHERE e.node = n.key)))
"""
SELECT_ENTITIES_ASTRAY = """
SELECT e.key
FROM entities AS e
WHERE NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = e.node AND n.kind = 'entity')
"""
SELECT_MEMORIES_OUT_OF_RANGE = """
SELECT id
FROM memories
WHERE importance NOT BETWEEN 0 AND 1
   OR type NOT IN ('long_term', 'short_term')
   OR (type = 'short_term') <> (expires_at IS NOT NULL)
   OR (type = 'short_term') <> (ttl IS NOT NULL)
   OR (archived_at IS NULL) <> (archived_by IS NULL)
   OR archived_by NOT IN ('call', 'expiry')
   OR ttl NOT BETWEEN 1 AND 315576000000
   OR CASE WHEN json_valid(metadata) THEN json_type(metadata) END IS NOT 'object'
   OR CASE WHEN json_valid(tags) THEN json_type(tags) END IS NOT 'array'
   OR EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(tags) THEN tags ELSE '[]' END) AS t WHERE t.type <> 'text')
"""
SELECT_LINK_KEYS = """
SELECT key
FROM links
"""
SELECT_SECTION_KINDS = """
SELECT n.key, n.kind
FROM json_each(:keys) AS k
JOIN nodes AS n ON n.key = k.value
WHERE n.station = n.key
   OR n.kind = 'heading'
"""
SELECT_EDGES_OF_ORIGIN = """
SELECT source, target, type, origin, weight, links, ambiguous, created_at, updated_at
FROM edges
WHERE origin = :origin
"""
DELETE_TAGS_WITHOUT_NODE = """
DELETE FROM tags
WHERE node NOT IN (SELECT key FROM nodes)
"""
DELETE_NAMES_WITHOUT_NODE = """
DELETE FROM names
WHERE kind NOT IN ('old_label', 'old_stem', 'old_source')
  AND node NOT IN (SELECT key FROM nodes)
"""
DELETE_LINKS_WITHOUT_NODE = """
DELETE FROM links
WHERE node NOT IN (SELECT key FROM nodes)
"""
DELETE_EDGES_WITHOUT_NODE = """
DELETE FROM edges
WHERE source NOT IN (SELECT key FROM nodes)
   OR target NOT IN (SELECT key FROM nodes)
"""
DELETE_DIAGNOSTICS_WITHOUT_DOCUMENT = """
DELETE FROM diagnostics
WHERE document NOT IN (SELECT node FROM documents)
"""
CLEAR_RELATIONS_WITHOUT_TARGET = """
UPDATE relations
SET target = NULL
WHERE target NOT IN (SELECT key FROM nodes)
"""
DELETE_USAGE_WITHOUT_NODE = """
DELETE FROM usage
WHERE node NOT IN (SELECT key FROM nodes)
  AND node NOT IN (SELECT key FROM removed)
"""
MEND_USAGE = """
UPDATE usage
SET temperature = min(max(temperature, 0.0), 1.0), pinned = pinned <> 0,
    accesses = CASE WHEN accessed_at IS NULL THEN 0 ELSE max(accesses, 1) END
WHERE temperature NOT BETWEEN 0 AND 1
   OR pinned NOT IN (0, 1)
   OR accesses < 0
   OR (accesses = 0) <> (accessed_at IS NULL)
"""

RULES = (
    ("documents", "a document has no document node", SELECT_DOCUMENTS_WITHOUT_NODE),
    ("documents", "a document lies in a root that is gone", SELECT_DOCUMENTS_WITHOUT_ROOT),
    ("nodes", "a node belongs to no document", SELECT_NODES_WITHOUT_DOCUMENT),
    ("removed", "a node is both alive and removed", SELECT_BOTH_ALIVE_AND_REMOVED),
    ("tags", "a tag belongs to no node", SELECT_TAGS_WITHOUT_NODE),
    ("names", "a name belongs to no node", SELECT_NAMES_WITHOUT_NODE),
    ("links", "a link stands in, or leads to, a node that is gone", SELECT_LINKS_WITHOUT_NODE),
    ("edges", "an edge has an end that is gone", SELECT_EDGES_WITHOUT_NODE),
    ("diagnostics", "a diagnostic belongs to no document", SELECT_DIAGNOSTICS_WITHOUT_DOCUMENT),
    ("relations", "a relation leads to a node that is gone", SELECT_RELATIONS_WITHOUT_TARGET),
    ("relations", "a relation leaves a node that never was", SELECT_RELATIONS_WITHOUT_SOURCE),
    ("history", "a change belongs to no snapshot", SELECT_CHANGES_WITHOUT_SNAPSHOT),
    ("history", "the text before a change is missing", SELECT_CHANGES_WITHOUT_TEXT),
    ("history", "the text of a removed node is missing", SELECT_REMOVED_WITHOUT_TEXT),
    ("history", "a node was never added", SELECT_NODES_WITHOUT_HISTORY),
    ("history", "a snapshot does not follow the one before it", SELECT_BROKEN_CHAIN),
    ("memories", "a memory is neither alive nor archived, or both", SELECT_MEMORIES_ASTRAY),
    ("memories", "a memory or an entity is a node alone", SELECT_NODES_WITHOUT_ROW),
    ("memories", "an entity has no node", SELECT_ENTITIES_ASTRAY),
    ("memories", "a field of a memory is out of range", SELECT_MEMORIES_OUT_OF_RANGE),
    ("usage", "the usage of a node that never was is kept, key", SELECT_USAGE_WITHOUT_NODE),
    ("usage", "a temperature, a pin or a count is out of range, key", SELECT_USAGE_OUT_OF_RANGE),
)
"""(check, what is wrong, the statement that lists where) of each rule that one statement can see."""


def check_pages(connection: Connection) -> list[str]:
    """What SQLite itself finds wrong with the file."""
    _refresh_texts(connection)
    return [row[0] for row in connection.execute(CHECK_PAGES) if row[0] != "ok"]


def _refresh_texts(connection: Connection) -> None:
    try:
        connection.execute(REFRESH_TEXTS).fetchone()
    except sqlite.Error as error:
        # The check itself tells of the damage.
        if get_code(error) != CORRUPT:
            raise


def find_breaches(connection: Connection, statement: str) -> list[str]:
    """What one of the RULES lists."""
    return [str(row[0]) for row in connection.execute(statement)]


def load_link_keys(connection: Connection) -> list[int]:
    """The keys of all links."""
    return [row[0] for row in connection.execute(SELECT_LINK_KEYS)]


def load_edges_of(connection: Connection, origin: int) -> list[EdgeRow]:
    """All edges of one origin."""
    return [EdgeRow._make(row) for row in connection.execute(SELECT_EDGES_OF_ORIGIN, {"origin": origin})]


def load_section_kinds(connection: Connection, keys: Iterable[int]) -> dict[int, str]:
    """The kinds of those of the nodes that are sections or memories, by key."""
    return dict(connection.execute(SELECT_SECTION_KINDS, {"keys": json_list(keys)}).fetchall())


def find_alone(connection: Connection) -> list[int]:
    """The keys of nodes of memories and entities without a row beside them."""
    return [row[0] for row in connection.execute(SELECT_ALONE)]


def find_astray(connection: Connection) -> list[MemoryRow]:
    """The memories whose row says that they live and that have no node, or the other way round."""
    ids = [row[0] for row in connection.execute(SELECT_MEMORIES_ASTRAY)]
    found = (find_memory(connection, id) for id in ids)
    return [row for row in found if row is not None]


def delete_orphans(connection: Connection) -> int:
    """Takes away rows that belong to nothing; returns how many."""
    statements = (
        INSERT_LOST_ROOTS,
        DELETE_TAGS_WITHOUT_NODE,
        DELETE_NAMES_WITHOUT_NODE,
        DELETE_LINKS_WITHOUT_NODE,
        DELETE_EDGES_WITHOUT_NODE,
        DELETE_DIAGNOSTICS_WITHOUT_DOCUMENT,
        CLEAR_RELATIONS_WITHOUT_TARGET,
        DELETE_USAGE_WITHOUT_NODE,
        MEND_USAGE,
    )
    return sum(connection.execute(statement).rowcount for statement in statements)
