"""Ties between texts that no edge states: what was told one after the other, and what shares a rare name. Arrays in,
arrays out; reads nothing."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
Float32Array: TypeAlias = NDArray[np.float32]

NEXT, NEXT_BUT_ONE = 1.0, 0.5
"""Weights of consecutive memories of one source, and of those two apart."""
RARE = 8
"""A name that more texts share is not rare."""
RARE_NAME = 0.15
"""Divided by the number of other texts that use the name; half of it for single words."""


class Ties(NamedTuple):
    """Pairs of node keys with their weights."""

    one: IntArray
    other: IntArray
    weight: Float32Array

    @property
    def size(self) -> int:
        """How many pairs."""
        return len(self.one)


def tie_neighbours(nodes: IntArray, groups: IntArray) -> Ties:
    """Ties of nodes (n) that follow each other in the same group (n)."""
    parts = []
    for distance, weight in ((1, NEXT), (2, NEXT_BUT_ONE)):
        same = groups[:-distance] == groups[distance:]
        one, other = nodes[:-distance][same], nodes[distance:][same]
        parts.append(Ties(one, other, np.full(len(one), weight, np.float32)))
    return join_ties(parts)


def tie_names(names: IntArray, texts: IntArray, single: IntArray) -> Ties:
    """Ties of the texts that share a rare name, by rows (name, text, whether it is one word), each pair of them at most
    once for each name. Time O(rows log rows)."""
    order = np.lexsort((texts, names))
    names, texts, single = names[order], texts[order], single[order]
    first = np.append(True, (names[1:] != names[:-1]) | (texts[1:] != texts[:-1]))[: len(names)]
    names, texts, single = names[first], texts[first], single[first]
    begin = np.flatnonzero(np.append(True, names[1:] != names[:-1])[: len(names)])
    count = np.diff(np.append(begin, len(names)))
    parts = []
    for size in range(2, RARE + 1):
        heads = begin[count == size]
        weights = np.where(single[heads] > 0, RARE_NAME / 2, RARE_NAME).astype(np.float32) / np.float32(size - 1)
        for a in range(size):
            for b in range(a + 1, size):
                parts.append(Ties(texts[heads + a], texts[heads + b], weights))
    return join_ties(parts)


def join_ties(parts: list[Ties]) -> Ties:
    """All ties as one."""
    none = Ties(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
    one, other, weight = (np.concatenate(columns) for columns in zip(none, *parts, strict=True))
    return Ties(one, other, weight)
