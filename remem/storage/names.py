"""Rows of `names`: what links can call a node. Which names a node has is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.records import Name
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection


class NameRow(NamedTuple):
    """A row of `names`."""

    key: str
    kind: str
    node: int
    text: str


SELECT_CANDIDATES = """
SELECT n.key, n.kind, n.node, n.text, coalesce(r.name, ''), coalesce(d.source, ''), t.document, t.position
FROM json_each(:keys) AS k
JOIN names AS n ON n.key = k.value
JOIN nodes AS t ON t.key = n.node
LEFT JOIN documents AS d ON d.node = t.document
LEFT JOIN roots AS r ON r.key = d.root
"""
SELECT_NAMES_OF_DOCUMENTS = """
SELECT n.key, n.kind, n.node, n.text
FROM json_each(:documents) AS d
JOIN nodes AS t ON t.document = d.value
JOIN names AS n ON n.node = t.key
ORDER BY t.document, t.position, n.kind, n.key, n.text
"""
SELECT_NAMES_OF_NODES = """
SELECT n.key, n.kind, n.node, n.text
FROM json_each(:nodes) AS k
JOIN names AS n ON n.node = k.value
"""
SELECT_OUTLINES = """
SELECT n.kind, n.node, n.text, t.document, t.position, t.last
FROM json_each(:documents) AS d
JOIN nodes AS t ON t.document = d.value
JOIN names AS n ON n.node = t.key
WHERE n.kind IN ('heading', 'block', 'old_label')
ORDER BY t.document, t.position, n.text
"""
SELECT_EVERY_NAME = """
SELECT n.key, n.kind, n.node, n.text, coalesce(r.name, ''), coalesce(d.source, ''), t.document, t.position
FROM names AS n
JOIN nodes AS t ON t.key = n.node
LEFT JOIN documents AS d ON d.node = t.document
LEFT JOIN roots AS r ON r.key = d.root
WHERE n.kind NOT IN ('block', 'folder')
"""
INSERT_NAME = """
INSERT INTO names (key, kind, node, text)
SELECT n.key, n.kind, n.node, n.text
FROM (SELECT ? AS key, ? AS kind, ? AS node, ? AS text) AS n
WHERE NOT EXISTS (
    SELECT 1
    FROM names AS o
    WHERE o.node = n.node
      AND o.key = n.key
      AND o.kind = n.kind
      AND o.text = n.text
)
"""
DELETE_NAME = """
DELETE FROM names
WHERE key = ?
  AND kind = ?
  AND node = ?
  AND text = ?
"""


def load_candidates(connection: Connection, keys: Iterable[str]) -> list[Name]:
    """Names of living nodes under the loose keys."""
    return [Name._make(row) for row in connection.execute(SELECT_CANDIDATES, {"keys": json_list(keys)})]


def load_names(connection: Connection, documents: Iterable[int]) -> list[NameRow]:
    """All names of all nodes of the documents, in document order."""
    rows = connection.execute(SELECT_NAMES_OF_DOCUMENTS, {"documents": json_list(documents)})
    return [NameRow._make(row) for row in rows]


def load_node_names(connection: Connection, nodes: Iterable[int]) -> list[NameRow]:
    """All names of the nodes, those of removed nodes too."""
    return [NameRow._make(row) for row in connection.execute(SELECT_NAMES_OF_NODES, {"nodes": json_list(nodes)})]


def load_outlines(connection: Connection, documents: Iterable[int]) -> list[tuple[str, int, str, int, int, int]]:
    """What anchors lead to: (kind, node, text, document, position, last), in document order."""
    return connection.execute(SELECT_OUTLINES, {"documents": json_list(documents)}).fetchall()


def load_every_name(connection: Connection) -> list[Name]:
    """Every name of a living node that a suggestion may offer."""
    return [Name._make(row) for row in connection.execute(SELECT_EVERY_NAME)]


def insert_names(connection: Connection, rows: Sequence[NameRow]) -> None:
    """Adds names; those that stand already stay."""
    connection.executemany(INSERT_NAME, rows)


def delete_names(connection: Connection, rows: Sequence[NameRow]) -> None:
    """Takes names away."""
    connection.executemany(DELETE_NAME, rows)
