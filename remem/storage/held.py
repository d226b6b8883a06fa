"""Rows of `held`: files whose documents a call changed. Compile leaves such a document, an absent one too, until the
file changes. What that means for each node is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from remem.records import FileStat, HeldRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

UPSERT_HELD = """
INSERT INTO held (root, source, hash, tree, size, mtime, inode, seen_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (root, source) DO UPDATE
SET hash = excluded.hash, tree = excluded.tree, size = excluded.size, mtime = excluded.mtime, inode = excluded.inode,
    seen_at = excluded.seen_at
"""
UPDATE_STAT = """
UPDATE held
SET size = :size, mtime = :mtime, inode = :inode, seen_at = :seen_at
WHERE root = :root
  AND source = :source
"""
SELECT_HASHES = """
SELECT source, hash
FROM held
WHERE root = :root
ORDER BY source
"""
SELECT_HELD = """
SELECT root, source, hash, tree, size, mtime, inode, seen_at
FROM held
WHERE root = :root
ORDER BY source
"""
SELECT_HELD_SOURCES = """
SELECT h.root, h.source, h.hash, h.tree, h.size, h.mtime, h.inode, h.seen_at
FROM json_each(:sources) AS s
CROSS JOIN held AS h ON h.root = :root AND h.source = s.value
ORDER BY h.source
"""
SELECT_ALL_HELD = """
SELECT root, source, hash, tree, size, mtime, inode, seen_at
FROM held
ORDER BY root, source
"""
DELETE_HELD = """
DELETE FROM held
WHERE root = :root
  AND source IN (SELECT value FROM json_each(:sources))
"""
DELETE_HELD_OF_ROOT = """
DELETE FROM held
WHERE root = :root
"""
DELETE_HELD_WITHOUT_ROOT = """
DELETE FROM held
WHERE root NOT IN (SELECT key FROM roots)
"""
# In two steps, as documents are moved: no source meets that of a file that has not moved yet.
MARK_SOURCES = """
UPDATE held
SET source = '//' || source
WHERE root = :former
"""
MOVE_HELD = """
UPDATE held
SET root = :root, source = :prefix || substr(source, 3)
WHERE root = :former
"""


def find_held(connection: Connection, root_key: int) -> dict[str, bytes]:
    """The held files of a root, by source, with the hash of the file that each stands against."""
    return dict(connection.execute(SELECT_HASHES, {"root": root_key}).fetchall())


def release(connection: Connection, root_key: int, sources: Iterable[str]) -> None:
    """Holds these files no longer."""
    connection.execute(DELETE_HELD, {"root": root_key, "sources": json_list(sources)})


def load_held(connection: Connection, root_key: int, sources: Iterable[str] | None = None) -> dict[str, HeldRow]:
    """The held files of a root (of those sources; None: all), by source."""
    if sources is None:
        rows = connection.execute(SELECT_HELD, {"root": root_key})
    else:
        rows = connection.execute(SELECT_HELD_SOURCES, {"root": root_key, "sources": json_list(sources)})
    return {row[1]: HeldRow._make(row) for row in rows}


def load_all_held(connection: Connection) -> list[HeldRow]:
    """Every held file, by root and source."""
    return [HeldRow._make(row) for row in connection.execute(SELECT_ALL_HELD)]


def save_held(connection: Connection, rows: Iterable[HeldRow]) -> None:
    """Holds files, with all that is known of them."""
    connection.executemany(UPSERT_HELD, rows)


def touch_held(connection: Connection, root_key: int, stats: Mapping[str, FileStat], now: int) -> None:
    """Records the stat of held files that were read and are the same, by source."""
    rows = [
        {"root": root_key, "source": source, "size": s.size, "mtime": s.mtime, "inode": s.inode, "seen_at": now}
        for source, s in stats.items()
    ]
    connection.executemany(UPDATE_STAT, rows)


def move_held(connection: Connection, former: int, root: int, prefix: str) -> None:
    """Gives all held files of a root to another one, their sources behind a prefix."""
    connection.execute(MARK_SOURCES, {"former": former})
    connection.execute(MOVE_HELD, {"former": former, "root": root, "prefix": prefix})


def release_root(connection: Connection, root_key: int) -> None:
    """Holds no file of a root any longer."""
    connection.execute(DELETE_HELD_OF_ROOT, {"root": root_key})


def release_lost(connection: Connection) -> None:
    """Holds no file of a root that is gone."""
    connection.execute(DELETE_HELD_WITHOUT_ROOT)
