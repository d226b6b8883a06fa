"""What a store holds for good, in short: two imprints are equal where no call has changed anything in between. Work
done behind the calls (vectors, discovery, mentions, expiry) leaves them as they are."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from tests.writing.describe import connect

SELECT_NOTES = """
SELECT n.id, n.kind, n.label, n.content, n.document, n.position
FROM nodes AS n
WHERE n.kind <> 'memory'
ORDER BY n.id
"""
SELECT_MEMORIES = """
SELECT m.id, m.type, m.importance, m.source, m.metadata, m.tags, m.archived_by, n.content
FROM memories AS m
LEFT JOIN nodes AS n ON n.key = m.node
WHERE m.ttl IS NULL
ORDER BY m.id
"""
SELECT_RELATIONS = """
SELECT source, type, weight, id, root, place, label
FROM relations
ORDER BY key
"""
SELECT_SNAPSHOTS = "SELECT id, parent, hex(state_hash), finished FROM snapshots ORDER BY id"
SELECT_CHANGES = "SELECT snapshot, node, op, kind, label, hex(content), parent, previous FROM changes"
SELECT_CONTENTS = "SELECT hex(hash), text FROM contents ORDER BY hash"
SELECT_PINS = "SELECT node FROM usage WHERE pinned = 1 ORDER BY node"


class Imprint(NamedTuple):
    """Hashes of what a store holds."""

    notes: str
    memories: str
    relations: str
    snapshots: str
    history: str
    pins: str

    def tell_changes(self, other: Imprint) -> set[str]:
        """The parts in which two imprints differ."""
        return {name for name, ours, theirs in zip(self._fields, self, other, strict=True) if ours != theirs}


def take_imprint(path: str | Path) -> Imprint:
    """The imprint of a store that is open or closed."""
    connection = connect(path)
    try:
        connection.execute("BEGIN")

        def digest(*statements: str) -> str:
            told = [repr(connection.execute(statement).fetchall()) for statement in statements]
            return hashlib.sha256("".join(told).encode()).hexdigest()[:16]

        return Imprint(
            digest(SELECT_NOTES),
            digest(SELECT_MEMORIES),
            digest(SELECT_RELATIONS),
            digest(SELECT_SNAPSHOTS),
            digest(SELECT_CHANGES, SELECT_CONTENTS),
            digest(SELECT_PINS),
        )
    finally:
        connection.close()


def count_rows(path: str | Path, statement: str) -> int:
    """The one number that a statement gives."""
    connection = connect(path)
    try:
        return int(connection.execute(statement).fetchone()[0])
    finally:
        connection.close()
