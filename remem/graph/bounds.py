"""What a path must weigh to matter to the best `limit` results. Finds no paths itself."""

from __future__ import annotations

import numpy as np

from remem.graph.reach import Reach
from remem.graph.stations import BoolArray, Hops, IntArray, StationGraph

NEVER = np.int64(2**62)
_STEP = 8
"""Merits of a weight and of the next."""


def measure_merit(weight: IntArray, hops: int) -> IntArray:
    """What paths of so many hops (at most 7) are worth to their station: the heavier path first (weights in millionths,
    at least 0), then the one of fewer hops. Nothing found yet: -1."""
    return weight * _STEP + (_STEP - 1 - hops)


def read_weight(merit: IntArray) -> IntArray:
    """The weight in millionths, -1 for nothing found."""
    return merit // _STEP


def read_hops(merit: IntArray) -> IntArray:
    """The hops, 0 for nothing found."""
    return _STEP - 1 - merit % _STEP


def list_best(merit: IntArray, distance: IntArray, rank: IntArray, reported: BoolArray, limit: int | None) -> IntArray:
    """The reported stations that were found, best first: weight descending, distance, hops, id ascending."""
    stations = np.flatnonzero((merit >= 0) & reported)
    if limit is not None and len(stations) > limit:
        found = merit[stations]
        floor = np.partition(found, len(found) - limit)[len(found) - limit]
        stations = stations[found >= floor // _STEP * _STEP]
    best = merit[stations]
    order = np.lexsort((rank[stations], read_hops(best), distance[stations], -read_weight(best)))
    return stations[order][:limit]


class Goals:
    """The weight that a path must reach at each station to change the answer, and the weight that a label must have to
    get there.

    `hints` are the merits of paths known to exist, by station (of a first, incomplete search), `found` those of what
    the search itself has found so far; it goes through the paths of one length in the order of their ids. Where both
    fill the limit, the last of them is the mark to beat: a path of the same weight counts only where distance, hops and
    id put it before. Two bounds follow. The cheap one takes the heaviest hop that each level can meet. The close one
    (`tighten`) goes back from the stations that still matter along every hop, so neither a few huge weights nor equal
    weights everywhere blunt it.
    """

    def __init__(
        self,
        graph: StationGraph,
        reach: Reach,
        depth: int,
        reported: BoolArray,
        limit: int | None,
        hints: IntArray,
        found: IntArray,
    ) -> None:
        self.graph, self.reach, self.depth, self.reported, self.limit = graph, reach, depth, reported, limit
        self.hints, self.found = hints, found
        self.distance = np.where(reach.distance > 0, reach.distance, depth)
        self.slack: dict[int, IntArray] = {}
        self.around: dict[int, tuple[IntArray, Hops]] = {}
        self._set_mark()

    def _set_mark(self) -> None:
        self.mark, self.floor, self.mark_hops = -1, 0, 0
        if self.limit is None:
            return
        merit = np.maximum(self.found, self.hints)
        best = list_best(merit, self.distance, self.graph.rank, self.reported, self.limit)
        if len(best) == self.limit:
            self.mark = int(best[-1])
            self.floor, self.mark_hops = int(read_weight(merit[self.mark])), int(read_hops(merit[self.mark]))

    @property
    def helpful(self) -> bool:
        """Whether the close bound can drop anything."""
        return self.mark >= 0 or not self.reported.all()

    def sum_heaviest(self, level: int) -> int:
        """The most that the hops after `level` can add, by the heaviest hops within reach of each level."""
        met = self.reach.heaviest
        return sum(met[at - 1] if at <= len(met) else self.graph.heaviest for at in range(level, self.depth))

    def need(self, level: int) -> IntArray:
        """The weight that a path of `level` hops to each station must have to matter."""
        # More than the merit that is known: heavier, or as heavy with fewer hops.
        need = np.maximum((self.found + level + 1) // _STEP, read_weight(self.hints))
        if self.mark >= 0:
            np.maximum(need, np.where(self._wins_tie(level), self.floor, self.floor + 1), out=need)
        return np.where(self.reported, need, NEVER)

    def _wins_tie(self, level: int) -> BoolArray:
        """The stations that go before the mark, or are it, with the mark's weight and `level` hops."""
        mark, rank, distance = self.mark, self.graph.rank, self.distance
        before = rank <= rank[mark] if level == self.mark_hops else np.bool_(level < self.mark_hops)
        wins: BoolArray = (distance < distance[mark]) | ((distance == distance[mark]) & before)
        return wins

    def tighten(self, level: int) -> None:
        """Computes the close bound for the labels of `level` and of all later levels, from what is known now:
        O(hops within reach)."""
        self._set_mark()
        for at in range(self.depth - 1, level - 1, -1):
            self.slack[at] = self._go_back(at)

    def _go_back(self, level: int) -> IntArray:
        slack = np.full(self.graph.size, NEVER)
        if level not in self.around:
            self.around[level] = self._expand_ball(level)
        ball, hops = self.around[level]
        owners = hops.counts > 0
        if owners.any():
            begin = (np.cumsum(hops.counts) - hops.counts)[owners]
            slack[ball[owners]] = np.minimum.reduceat(self.goal(level + 1)[hops.target] - hops.weight, begin)
        return slack

    def _expand_ball(self, level: int) -> tuple[IntArray, Hops]:
        """The stations within `level` hops (or all, where those are most) and the hops that leave them."""
        ball = np.flatnonzero((self.reach.distance > 0) & (self.reach.distance <= level))
        if 2 * len(ball) > self.graph.size:
            ball = np.arange(self.graph.size)
        return ball, self.graph.expand(ball, edges=False)

    def goal(self, level: int) -> IntArray:
        """The least weight with which arriving at each station after `level` hops is of any use (after `tighten`)."""
        goal = self.need(level)
        if level < self.depth:
            goal = np.minimum(goal, self.slack[level])
        return np.where(self.graph.masked, NEVER, goal)
