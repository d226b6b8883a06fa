"""Representative families: which labels of a station are enough for every continuation. Knows no graph and no weights,
only an order of preference and the stations each label has visited."""

from __future__ import annotations

import numpy as np

from remem.graph.stations import BoolArray, IntArray, mark_starts


def select_family(station: IntArray, inner: IntArray, hops_left: int) -> IntArray:
    """The positions of the labels that have to be kept, ascending.

    `station` (n) is where each label stands; labels of one station follow each other, the preferred first. `inner`
    (n, p) are the stations that a label has visited on its way (with p = 1 another one for each label of a station),
    `hops_left` (at least 1) the hops still to come.

    A label is dropped where every set of at most `hops_left` stations that leaves it open leaves a preferred one open:
    whatever continues it then continues a better one. At most C(p + hops_left, p) labels stay for each station
    (Bollobas). Time O(n * p ** (hops_left + 1)) in each of that many rounds, over a quickly falling n.
    """
    starts = mark_starts(station)
    if inner.shape[1] == 1:
        return _keep_first_few(starts, hops_left + 1)
    alone = starts & np.append(starts[1:], True)
    shared = np.flatnonzero(~alone)
    kept = shared[_select_shared(station[shared], inner[shared], hops_left)]
    return np.sort(np.concatenate((np.flatnonzero(alone), kept)))


def _keep_first_few(starts: BoolArray, count: int) -> IntArray:
    """The first `count` of each run."""
    at = np.arange(len(starts))
    begin = np.maximum.accumulate(np.where(starts, at, 0))
    return np.flatnonzero(at - begin < count)


def _select_shared(station: IntArray, inner: IntArray, hops_left: int) -> IntArray:
    starts = mark_starts(station)
    group = np.cumsum(starts) - 1
    blocks = _Blocks(int(starts.sum()), inner.shape[1], hops_left)
    alive, kept = np.arange(len(station)), [np.zeros(0, np.int64)]
    chosen = np.flatnonzero(starts)
    while len(chosen):
        kept.append(chosen)
        blocks.add(group[chosen], inner[chosen])
        # A label that all sets block stays blocked: later sets are greater, or none.
        alive = alive[blocks.leave_open(group[alive], inner[alive])]
        chosen = alive[mark_starts(group[alive])]
    return np.concatenate(kept)


class _Blocks:
    """For each group the minimal sets of at most `hops_left` stations that meet every label kept so far."""

    def __init__(self, groups: int, inner: int, hops_left: int) -> None:
        self.width = inner**hops_left
        self.member = np.full((groups, self.width, hops_left), -1, np.int64)
        self.length = np.full((groups, self.width), -1, np.int64)  # -1: no such set
        self.length[:, :1] = 0

    def leave_open(self, group: IntArray, inner: IntArray) -> BoolArray:
        """Whether some set of the label's group meets none of its stations."""
        open_sets: BoolArray = self._miss(group, inner) & (self.length[group] >= 0)
        return np.asarray(open_sets.any(axis=1), np.bool_)

    def _miss(self, group: IntArray, inner: IntArray) -> BoolArray:
        hit = np.zeros((len(group), self.width), np.bool_)
        member = self.member[group]
        for column in inner.T:
            for place in range(member.shape[2]):
                hit |= member[:, :, place] == column[:, None]
        return ~hit

    def add(self, group: IntArray, inner: IntArray) -> None:
        """Takes one kept label for each of the groups: a set that misses it grows by one of its stations, or dies."""
        missed = self._miss(group, inner)
        length, member = self.length[group], self.member[group]
        shape = (*length.shape, inner.shape[1])
        grown = np.repeat(member[:, :, None, :], shape[2], axis=2)
        lengths = np.full(shape, -1, np.int64)
        lengths[:, :, 0] = np.where(missed, -1, length)
        label, row = np.nonzero(missed & (length >= 0) & (length < member.shape[2]))
        size = length[label, row]
        lengths[label, row] = (size + 1)[:, None]
        for column in range(shape[2]):
            grown[label, row, column, size] = inner[label, column]
        self._store(group, lengths.reshape(len(group), -1), grown.reshape(len(group), -1, member.shape[2]))

    def _store(self, group: IntArray, length: IntArray, member: IntArray) -> None:
        """Puts the living sets first. They never exceed the width: each set of length k stands for p ** (r - k)."""
        order = np.argsort(length < 0, axis=1, kind="stable")[:, : self.width]
        self.length[group] = np.take_along_axis(length, order, axis=1)
        self.member[group] = np.take_along_axis(member, order[:, :, None], axis=1)
