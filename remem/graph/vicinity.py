"""The part of a graph that a short walk can meet, cut out and numbered from 0. What follows then costs nothing that
grows with the whole graph. Finds no paths."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from remem.graph.stations import ArrayGraph, BoolArray, Hops, IntArray, StationGraph, find_offsets, gather_rows

_own = threading.local()
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
    owners, hops, met = found
    stations = met[np.argsort(graph.rank[met])]
    number = _take_scratch(graph.size)
    number[stations] = np.arange(len(stations))
    row, target = number[owners], number[hops.target]
    counts = np.zeros(len(stations), np.int64)
    counts[row] = hops.counts
    # Rows are in the order of ids already.
    _, order = gather_rows(find_offsets(hops.counts), np.argsort(row))
    weight = hops.weight[order]
    part = ArrayGraph(
        find_offsets(counts),
        target[order],
        weight,
        hops.edge[order],
        np.arange(len(stations)),
        graph.masked[stations],
        int(weight.max(initial=0)),
    )
    return Vicinity(stations, part, first._replace(target=number[first.target]))


def _gather_hops(graph: StationGraph, first: Hops, depth: int) -> tuple[IntArray, Hops, IntArray] | None:
    """The stations within `depth` - 1 hops with the hops that leave them, and all stations met, in no order; None where
    they are many."""
    budget = MOST_HOPS - len(first.target)
    parts, owners, met = [Hops(*(column[:0] for column in first))], [first.target[:0]], []
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
        owners.append(frontier)
        frontier = _list_new(hops.target, seen)
        # A masked station is met, but no path goes on from it.
        masked = graph.masked[frontier]
        if masked.any():
            met.append(frontier[masked])
            seen[frontier[masked]] = True
            frontier = frontier[~masked]
    met.append(frontier)
    columns = (np.concatenate(column) for column in zip(*parts, strict=True))
    return np.concatenate(owners), Hops(*columns), np.concatenate(met)


def _take_scratch(size: int) -> IntArray:
    """An array of this thread's own with at least `size` places, whatever they hold: only those of stations that are
    met are written, then read. A new one would cost more than what a short walk does with it."""
    scratch: IntArray | None = getattr(_own, "scratch", None)
    if scratch is None or len(scratch) < size:
        scratch = _own.scratch = np.empty(size, np.int64)
    return scratch


def _list_new(target: IntArray, seen: BoolArray) -> IntArray:
    """The targets that were not seen, each once."""
    new = target[~seen[target]]
    last = _take_scratch(len(seen))
    last[new] = np.arange(len(new))
    once: IntArray = new[last[new] == np.arange(len(new))]
    return once
