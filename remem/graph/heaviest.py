"""Heaviest simple paths of at most five hops: exact sums, also where there are cycles. Knows nothing of products.

Level by level, all labels at once. A label is a path of exactly `level` hops; after each level only a representative
family of each station's labels is kept (`families`), of those that can still change the answer (`bounds`). Where a
level has many hops to follow, its labels go on in chunks, smallest ids first: what one chunk settles the next need not
repeat.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from remem.graph.bounds import Goals, list_best, make_found
from remem.graph.labels import (
    Arrivals,
    Labels,
    cut_arrivals,
    extend_labels,
    keep_hops,
    move_labels,
    start_labels,
    thin_arrivals,
)
from remem.graph.reach import Reach, measure_reach
from remem.graph.stations import BoolArray, Hops, IntArray, PathFound, StationGraph
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
        hints = make_found(graph.size)
        if limit is not None:
            scout = Search(graph, depth, tuning, width=tuning.beam)
            scout.run(first)
            hints = scout.found
        search.goals = Goals(graph, reach, depth, reported, limit, hints, search.found)
    search.run(first)
    found = search.found
    distance = np.where(reach.distance > 0, reach.distance, depth)
    best = list_best(found.weight, found.hops, distance, graph.rank, reported, limit)
    return search.trace_all(best, distance[best])


def _count_reach(graph: StationGraph, reach: Reach) -> int:
    """About how many hops the search can follow."""
    return int(graph.count_hops(np.flatnonzero(reach.distance)).sum())


class Search:
    """One search from level 1 to `depth`. Without `width` it is complete but for what `goals` rule out; with it, each
    level keeps that many of its heaviest labels."""

    def __init__(self, graph: StationGraph, depth: int, tuning: Tuning, width: int | None = None) -> None:
        self.graph, self.depth, self.tuning, self.width = graph, depth, tuning, width
        self.goals: Goals | None = None
        self.found = make_found(graph.size)
        self.batches: list[Labels] = []

    def run(self, first: Hops) -> None:
        """Finds what can be found."""
        nobody = np.zeros(len(first.target), np.int64)
        self._record(Arrivals(nobody, first.target, first.weight, first.edge), 1)
        self._descend(start_labels(first), 1)

    def _descend(self, labels: Labels, level: int) -> None:
        """All further levels: what the labels reach is recorded, what the hops to come need goes on."""
        for at in range(level, self.depth):
            self._tighten_first(labels, at)
            arrivals = self._move(labels, at)
            self._record(arrivals, at + 1)
            self.batches.append(labels)
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
        """Every label along every hop that is open to it. Each station is expanded once, whatever its labels."""
        stations, row = np.unique(labels.path[:, -1], return_inverse=True)
        hops = self.graph.expand(stations)
        if self.goals is None or level not in self.goals.slack:
            return move_labels(labels, row, keep_hops(hops, ~self.graph.masked[hops.target]))
        goal = self.goals.goal(level + 1)
        top = np.full(len(stations), -1)
        np.maximum.at(top, row, labels.weight)
        useful = np.repeat(top, hops.counts) + hops.weight >= goal[hops.target]
        arrivals = move_labels(labels, row, keep_hops(hops, useful))
        return arrivals.take(arrivals.weight >= goal[arrivals.target])

    def _drop_hopeless(self, arrivals: Arrivals, level: int) -> Arrivals:
        if self.goals is None:
            return arrivals
        if level in self.goals.slack:
            return arrivals.take(arrivals.weight >= self.goals.slack[level][arrivals.target])
        return arrivals.take(arrivals.weight + self.goals.sum_heaviest(level) >= self.goals.floor)

    def _record(self, arrivals: Arrivals, hops: int) -> None:
        """Enters the best arrival of each target where it beats what was found: heavier, or as heavy with fewer hops;
        of equal ones the first."""
        found = self.found
        known = found.weight[arrivals.target]
        at = np.flatnonzero(
            (arrivals.weight > known) | ((arrivals.weight == known) & (hops < found.hops[arrivals.target]))
        )
        at = at[_mark_heaviest(arrivals.target[at], arrivals.weight[at], self.graph.size)][::-1]
        target = arrivals.target[at]
        # Assigned from the last to the first, so the first of equal ones stays.
        found.weight[target], found.parent[target], found.edge[target] = (
            arrivals.weight[at],
            arrivals.parent[at],
            arrivals.edge[at],
        )
        found.hops[target], found.batch[target] = hops, len(self.batches)

    def trace_all(self, stations: IntArray, distance: IntArray) -> list[PathFound]:
        """The paths that were found to some stations, with how near these are, in their order."""
        found = self.found
        befores = self._trace_labels(stations)
        columns = (stations, found.weight[stations] / MICRO, distance, found.edge[stations])
        return [
            PathFound(station, score, near, (*path, station), (*edges, edge))
            for station, score, near, edge, (path, edges) in zip(*(c.tolist() for c in columns), befores, strict=True)
        ]

    def _trace_labels(self, stations: IntArray) -> list[tuple[list[int], list[int]]]:
        """The stations and edges of the paths before their last hops. Paths of one batch are read together."""
        batch, parent = self.found.batch[stations], self.found.parent[stations]
        befores: list[tuple[list[int], list[int]]] = [([], [])] * len(stations)
        longer = np.flatnonzero(self.found.hops[stations] > 1)
        order = longer[np.argsort(batch[longer], kind="stable")]
        for at in np.split(order, np.flatnonzero(np.diff(batch[order])) + 1) if len(order) else ():
            before = self.batches[batch[at[0]]]
            rows = zip(before.path[parent[at]].tolist(), before.edges[parent[at]].tolist(), strict=True)
            for number, row in zip(at.tolist(), rows, strict=True):
                befores[number] = row
        return befores


def _mark_heaviest(target: IntArray, weight: IntArray, size: int) -> BoolArray:
    """Which arrivals are as heavy as any at their target."""
    top = np.full(size, -1)
    np.maximum.at(top, target, weight)
    heaviest: BoolArray = weight == top[target]
    return heaviest
