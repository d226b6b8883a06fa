"""Statements that find documents by where they stand, or stood. Writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_STOOD = """
SELECT d.node, r.name, d.source
FROM documents AS d
JOIN roots AS r ON r.key = d.root
WHERE d.source = :source
UNION
SELECT document, root, source
FROM layouts
WHERE source = :source
"""
SELECT_ROOT_NAMES = """
SELECT name
FROM roots
UNION
SELECT name
FROM former_roots
"""
SELECT_KINDS = """
SELECT kind
FROM main.nodes
WHERE key = :key
UNION ALL
SELECT kind
FROM removed
WHERE key = :key
LIMIT 1
"""


class StandingRow(NamedTuple):
    """A document, and a place where it stands or stood."""

    document: int
    root: str
    source: str


def find_standing(connection: Connection, source: str) -> list[StandingRow]:
    """The documents that stand, or stood before a change, at a source of any root."""
    return [StandingRow._make(row) for row in connection.execute(SELECT_STOOD, {"source": source})]


def list_root_names(connection: Connection) -> set[str]:
    """The names of all roots, those that are gone among them."""
    return {row[0] for row in connection.execute(SELECT_ROOT_NAMES)}


def find_kind(connection: Connection, key: int) -> str:
    """The kind of a node, be it there or gone; "" where there never was one."""
    row = connection.execute(SELECT_KINDS, {"key": key}).fetchone()
    return "" if row is None else str(row[0])
