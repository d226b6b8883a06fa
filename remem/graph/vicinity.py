"""The part of a graph that a short walk can meet, cut out and numbered from 0. What follows then costs nothing that
grows with the whole graph. Finds no paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from remem.graph.stations import ArrayGraph, BoolArray, Hops, IntArray, StationGraph

MOST_HOPS = 60_000
"""So many hops are cut out at most; with more, numbers over the whole graph are cheaper."""


@dataclass(frozen=True, slots=True)
class Vicinity:
    """Stations (numbers in the whole graph, in the order of ids), the graph of them, and the anchor's hops in it."""

    stations: IntArray
    graph: ArrayGraph
    first: Hops


def cut_vicinity(graph: StationGraph, first: Hops, depth: int) -> Vicinity | None:
    """All that paths of at most `depth` hops can use; None where that is much. Time linear in what is cut out."""
    found = _gather_hops(graph, first, depth)
    if found is None:
        return None
    owner, hops, met = found
    stations = met[np.argsort(graph.rank[met])]
    # Only the places of the stations met are ever written or read.
    number = np.empty(graph.size, np.int64)
    number[stations] = np.arange(len(stations))
    row, target = number[owner], number[hops.target]
    # Rows are in the order of ids already.
    order = np.argsort(row, kind="stable")
    offset = np.zeros(len(stations) + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=len(stations)), out=offset[1:])
    weight = hops.weight[order]
    part = ArrayGraph(
        offset,
        target[order],
        weight,
        hops.edge[order],
        np.arange(len(stations)),
        graph.masked[stations],
        int(weight.max(initial=0)),
    )
    return Vicinity(stations, part, first._replace(target=number[first.target]))


def _gather_hops(graph: StationGraph, first: Hops, depth: int) -> tuple[IntArray, Hops, IntArray] | None:
    """The hops that leave the stations within `depth` - 1 hops, each with its station, and all stations met, in no
    order; None where they are many."""
    budget = MOST_HOPS - len(first.target)
    parts, owners, met = [first._replace(target=first.target[:0], weight=first.weight[:0], edge=first.edge[:0])], [], []
    seen = np.zeros(graph.size, np.bool_)
    frontier = first.target
    for _ in range(depth - 1):
        met.append(frontier)
        seen[frontier] = True
        budget -= int(graph.count_hops(frontier).sum())
        if budget < 0:
            return None
        hops = graph.expand(frontier)
        parts.append(hops)
        owners.append(np.repeat(frontier, hops.counts))
        frontier = _list_new(hops.target, seen)
        # A masked station is met, but no path goes on from it.
        masked = graph.masked[frontier]
        if masked.any():
            met.append(frontier[masked])
            seen[frontier[masked]] = True
            frontier = frontier[~masked]
    met.append(frontier)
    columns = (np.concatenate(column) for column in zip(*parts, strict=True))
    return np.concatenate((first.target[:0], *owners)), Hops(*columns), np.concatenate(met)


def _list_new(target: IntArray, seen: BoolArray) -> IntArray:
    """The targets that were not seen, each once."""
    new = target[~seen[target]]
    last = np.empty(len(seen), np.int64)
    last[new] = np.arange(len(new))
    once: IntArray = new[last[new] == np.arange(len(new))]
    return once
