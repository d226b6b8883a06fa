"""Rows of `vectors` and `phrases`: what is embedded, and by which embedder. The vectors themselves are in `vectors`,
which loads numpy; most calls need none of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.records import Fixed
from remem.storage import meta
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

FIXED_KEY, CHANGED_KEY = "embedder", "vectors_changed"

SELECT_OF_PASSAGES = """
SELECT v.passage, v.chunk, v.hash, v.key
FROM json_each(:passages) AS k
JOIN vectors AS v ON v.passage = k.value
ORDER BY v.passage, v.chunk
"""
FREE_PASSAGES = """
UPDATE vectors
SET passage = NULL
WHERE passage IN (SELECT value FROM json_each(:passages))
"""
SELECT_FREE = """
SELECT key
FROM vectors
WHERE passage IS NULL
ORDER BY key
"""
DELETE_ROWS = """
DELETE FROM vectors
WHERE key IN (SELECT value FROM json_each(:keys))
"""
DELETE_VECTOR = """
DELETE FROM node_vectors
WHERE key = ?
"""
SELECT_CHANGED = """
SELECT key
FROM vectors
WHERE changed > :changed
ORDER BY changed
"""
COUNT_CHANGED = """
SELECT count(*)
FROM vectors
WHERE changed > :changed
"""
SELECT_PASSAGES_OF = """
SELECT v.key, v.passage
FROM json_each(:keys) AS k
JOIN vectors AS v ON v.key = k.value
WHERE v.passage IS NOT NULL
"""
SELECT_EMBEDDED = """
SELECT DISTINCT v.passage
FROM json_each(:passages) AS k
JOIN vectors AS v ON v.passage = k.value
"""
SELECT_KEYS_OF = """
SELECT v.key
FROM json_each(:passages) AS k
JOIN vectors AS v ON v.passage = k.value
"""
COUNT_EMBEDDED = """
SELECT count(DISTINCT passage)
FROM vectors
WHERE passage IS NOT NULL
"""
FIND_ANY = """
SELECT 1
FROM vectors
WHERE passage IS NOT NULL
LIMIT 1
"""
INSERT_PHRASE = """
INSERT OR IGNORE INTO phrases (phrase, passage, single)
VALUES (?, ?, ?)
"""
DELETE_PHRASES = """
DELETE FROM phrases
WHERE passage IN (SELECT value FROM json_each(:passages))
"""


class ChunkRow(NamedTuple):
    """A chunk of a passage: the hash of its text, and the key of its vector."""

    passage: int
    chunk: int
    hash: bytes
    key: int


# --- the embedder -----------------------------------------------------------------------------------------------------


def find_fixed(connection: Connection) -> Fixed | None:
    """The embedder whose vectors the store holds; None before the first."""
    value = meta.find_value(connection, FIXED_KEY)
    if value is None:
        return None
    dimensions, _, fingerprint = value.partition(" ")
    return Fixed(fingerprint, int(dimensions))


def find_name(connection: Connection) -> str:
    """The fingerprint of the embedder whose vectors the store holds, "" before the first."""
    fixed = find_fixed(connection)
    return "" if fixed is None else fixed.fingerprint


# --- writing ----------------------------------------------------------------------------------------------------------


def load_chunks(connection: Connection, passages: Iterable[int]) -> list[ChunkRow]:
    """What is embedded of the passages, in order."""
    return [ChunkRow._make(row) for row in connection.execute(SELECT_OF_PASSAGES, {"passages": json_list(passages)})]


def list_free(connection: Connection) -> list[int]:
    """The keys of vectors that were let go: their places are free."""
    return [row[0] for row in connection.execute(SELECT_FREE)]


def free_passages(connection: Connection, passages: Iterable[int]) -> None:
    """Lets the vectors of passages go."""
    connection.execute(FREE_PASSAGES, {"passages": json_list(passages)})


def delete_vectors(connection: Connection, keys: Sequence[int]) -> None:
    """Deletes vectors, with what they were of."""
    connection.executemany(DELETE_VECTOR, [(key,) for key in keys])
    connection.execute(DELETE_ROWS, {"keys": json_list(keys)})


def replace_phrases(connection: Connection, passages: Iterable[int], phrases: Iterable[tuple[int, int, bool]]) -> None:
    """Gives passages their phrases: (hash, passage, whether it is one word)."""
    connection.execute(DELETE_PHRASES, {"passages": json_list(passages)})
    connection.executemany(INSERT_PHRASE, phrases)


# --- reading ----------------------------------------------------------------------------------------------------------


def has_vectors(connection: Connection) -> bool:
    """Whether anything is embedded."""
    return connection.execute(FIND_ANY).fetchone() is not None


def has_free(connection: Connection) -> bool:
    """Whether vectors wait to be deleted."""
    return connection.execute(SELECT_FREE).fetchone() is not None


def count_embedded(connection: Connection) -> int:
    """How many passages are embedded."""
    return int(connection.execute(COUNT_EMBEDDED).fetchone()[0])


def find_embedded(connection: Connection, passages: Iterable[int]) -> set[int]:
    """Which of the passages are embedded."""
    return {row[0] for row in connection.execute(SELECT_EMBEDDED, {"passages": json_list(passages)})}


def find_passages(connection: Connection, keys: Iterable[int]) -> dict[int, int]:
    """The passages of those of the vectors that still stand for one."""
    return dict(connection.execute(SELECT_PASSAGES_OF, {"keys": json_list(keys)}).fetchall())


def list_keys(connection: Connection, passages: Iterable[int]) -> list[int]:
    """The keys of the vectors of passages."""
    return [row[0] for row in connection.execute(SELECT_KEYS_OF, {"passages": json_list(passages)})]


def find_newest(connection: Connection) -> int:
    """The number of the newest change."""
    return meta.find_number(connection, CHANGED_KEY) or 0


def count_changed(connection: Connection, changed: int) -> int:
    """How many rows changed after a number."""
    return int(connection.execute(COUNT_CHANGED, {"changed": changed}).fetchone()[0])


def list_changed(connection: Connection, changed: int) -> list[int]:
    """The keys of the rows that changed after a number."""
    return [row[0] for row in connection.execute(SELECT_CHANGED, {"changed": changed})]
