"""An index of unit vectors in memory: finds the nearest by cosine. It knows keys and vectors, no texts and no file.

Each vector is kept as the signs of its numbers beside its exact form. A search counts the differing signs of all
vectors, which is quick, and compares only the best of them exactly.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from remem.embedding.threads import limit_blas
from remem.records import Neighbour

Matrix: TypeAlias = npt.NDArray[np.float32]
Keys: TypeAlias = npt.NDArray[np.int64]
Rows: TypeAlias = npt.NDArray[np.intp]
Counts: TypeAlias = npt.NDArray[np.uint16]
Load: TypeAlias = Callable[[Sequence[int]], tuple[Sequence[int], Matrix]]
"""Fetches exact vectors: those of the given keys that there are, as keys (n) and rows (n, dimensions)."""

_Number = TypeVar("_Number", bound=np.generic)

CANDIDATES = 1500
"""How many of the best by signs are compared exactly, at least; more of them in larger indices."""
FETCHED_CANDIDATES = 500
"""The same where each has to be fetched."""
ROWS_A_CANDIDATE = 200
"""One candidate for so many vectors (a third of that where each has to be fetched)."""
FEW = 2000
"""Up to so many vectors are all compared exactly."""
SCAN_ROWS = 1 << 15
"""Rows that are scanned at once: their temporaries stay in the cache."""
ROWS_A_QUERY = 250
"""So many more for each of several queries."""
BLOCK_ROWS = 4096
"""Rows that are compared with several queries at once."""
CENTRE_SAMPLE = 20_000
MANY = 1000
"""Vectors whose mean says something of those to come."""
_START = 1024
_FAR = np.uint16(0xFFFF)


class BitIndex:
    """Keys (64-bit integers) with unit vectors of one width. Safe to use from several threads.

    The exact vectors are held as float16: 2 bytes a number beside one bit a number for the signs, so 816 bytes a vector
    of 384 dimensions. With `load` they are fetched from there instead, at most a few thousand a search, and the index
    takes 48 bytes a vector (and in both cases about 130 for its key). Before signs are taken the mean of the vectors
    is subtracted, for models whose vectors all point one way; an index with `load` takes it from the first vectors put,
    where they are many.
    """

    def __init__(self, dimensions: int, load: Load | None = None) -> None:
        self._dimensions = dimensions
        self._load = load
        self._lock = threading.RLock()
        self._rows: dict[int, int] = {}
        self._keys: Keys = np.zeros(0, dtype=np.int64)
        self._words = np.zeros((-(-dimensions // 64), 0), dtype=np.uint64)
        self._exact = np.zeros((0, dimensions), dtype=np.float16)
        self._centre = np.zeros(dimensions, dtype=np.float32)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: int) -> bool:
        return key in self._rows

    @property
    def bytes(self) -> int:
        """What the vectors that are there take in the arrays (their spare room is untouched memory)."""
        return len(self._rows) * (8 + 8 * len(self._words) + (2 * self._dimensions if self._load is None else 0))

    def put(self, keys: Sequence[int] | Keys, vectors: Matrix) -> None:
        """Add vectors (n, dimensions) under n keys, or replace those that have one. Linear in n (amortised).

        Raises ValueError where the shapes do not fit or a number is not finite.
        """
        vectors = np.asarray(vectors, dtype=np.float32)
        if vectors.shape != (len(keys), self._dimensions) or not np.isfinite(vectors).all():
            raise ValueError(f"{len(keys)} keys need as many vectors of {self._dimensions} finite numbers")
        with self._lock:
            self._reserve(len(self._rows) + len(keys), vectors)
            rows = np.fromiter((self._rows.setdefault(int(key), len(self._rows)) for key in keys), np.intp, len(keys))
            self._keys[rows] = keys
            self._words[:, rows] = self._take_signs(vectors)
            if self._load is None:
                self._exact[rows] = vectors

    def remove(self, keys: Sequence[int]) -> None:
        """Remove vectors; keys that are not there are passed over. The last ones move into their places."""
        with self._lock:
            for key in keys:
                row = self._rows.pop(key, None)
                last = len(self._rows)
                if row is None or row == last:
                    continue
                self._keys[row] = self._keys[last]
                self._words[:, row] = self._words[:, last]
                if self._load is None:
                    self._exact[row] = self._exact[last]
                self._rows[int(self._keys[row])] = row

    def search(self, query: Matrix, k: int, allowed: Sequence[int] | Keys | None = None) -> list[Neighbour]:
        """The k nearest to a unit vector (dimensions,), best first, equal ones by key. `allowed` are the keys that may
        be found, each once; None means all. O(n) with a small constant.

        Raises ValueError where the query is no finite vector of the width.
        """
        query = np.asarray(query, dtype=np.float32)
        if query.shape != (self._dimensions,) or not np.isfinite(query).all():
            raise ValueError(f"a query is a vector of {self._dimensions} finite numbers")
        with self._lock:
            if k < 1 or not self._rows or (allowed is not None and len(allowed) == 0):
                return []
            rows = self._find_candidates(query, k, allowed)
            keys = self._keys[rows]
            vectors = widen(self._exact[rows]) if self._load is None else None
        if vectors is None and self._load is not None:  # outside of the lock: it may wait for other threads
            found, vectors = self._load(keys.tolist())
            keys = np.asarray(found, dtype=np.int64)
        return compare_exactly(query, keys, np.asarray(vectors, dtype=np.float32), k)

    def search_many(self, queries: Matrix, k: int) -> list[list[Neighbour]]:
        """The k nearest to each of several unit vectors (m, dimensions), as `search` gives them, equal to a millionth
        ones by key. Where the queries are many for the size of the index, all vectors are compared at once: O(m n) with
        the constant of a product of matrices."""
        queries = np.asarray(queries, dtype=np.float32)
        if queries.ndim != 2 or queries.shape[1] != self._dimensions or not np.isfinite(queries).all():
            raise ValueError(f"queries are vectors of {self._dimensions} finite numbers")
        with self._lock:
            if self._load is None and len(self._rows) <= FEW + ROWS_A_QUERY * len(queries):
                return self._compare_all(queries, k)
        return [self.search(query, k) for query in queries]

    def _compare_all(self, queries: Matrix, k: int) -> list[list[Neighbour]]:
        size = len(self._rows)
        if k < 1 or size == 0:
            return [[] for _ in queries]
        best = [(np.zeros(0, np.int64), np.zeros(0, np.float32)) for _ in queries]
        for start in range(0, size, BLOCK_ROWS):
            own = self._keys[start : min(start + BLOCK_ROWS, size)]
            with limit_blas():
                block = np.round(queries @ widen(self._exact[start : start + len(own)]).T, 6)
            best = [
                _keep_best(np.append(keys, own), np.append(alike, row), k)
                for (keys, alike), row in zip(best, block, strict=True)
            ]
        return [[Neighbour(*pair) for pair in zip(keys.tolist(), alike.tolist(), strict=True)] for keys, alike in best]

    # --- the scan -----------------------------------------------------------------------------------------------------

    def _find_candidates(self, query: Matrix, k: int, allowed: Sequence[int] | Keys | None) -> Rows:
        size = len(self._rows)
        if allowed is not None and len(allowed) <= FEW:
            found = (self._rows.get(int(key)) for key in allowed)
            return np.array([row for row in found if row is not None], dtype=np.intp)
        mask = None if allowed is None else np.isin(self._keys[:size], np.asarray(allowed, dtype=np.int64))
        left = size if mask is None else int(np.count_nonzero(mask))
        if left <= FEW:
            return np.arange(size) if mask is None else np.flatnonzero(mask)
        if self._load is None:
            return self._scan(query, max(CANDIDATES, 4 * k, left // ROWS_A_CANDIDATE), mask)
        return self._scan(query, max(FETCHED_CANDIDATES, 4 * k, left // (3 * ROWS_A_CANDIDATE)), mask)

    def _scan(self, query: Matrix, wanted: int, mask: npt.NDArray[np.bool_] | None) -> Rows:
        """The rows of about the `wanted` fewest differing signs, at least so many."""
        signs = self._take_signs(query[None])
        bound = int(_FAR)
        rows: list[Rows] = []
        counts: list[Counts] = []
        held = 0
        for start in range(0, len(self._rows), SCAN_ROWS):
            end = min(start + SCAN_ROWS, len(self._rows))
            differing = count_differing(self._words[:, start:end], signs)
            if mask is not None:
                differing[~mask[start:end]] = _FAR
            near = np.flatnonzero(differing < bound)
            rows.append(near + start)
            counts.append(differing[near])
            held += len(near)
            if held >= 4 * wanted or (bound == _FAR and held >= wanted):
                rows, counts, bound = keep_nearest(rows, counts, wanted)
                held = len(rows[0])
        return keep_nearest(rows, counts, wanted)[0][0]

    # --- the arrays ---------------------------------------------------------------------------------------------------

    def _take_signs(self, vectors: Matrix) -> npt.NDArray[np.uint64]:
        """The signs of vectors (n, dimensions) as words (words, n)."""
        width = 8 * len(self._words)
        bits = np.packbits(vectors > self._centre, axis=1)
        padded = np.zeros((len(vectors), width), dtype=np.uint8)
        padded[:, : bits.shape[1]] = bits
        return np.ascontiguousarray(padded.view(np.uint64).T)

    def _reserve(self, needed: int, coming: Matrix) -> None:
        """Make room; when the arrays double, the centre follows the vectors (it stays where they are not held)."""
        if needed <= len(self._keys):
            return
        size, room = len(self._rows), max(_START, needed, 2 * len(self._keys))
        self._keys = _grow(self._keys, room)
        words = np.zeros((len(self._words), room), dtype=np.uint64)
        words[:, :size] = self._words[:, :size]
        self._words = words
        if self._load is None:
            self._exact = _grow(self._exact, room)
        if size == 0 and (self._load is None or len(coming) >= MANY):
            self._centre = take_centre(coming)
        elif self._load is None:
            self._centre = take_centre(self._exact[:size])
            for start in range(0, size, SCAN_ROWS):
                end = min(start + SCAN_ROWS, size)
                self._words[:, start:end] = self._take_signs(widen(self._exact[start:end]))


def widen(half: npt.NDArray[np.float16]) -> Matrix:
    """Finite numbers of 16 bits as such of 32: the same as astype, seven times as fast. The bits of exponent and
    mantissa move to their places, and the product mends the bias of the exponent, also of subnormal numbers."""
    bits = np.ascontiguousarray(half).view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= np.int32(-0x70000001)  # the sign was spread over three bits of the exponent
    wide: Matrix = bits.view(np.float32)
    wide *= np.float32(2.0**112)
    return wide


def _keep_best(keys: Keys, alike: Matrix, k: int) -> tuple[Keys, Matrix]:
    """The k best of a row of keys with their similarities (both n), best first, equal ones by key."""
    if len(keys) > k:
        near = np.flatnonzero(alike >= np.partition(alike, -k)[-k])
        keys, alike = keys[near], alike[near]
    order = np.lexsort((keys, -alike))[:k]
    return keys[order], alike[order]


def _grow(array: npt.NDArray[_Number], room: int) -> npt.NDArray[_Number]:
    grown = np.zeros((room, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown


def take_centre(vectors: npt.NDArray[np.floating[Any]]) -> Matrix:
    """The mean of an even sample of vectors."""
    step = max(1, len(vectors) // CENTRE_SAMPLE)
    centre: Matrix = vectors[::step].mean(axis=0, dtype=np.float32)
    return centre


def compare_exactly(query: Matrix, keys: Keys, vectors: Matrix, k: int) -> list[Neighbour]:
    """The k best of some vectors (n, dimensions) by cosine, equal ones by key."""
    with limit_blas():
        similarities = vectors @ query
    order = np.lexsort((keys, -similarities))[:k]
    pairs = zip(keys[order].tolist(), similarities[order].tolist(), strict=True)
    return [Neighbour(key, similarity) for key, similarity in pairs]


def count_differing(words: npt.NDArray[np.uint64], signs: npt.NDArray[np.uint64]) -> Counts:
    """How many signs of each vector (words, n) differ from those of one (words, 1)."""
    total = np.zeros(words.shape[1], dtype=np.uint16)
    for column, sign in zip(words, signs, strict=True):
        total += np.bitwise_count(column ^ sign)
    return total


def keep_nearest(rows: Sequence[Rows], counts: Sequence[Counts], wanted: int) -> tuple[list[Rows], list[Counts], int]:
    """The `wanted` rows of the fewest differing signs, as one part each, and the bound that later ones have to pass.

    Of rows that count the same as the last one, those scanned first are kept.
    """
    joined, told = np.concatenate(rows), np.concatenate(counts)
    if len(joined) <= wanted:
        return [joined], [told], int(_FAR)
    bound = int(np.partition(told, wanted - 1)[wanted - 1])
    nearer, same = np.flatnonzero(told < bound), np.flatnonzero(told == bound)
    near = np.concatenate([nearer, same[: wanted - len(nearer)]])
    return [joined[near]], [told[near]], bound
