"""The part of a graph that a short walk can meet, cut out and numbered from 0. What follows then costs nothing that
grows with the whole graph. Finds no paths."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from remem.graph.stations import ArrayGraph, Hops, IntArray, StationGraph, find_offsets, keep_hops

_own = threading.local()
MOST_HOPS = 60_000
"""So many hops are cut out at most; with more, numbers over the whole graph are cheaper."""
_NEW, _MET, _MASKED = np.uint8(0), np.uint8(1), np.uint8(2)


@dataclass(frozen=True, slots=True)
class Vicinity:
    """Stations (numbers in the whole graph, in the order in which they are met), the graph of them, and the anchor's
    hops in it. A station that only the last hops lead to may stand there several times: one of its numbers is used.
    """

    stations: IntArray
    graph: ArrayGraph
    first: Hops


def cut_vicinity(graph: StationGraph, first: Hops, depth: int) -> Vicinity | None:
    """All that paths of at most `depth` hops can use; None where that is much. Time linear in what is cut out. Hops to
    masked stations are left out: no path takes them."""
    number, state = _take_scratch(graph.size), graph.masked * _MASKED
    frontier, size, budget = first.target, len(first.target), MOST_HOPS - len(first.target)
    met, rows, targets = [frontier], [Hops(*(column[:0] for column in first))], [first.target[:0]]
    number[frontier], state[frontier] = np.arange(size), np.maximum(state[frontier], _MET)
    for level in range(2, depth + 1):
        budget -= int(graph.count_hops(frontier).sum())
        if budget < 0:
            return None
        hops = graph.expand(frontier)
        leads_to = state[hops.target]
        frontier = hops.target[leads_to == _NEW]
        hops = keep_hops(hops, leads_to != _MASKED)
        if level < depth:
            frontier = _list_once(frontier, number)
            state[frontier] = _MET
        number[frontier] = np.arange(size, size + len(frontier))
        size += len(frontier)
        met.append(frontier)
        rows.append(hops)
        targets.append(number[hops.target])
    stations = np.concatenate(met)
    counts, _, weight, edge = (np.concatenate(column) for column in zip(*rows, strict=True))
    # Stations are numbered in the order in which their hops were followed, those of the last level have none.
    offset = find_offsets(np.concatenate((counts, np.zeros(size - len(counts), np.int64))))
    open_to_all = np.zeros(size, np.bool_)
    heaviest = int(weight.max(initial=0))
    part = ArrayGraph(offset, np.concatenate(targets), weight, edge, graph.rank[stations], open_to_all, heaviest)
    return Vicinity(stations, part, first._replace(target=np.arange(len(first.target))))


def _take_scratch(size: int) -> IntArray:
    """An array of this thread's own with at least `size` places, whatever they hold: only those of stations that are
    met are written, then read. A new one would cost more than what a short walk does with it."""
    scratch: IntArray | None = getattr(_own, "scratch", None)
    if scratch is None or len(scratch) < size:
        scratch = _own.scratch = np.empty(size, np.int64)
    return scratch


def _list_once(stations: IntArray, scratch: IntArray) -> IntArray:
    """The stations, each once."""
    scratch[stations] = np.arange(len(stations))
    once: IntArray = stations[scratch[stations] == np.arange(len(stations))]
    return once
