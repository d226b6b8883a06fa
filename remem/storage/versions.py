"""Rows of `snapshots`, `changes`, `contents` and `removed`: the version trail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from remem.records import ChangeRow, RemovedRow, Snapshot
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_NEWEST = """
SELECT id, parent, created_at, message, state_hash, finished
FROM snapshots
ORDER BY id DESC
LIMIT 1
"""
SELECT_SNAPSHOTS = """
SELECT id, parent, created_at, message, state_hash, finished
FROM snapshots
ORDER BY id
"""
INSERT_SNAPSHOT = """
INSERT INTO snapshots (id, parent, created_at, message, state_hash, finished)
VALUES (:id, :parent, :created_at, :message, :state_hash, :finished)
"""
UPDATE_SNAPSHOT = """
UPDATE snapshots
SET state_hash = :state_hash, finished = :finished
WHERE id = :id
"""
FINISH_SNAPSHOTS = """
UPDATE snapshots
SET finished = 1
WHERE finished = 0
"""
# One statement for all additions: most of what a first compile writes.
INSERT_ADDITIONS = """
INSERT INTO changes (snapshot, node, op)
SELECT :snapshot, k.value, 'add'
FROM json_each(:nodes) AS k
WHERE true
ON CONFLICT (snapshot, node) DO UPDATE
SET op = CASE WHEN op = 'rem' THEN 'move' ELSE op END
"""
INSERT_CHANGE = """
INSERT INTO changes (snapshot, node, op, kind, label, content, parent, previous, document, tags)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (snapshot, node) DO UPDATE
SET op = CASE WHEN op = 'add' THEN op ELSE excluded.op END
"""
DELETE_ADDITIONS = """
DELETE FROM changes
WHERE snapshot = :snapshot
  AND node IN (SELECT value FROM json_each(:nodes))
  AND op = 'add'
"""
INSERT_CONTENT = """
INSERT OR IGNORE INTO contents (hash, text)
VALUES (?, ?)
"""
INSERT_REMOVED = """
INSERT INTO removed (key, id, kind, label, content, piece, document, parent, position, root, source, path, snapshot)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
DELETE_REMOVED = """
DELETE FROM removed
WHERE key IN (SELECT value FROM json_each(:keys))
"""
PURGE_CHANGES = """
UPDATE changes
SET content = x''
WHERE op IN ('mod', 'rem', 'archive', 'unarchive', 'discard', 'amend')
  AND content <> x''
  AND NOT EXISTS (SELECT 1 FROM contents AS t WHERE t.hash = changes.content)
"""
PURGE_REMOVED = """
UPDATE removed
SET content = x''
WHERE content <> x''
  AND NOT EXISTS (SELECT 1 FROM contents AS t WHERE t.hash = removed.content)
"""
SELECT_ANY_REMOVED = """
SELECT EXISTS (SELECT 1 FROM removed)
"""
SELECT_REMOVED_ALIKE = """
SELECT DISTINCT r.document
FROM json_each(:hashes) AS h
JOIN removed AS r ON r.content = unhex(h.value)
"""
SELECT_REMOVED_SOURCES = """
SELECT r.document
FROM json_each(:sources) AS s
CROSS JOIN removed AS r ON r.root = :root AND r.source = s.value
WHERE r.kind = 'document'
"""
SELECT_REMOVED_OF_DOCUMENTS = """
SELECT r.key, r.id, r.kind, r.label, r.content, r.piece, r.document, r.parent, r.position, r.root, r.source, r.path,
       r.snapshot
FROM json_each(:documents) AS d
JOIN removed AS r ON r.document = d.value
ORDER BY r.document, r.position
"""
SELECT_SAID = """
SELECT c.node, c.kind, c.content
FROM json_each(:nodes) AS k
CROSS JOIN changes AS c ON c.node = k.value AND c.op <> 'add'
WHERE c.kind IS NOT NULL
  AND c.content IS NOT NULL
  AND c.content <> x''
ORDER BY c.node, c.snapshot DESC
"""
SELECT_REMOVED_IDS = """
SELECT r.key, r.id
FROM json_each(:keys) AS k
JOIN removed AS r ON r.key = k.value
WHERE r.kind NOT IN ('memory', 'entity')
"""
SELECT_REMOVED_BY_ID = """
SELECT key, id, kind, label, content, piece, document, parent, position, root, source, path, snapshot
FROM removed
WHERE id = :id
"""


def find_newest_snapshot(connection: Connection) -> Snapshot | None:
    """The newest snapshot; None for the empty store."""
    row = connection.execute(SELECT_NEWEST).fetchone()
    return None if row is None else _snapshot(row)


def load_snapshots(connection: Connection) -> list[Snapshot]:
    """All snapshots, oldest first."""
    return [_snapshot(row) for row in connection.execute(SELECT_SNAPSHOTS)]


