"""Statements that tell what nodes were: rows of `changes` between snapshots and of single nodes, and what stands now.
What a row means is decided in `versioning`. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from remem.records import ChangeRow, SnapshotLine
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_BETWEEN = """
SELECT snapshot, node, op, kind, label, content, parent, previous, document, tags
FROM changes
WHERE snapshot > :after
  AND snapshot <= :until
ORDER BY node, snapshot
"""
# Additions say nothing of what a node was, and are not in the index.
SELECT_NEXT = """
SELECT c.snapshot, c.node, c.op, c.kind, c.label, c.content, c.parent, c.previous, c.document, c.tags
FROM json_each(:nodes) AS k
JOIN changes AS c ON c.node = k.value
WHERE c.op <> 'add'
  AND c.snapshot = (
      SELECT min(d.snapshot)
      FROM changes AS d
      WHERE d.node = k.value
        AND d.op <> 'add'
        AND d.snapshot > :snapshot
  )
"""
SELECT_OF_NODE = """
SELECT snapshot, node, op, kind, label, content, parent, previous, document, tags
FROM changes
WHERE node = :node
  AND op <> 'add'
ORDER BY snapshot
"""
# A node was first seen at the instant of the snapshot that added it.
SELECT_FIRST_ADDITION = """
SELECT c.snapshot
FROM arrivals AS a
JOIN snapshots AS s ON s.created_at = a.at
CROSS JOIN changes AS c ON c.snapshot = s.id AND c.node = :node
WHERE a.last = (SELECT min(b.last) FROM arrivals AS b WHERE b.last >= :node)
  AND c.op = 'add'
ORDER BY c.snapshot
LIMIT 1
"""
SELECT_NEXT_ADDITION = """
SELECT c.snapshot
FROM snapshots AS s
CROSS JOIN changes AS c ON c.snapshot = s.id AND c.node = :node
WHERE s.id > :after
  AND s.id <= :until
  AND c.op = 'add'
ORDER BY s.id
LIMIT 1
"""
# Of nodes that are hidden from the reader, too: for the history they live.
SELECT_PRESENT = """
SELECT n.key, n.kind, n.label, n.content, n.parent, n.document
FROM json_each(:nodes) AS k
JOIN main.nodes AS n ON n.key = k.value
"""
SELECT_ARCHIVED = """
SELECT r.key, r.kind, r.label, r.content, m.tags, m.archived_by
FROM json_each(:nodes) AS k
JOIN memories AS m ON m.node = k.value AND m.archived_at IS NOT NULL
JOIN removed AS r ON r.key = m.node
"""
# What has merely expired lived until its next change.
SELECT_DOCUMENTS = """
SELECT key
FROM main.nodes
WHERE parent IS NULL
UNION ALL
SELECT node
FROM memories
WHERE archived_by = 'expiry'
"""
SELECT_DOCUMENTS_OF = """
SELECT DISTINCT c.document
FROM json_each(:nodes) AS k
JOIN changes AS c ON c.node = k.value AND c.op <> 'add'
WHERE c.document IS NOT NULL
"""
SELECT_VISIBLE = """
SELECT n.key
FROM json_each(:nodes) AS k
JOIN nodes AS n ON n.key = k.value
"""
SELECT_IDS = """
SELECT k.value, coalesce(n.id, r.id)
FROM json_each(:nodes) AS k
LEFT JOIN main.nodes AS n ON n.key = k.value
LEFT JOIN removed AS r ON r.key = k.value
"""
SELECT_KEY = """
SELECT key
FROM main.nodes
WHERE id = :id
UNION ALL
SELECT key
FROM removed
WHERE id = :id
LIMIT 1
"""
SELECT_TEXTS = """
SELECT c.hash, c.text
FROM json_each(:hashes) AS h
JOIN contents AS c ON c.hash = unhex(h.value)
"""
SELECT_LINES = """
SELECT s.id, s.parent, s.created_at, s.message, lower(hex(s.state_hash)),
       (SELECT count(*) FROM changes AS c WHERE c.snapshot = s.id AND c.op IN ('add', 'unarchive')),
       (SELECT count(*) FROM changes AS c WHERE c.snapshot = s.id AND c.op IN ('mod', 'amend')),
       (SELECT count(*) FROM changes AS c WHERE c.snapshot = s.id AND c.op = 'move'),
       (SELECT count(*) FROM changes AS c WHERE c.snapshot = s.id AND c.op IN ('rem', 'archive', 'discard')),
       s.finished
