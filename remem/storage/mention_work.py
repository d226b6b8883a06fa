"""Rows of `mention_work`: what is owed to the mentions, and under which rules they were made. Does none of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from remem.storage import meta
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

TEXT, NAME, EDGES = "text", "name", "edges"
"""Kinds of work: a document to be read again, a name key, a document whose edges are to be derived again."""
STATE_KEY = "mentions"

OWE_DOCUMENTS = """
INSERT OR IGNORE INTO mention_work (kind, item)
SELECT :kind, value
FROM json_each(:items)
"""
OWE_EDGES_TO = """
INSERT OR IGNORE INTO mention_work (kind, item)
SELECT 'edges', u.document
FROM json_each(:nodes) AS n
JOIN mention_uses AS u ON u.target = n.value
"""
OWE_NAMES = """
INSERT OR IGNORE INTO mention_work (kind, item)
SELECT 'name', k.value
FROM json_each(:keys) AS k
WHERE EXISTS (SELECT 1 FROM names AS n WHERE n.key = k.value)
   OR EXISTS (SELECT 1 FROM mention_names AS m WHERE m.name_key = k.value)
"""
OWE_EVERY_TEXT = """
INSERT OR IGNORE INTO mention_work (kind, item)
SELECT 'text', node
FROM documents
UNION ALL
SELECT 'text', node
FROM memories
WHERE archived_at IS NULL
"""
OWE_EVERY_NAME = """
INSERT OR IGNORE INTO mention_work (kind, item)
SELECT 'name', n.key
FROM names AS n
WHERE n.kind NOT IN ('folder', 'block', 'old_label', 'old_stem', 'old_source')
UNION
SELECT 'name', m.name_key
FROM mention_names AS m
"""
SELECT_NAME_KEYS = """
SELECT DISTINCT key
FROM names
WHERE kind NOT IN ('folder', 'block', 'old_label', 'old_stem', 'old_source')
"""
HAS_WORK = """
SELECT EXISTS (SELECT 1 FROM mention_work)
"""
SELECT_WORK = """
SELECT item
FROM mention_work
WHERE kind = :kind
ORDER BY item
LIMIT :limit
"""
DELETE_WORK = """
DELETE FROM mention_work
WHERE kind = :kind
  AND item IN (SELECT value FROM json_each(:items))
"""
HAS_SETTLED_TEXT = """
SELECT EXISTS (
    SELECT node FROM documents
    UNION ALL
    SELECT node FROM memories WHERE archived_at IS NULL
    EXCEPT
    SELECT item FROM mention_work WHERE kind = 'text'
)
"""
OWE_EVERY_EDGE = """
INSERT OR IGNORE INTO mention_work (kind, item)
SELECT DISTINCT 'edges', n.document
FROM edges AS e
JOIN nodes AS n ON n.key = e.source
WHERE e.origin = 3
"""
CLEAR_EDGES = """
DELETE FROM edges
WHERE origin = 3
"""
CLEAR_MISSHAPEN = """
DELETE FROM edges
WHERE origin = 3
  AND (type <> 3 OR links <> 1 OR ambiguous <> 0)
"""
CLEAR = (
    "DELETE FROM mention_uses",
    "DELETE FROM mention_names",
    "DELETE FROM mention_work",
)


def find_state(connection: Connection) -> str | None:
    """Under which rules and settings the mentions were made; None where they never were."""
    return meta.find_value(connection, STATE_KEY)


def save_state(connection: Connection, state: str) -> None:
    """Records the rules and settings."""
    meta.save_value(connection, STATE_KEY, state)


def owe_documents(connection: Connection, kind: str, documents: Iterable[int]) -> None:
    """Records documents as work of a kind."""
    connection.execute(OWE_DOCUMENTS, {"kind": kind, "items": json_list(documents)})


def owe_edges_to(connection: Connection, nodes: Iterable[int]) -> None:
    """Records the texts that name the nodes, whose edges to these were taken away: a node may come back before the
    names are followed, and be what they name as before."""
    connection.execute(OWE_EDGES_TO, {"nodes": json_list(nodes)})


def owe_names(connection: Connection, keys: Iterable[str]) -> None:
    """Records those of the name keys that names have or had."""
    connection.execute(OWE_NAMES, {"keys": json_list(keys)})


def owe_everything(connection: Connection) -> None:
    """Records all texts and names as work, and all documents that mentioned edges leave."""
    connection.execute(OWE_EVERY_TEXT)
    connection.execute(OWE_EVERY_NAME)
    connection.execute(OWE_EVERY_EDGE)


def list_name_keys(connection: Connection) -> list[str]:
    """The name keys of all names that texts may use."""
    return [row[0] for row in connection.execute(SELECT_NAME_KEYS)]


def has_work(connection: Connection) -> bool:
    """Whether anything is owed."""
    return bool(connection.execute(HAS_WORK).fetchone()[0])


def load_documents_owed(connection: Connection, kind: str, limit: int = -1) -> list[int]:
    """The first documents that are work of a kind; a negative limit gives all."""
    return [row[0] for row in connection.execute(SELECT_WORK, {"kind": kind, "limit": limit})]


def load_names_owed(connection: Connection, limit: int) -> list[str]:
    """The first `limit` name keys that are work."""
    return [row[0] for row in connection.execute(SELECT_WORK, {"kind": NAME, "limit": limit})]


def delete_work(connection: Connection, kind: str, items: Iterable[int | str]) -> None:
    """Takes away work that is done."""
    connection.execute(DELETE_WORK, {"kind": kind, "items": json_list(items)})


def has_settled_text(connection: Connection) -> bool:
    """Whether there is any text that is not to be read again anyway."""
    return bool(connection.execute(HAS_SETTLED_TEXT).fetchone()[0])


def clear_mentions(connection: Connection) -> None:
    """Takes away what follows from the texts but the edges, and the work; refusals stay."""
    for statement in CLEAR:
        connection.execute(statement)


def clear_misshapen(connection: Connection) -> None:
    """Takes away the mentioned edges that no text makes."""
    connection.execute(CLEAR_MISSHAPEN)


def clear_edges(connection: Connection) -> None:
    """Takes away all mentioned edges."""
    connection.execute(CLEAR_EDGES)
