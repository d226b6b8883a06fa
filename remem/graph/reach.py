"""The fewest hops from the anchor to each station, by breadth-first search. Knows no weights but the heaviest met."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from remem.graph.stations import Hops, IntArray, StationGraph


@dataclass(frozen=True, slots=True)
class Reach:
    """`distance[s]` is the fewest hops to station s, 0 where it was not reached. `parent` and `edge` are the last hop
    of the shortest path whose sequence of ids is smallest (parent -1: the anchor). `heaviest[i]` is the weight of the
    heaviest hop that leaves a station within i + 1 hops, for each level expanded."""

    distance: IntArray
    parent: IntArray
    edge: IntArray
    heaviest: tuple[int, ...]


def measure_reach(graph: StationGraph, first: Hops, levels: int, edges: bool = False) -> Reach:
    """Distances of all stations within `levels` hops. Each station is expanded once, those of the last level
    never. Without `edges` those of the result are -1 after the first hop."""
    distance, parent, edge = np.zeros(graph.size, np.int64), np.full(graph.size, -1), np.full(graph.size, -1)
    distance[first.target], edge[first.target] = 1, first.edge
    frontier, heaviest = first.target, [0]
    for level in range(2, levels + 1):
        if not len(frontier):
            break
        hops = graph.expand(frontier, edges)
        heaviest.append(max(heaviest[-1], int(hops.weight.max(initial=0))))
        new = np.flatnonzero((distance[hops.target] == 0) & ~graph.masked[hops.target])
        # The frontier is in the order of its paths, so the first hop that meets a station is on the smallest one.
        chosen = _keep_first(hops.target, new, graph.size)
        target = hops.target[chosen]
        distance[target] = level
        if edges:
            edge[target] = hops.edge[chosen]
        parent[target] = frontier[np.searchsorted(np.cumsum(hops.counts), chosen, side="right")]
        frontier = target
    return Reach(distance, parent, edge, tuple(heaviest[1:]))


def _keep_first(target: IntArray, positions: IntArray, size: int) -> IntArray:
    """Those of the (ascending) positions that are the first of their target."""
    seen = np.empty(size, np.int64)
    seen[target[positions[::-1]]] = positions[::-1]
    first: IntArray = positions[seen[target[positions]] == positions]
    return first


def trace_shortest(reach: Reach, station: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The stations and the edges of the shortest path to a station that was reached."""
    stations, edges = [station], [int(reach.edge[station])]
    while (before := int(reach.parent[stations[-1]])) >= 0:
        stations.append(before)
        edges.append(int(reach.edge[before]))
    return tuple(reversed(stations)), tuple(reversed(edges))