FROM snapshots AS s
WHERE s.id < :before
ORDER BY s.id DESC
LIMIT :limit
"""
SELECT_SNAPSHOT = """
SELECT s.id, s.created_at, s.message
FROM json_each(:ids) AS k
JOIN snapshots AS s ON s.id = k.value
"""


class PresentRow(NamedTuple):
    """A living node as it stands."""

    key: int
    kind: str
    label: str | None
    content: str
    parent: int | None
    document: int


class ArchivedRow(NamedTuple):
    """An archived memory: `tags` are those that a call gave (JSON), `archived_by` is call or expiry."""

    key: int
    kind: str
    label: str | None
    content: bytes
    tags: str
    archived_by: str


class Stamp(NamedTuple):
    """When a snapshot was made (milliseconds), and by what."""

    id: int
    created_at: int
    message: str


def load_changes(connection: Connection, after: int, until: int) -> list[ChangeRow]:
    """The rows of the snapshots after `after` up to `until`, node by node, oldest first."""
    rows = connection.execute(SELECT_BETWEEN, {"after": after, "until": until})
    return [ChangeRow._make(row) for row in rows]


def load_next_changes(connection: Connection, nodes: Iterable[int], snapshot: int) -> dict[int, ChangeRow]:
    """Of each node the first row after a snapshot that is no addition, by node."""
    rows = connection.execute(SELECT_NEXT, {"nodes": json_list(nodes), "snapshot": snapshot})
    return {row[1]: ChangeRow._make(row) for row in rows}


def load_node_changes(connection: Connection, node: int, newest: int) -> list[ChangeRow]:
    """All rows of one node, oldest first. Looks for its additions only where they can be."""
    rows = [ChangeRow._make(row) for row in connection.execute(SELECT_OF_NODE, {"node": node})]
    first = connection.execute(SELECT_FIRST_ADDITION, {"node": node}).fetchone()
    added = [int(first[0])] if first else _find_addition(connection, node, 0, rows[0].snapshot if rows else newest)
    ends = [*(row.snapshot for row in rows[1:]), newest]
    for row, end in zip(rows, ends, strict=False):
        if row.op in ("rem", "discard"):
            added += _find_addition(connection, node, row.snapshot, end)
    additions = [ChangeRow(snapshot, node, "add") for snapshot in added]
    return sorted([*rows, *additions], key=lambda row: row.snapshot)


def _find_addition(connection: Connection, node: int, after: int, until: int) -> list[int]:
    found = connection.execute(SELECT_NEXT_ADDITION, {"node": node, "after": after, "until": until}).fetchone()
    return [] if found is None else [int(found[0])]


def load_present(connection: Connection, nodes: Iterable[int]) -> dict[int, PresentRow]:
    """The living nodes among the nodes, hidden ones included."""
    rows = connection.execute(SELECT_PRESENT, {"nodes": json_list(nodes)})
    return {row[0]: PresentRow._make(row) for row in rows}


def load_archived(connection: Connection, nodes: Iterable[int]) -> dict[int, ArchivedRow]:
    """The archived memories among the nodes."""
    rows = connection.execute(SELECT_ARCHIVED, {"nodes": json_list(nodes)})
    return {row[0]: ArchivedRow._make(row) for row in rows}


def list_documents(connection: Connection) -> set[int]:
    """The keys of all documents, memories and entities that live, for the history."""
    return {row[0] for row in connection.execute(SELECT_DOCUMENTS)}


def list_documents_of(connection: Connection, nodes: Iterable[int]) -> set[int]:
    """The documents that nodes stood in before they changed."""
    return {row[0] for row in connection.execute(SELECT_DOCUMENTS_OF, {"nodes": json_list(nodes)})}


def find_visible(connection: Connection, nodes: Iterable[int]) -> set[int]:
    """Those of the nodes that the reader sees."""
    return {row[0] for row in connection.execute(SELECT_VISIBLE, {"nodes": json_list(nodes)})}


def load_ids(connection: Connection, nodes: Iterable[int]) -> dict[int, str]:
    """The ids of nodes, be they there or gone, by key."""
    rows = connection.execute(SELECT_IDS, {"nodes": json_list(nodes)})
    return {key: id for key, id in rows if id is not None}


def find_key(connection: Connection, id: str) -> int | None:
    """The key of the node that has, or had, an id."""
    row = connection.execute(SELECT_KEY, {"id": id}).fetchone()
    return None if row is None else int(row[0])


def load_texts(connection: Connection, hashes: Iterable[bytes]) -> dict[bytes, str]:
    """The old texts of those hashes."""
    wanted = json_list(hash.hex() for hash in hashes)
    return dict(connection.execute(SELECT_TEXTS, {"hashes": wanted}).fetchall())


def list_snapshots(connection: Connection, before: int, limit: int) -> list[SnapshotLine]:
    """Snapshots below a number, newest first. The time is that of counting their changes."""
    rows = connection.execute(SELECT_LINES, {"before": before, "limit": limit})
    return [SnapshotLine(*(*row[:9], bool(row[9]))) for row in rows]


def load_stamps(connection: Connection, snapshots: Iterable[int]) -> dict[int, Stamp]:
    """When the snapshots were made, and by what."""
    rows = connection.execute(SELECT_SNAPSHOT, {"ids": json_list(snapshots)})
    return {row[0]: Stamp._make(row) for row in rows}
