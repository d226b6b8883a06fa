"""Heaviest simple paths of at most five hops: exact sums, also where there are cycles. Knows nothing of products.

Level by level, all labels at once. A label is a path of exactly `level` hops; after each level only a representative
family of each station's labels is kept (`families`), of those that can still change the answer (`bounds`). Where a
level has many hops to follow, its labels go on in chunks, smallest ids first: what one chunk settles the next need not
repeat.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from remem.graph.bounds import NEVER, Goals, list_best, measure_merit, read_weight
from remem.graph.labels import (
    Arrivals,
    Labels,
    cut_arrivals,
    extend_labels,
    make_root,
    move_labels,
    thin_arrivals,
)
from remem.graph.reach import Reach, measure_reach
from remem.graph.stations import (
    BoolArray,
    Hops,
    IntArray,
    PathFound,
    StationGraph,
    index_stations,
    keep_hops,
    repeat_rows,
)
from remem.records import MICRO


class Tuning(NamedTuple):
    """Where the search changes its ways; the answer never depends on it. `beam`: labels a level of the first search
    that finds the mark to beat. `dense`: hops to follow in one level from which the close bound is computed; where as
    many are left then, the search goes on in chunks, the first of that many arrivals, each further one `growth` times
    as many."""

    beam: int = 512
    dense: int = 30_000
    growth: int = 4


def find_heaviest(
    graph: StationGraph, first: Hops, depth: int, limit: int | None, reported: BoolArray, tuning: Tuning
) -> list[PathFound]:
    """The best `limit` reported stations (None: all) by the weight of their heaviest path of at most `depth` hops.

    Order: weight descending, distance, hops, id ascending; among equal paths fewer hops, then the smaller sequence of
    ids. Time linear in the hops within reach times a constant of the depth (6 labels a station for depth 5).
    """
    reach = measure_reach(graph, first, depth - 1)
    search = Search(graph, depth, tuning)
    if depth > 2 and _count_reach(graph, reach) * (depth - 2) > tuning.dense:
        hints = np.full(graph.size, -1)
        if limit is not None:
            scout = Search(graph, depth, tuning, width=tuning.beam)
            scout.run(first)
            hints = scout.found
        search.goals = Goals(graph, reach, depth, reported, limit, hints, search.found)
    search.run(first)
    distance = np.where(reach.distance > 0, reach.distance, depth)
    best = list_best(search.found, distance, graph.rank, reported, limit)
    return search.trace_all(best, distance[best])


def _count_reach(graph: StationGraph, reach: Reach) -> int:
    """About how many hops the search can follow."""
    return int(graph.count_hops(np.flatnonzero(reach.distance)).sum())


class Batch(NamedTuple):
    """Arrivals after so many hops, and the labels that they continue."""

    labels: Labels
    arrivals: Arrivals
    hops: int


class Search:
    """One search from level 1 to `depth`. Without `width` it is complete but for what `goals` rule out; with it, each
    level keeps that many of its heaviest labels. `found` is the merit of the best path to each station."""

    def __init__(self, graph: StationGraph, depth: int, tuning: Tuning, width: int | None = None) -> None:
        self.graph, self.depth, self.tuning, self.width = graph, depth, tuning, width
        self.goals: Goals | None = None
        self.masks = bool(graph.masked.any())
        self.found = np.full(graph.size, -1)
        self.batches: list[Batch] = []

    def run(self, first: Hops) -> None:
        """Finds what can be found."""
        root, nobody = make_root(), np.zeros(len(first.target), np.int64)
        arrivals = Arrivals(nobody, first.target, first.weight, first.edge)
        self._record(root, arrivals, 1)
        self._descend(extend_labels(root, arrivals), 1)

    def _descend(self, labels: Labels, level: int) -> None:
        """All further levels: what the labels reach is recorded, what the hops to come need goes on."""
        for at in range(level, self.depth):
            self._tighten_first(labels, at)
            arrivals = self._move(labels, at)
            self._record(labels, arrivals, at + 1)
            if at + 1 == self.depth:
                return
            if self.goals is not None and at in self.goals.slack and len(arrivals.weight) > self.tuning.dense:
                self._go_in_chunks(self.goals, labels, arrivals, at + 1)
                return
            labels = self._thin(labels, arrivals, at + 1)

    def _tighten_first(self, labels: Labels, level: int) -> None:
        """Has the close bound computed where many hops are to be followed without it."""
        goals = self.goals
        if goals is None or level in goals.slack or not goals.helpful:
            return
        if int(self.graph.count_hops(labels.path[:, -1]).sum()) > self.tuning.dense:
            goals.tighten(level)

    def _go_in_chunks(self, goals: Goals, labels: Labels, arrivals: Arrivals, level: int) -> None:
        """All further levels, for growing runs of the arrivals in the order of their ids."""
        budget = max(self.tuning.dense, 1)
        while len(arrivals.weight):
            self._descend(self._thin(labels, arrivals.cut(0, budget), level), level)
            arrivals = arrivals.cut(budget, len(arrivals.weight))
            if len(arrivals.weight):
                goals.tighten(level)
                arrivals = self._drop_hopeless(arrivals, level)
            budget *= self.tuning.growth

    def _thin(self, labels: Labels, arrivals: Arrivals, level: int) -> Labels:
        """The labels of the next level."""
        if self.width is not None:
            arrivals = cut_arrivals(arrivals, 4 * self.width)
        arrivals = thin_arrivals(labels, self._drop_hopeless(arrivals, level), self.depth - level)
        if self.width is not None:
            arrivals = cut_arrivals(arrivals, self.width)
        return extend_labels(labels, arrivals)

    def _move(self, labels: Labels, level: int) -> Arrivals:
        """Every label along every hop that is open to it."""
        graph, ends = self.graph, labels.path[:, -1]
        goal = self.goals.goal(level + 1) if self.goals is not None and level in self.goals.slack else None
        if goal is None and len(ends) <= graph.size:
            hops = graph.expand(ends)
            return move_labels(labels, keep_hops(hops, ~graph.masked[hops.target]) if self.masks else hops)
        # Stations with several labels are expanded once, and what none of their labels can use is dropped there.
        stations, row = index_stations(ends, graph.size)
        hops = graph.expand(stations)
        if goal is None:
            return move_labels(labels, repeat_rows(keep_hops(hops, ~graph.masked[hops.target]), row))
        top = np.full(len(stations), -1)
        np.maximum.at(top, row, labels.weight)
        hops = keep_hops(hops, np.repeat(top, hops.counts) + hops.weight >= goal[hops.target])
        arrivals = move_labels(labels, repeat_rows(hops, row))
        return arrivals.take(arrivals.weight >= goal[arrivals.target])

    def _drop_hopeless(self, arrivals: Arrivals, level: int) -> Arrivals:
        if self.goals is None:
            return arrivals
        if level in self.goals.slack:
            return arrivals.take(arrivals.weight >= self.goals.slack[level][arrivals.target])
        return arrivals.take(arrivals.weight + self.goals.sum_heaviest(level) >= self.goals.floor)

    def _record(self, labels: Labels, arrivals: Arrivals, hops: int) -> None:
        """Enters the arrivals where they are the best so far. Of many, only these are kept to be traced."""
        merit = measure_merit(arrivals.weight, hops)
        if len(merit) > self.tuning.dense:
            better = merit > self.found[arrivals.target]
            arrivals, merit = arrivals.take(better), merit[better]
        np.maximum.at(self.found, arrivals.target, merit)
        self.batches.append(Batch(labels, arrivals, hops))

    def trace_all(self, stations: IntArray, distance: IntArray) -> list[PathFound]:
        """The best paths to some stations that were found, with how near these are, in their order."""
        merit, place = self.found[stations], np.full(self.graph.size, -1)
        place[stations] = np.arange(len(stations))
        weight = read_weight(merit)
        floor = weight.min(initial=NEVER)
        paths: list[tuple[int, ...]] = [()] * len(stations)
        edges = paths.copy()
        # Of equal paths the first counts, so they are entered from the last to the first.
        for labels, arrivals, hops in reversed(self.batches):
            at = np.flatnonzero(arrivals.weight >= floor)[::-1]
            if not len(at):
                continue
            to = place[arrivals.target[at]]
            best = (to >= 0) & (measure_merit(arrivals.weight[at], hops) == merit[to])
            chosen = np.full(len(stations), -1)
            chosen[to[best]] = at[best]
            numbers = np.flatnonzero(chosen >= 0)
            whole = extend_labels(labels, arrivals.take(chosen[numbers]))
            rows = (zip(*steps.T.tolist(), strict=True) for steps in (whole.path, whole.edges))
            for number, path, steps in zip(numbers.tolist(), *rows, strict=True):
                paths[number], edges[number] = path, steps
        return list(map(PathFound, stations.tolist(), (weight / MICRO).tolist(), distance.tolist(), paths, edges))
