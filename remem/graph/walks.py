"""One request's sight of a hop table: the station graph that the path search walks. Finds no paths itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from remem.graph.csr import FORWARD, HopTable, Rows, gather_slices, pack_pairs
from remem.graph.stations import BoolArray, Hops, IntArray
from remem.records import Direction


class HopRules(NamedTuple):
    """Which hops a request lets pass: directions, the least weight in millionths, codes of types and origins (None:
    all)."""

    direction: Direction
    weight_min: int
    types: tuple[int, ...] | None
    origins: tuple[int, ...] | None

    @property
    def is_open(self) -> bool:
        """Whether every hop of the direction passes."""
        return self.weight_min <= 0 and self.types is None and self.origins is None


@dataclass(frozen=True, slots=True)
class Walk:
    """A hop table under a request's rules, as `StationGraph`. The number of an edge is the position of its hop."""

    table: HopTable
    rows: Rows
    direct: BoolArray
    rules: HopRules
    rank: IntArray
    masked: BoolArray
    heaviest: int

    @property
    def size(self) -> int:
        """The number of stations."""
        return len(self.rank)

    def expand(self, stations: IntArray, edges: bool = True) -> Hops:
        """The hops that leave the stations, in time linear in their number (and in those that the rules stop)."""
        if self.rules.is_open and self.rules.direction == "both":
            return self._expand_whole(stations)
        counts, at, rows = self._list_passing(stations)
        return self._merge(len(counts), at, rows)

    def count_hops(self, stations: IntArray) -> IntArray:
        """At most how many hops leave each of the stations."""
        if self.rules.direction == "both":
            return self.rows.first[stations].astype(np.int64)
        rows = self.table.forward if self.rules.direction == "out" else self.table.backward
        return np.where(self.direct[stations], rows.total[stations], self.rows.total[stations]).astype(np.int64)

    def expand_anchor(self, anchor: int, title: BoolArray, alone: bool) -> Hops:
        """The hops of a station as the anchor of a walk: to stations around it only along its own edges. `title` marks
        title headings; `alone`: each node stands for itself."""
        counts, at, rows = self._list_passing(np.array([anchor]))
        columns = self.table.columns
        if not alone:
            near = columns.near[at]
            # A title heading's station is its document, so one that a row holds is the anchor's own.
            kept = ~self.masked[columns.target[at]] | (near == anchor) | title[near]
            at, rows = at[kept], rows[kept]
        return self._merge(len(counts), at, rows)

    def _expand_whole(self, stations: IntArray) -> Hops:
        counts, at = gather_slices(self.rows.begin[stations], self.rows.first[stations])
        at = self.table.resolve(self.direct[stations], counts, at)
        return self._tell(counts, at)

    def _tell(self, counts: IntArray, at: IntArray) -> Hops:
        columns = self.table.columns
        return Hops(counts, columns.target[at].astype(np.int64), columns.weight[at].astype(np.int64), at)

    def _list_passing(self, stations: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """(hops of each station before the rules, positions and rows of those that pass)."""
        direct, direction, table = self.direct[stations], self.rules.direction, self.table
        begin, count = self.rows.begin[stations], self.rows.total[stations]
        if direction != "both":
            one_way = table.forward if direction == "out" else table.backward
            begin = np.where(direct, one_way.begin[stations], begin)
            count = np.where(direct, one_way.total[stations], count)
        counts, at = gather_slices(begin, count)
        if direction != "both":
            there = np.repeat(direct, counts)
            at[there] = table.one_way[at[there]]
        at = table.resolve(direct, counts, at)
        rows = np.repeat(np.arange(len(counts)), counts)
        if self.rules.is_open and direct.all():
            return counts, at, rows
        passes = self._passes(at)
        return counts, at[passes], rows[passes]

    def _passes(self, at: IntArray) -> BoolArray:
        rules, columns = self.rules, self.table.columns
        codes = np.arange(2 * FORWARD)
        known = np.ones(len(codes), np.bool_)
        if rules.direction != "both":
            known &= (codes & FORWARD > 0) == (rules.direction == "out")
        if rules.types is not None:
            known &= np.isin(codes % FORWARD // 4, rules.types)
        if rules.origins is not None:
            known &= np.isin(codes % 4, rules.origins)
        passes: BoolArray = known[columns.code[at]]
        if rules.weight_min > 0:
            passes &= columns.weight[at] >= rules.weight_min
        return passes

    def _merge(self, stations: int, at: IntArray, rows: IntArray) -> Hops:
        """The first hop of each row and target. Extra hops stand at the end of their row, so whichever comes first of
        its target is the preferred one."""
        if not len(at):
            return self._tell(np.zeros(stations, np.int64), at)
        rank = self.rank[self.table.columns.target[at]]
        falls = (rows[1:] == rows[:-1]) & (rank[1:] <= rank[:-1])
        if falls.any():
            order = np.argsort(pack_pairs(rows, rank), kind="stable")
            at, rows, rank = at[order], rows[order], rank[order]
            fresh = np.append(True, (rows[1:] != rows[:-1]) | (rank[1:] != rank[:-1]))
            at, rows = at[fresh], rows[fresh]
        return self._tell(np.bincount(rows, minlength=stations), at)
