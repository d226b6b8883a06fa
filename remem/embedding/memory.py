"""The vectors of an open store in memory, in the state that a call's connection sees. Finds passages near a vector;
embeds nothing."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from remem.embedding.index import BitIndex
from remem.records import Fixed, Neighbour
from remem.storage import embedded, vectors

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.embedding.base import Matrix, Vector

MANY = 2000
"""From so many changed vectors on, all are read by the block."""


class VectorMemory:
    """One store's vectors, for all its threads. They are read when first needed and follow the file at each search."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fixed: Fixed | None = None
        self._index: BitIndex | None = None
        self._changed = 0

    def search(
        self, connection: Connection, query: Vector, k: int, passages: Sequence[int] | None = None
    ) -> list[Neighbour]:
        """The `k` passages (keys) nearest to a unit vector, each by its best chunk, best first; `passages` are those
        that may be found (None: all)."""
        index = self._follow(connection)
        if index is None or len(query) != (0 if self._fixed is None else self._fixed.dimensions):
            return []
        allowed = None if passages is None else embedded.list_keys(connection, passages)
        wanted = 2 * k + 10
        while True:
            found = index.search(query, wanted, allowed)
            owners = embedded.find_passages(connection, [near.key for near in found])
            if embedded.find_newest(connection) == self._changed:  # else others may see what this connection does not
                index.remove([near.key for near in found if near.key not in owners])
            best: dict[int, float] = {}
            for near in found:
                if near.key in owners:
                    best.setdefault(owners[near.key], near.similarity)
            if len(best) >= k or len(found) < wanted:
                return [Neighbour(key, similarity) for key, similarity in list(best.items())[:k]]
            wanted *= 4

    def search_many(self, connection: Connection, queries: Matrix, k: int) -> list[list[Neighbour]]:
        """The `k` passages nearest to each of several unit vectors (m, dimensions), as `search` gives them."""
        index = self._follow(connection)
        if index is None or queries.shape[1] != (0 if self._fixed is None else self._fixed.dimensions):
            return [[] for _ in queries]
        wanted = 2 * k + 10
        found = index.search_many(queries, wanted)
        owners = embedded.find_passages(connection, list({near.key for row in found for near in row}))
        many: list[list[Neighbour]] = []
        for query, row in zip(queries, found, strict=True):
            best: dict[int, float] = {}
            for near in row:
                if near.key in owners:
                    best.setdefault(owners[near.key], near.similarity)
            if len(best) >= k or len(row) < wanted:
                many.append([Neighbour(key, similarity) for key, similarity in list(best.items())[:k]])
            else:  # chunks of few passages, or of none any more, fill the row
                many.append(self.search(connection, query, k))
        return many

    def _follow(self, connection: Connection) -> BitIndex | None:
        with self._lock:
            fixed = embedded.find_fixed(connection)
            if fixed is None:
                return None
            if fixed != self._fixed or self._index is None:
                self._fixed, self._index, self._changed = fixed, BitIndex(fixed.dimensions), 0
            newest = embedded.find_newest(connection)
            if newest > self._changed:
                self._index.put(*_load(connection, fixed.dimensions, self._changed))
                self._changed = newest
            return self._index


def _load(connection: Connection, dimensions: int, changed: int) -> tuple[Sequence[int], Matrix]:
    if embedded.count_changed(connection, changed) > MANY:
        keys, rows = vectors.load_every_vector(connection, dimensions)
        return keys.tolist(), rows
    found, rows = vectors.load_vectors(connection, embedded.list_changed(connection, changed))
    return found, rows if found else np.zeros((0, dimensions), np.float32)
