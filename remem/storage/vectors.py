"""Rows of `vectors` and the table `node_vectors` (sqlite-vec): what is embedded, and its vectors. Embeds and ranks
nothing. The vector table is there once an embedder was fixed (`fix_embedder`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remem.records import Fixed
from remem.storage.nodes import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

Matrix = NDArray[np.float32]

FIXED_KEY, CHANGED_KEY = "embedder", "vectors_changed"
BLOCK = 1024
"""Vectors that sqlite-vec keeps in one BLOB."""
SLACK = 1e-3
"""So far from 1 the length of a vector may be: embedders give 32-bit numbers."""

SELECT_META = """
SELECT value
FROM meta
WHERE key = :key
"""
SAVE_META = """
INSERT INTO meta (key, value)
VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE
SET value = excluded.value
"""
ADVANCE_CHANGED = """
INSERT INTO meta (key, value)
VALUES ('vectors_changed', '1')
ON CONFLICT (key) DO UPDATE
SET value = CAST(value AS INTEGER) + 1
RETURNING CAST(value AS INTEGER)
"""
CLEAR_VECTORS = """
DELETE FROM vectors
"""
SELECT_OF_PASSAGES = """
SELECT v.passage, v.chunk, v.hash, v.key
FROM json_each(:passages) AS k
JOIN vectors AS v ON v.passage = k.value
ORDER BY v.passage, v.chunk
"""
SELECT_BY_HASH = """
SELECT v.hash, v.key
FROM json_each(:hashes) AS k
JOIN vectors AS v ON v.hash = unhex(k.value)
"""
SELECT_FREE = """
SELECT key
FROM vectors
WHERE passage IS NULL
ORDER BY key
"""
FREE_PASSAGES = """
UPDATE vectors
SET passage = NULL
WHERE passage IN (SELECT value FROM json_each(:passages))
"""
SELECT_LAST = """
SELECT coalesce(max(key), 0)
FROM vectors
"""
SAVE_ROW = """
INSERT INTO vectors (key, passage, chunk, hash, changed)
VALUES (?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE
SET passage = excluded.passage, chunk = excluded.chunk, hash = excluded.hash, changed = excluded.changed
"""
DELETE_ROWS = """
DELETE FROM vectors
WHERE key IN (SELECT value FROM json_each(:keys))
"""
INSERT_VECTOR = """
INSERT INTO node_vectors (key, vector)
VALUES (?, ?)
"""
UPDATE_VECTOR = """
UPDATE node_vectors
SET vector = ?2
WHERE key = ?1
"""
DELETE_VECTOR = """
DELETE FROM node_vectors
WHERE key = ?
"""
SELECT_VECTORS = """
SELECT key, vector
FROM node_vectors
WHERE key IN (SELECT value FROM json_each(:keys))
"""
SELECT_BLOCKS = """
SELECT c.validity, c.rowids, v.vectors
FROM node_vectors_chunks AS c
JOIN node_vectors_vector_chunks00 AS v ON v.rowid = c.chunk_id
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
SELECT_MEMORIES = """
SELECT n.key
FROM json_each(:nodes) AS k
JOIN nodes AS n ON n.key = k.value
WHERE n.kind = 'memory'
"""


class ChunkRow(NamedTuple):
    """A chunk of a passage: the hash of its text, and the key of its vector."""

    passage: int
    chunk: int
    hash: bytes
    key: int


class NewChunk(NamedTuple):
    """A chunk to be stored: its passage, number, hash, and vector (dimensions,)."""

    passage: int
    chunk: int
    hash: bytes
    vector: Matrix


# --- the embedder -----------------------------------------------------------------------------------------------------


def find_fixed(connection: Connection) -> Fixed | None:
    """The embedder whose vectors the store holds; None before the first."""
    row = connection.execute(SELECT_META, {"key": FIXED_KEY}).fetchone()
    if row is None:
        return None
    dimensions, _, fingerprint = row[0].partition(" ")
    return Fixed(fingerprint, int(dimensions))


def find_name(connection: Connection) -> str:
    """The fingerprint of the embedder whose vectors the store holds, "" before the first."""
    fixed = find_fixed(connection)
    return "" if fixed is None else fixed.fingerprint


def fix_embedder(connection: Connection, fixed: Fixed) -> None:
    """Makes the vector table anew for an embedder; the vectors of another one are gone."""
    connection.execute("DROP TABLE IF EXISTS node_vectors")
    connection.execute(CLEAR_VECTORS)
    connection.execute(ADVANCE_CHANGED).fetchall()
    create_table(connection, fixed.dimensions)
    connection.execute(SAVE_META, {"key": FIXED_KEY, "value": f"{fixed.dimensions} {fixed.fingerprint}"})


def create_table(connection: Connection, dimensions: int) -> None:
    """Makes the table of vectors of that width."""
    connection.execute(
        f"CREATE VIRTUAL TABLE node_vectors USING vec0 (key INTEGER PRIMARY KEY, vector FLOAT[{int(dimensions)}])"
    )


# --- writing ----------------------------------------------------------------------------------------------------------


def load_chunks(connection: Connection, passages: Iterable[int]) -> list[ChunkRow]:
    """What is embedded of the passages, in order."""
    return [ChunkRow._make(row) for row in connection.execute(SELECT_OF_PASSAGES, {"passages": json_list(passages)})]


def find_known(connection: Connection, hashes: Iterable[bytes]) -> dict[bytes, Matrix]:
    """The vectors of texts that are embedded already, or were lately, by hash."""
    found = dict(connection.execute(SELECT_BY_HASH, {"hashes": json_list(hash.hex() for hash in hashes)}).fetchall())
    if not found:
        return {}
    keys, vectors = load_vectors(connection, list(found.values()))
    by_key = dict(zip(keys, vectors, strict=True))
    return {hash: by_key[key] for hash, key in found.items() if key in by_key}


def free_passages(connection: Connection, passages: Iterable[int]) -> None:
    """Lets the vectors of passages go."""
    connection.execute(FREE_PASSAGES, {"passages": json_list(passages)})


def save_chunks(connection: Connection, chunks: Sequence[NewChunk]) -> None:
    """Stores vectors, in the places of those that were let go first: deleting and inserting would make the file grow.
    What is still free then is deleted."""
    free = [row[0] for row in connection.execute(SELECT_FREE).fetchall()]
    last = int(connection.execute(SELECT_LAST).fetchone()[0])
    keys = [*free[: len(chunks)], *range(last + 1, last + 1 + max(0, len(chunks) - len(free)))]
    changed = int(connection.execute(ADVANCE_CHANGED).fetchone()[0]) if chunks else 0
    blobs = [np.ascontiguousarray(chunk.vector, np.float32).tobytes() for chunk in chunks]
    used = min(len(free), len(chunks))
    connection.executemany(UPDATE_VECTOR, list(zip(keys[:used], blobs[:used], strict=True)))
    connection.executemany(INSERT_VECTOR, list(zip(keys[used:], blobs[used:], strict=True)))
    rows = [(key, *chunk[:3], changed) for key, chunk in zip(keys, chunks, strict=True)]
    connection.executemany(SAVE_ROW, rows)
    if free[used:]:
        connection.executemany(DELETE_VECTOR, [(key,) for key in free[used:]])
        connection.execute(DELETE_ROWS, {"keys": json_list(free[used:])})


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


def load_vectors(connection: Connection, keys: Sequence[int]) -> tuple[list[int], Matrix]:
    """(keys, vectors as rows) of those of the keys that there are. One that is damaged (no unit vector) is left out."""
    rows = connection.execute(SELECT_VECTORS, {"keys": json_list(keys)}).fetchall()
    found = _stack([row[1] for row in rows])
    whole = are_unit(found)
    return [row[0] for row, is_whole in zip(rows, whole, strict=True) if is_whole], found[whole]


def load_every_vector(connection: Connection, dimensions: int) -> tuple[NDArray[np.int64], Matrix]:
    """(keys, vectors as rows) of all but damaged ones, read by the block: 0.1 s for 100 000."""
    keys, parts = [np.zeros(0, np.int64)], [np.zeros((0, dimensions), np.float32)]
    for own, vectors in iterate_vectors(connection, dimensions):
        whole = are_unit(vectors)
        keys.append(own if whole.all() else own[whole])
        parts.append(vectors if whole.all() else vectors[whole])
    return np.concatenate(keys), np.concatenate(parts)


def iterate_vectors(connection: Connection, dimensions: int) -> Iterator[tuple[NDArray[np.int64], Matrix]]:
    """(keys, vectors as rows) of all, block by block."""
    for validity, rowids, vectors in connection.execute(SELECT_BLOCKS):
        valid = np.unpackbits(np.frombuffer(validity, np.uint8), bitorder="little").astype(np.bool_)
        keys: NDArray[np.int64] = np.frombuffer(rowids, np.int64)[valid]
        yield keys, np.frombuffer(vectors, np.float32).reshape(-1, dimensions)[valid]


def are_unit(matrix: Matrix) -> NDArray[np.bool_]:
    """Which rows (n, dimensions) are of length 1, as every stored vector is."""
    with np.errstate(all="ignore"):
        lengths = np.einsum("ij,ij->i", matrix, matrix)
        return np.abs(np.sqrt(lengths) - 1) <= SLACK  # type: ignore[no-any-return]


def find_newest(connection: Connection) -> int:
    """The number of the newest change."""
    row = connection.execute(SELECT_META, {"key": CHANGED_KEY}).fetchone()
    return 0 if row is None else int(row[0])


def count_changed(connection: Connection, changed: int) -> int:
    """How many rows changed after a number."""
    return int(connection.execute(COUNT_CHANGED, {"changed": changed}).fetchone()[0])


def list_changed(connection: Connection, changed: int) -> list[int]:
    """The keys of the rows that changed after a number."""
    return [row[0] for row in connection.execute(SELECT_CHANGED, {"changed": changed})]


def find_passages(connection: Connection, keys: Iterable[int]) -> dict[int, int]:
    """The passages of those of the vectors that still stand for one."""
    return dict(connection.execute(SELECT_PASSAGES_OF, {"keys": json_list(keys)}).fetchall())


def find_embedded(connection: Connection, passages: Iterable[int]) -> set[int]:
    """Which of the passages are embedded."""
    return {row[0] for row in connection.execute(SELECT_EMBEDDED, {"passages": json_list(passages)})}


def keep_memories(connection: Connection, nodes: Iterable[int]) -> set[int]:
    """Those of the nodes that are memories."""
    return {row[0] for row in connection.execute(SELECT_MEMORIES, {"nodes": json_list(nodes)})}


def list_keys(connection: Connection, passages: Iterable[int]) -> list[int]:
    """The keys of the vectors of passages."""
    return [row[0] for row in connection.execute(SELECT_KEYS_OF, {"passages": json_list(passages)})]


def _stack(blobs: Sequence[Any]) -> Matrix:
    if not blobs:
        return np.zeros((0, 0), np.float32)
    return np.frombuffer(b"".join(blobs), np.float32).reshape(len(blobs), -1)
