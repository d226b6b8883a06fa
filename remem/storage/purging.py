"""Statements that take texts out of the history, and what they leave in the file. Decides nothing about which."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.storage import embedded, sqlite
from remem.storage.faults import BUSY, get_code
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

OVERWRITE_DELETED = "PRAGMA secure_delete = ON"
LEAVE_DELETED = "PRAGMA secure_delete = OFF"
REWRITE_FILE = "VACUUM"
TRUNCATE_LOG = "PRAGMA wal_checkpoint(TRUNCATE)"
MERGE_TEXTS = """
INSERT INTO passages_text (passages_text)
VALUES ('optimize')
"""
SELECT_TEXT_CHANGES = """
SELECT snapshot, node, op, kind, label, content
FROM changes
WHERE snapshot <= :until
  AND op NOT IN ('add', 'restore')
  AND content IS NOT NULL
  AND content <> x''
"""
SELECT_CHANGES_OF_NODES = """
SELECT c.snapshot, c.node, c.op, c.kind, c.label, c.content
FROM json_each(:nodes) AS k
JOIN changes AS c ON c.node = k.value
WHERE c.op <> 'add'
  AND c.content IS NOT NULL
  AND c.content <> x''
"""
SELECT_CHANGES_ALIKE = """
SELECT snapshot, node, op, kind, label, content
FROM changes
WHERE content IN (SELECT unhex(value) FROM json_each(:hashes))
  AND op <> 'add'
"""
SELECT_HELD_HASHES = """
SELECT content
FROM changes
WHERE snapshot > :until
  AND content IS NOT NULL
UNION
SELECT r.content
FROM removed AS r
WHERE r.snapshot > :until
   OR EXISTS (SELECT 1 FROM memories AS m WHERE m.node = r.key)
"""
SELECT_ARCHIVED_HASHES = """
SELECT r.key, r.content
FROM removed AS r
JOIN memories AS m ON m.node = r.key
"""
# What is archived is there: only what is gone is purged.
SELECT_GRAVES = """
SELECT r.key, r.id, r.label, r.content, r.kind
FROM removed AS r
WHERE r.snapshot <= :until
  AND r.content <> x''
  AND NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.node = r.key)
"""
SELECT_GRAVES_BELOW = """
WITH RECURSIVE below (key) AS (
    SELECT key
    FROM removed
    WHERE key = :key
    UNION
    SELECT r.key
    FROM below AS b
    JOIN removed AS r ON r.parent = b.key OR r.document = b.key
)
SELECT r.key, r.id, r.label, r.content, r.kind
FROM below AS b
JOIN removed AS r ON r.key = b.key
WHERE NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.node = r.key)
"""
SELECT_GRAVES_ALIKE = """
SELECT r.key, r.id, r.label, r.content, r.kind
FROM removed AS r
WHERE r.content IN (SELECT unhex(value) FROM json_each(:hashes))
  AND NOT EXISTS (SELECT 1 FROM memories AS m WHERE m.node = r.key)
"""
WIPE_CHANGE = """
UPDATE changes
SET content = x'', label = NULL, tags = NULL
WHERE snapshot = ?
  AND node = ?
"""
WIPE_GRAVES = """
UPDATE removed
SET content = x'', label = NULL, path = x''
WHERE key IN (SELECT value FROM json_each(:keys))
"""
WIPE_LAYOUTS_UNTIL = """
UPDATE layouts
SET nodes = NULL
WHERE snapshot <= :until
"""
WIPE_LAYOUT = """
UPDATE layouts
SET nodes = NULL
WHERE document = ?
  AND snapshot = ?
"""
DELETE_UNHELD_CONTENTS = """
DELETE FROM contents
WHERE hash NOT IN (SELECT content FROM changes WHERE content IS NOT NULL)
  AND hash NOT IN (SELECT content FROM removed)
"""
DELETE_EARLIER_NAME = """
DELETE FROM names
WHERE node = ?
  AND kind = 'old_label'
  AND text = ?
RETURNING key
"""
SELECT_NEXT_CHANGES = """
SELECT c.node, min(c.snapshot)
FROM json_each(:nodes) AS k
JOIN changes AS c ON c.node = k.value
WHERE c.op <> 'add'
  AND c.snapshot >= :snapshot