def _snapshot(row: tuple[int, int, int, str, bytes, int]) -> Snapshot:
    return Snapshot(row[0], row[1], row[2], row[3], row[4], bool(row[5]))


def insert_snapshot(connection: Connection, snapshot: Snapshot) -> None:
    """Adds a snapshot."""
    parameters = {
        "id": snapshot.id,
        "parent": snapshot.parent,
        "created_at": snapshot.created_at,
        "message": snapshot.message,
        "state_hash": snapshot.state_hash,
        "finished": int(snapshot.finished),
    }
    connection.execute(INSERT_SNAPSHOT, parameters)


def update_snapshot(connection: Connection, id: int, state_hash: bytes, finished: bool) -> None:
    """Sets the state hash of a snapshot and whether it is finished."""
    connection.execute(UPDATE_SNAPSHOT, {"id": id, "state_hash": state_hash, "finished": int(finished)})


def finish_snapshots(connection: Connection) -> int:
    """Marks all unfinished snapshots as finished; returns how many there were."""
    return connection.execute(FINISH_SNAPSHOTS).rowcount


def insert_additions(connection: Connection, snapshot: int, nodes: Iterable[int]) -> None:
    """Adds a change for each node that the snapshot adds. One that the same snapshot removed before has moved."""
    connection.execute(INSERT_ADDITIONS, {"snapshot": snapshot, "nodes": json_list(nodes)})


def insert_changes(connection: Connection, rows: Sequence[ChangeRow]) -> None:
    """Adds changes of nodes that were there before. What the snapshot itself added stays an addition."""
    connection.executemany(INSERT_CHANGE, rows)


def delete_additions(connection: Connection, snapshot: int, nodes: Iterable[int]) -> None:
    """Forgets that the snapshot added the nodes: they are gone before it ends."""
    connection.execute(DELETE_ADDITIONS, {"snapshot": snapshot, "nodes": json_list(nodes)})


def keep_contents(connection: Connection, contents: Iterable[tuple[bytes, str]]) -> None:
    """Keeps old texts by hash, each once."""
    connection.executemany(INSERT_CONTENT, contents)


def insert_removed(connection: Connection, rows: Sequence[RemovedRow]) -> None:
    """Remembers nodes that are gone."""
    connection.executemany(INSERT_REMOVED, rows)


def delete_removed(connection: Connection, keys: Iterable[int]) -> None:
    """Forgets that the nodes were gone: they are back."""
    connection.execute(DELETE_REMOVED, {"keys": json_list(keys)})


def purge_missing(connection: Connection) -> None:
    """Has the history say of texts that are not there what it says of purged ones."""
    connection.execute(PURGE_CHANGES)
    connection.execute(PURGE_REMOVED)


def has_removed(connection: Connection) -> bool:
    """Whether any node was ever removed."""
    return bool(connection.execute(SELECT_ANY_REMOVED).fetchone()[0])


def load_removed(
    connection: Connection, root: str, sources: Iterable[str], documents: Iterable[int], hashes: Iterable[bytes]
) -> list[RemovedRow]:
    """All removed nodes of the documents in question, in document order: the documents of those keys, those that stood
    at one of the sources, and those in which a removed node has one of the contents."""
    wanted = set(documents)
    at = {"root": root, "sources": json_list(sources)}
    wanted |= {row[0] for row in connection.execute(SELECT_REMOVED_SOURCES, at)}
    alike = {"hashes": json_list(hash.hex() for hash in hashes)}
    wanted |= {row[0] for row in connection.execute(SELECT_REMOVED_ALIKE, alike)}
    rows = connection.execute(SELECT_REMOVED_OF_DOCUMENTS, {"documents": json_list(wanted)})
    return [RemovedRow._make(row) for row in rows]


def load_said(connection: Connection, nodes: Iterable[int]) -> dict[int, list[tuple[str, bytes]]]:
    """What nodes said before, as kind and hash of the text, the newest first, by key. What was purged is left out."""
    said: dict[int, list[tuple[str, bytes]]] = {}
    for node, kind, content in connection.execute(SELECT_SAID, {"nodes": json_list(nodes)}):
        said.setdefault(node, []).append((kind, content))
    return said


def find_removed_ids(connection: Connection, keys: Iterable[int]) -> dict[int, str]:
    """The ids of those of the nodes that are gone and came from files, by key."""
    return dict(connection.execute(SELECT_REMOVED_IDS, {"keys": json_list(keys)}).fetchall())


def find_removed(connection: Connection, id: str) -> RemovedRow | None:
    """The removed node of that id, or None."""
    row = connection.execute(SELECT_REMOVED_BY_ID, {"id": id}).fetchone()
    return None if row is None else RemovedRow._make(row)
