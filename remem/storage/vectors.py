"""The table `node_vectors` (sqlite-vec): the vectors of what `embedded` lists. Embeds and ranks nothing. The table is
there once an embedder was fixed (`fix_embedder`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remem.records import Fixed
from remem.storage import embedded, meta
from remem.storage.embedded import CHANGED_KEY, FIXED_KEY
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

Matrix = NDArray[np.float32]

SLACK = 1e-3
"""So far from 1 the length of a vector may be: embedders give 32-bit numbers."""

CLEAR_VECTORS = """
DELETE FROM vectors
"""
SELECT_BY_HASH = """
SELECT v.hash, v.key
FROM json_each(:hashes) AS k
JOIN vectors AS v ON v.hash = unhex(k.value)
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
INSERT_VECTOR = """
INSERT INTO node_vectors (key, vector)
VALUES (?, ?)
"""
UPDATE_VECTOR = """
UPDATE node_vectors
SET vector = ?2
WHERE key = ?1
"""
# Row by row: a list of keys makes the table's module look through all of it.
SELECT_VECTORS = """
SELECT v.key, v.vector
FROM json_each(:keys) AS k
CROSS JOIN node_vectors AS v ON v.key = k.value
"""
SELECT_BLOCKS = """
SELECT c.validity, c.rowids, v.vectors
FROM node_vectors_chunks AS c
JOIN node_vectors_vector_chunks00 AS v ON v.rowid = c.chunk_id
"""


class NewChunk(NamedTuple):
    """A chunk to be stored: its passage, number, hash, and vector (dimensions,)."""

    passage: int
    chunk: int
    hash: bytes
    vector: Matrix


# --- the table --------------------------------------------------------------------------------------------------------


def fix_embedder(connection: Connection, fixed: Fixed) -> None:
    """Makes the vector table anew for an embedder; the vectors of another one are gone."""
    connection.execute("DROP TABLE IF EXISTS node_vectors")
    connection.execute(CLEAR_VECTORS)
    meta.advance_number(connection, CHANGED_KEY)
    create_table(connection, fixed.dimensions)
    meta.save_value(connection, FIXED_KEY, f"{fixed.dimensions} {fixed.fingerprint}")


def create_table(connection: Connection, dimensions: int) -> None:
    """Makes the table of vectors of that width."""
    connection.execute(
        f"CREATE VIRTUAL TABLE node_vectors USING vec0 (key INTEGER PRIMARY KEY, vector FLOAT[{int(dimensions)}])"
    )


# --- the vectors ------------------------------------------------------------------------------------------------------


def save_chunks(connection: Connection, chunks: Sequence[NewChunk]) -> None:
    """Stores vectors, in the places of those that were let go first: deleting and inserting would make the file grow.
    What is still free then is deleted."""
    free = embedded.list_free(connection)
    last = int(connection.execute(SELECT_LAST).fetchone()[0])
    keys = [*free[: len(chunks)], *range(last + 1, last + 1 + max(0, len(chunks) - len(free)))]
    changed = meta.advance_number(connection, CHANGED_KEY) if chunks else 0
    blobs = [np.ascontiguousarray(chunk.vector, np.float32).tobytes() for chunk in chunks]
    used = min(len(free), len(chunks))
    connection.executemany(UPDATE_VECTOR, list(zip(keys[:used], blobs[:used], strict=True)))
    connection.executemany(INSERT_VECTOR, list(zip(keys[used:], blobs[used:], strict=True)))
    rows = [(key, *chunk[:3], changed) for key, chunk in zip(keys, chunks, strict=True)]
    connection.executemany(SAVE_ROW, rows)
    if free[used:]:
        embedded.delete_vectors(connection, free[used:])


def find_known(connection: Connection, hashes: Iterable[bytes]) -> dict[bytes, Matrix]:
    """The vectors of texts that are embedded already, or were lately, by hash."""
    found = dict(connection.execute(SELECT_BY_HASH, {"hashes": json_list(hash.hex() for hash in hashes)}).fetchall())
    if not found:
        return {}
    keys, vectors = load_vectors(connection, list(found.values()))
    by_key = dict(zip(keys, vectors, strict=True))
    return {hash: by_key[key] for hash, key in found.items() if key in by_key}


def load_vectors(connection: Connection, keys: Sequence[int]) -> tuple[list[int], Matrix]:
    """(keys, vectors as rows) of those of the keys that there are. One that is damaged (no unit vector) is left out."""
    if not keys:  # where nothing was ever embedded there is no table
        return [], _stack([])
    rows = connection.execute(SELECT_VECTORS, {"keys": json_list(dict.fromkeys(keys))}).fetchall()
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


def _stack(blobs: Sequence[Any]) -> Matrix:
    if not blobs:
        return np.zeros((0, 0), np.float32)
    return np.frombuffer(b"".join(blobs), np.float32).reshape(len(blobs), -1)
