"""Paths in the making, many at once: moved on by one hop, thinned out to what the hops to come can need. Knows no limit
of results and no ranking but weight, then the sequence of ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from remem.graph.families import select_family
from remem.graph.stations import BoolArray, Hops, IntArray


@dataclass(frozen=True, slots=True)
class Labels:
    """Paths of one length, in the order of their sequences of ids. `path` (n, level) holds their stations, `edges`
    (n, level) the edges, `weight` (n) the sums in millionths."""

    path: IntArray
    edges: IntArray
    weight: IntArray

    def take(self, at: IntArray | BoolArray) -> Labels:
        """Some of the labels."""
        return Labels(self.path[at], self.edges[at], self.weight[at])


class Arrivals(NamedTuple):
    """Labels moved on by one hop, in the order of their sequences of ids, before any are dropped. `parent` is the label
    moved."""

    parent: IntArray
    target: IntArray
    weight: IntArray
    edge: IntArray

    def take(self, at: IntArray | BoolArray) -> Arrivals:
        """Some of the arrivals."""
        return Arrivals(self.parent[at], self.target[at], self.weight[at], self.edge[at])

    def cut(self, begin: int, end: int) -> Arrivals:
        """A run of the arrivals."""
        return Arrivals(self.parent[begin:end], self.target[begin:end], self.weight[begin:end], self.edge[begin:end])


def make_root() -> Labels:
    """The path of no hops."""
    none = np.zeros((1, 0), np.int64)
    return Labels(none, none, np.zeros(1, np.int64))


def move_labels(labels: Labels, hops: Hops) -> Arrivals:
    """Each label with each hop of its row, but for hops to stations that it has visited."""
    parent = np.repeat(np.arange(len(hops.counts)), hops.counts)
    moved = Arrivals(parent, hops.target, np.repeat(labels.weight, hops.counts) + hops.weight, hops.edge)
    if labels.path.shape[1] == 1:
        return moved
    fresh = np.ones(len(parent), np.bool_)
    for column in labels.path.T[:-1]:
        fresh &= np.repeat(column, hops.counts) != hops.target
    return moved.take(fresh)


def thin_arrivals(labels: Labels, arrivals: Arrivals, hops_left: int) -> Arrivals:
    """The arrivals that `hops_left` (at least 1) more hops can need, in their order."""
    order = _sort_arrivals(arrivals)
    inner = labels.path[arrivals.parent[order]]
    return arrivals.take(np.sort(order[select_family(arrivals.target[order], inner, hops_left)]))


def _sort_arrivals(arrivals: Arrivals) -> IntArray:
    """By target, then weight descending, then the order in which they stand."""
    if not len(arrivals.target):
        return np.zeros(0, np.int64)
    top = int(arrivals.weight.max())
    span = top - int(arrivals.weight.min()) + 1
    if (int(arrivals.target.max()) + 1) * span < 2**62:
        return np.argsort(arrivals.target * span + (top - arrivals.weight), kind="stable")
    return np.lexsort((-arrivals.weight, arrivals.target))


def cut_arrivals(arrivals: Arrivals, width: int) -> Arrivals:
    """The heaviest `width` arrivals, in their order."""
    excess = len(arrivals.weight) - width
    if excess <= 0:
        return arrivals
    return arrivals.take(np.sort(np.argpartition(arrivals.weight, excess)[excess:]))


def extend_labels(labels: Labels, arrivals: Arrivals) -> Labels:
    """The arrivals as labels of the next level."""
    path = np.concatenate((labels.path[arrivals.parent], arrivals.target[:, None]), axis=1)
    edges = np.concatenate((labels.edges[arrivals.parent], arrivals.edge[:, None]), axis=1)
    return Labels(path, edges, arrivals.weight)
