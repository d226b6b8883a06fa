"""Strongest paths: the product of min(weight, 1) over the edges, times 0.8 for each hop after the first. Exact.

No factor exceeds 1 and each further hop costs a fifth, so a detour never pays: the best walk to a station is a simple
path, and one label for each station and level is enough. Products are kept as whole numbers in two limbs of twelve
digits (five factors of at most 10^6); floats only decide where they differ by more than their error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from remem.graph.reach import find_shortest, measure_reach
from remem.graph.stations import BoolArray, FloatArray, Hops, IntArray, StationGraph, mark_starts

FULL = 1_000_000
LIMB = 10**12
UNITS = 5**4 * 10**30
"""A score is a whole number of these parts of 1."""
FADE = 0.8
CLOSE = 1e-12
"""More than the relative error of a float product of ten factors."""


class Winner(NamedTuple):
    """The strongest path to a station: score as a whole number of parts (`UNITS` to 1), fewest hops by any path, and
    the path's stations and edges, one for each hop."""

    station: int
    score: int
    distance: int
    stations: tuple[int, ...]
    edges: tuple[int, ...]


class Labels(NamedTuple):
    """The best path of one length to each station, in the order of their sequences of ids. `high * 10^12 + low` is the
    product of the weights in millionths, `score` the score as a float; `parent` is an index of the level before."""

    station: IntArray
    high: IntArray
    low: IntArray
    score: FloatArray
    parent: IntArray
    edge: IntArray

    def take(self, at: IntArray | BoolArray) -> Labels:
        """Some of the labels."""
        station, high, low, score, parent, edge = self
        return Labels(station[at], high[at], low[at], score[at], parent[at], edge[at])


class _Best:
    """The best label so far of each station: its score, level (0: none) and index in that level."""

    def __init__(self, size: int) -> None:
        self.score = np.zeros(size)
        self.level = np.zeros(size, np.int64)
        self.index = np.zeros(size, np.int64)
        self.stations = np.zeros(0, np.int64)

    def record(self, labels: Labels, level: int) -> None:
        """Takes labels that are better than what was known."""
        self.stations = np.concatenate((self.stations, labels.station[self.level[labels.station] == 0]))
        self.score[labels.station] = labels.score
        self.level[labels.station] = level
        self.index[labels.station] = np.arange(len(labels.station))


def find_strongest(
    graph: StationGraph, first: Hops, depth: int, limit: int | None, reported: BoolArray
) -> list[Winner]:
    """The best `limit` reported stations (None: all) by the score of their strongest path of at most `depth` hops.

    Order and ties as in `find_heaviest`. Stops at the level from which nothing can enter the best. Time linear in the
    hops followed.
    """
    best, levels = _Best(graph.size), [_start(first)]
    best.record(levels[0], 1)
    for level in range(1, depth):
        labels = _advance(graph, levels, level, best, _find_floor(best, reported, limit))
        if not len(labels.station):
            break
        levels.append(labels)
        best.record(labels, level + 1)
    winners = _list_positive(graph, first, best, levels, reported, limit)
    if limit is None or len(winners) < limit:
        winners += _list_zero(graph, first, depth, best, reported)
    return winners[:limit]


def _start(first: Hops) -> Labels:
    factor = np.minimum(first.weight, FULL)
    labels = Labels(first.target, np.zeros_like(factor), factor, factor / FULL, np.full(len(factor), -1), first.edge)
    return labels.take(factor > 0)


def _find_floor(best: _Best, reported: BoolArray, limit: int | None) -> float:
    """The score of the last of the best so far; 0 where there is room."""
    scores = best.score[best.stations[reported[best.stations]]]
    if limit is None or len(scores) < limit:
        return 0.0
    return float(np.partition(scores, len(scores) - limit)[len(scores) - limit])


def _advance(graph: StationGraph, levels: list[Labels], level: int, best: _Best, floor: float) -> Labels:
    """The best labels of the next level, where they beat all shorter paths to their station."""
    labels = levels[-1]
    able = np.flatnonzero(labels.score * FADE >= floor * (1 - CLOSE))
    hops = graph.expand(labels.station[able])
    parent = np.repeat(able, hops.counts)
    factor = np.minimum(hops.weight, FULL)
    score = labels.score[parent] * factor * (FADE / FULL)
    keep = (factor > 0) & ~graph.masked[hops.target] & (score >= best.score[hops.target] * (1 - CLOSE))
    keep &= score >= floor * (1 - CLOSE)
    moved = _multiply(labels, parent[keep], hops.target[keep], factor[keep], score[keep], hops.edge[keep])
    moved = moved.take(_pick_best(moved, graph.size))
    return moved.take(_beats_shorter(moved, level + 1, best, levels))


