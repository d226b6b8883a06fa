"""The graph that paths are sought in: stations as indices, and the hops that leave them. Knows nothing of nodes, files
or SQL; an engine supplies it, whole or row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]


class Hops(NamedTuple):
    """The hops that leave some stations, one row after the other.

    `counts[i]` hops belong to the i-th station asked for; `target` (station), `weight` (millionths) and `edge` (the
    engine's number of the edge behind the hop) are flat. A row has each target at most once, in the order of the
    targets' ids, and never leads to its own station. `edge` is empty where it was not asked for.
    """

    counts: IntArray
    target: IntArray
    weight: IntArray
    edge: IntArray


class PathFound(NamedTuple):
    """A station with its best path. `score` is the exact score as the nearest float, `distance` the fewest hops by any
    path; `stations` and `edges` (the engine's numbers) have one entry for each hop."""

    station: int
    score: float
    distance: int
    stations: tuple[int, ...]
    edges: tuple[int, ...]


class StationGraph(Protocol):
    """What an engine supplies. Parallel edges are merged, filters applied.

    `size` is the number of stations; `rank[s]` the place of station s in the order of ids; `masked[s]` says that no
    path enters s after its first hop; `heaviest` is at least the weight of every hop (millionths).
    """

    @property
    def size(self) -> int:
        """The number of stations."""

    @property
    def rank(self) -> IntArray:
        """The place of each station in the order of ids."""

    @property
    def masked(self) -> BoolArray:
        """Which stations no path enters after its first hop: those around and below the anchor, and the anchor."""

    @property
    def heaviest(self) -> int:
        """At least the weight of every hop, in millionths."""

    def expand(self, stations: IntArray, edges: bool = True) -> Hops:
        """The hops that leave the stations, with or without the numbers of their edges."""

    def count_hops(self, stations: IntArray) -> IntArray:
        """About how many hops leave each of the stations; only the effort of a search depends on it."""


@dataclass(frozen=True, slots=True)
class ArrayGraph:
    """A station graph held as one CSR: row s is `[offset[s], offset[s + 1])` of `target`, `weight`, `edge`."""

    offset: IntArray
    target: IntArray
    weight: IntArray
    edge: IntArray
    rank: IntArray
    masked: BoolArray
    heaviest: int

    @property
    def size(self) -> int:
        """The number of stations."""
        return len(self.offset) - 1

    def expand(self, stations: IntArray, edges: bool = True) -> Hops:
        """The hops that leave the stations, in time linear in their number; all stations at once cost nothing."""
        if len(stations) == self.size and bool((stations == np.arange(self.size)).all()):
            return Hops(np.diff(self.offset), self.target, self.weight, self.edge)
        counts, at = gather_rows(self.offset, stations)
        return Hops(counts, self.target[at], self.weight[at], self.edge[at] if edges else at[:0])

    def count_hops(self, stations: IntArray) -> IntArray:
        """How many hops leave each of the stations."""
        return self.offset[stations + 1] - self.offset[stations]


def keep_hops(hops: Hops, keep: BoolArray) -> Hops:
    """The hops of the same stations, but only some of them."""
    gone = np.flatnonzero(~keep)
    if not len(gone):
        return hops
    owner = np.repeat(np.arange(len(hops.counts)), hops.counts)[gone]
    counts = hops.counts - np.bincount(owner, minlength=len(hops.counts))
    return Hops(counts, hops.target[keep], hops.weight[keep], hops.edge[keep])


def repeat_rows(hops: Hops, rows: IntArray) -> Hops:
    """Rows of the hops, any of them any number of times."""
    counts, at = gather_rows(find_offsets(hops.counts), rows)
    return Hops(counts, hops.target[at], hops.weight[at], hops.edge[at])


def find_offsets(counts: IntArray) -> IntArray:
    """Where rows of so many entries begin, and where the last one ends: the `offset` of a CSR."""
    offset = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offset[1:])
    return offset


def gather_rows(offset: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """The length of each of the CSR rows, and the positions of all their entries one row after the other."""
    begin = offset[rows]
    counts = offset[rows + 1] - begin
    ends = np.cumsum(counts)
    at = np.repeat(begin - ends + counts, counts)
    at += np.arange(len(at))
    return counts, at


def index_stations(stations: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """The stations (of `size`), each once and ascending, and the place of each of them among these: what `np.unique`
    gives, without sorting."""
    marked, place = np.zeros(size, np.bool_), np.empty(size, np.int64)
    marked[stations] = True
    once = np.flatnonzero(marked)
    place[once] = np.arange(len(once))
    return once, place[stations]


def mark_starts(values: IntArray) -> BoolArray:
    """Where a run of equal values begins."""
    starts = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=starts[1:])
    return starts
