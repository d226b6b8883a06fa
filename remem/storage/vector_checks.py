"""What may be wrong with vectors and the work owed, and its repair. Embeds nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from remem.records import PassageRow
from remem.storage import embedded, jobs, meta, vectors
from remem.storage.lists import json_list

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


SELECT_DOUBLED = """
SELECT max(v.key)
FROM vectors AS v
WHERE v.passage IS NOT NULL
GROUP BY v.passage, v.chunk
HAVING count(*) > 1
"""
SELECT_NEWEST = """
SELECT coalesce(max(changed), 0)
FROM vectors
"""
# Passages whose vectors, and what goes with them, are to be those of their text: none is owed.
SELECT_SETTLED = """
SELECT DISTINCT p.key
FROM vectors AS v
JOIN passages AS p ON p.key = v.passage
WHERE NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.kind = 'embed' AND j.node = p.document)
ORDER BY p.key
"""
SELECT_ROWS = """
SELECT p.key, p.document, p.section, p.first, p.last, p.tokens, p.hash
FROM json_each(:keys) AS k
JOIN passages AS p ON p.key = k.value
"""
SELECT_PHRASES = """
SELECT f.passage, f.phrase, f.single
FROM json_each(:keys) AS k
JOIN phrases AS f ON f.passage = k.value
"""
COUNT_REFUSED = """
SELECT count(*)
FROM jobs
WHERE kind = 'embed'
  AND attempts > 0
"""
COUNT_LOST_PHRASES = """
SELECT count(*)
FROM phrases AS f
WHERE NOT EXISTS (SELECT 1 FROM passages AS p WHERE p.key = f.passage)
"""
DELETE_LOST_PHRASES = """
DELETE FROM phrases
WHERE passage NOT IN (SELECT key FROM passages)
"""


def find_lost(connection: Connection) -> list[int]:
    """Keys of vectors whose passage is gone, of those that are only listed, and of those that a chunk has twice."""
    lost = [row[0] for row in connection.execute(SELECT_LOST).fetchall()]
    lost += [row[0] for row in connection.execute(SELECT_DOUBLED).fetchall()]
    if embedded.find_fixed(connection) is not None:
        lost += [row[0] for row in connection.execute(SELECT_EMPTY).fetchall()]
    return lost


def find_stray(connection: Connection) -> list[int]:
    """Keys of vectors that are not listed."""
    if embedded.find_fixed(connection) is None:
        return []
    return [row[0] for row in connection.execute(SELECT_STRAY).fetchall()]


def count_forgotten(connection: Connection) -> int:
    """How many memories have no vector though none is owed. A text that the model can make nothing of is one too."""
    return int(connection.execute(COUNT_FORGOTTEN).fetchone()[0])


def find_crooked(connection: Connection) -> list[int]:
    """Keys of vectors that are not of length 1."""
    fixed = embedded.find_fixed(connection)
    if fixed is None:
        return []
    found: list[int] = []
    for keys, matrix in vectors.iterate_vectors(connection, fixed.dimensions):
        found += keys[~vectors.are_unit(matrix)].tolist()
    return found


def is_behind(connection: Connection) -> bool:
    """Whether rows changed after the newest change that is told: whoever holds the vectors would miss the next ones."""
    return int(connection.execute(SELECT_NEWEST).fetchone()[0]) > embedded.find_newest(connection)


def load_settled(connection: Connection) -> list[int]:
    """The keys of the embedded passages whose documents owe no vectors."""
    return [row[0] for row in connection.execute(SELECT_SETTLED).fetchall()]


def load_passages(connection: Connection, keys: Iterable[int]) -> list[PassageRow]:
    """The passages of those keys."""
    return [PassageRow._make(row) for row in connection.execute(SELECT_ROWS, {"keys": json_list(keys)})]


def load_phrases(connection: Connection, keys: Iterable[int]) -> dict[int, dict[int, bool]]:
    """The phrases of passages, each with whether it is one word."""
    found: dict[int, dict[int, bool]] = {}
    for passage, phrase, single in connection.execute(SELECT_PHRASES, {"keys": json_list(keys)}):
        found.setdefault(passage, {})[phrase] = bool(single)
    return found


def count_refused(connection: Connection) -> int:
    """Of how many texts a vector was tried to be made in vain."""
    return int(connection.execute(COUNT_REFUSED).fetchone()[0])


def count_lost_phrases(connection: Connection) -> int:
    """How many phrases belong to no passage."""
    return int(connection.execute(COUNT_LOST_PHRASES).fetchone()[0])


def let_go(connection: Connection, passages: Sequence[PassageRow]) -> None:
    """Lets the vectors and phrases of passages go, and owes them again."""
    keys = [row.key for row in passages]
    connection.execute(embedded.FREE_PASSAGES, {"passages": json_list(keys)})
    connection.execute(embedded.DELETE_PHRASES, {"passages": json_list(keys)})
    jobs.queue_jobs(connection, jobs.EMBED, {row.document for row in passages})


def repair_vectors(connection: Connection) -> None:
    """Deletes what belongs to nothing or is no unit vector, and owes what is missing."""
    connection.execute(DELETE_LOST_PHRASES)
    newest = connection.execute(SELECT_NEWEST).fetchone()[0]
    if is_behind(connection):
        meta.save_value(connection, embedded.CHANGED_KEY, str(newest))
    crooked = find_crooked(connection)
    lost, stray = [*find_lost(connection), *crooked], find_stray(connection)
    _owe_again(connection, lost)
    if embedded.find_fixed(connection) is not None:
        connection.executemany(embedded.DELETE_VECTOR, [(key,) for key in {*lost, *stray}])
    connection.execute(embedded.DELETE_ROWS, {"keys": json_list(lost)})
    jobs.queue_missing(connection, notes=0)


def _owe_again(connection: Connection, keys: Iterable[int]) -> None:
    """Owes the vectors of the documents to which those of the keys belong."""
    passages = embedded.find_passages(connection, keys).values()
    jobs.queue_jobs(connection, jobs.EMBED, {row.document for row in load_passages(connection, passages)})