def _multiply(
    labels: Labels, parent: IntArray, target: IntArray, factor: IntArray, score: FloatArray, edge: IntArray
) -> Labels:
    low = labels.low[parent] * factor
    high = labels.high[parent] * factor + low // LIMB
    return Labels(target, high, low % LIMB, score, parent, edge)


def _pick_best(moved: Labels, size: int) -> IntArray:
    """The positions of the best label of each station, the first of equal ones; ascending."""
    top = np.zeros(size)
    np.maximum.at(top, moved.station, moved.score)
    near = np.flatnonzero(moved.score >= top[moved.station] * (1 - CLOSE))
    order = near[np.lexsort((-moved.low[near], -moved.high[near], moved.station[near]))]
    return np.sort(order[mark_starts(moved.station[order])])


def _beats_shorter(moved: Labels, level: int, best: _Best, levels: list[Labels]) -> BoolArray:
    """Which labels are better than every shorter path; equal ones are not, they have more hops."""
    known = best.score[moved.station]
    beats = moved.score > known * (1 + CLOSE)
    for at in np.flatnonzero(~beats & (moved.score >= known * (1 - CLOSE))):
        station = int(moved.station[at])
        beats[at] = _score_exactly(moved, int(at), level) > _score_best(best, levels, station)
    return beats


def _score_exactly(labels: Labels, at: int, level: int) -> int:
    """The score in parts of 1."""
    product = int(labels.high[at]) * LIMB + int(labels.low[at])
    return product * int(4 ** (level - 1)) * int(5 ** (5 - level)) * int(FULL ** (5 - level))


def _score_best(best: _Best, levels: list[Labels], station: int) -> int:
    level = int(best.level[station])
    return _score_exactly(levels[level - 1], int(best.index[station]), level)


def _list_positive(
    graph: StationGraph, first: Hops, best: _Best, levels: list[Labels], reported: BoolArray, limit: int | None
) -> list[Winner]:
    stations = best.stations[reported[best.stations]]
    floor = _find_floor(best, reported, limit)
    stations = stations[best.score[stations] >= floor * (1 - CLOSE)]
    hops = best.level[stations]
    distance = measure_reach(graph, first, int(hops.max(initial=1))).distance[stations]
    scores, place = _rank_exactly(best, levels, stations)
    order = np.lexsort((graph.rank[stations], hops, distance, -place))[:limit]
    return [
        Winner(
            int(stations[at]),
            scores[int(place[at])],
            int(distance[at]),
            *_trace(levels, int(best.index[stations[at]]), int(hops[at])),
        )
        for at in order
    ]


def _rank_exactly(best: _Best, levels: list[Labels], stations: IntArray) -> tuple[list[int], IntArray]:
    """The different scores of the stations, ascending, and the place of each station's score among them. Numbers of any
    size are made once for each product and level, which are few where scores are equal."""
    level, index = best.level[stations], best.index[stations]
    high, low = np.zeros_like(level), np.zeros_like(level)
    for number, labels in enumerate(levels, 1):
        at = level == number
        high[at], low[at] = labels.high[index[at]], labels.low[index[at]]
    order = np.lexsort((low, high, level))
    starts = mark_starts(level[order]) | mark_starts(high[order]) | mark_starts(low[order])
    exact = [_score_best(best, levels, int(station)) for station in stations[order[starts]]]
    scores = sorted(set(exact))
    places = {score: place for place, score in enumerate(scores)}
    place = np.empty(len(stations), np.int64)
    place[order] = np.array([places[score] for score in exact], np.int64)[np.cumsum(starts) - 1]
    return scores, place


def _trace(levels: list[Labels], index: int, hops: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    stations, edges = [], []
    for level in range(hops - 1, -1, -1):
        stations.append(int(levels[level].station[index]))
        edges.append(int(levels[level].edge[index]))
        index = int(levels[level].parent[index])
    return tuple(reversed(stations)), tuple(reversed(edges))


def _list_zero(graph: StationGraph, first: Hops, depth: int, best: _Best, reported: BoolArray) -> list[Winner]:
    """The stations that only paths with an edge of weight 0 reach: all score 0, so the shortest path wins."""
    shortest = find_shortest(graph, first, depth)
    stations = np.flatnonzero((best.score == 0) & (shortest.distance > 0) & reported)
    stations = stations[np.lexsort((graph.rank[stations], shortest.distance[stations]))]
    return [
        Winner(station, 0, int(shortest.distance[station]), *shortest.trace(station)) for station in stations.tolist()
    ]
