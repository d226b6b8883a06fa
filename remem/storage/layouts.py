"""Rows of `layouts`: what documents were before the snapshots that changed them or their places. A change of place that
makes no snapshot counts as part of the newest one. Packs and reads nothing of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from remem.records import LayoutRow
from remem.storage import meta
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SINCE_KEY, DAMAGED_KEY = "layouts_since", "history_damaged"

# What a snapshot of several slices, or a change of place after it, found first is what was before it.
INSERT_LAYOUT = """
INSERT OR IGNORE INTO layouts (document, snapshot, root, source, format, hash, settings, nodes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
SELECT_LAYOUTS_AFTER = """
SELECT l.document, l.snapshot, l.root, l.source, l.format, l.hash, l.settings, l.nodes
FROM json_each(:documents) AS d
JOIN layouts AS l ON l.document = d.value
WHERE l.snapshot = (
    SELECT min(m.snapshot)
    FROM layouts AS m
    WHERE m.document = d.value
      AND m.snapshot > :snapshot
)
"""
SELECT_LAYOUTS_OF = """
SELECT l.document, l.snapshot, l.root, l.source, l.format, l.hash, l.settings, l.nodes
FROM json_each(:documents) AS d
JOIN layouts AS l ON l.document = d.value
ORDER BY l.document, l.snapshot
"""
SELECT_DOCUMENTS_AFTER = """
SELECT DISTINCT document
FROM layouts
WHERE snapshot > :snapshot
"""
SELECT_LAYOUTS_AT = """
SELECT document, snapshot, root, source, format, hash, settings, nodes
FROM layouts
WHERE snapshot = :snapshot
"""


def insert_layouts(connection: Connection, rows: Sequence[LayoutRow]) -> None:
    """Keeps layouts, of each document the first of a snapshot."""
    connection.executemany(INSERT_LAYOUT, rows)


def load_layouts(connection: Connection, documents: Iterable[int], snapshot: int) -> dict[int, LayoutRow]:
    """The layouts that the documents had at a snapshot, by document; none of those that stand as they did."""
    rows = connection.execute(SELECT_LAYOUTS_AFTER, {"documents": json_list(documents), "snapshot": snapshot})
    return {row[0]: LayoutRow._make(row) for row in rows}


def load_all_layouts(connection: Connection, documents: Iterable[int]) -> list[LayoutRow]:
    """Every layout of the documents, oldest first."""
    rows = connection.execute(SELECT_LAYOUTS_OF, {"documents": json_list(documents)})
    return [LayoutRow._make(row) for row in rows]


def list_documents_after(connection: Connection, snapshot: int) -> set[int]:
    """The documents that changed, or changed their places, after a snapshot. Linear in the layouts."""
    return {row[0] for row in connection.execute(SELECT_DOCUMENTS_AFTER, {"snapshot": snapshot})}


def load_layouts_at(connection: Connection, snapshot: int) -> list[LayoutRow]:
    """What the documents were that a snapshot changed."""
    return [LayoutRow._make(row) for row in connection.execute(SELECT_LAYOUTS_AT, {"snapshot": snapshot})]


def find_first_known(connection: Connection) -> int:
    """The first snapshot whose documents can be laid out again: not 0 for a store that an older Remem began."""
    return meta.find_number(connection, SINCE_KEY) or 0


def find_damaged(connection: Connection) -> int:
    """The snapshot up to which the history does not tell all states, since it was damaged; 0 where it is whole."""
    return meta.find_number(connection, DAMAGED_KEY) or 0


def mark_damaged(connection: Connection, snapshot: int) -> None:
    """Remembers that the history up to a snapshot does not tell all states."""
    meta.save_value(connection, DAMAGED_KEY, str(snapshot))
