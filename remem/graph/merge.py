"""Rows of hops to a station graph: which of several parallel edges a hop uses, and the arrays. Reads nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from remem.graph.stations import ArrayGraph, BoolArray, Hops, IntArray, find_offsets, mark_starts
from remem.records import RELATIONSHIP_TYPES, HopRow, StationRow

OWNER, STATION, SOURCE, TARGET, TYPE, ORIGIN, WEIGHT, FORWARD = range(8)
"""The columns of a table of hops, in the order of `HopRow`."""

NAME_RANK = np.argsort(np.argsort(np.array(RELATIONSHIP_TYPES)))
"""Where the name of a relationship type (by its code) stands among all of them in order."""


def make_table(rows: Sequence[HopRow]) -> IntArray:
    """The rows as an (n, 8) array."""
    return np.array(rows, np.int64).reshape(-1, 8)


def merge_parallel(table: IntArray, load_ids: Callable[[IntArray], dict[int, str]]) -> IntArray:
    """The positions of the hops to keep: one for each (owner, station), in their order.

    Preferred is the heaviest edge, then the lower code of origin (manual, parsed, discovered, mentioned), then type
    name, source id and target id. `load_ids` gives the ids of nodes by key; it is asked only for the ends of edges
    that all else leaves equal.
    """
    if not len(table):
        return np.zeros(0, np.int64)
    name = NAME_RANK[table[:, TYPE]]
    keys = (-table[:, FORWARD], name, table[:, ORIGIN], -table[:, WEIGHT], table[:, STATION], table[:, OWNER])
    order = np.lexsort(keys)
    sorted_table = table[order]
    starts = mark_starts(sorted_table[:, OWNER]) | mark_starts(sorted_table[:, STATION])
    leader = np.maximum.accumulate(np.where(starts, np.arange(len(order)), 0))
    compared = sorted_table[:, [TYPE, ORIGIN, WEIGHT]]
    equal = (compared == compared[leader]).all(axis=1)
    rivals = np.flatnonzero(equal & (np.bincount(leader[equal], minlength=len(order))[leader] > 1))
    chosen = order.copy()
    if len(rivals):
        best = rivals[_order_by_ids(sorted_table[rivals], leader[rivals], load_ids)]
        chosen[leader[best]] = order[best]
    return chosen[starts]


def _order_by_ids(table: IntArray, group: IntArray, load_ids: Callable[[IntArray], dict[int, str]]) -> IntArray:
    """The position of the preferred row of each group."""
    nodes, where = np.unique(table[:, [SOURCE, TARGET]], return_inverse=True)
    ids = load_ids(nodes)
    rank = np.argsort(np.array(sorted(range(len(nodes)), key=lambda at: ids[int(nodes[at])])))
    source, target = rank[where.reshape(-1, 2)].T
    order = np.lexsort((-table[:, FORWARD], target, source, group))
    return order[mark_starts(group[order])]


def mask_around(stations: Sequence[StationRow], anchor: StationRow, strict: bool) -> BoolArray:
    """Which stations no path enters after its first hop: the anchor, what lies in it and what it lies in."""
    if strict:
        return np.array([station.key == anchor.key for station in stations], np.bool_)
    return np.array(
        [
            station.document == anchor.document and station.position <= anchor.last and station.last >= anchor.position
            for station in stations
        ],
        np.bool_,
    )


def build_graph(table: IntArray, kept: IntArray, keys: IntArray, first: int, masked: BoolArray) -> ArrayGraph:
    """The station graph of the kept hops. `keys` are the keys of the stations in the order of their ids, which is the
    order they get; hops below the position `first` are the anchor's own and no part of it."""
    kept = kept[kept >= first]
    owner, target = index_keys(keys, table[kept, OWNER]), index_keys(keys, table[kept, STATION])
    order = np.lexsort((target, owner))
    offset = find_offsets(np.bincount(owner, minlength=len(keys)))
    weight = table[kept[order], WEIGHT]
    heaviest = int(weight.max(initial=0))
    return ArrayGraph(offset, target[order], weight, kept[order], np.arange(len(keys)), masked, heaviest)


def build_first(table: IntArray, kept: IntArray, keys: IntArray) -> Hops:
    """The anchor's own hops as one row."""
    target = index_keys(keys, table[kept, STATION])
    order = np.argsort(target)
    kept = kept[order]
    return Hops(np.array([len(kept)]), target[order], table[kept, WEIGHT], kept)


def index_keys(keys: IntArray, wanted: IntArray) -> IntArray:
    """The index in `keys` of each wanted key; all must be there."""
    order = np.argsort(keys)
    return order[np.searchsorted(keys, wanted, sorter=order)]
