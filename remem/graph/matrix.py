"""A sparse matrix for multiplying vectors fast with numpy alone. Knows nothing of graphs.

The entries lie in lanes (jagged diagonals; Saad, "Krylov subspace methods on supercomputers", 1989): with the longest
rows first, lane k holds entry k of every row that has one, so a lane is one gather and one sum. What is beyond the last
lane is summed row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
Float32Array: TypeAlias = NDArray[np.float32]

LANES = 24


@dataclass(frozen=True, slots=True)
class Matrix:
    """`rows` are those with entries, the longest first; a lane holds the columns and values of one entry of each of the
    first rows; `tail` (columns, values, where each row's begin) what is left of the first of all."""

    size: int
    rows: IntArray
    lanes: tuple[tuple[IntArray, Float32Array], ...]
    tail: tuple[IntArray, Float32Array, IntArray]

    def multiply(self, values: Float32Array) -> Float32Array:
        """The product with a vector of `size`: O(entries)."""
        sums = np.zeros(len(self.rows), np.float32)
        for columns, weights in self.lanes:
            part = values.take(columns)
            part *= weights
            sums[: len(part)] += part
        columns, weights, begin = self.tail
        if len(begin):
            part = values.take(columns)
            part *= weights
            sums[: len(begin)] += np.add.reduceat(part, begin)
        product = np.zeros(self.size, np.float32)
        product[self.rows] = sums
        return product


def build_matrix(size: int, rows: IntArray, counts: IntArray, columns: IntArray, weights: Float32Array) -> Matrix:
    """The matrix of `size` rows and columns. `counts[i]` entries belong to row `rows[i]` (each at least 1, each row
    once), one row after the other in `columns` and `weights`."""
    order = np.argsort(-counts, kind="stable")
    begin, length = (np.cumsum(counts) - counts)[order], counts[order]
    lanes = []
    for lane in range(LANES):
        at = begin[: int(np.searchsorted(-length, -lane, side="left"))] + lane
        if not len(at):
            break
        lanes.append((columns[at], weights[at]))
    long = int(np.searchsorted(-length, -LANES, side="left"))
    left = length[:long] - LANES
    ends = np.cumsum(left)
    at = np.repeat(begin[:long] + LANES - ends + left, left) + np.arange(int(left.sum()))
    return Matrix(size, rows[order], tuple(lanes), (columns[at], weights[at], ends - left))