GROUP BY c.node
"""
COUNT_CONTENTS = """
SELECT count(*)
FROM contents
"""
ZERO_VECTOR = """
UPDATE node_vectors
SET vector = zeroblob(:bytes)
WHERE key = :key
"""

_PAUSE = 0.02


class TextChange(NamedTuple):
    """A row of `changes` that tells a text by its hash."""

    snapshot: int
    node: int
    op: str
    kind: str
    label: str | None
    content: bytes


class Grave(NamedTuple):
    """A removed node."""

    key: int
    id: str
    label: str | None
    content: bytes
    kind: str


# --- finding ----------------------------------------------------------------------------------------------------------


def load_changes_until(connection: Connection, until: int) -> list[TextChange]:
    """The rows of snapshots up to a number that tell a text."""
    return [TextChange._make(row) for row in connection.execute(SELECT_TEXT_CHANGES, {"until": until})]


def load_changes_of(connection: Connection, nodes: Iterable[int]) -> list[TextChange]:
    """The rows of nodes that tell a text."""
    rows = connection.execute(SELECT_CHANGES_OF_NODES, {"nodes": json_list(nodes)})
    return [TextChange._make(row) for row in rows]


def load_changes_alike(connection: Connection, hashes: Iterable[bytes]) -> list[TextChange]:
    """The rows of any node that tell one of the texts."""
    rows = connection.execute(SELECT_CHANGES_ALIKE, {"hashes": json_list(hash.hex() for hash in hashes)})
    return [TextChange._make(row) for row in rows]


def load_held_hashes(connection: Connection, until: int) -> set[bytes]:
    """The texts that later snapshots, later removals or archived memories hold."""
    return {row[0] for row in connection.execute(SELECT_HELD_HASHES, {"until": until})}


def load_archived_hashes(connection: Connection) -> dict[int, bytes]:
    """The texts of archived memories, by node."""
    return dict(connection.execute(SELECT_ARCHIVED_HASHES))


def load_graves_until(connection: Connection, until: int) -> list[Grave]:
    """The nodes that are gone since a snapshot up to a number."""
    return [Grave._make(row) for row in connection.execute(SELECT_GRAVES, {"until": until})]


def load_graves_below(connection: Connection, key: int) -> list[Grave]:
    """A node that is gone and what went from below it."""
    return [Grave._make(row) for row in connection.execute(SELECT_GRAVES_BELOW, {"key": key})]


def load_graves_alike(connection: Connection, hashes: Iterable[bytes]) -> list[Grave]:
    """The nodes that are gone and said one of the texts."""
    rows = connection.execute(SELECT_GRAVES_ALIKE, {"hashes": json_list(hash.hex() for hash in hashes)})
    return [Grave._make(row) for row in rows]


def load_next_changes(connection: Connection, nodes: Iterable[int], snapshot: int) -> dict[int, int]:
    """Of each node the first snapshot from a number on that changes it."""
    parameters = {"nodes": json_list(nodes), "snapshot": snapshot}
    return dict(connection.execute(SELECT_NEXT_CHANGES, parameters).fetchall())


# --- wiping -----------------------------------------------------------------------------------------------------------


def overwrite_deleted(connection: Connection) -> None:
    """Has what is deleted from now on be overwritten at once."""
    connection.execute(OVERWRITE_DELETED).fetchall()


def leave_deleted(connection: Connection) -> None:
    """Has what is deleted be left until its place is used again."""
    connection.execute(LEAVE_DELETED).fetchall()


def wipe_changes(connection: Connection, rows: Iterable[tuple[int, int]]) -> None:
    """Has rows (snapshot, node) tell their texts, labels and tags no more."""
    connection.executemany(WIPE_CHANGE, rows)


def wipe_graves(connection: Connection, keys: Iterable[int]) -> None:
    """Forgets what removed nodes said. Their ids stay theirs."""
    connection.execute(WIPE_GRAVES, {"keys": json_list(keys)})


def wipe_layouts_until(connection: Connection, until: int) -> None:
    """Forgets how documents were laid out before snapshots up to a number."""
    connection.execute(WIPE_LAYOUTS_UNTIL, {"until": until})


def wipe_layouts(connection: Connection, rows: Iterable[tuple[int, int]]) -> None:
    """Forgets layouts (document, snapshot)."""
    connection.executemany(WIPE_LAYOUT, rows)


def delete_unheld_contents(connection: Connection) -> int:
    """Deletes the old texts that nothing holds; how many there were."""
    before = connection.execute(COUNT_CONTENTS).fetchone()[0]
    connection.execute(DELETE_UNHELD_CONTENTS)
    return int(before - connection.execute(COUNT_CONTENTS).fetchone()[0])


def delete_earlier_names(connection: Connection, names: Iterable[tuple[int, str]]) -> set[str]:
    """Forgets earlier labels (node, text); the name keys under which they stood."""
    return {row[0] for name in names for row in connection.execute(DELETE_EARLIER_NAME, name).fetchall()}


def wipe_freed_vectors(connection: Connection) -> int:
    """Overwrites and deletes the vectors of texts that are gone; how many they were. Without sqlite-vec they stay."""
    keys = embedded.list_free(connection)
    fixed = embedded.find_fixed(connection)
    if not keys or fixed is None or sqlite.vectors_problem():
        return 0
    connection.executemany(ZERO_VECTOR, [{"key": key, "bytes": 4 * fixed.dimensions} for key in keys])
    embedded.delete_vectors(connection, keys)
    return len(keys)


def merge_texts(connection: Connection) -> None:
    """Rewrites the full-text index, in which words of what was deleted stay behind until then."""
    connection.execute(MERGE_TEXTS)


# --- the file ---------------------------------------------------------------------------------------------------------


def rewrite_file(connection: Connection, seconds: float) -> bool:
    """Writes the whole file anew and empties the log; whether nothing of the old is left. False where other connections
    read or write for longer than that. Must run outside of any transaction."""
    deadline = time.monotonic() + seconds
    if not _retry_busy(connection, REWRITE_FILE, deadline):
        return False
    while True:
        rows: Sequence[tuple[int, int, int]] = connection.execute(TRUNCATE_LOG).fetchall()
        if rows[0][0] == 0:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(_PAUSE)


def _retry_busy(connection: Connection, statement: str, deadline: float) -> bool:
    while True:
        try:
            connection.execute(statement).fetchall()
        except sqlite.OperationalError as error:
            if get_code(error) != BUSY:
                raise
        else:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(_PAUSE)
