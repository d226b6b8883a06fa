"""How a graph hangs together: degrees of nodes, connected components of documents. Reads nothing."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from remem.graph.csr import FORWARD, HopTable
from remem.graph.forest import Forest
from remem.graph.stations import IntArray

NOBODY: IntArray = np.zeros(0, np.int64)


class Degrees(NamedTuple):
    """For each number, the edges that leave the node itself and those that end at it."""

    out: IntArray
    back: IntArray


def count_degrees(table: HopTable, forest: Forest, hidden: IntArray = NOBODY) -> Degrees:
    """The degrees of all nodes, from the hops of scope `node`. Parallel edges count each, those at hidden nodes do
    not."""
    owner, at = _list_hops(table, hidden)
    forward = table.columns.code[at] & FORWARD > 0
    size = forest.size
    return Degrees(np.bincount(owner[forward], minlength=size), np.bincount(owner[~forward], minlength=size))


def _list_hops(table: HopTable, hidden: IntArray) -> tuple[IntArray, IntArray]:
    """(node that each hop leaves, its position) of all hops with neither end among the hidden nodes."""
    nodes = np.flatnonzero(table.rows.total)
    counts, at = table.list_row(nodes)
    owner = np.repeat(nodes, counts)
    if not len(hidden):
        return owner, at
    kept = ~(np.isin(owner, hidden) | np.isin(table.columns.far[at], hidden))
    return owner[kept], at[kept]


def find_components(size: int, source: IntArray, target: IntArray) -> IntArray:
    """For each of `size` nodes the lowest node that edges, walked either way, join it with.

    Hooking and pointer jumping (Shiloach and Vishkin, 1982): O((nodes + edges) log nodes).
    """
    label = np.arange(size)
    while len(source):
        low, high = np.minimum(label[source], label[target]), np.maximum(label[source], label[target])
        apart = low != high
        if not apart.any():
            break
        source, target, low, high = source[apart], target[apart], low[apart], high[apart]
        np.minimum.at(label, high, low)
        while True:
            jumped = label[label]
            if (jumped == label).all():
                break
            label = jumped
    return label


def group_documents(table: HopTable, forest: Forest, hidden: IntArray = NOBODY) -> IntArray:
    """The sizes, in documents, of the groups of documents (memories and entities among them) that edges join, largest
    first, without the hidden ones. `table` holds the hops of scope `node`."""
    document = forest.document.values
    owner, at = _list_hops(table, hidden)
    source = document[owner].astype(np.int64)
    target = document[table.columns.far[at]].astype(np.int64)
    label = find_components(forest.size, source, target)
    shown = forest.mark_living()
    shown[hidden] = False
    roots = np.flatnonzero(shown & (document == np.arange(forest.size)))
    sizes = np.bincount(label[roots]) if len(roots) else np.zeros(0, np.int64)
    return np.sort(sizes[sizes > 0])[::-1]
