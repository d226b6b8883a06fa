"""What may be wrong with vectors and the work owed, and its repair. Embeds nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.storage import jobs, vectors
from remem.storage.nodes import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_LOST = """
SELECT v.key
FROM vectors AS v
WHERE v.passage IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM passages AS p WHERE p.key = v.passage)
"""
SELECT_EMPTY = """
SELECT v.key
FROM vectors AS v
WHERE NOT EXISTS (SELECT 1 FROM node_vectors_rowids AS r WHERE r.rowid = v.key)
"""
SELECT_STRAY = """
SELECT r.rowid
FROM node_vectors_rowids AS r
WHERE NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.key = r.rowid)
"""
COUNT_FORGOTTEN = """
SELECT count(*)
FROM memories AS m
JOIN passages AS p ON p.document = m.node
WHERE m.archived_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.passage = p.key)
  AND NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.kind = 'embed' AND j.node = m.node)
"""


def find_lost(connection: Connection) -> list[int]:
    """Keys of vectors whose passage is gone, and of those that are only listed."""
    lost = [row[0] for row in connection.execute(SELECT_LOST).fetchall()]
    if vectors.find_fixed(connection) is not None:
        lost += [row[0] for row in connection.execute(SELECT_EMPTY).fetchall()]
    return lost


def find_stray(connection: Connection) -> list[int]:
    """Keys of vectors that are not listed."""
    if vectors.find_fixed(connection) is None:
        return []
    return [row[0] for row in connection.execute(SELECT_STRAY).fetchall()]


def count_forgotten(connection: Connection) -> int:
    """How many memories have no vector though none is owed. A text that the model can make nothing of is one too."""
    return int(connection.execute(COUNT_FORGOTTEN).fetchone()[0])


def repair_vectors(connection: Connection) -> None:
    """Deletes what belongs to nothing, and owes what is missing."""
    lost, stray = find_lost(connection), find_stray(connection)
    if vectors.find_fixed(connection) is not None:
        connection.executemany(vectors.DELETE_VECTOR, [(key,) for key in {*lost, *stray}])
    connection.execute(vectors.DELETE_ROWS, {"keys": json_list(lost)})
    jobs.queue_missing(connection, notes=0)
