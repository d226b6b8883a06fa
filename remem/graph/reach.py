"""The fewest hops from the anchor to each station, by breadth-first search. Knows no weights but the heaviest met."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from remem.graph.stations import Hops, IntArray, StationGraph


@dataclass(frozen=True, slots=True)
class Reach:
    """`distance[s]` is the fewest hops to station s, 0 where it was not reached. `heaviest[i]` is the weight of the
    heaviest hop that leaves a station within i + 1 hops, for each level expanded."""

    distance: IntArray
    heaviest: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShortestPaths:
    """Of the shortest paths to each station the one whose sequence of ids is smallest: its hops (0: not reached), the
    station before the last (-1: the anchor) and the edge of the last hop."""

    distance: IntArray
    parent: IntArray
    edge: IntArray

    def trace(self, station: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The stations and the edges of the path to a station that was reached."""
        stations, edges = [station], [int(self.edge[station])]
        while (before := int(self.parent[stations[-1]])) >= 0:
            stations.append(before)
            edges.append(int(self.edge[before]))
        return tuple(reversed(stations)), tuple(reversed(edges))


def measure_reach(graph: StationGraph, first: Hops, levels: int) -> Reach:
    """Distances of all stations within `levels` hops. Each station is expanded once, those of the last level never."""
    distance = np.zeros(graph.size, np.int64)
    distance[first.target] = 1
    frontier, heaviest = first.target, [0]
    for level in range(2, levels + 1):
        if not len(frontier):
            break
        hops = graph.expand(frontier, edges=False)
        heaviest.append(max(heaviest[-1], int(hops.weight.max(initial=0))))
        distance[hops.target[(distance[hops.target] == 0) & ~graph.masked[hops.target]]] = level
        if level < levels:
            frontier = np.flatnonzero(distance == level)
    return Reach(distance, tuple(heaviest[1:]))


def find_shortest(graph: StationGraph, first: Hops, levels: int) -> ShortestPaths:
    """The shortest paths of at most `levels` hops. Each station is expanded once, those of the last level never."""
    distance, parent, edge = np.zeros(graph.size, np.int64), np.full(graph.size, -1), np.full(graph.size, -1)
    distance[first.target], edge[first.target] = 1, first.edge
    frontier = first.target
    for level in range(2, levels + 1):
        hops = graph.expand(frontier)
        new = np.flatnonzero((distance[hops.target] == 0) & ~graph.masked[hops.target])
        # The frontier is in the order of its paths, so the first hop that meets a station is on the smallest one.
        chosen = _keep_first(hops.target, new, graph.size)
        owner = np.repeat(frontier, hops.counts)
        frontier = hops.target[chosen]
        distance[frontier], parent[frontier], edge[frontier] = level, owner[chosen], hops.edge[chosen]
    return ShortestPaths(distance, parent, edge)


def _keep_first(target: IntArray, positions: IntArray, size: int) -> IntArray:
    """Those of the (ascending) positions that are the first of their target."""
    seen = np.empty(size, np.int64)
    seen[target[positions[::-1]]] = positions[::-1]
    first: IntArray = positions[seen[target[positions]] == positions]
    return first
