"""All nodes numbered in tree order: a document's nodes follow each other, so a section is a slice. Holds no texts, no
ids and no edges.

Numbers are given once. A document that changes gets new ones at the end, and its old ones are dead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remem.graph.stations import BoolArray, IntArray
from remem.graph.tape import Tape, shrink
from remem.records import Scope

NOTHING = -1
GAP = 1 << 16
"""Distance of neighbouring ranks when all are fresh, so that new ids find room between."""


class NodeColumns(NamedTuple):
    """Nodes as columns, ordered by document and position; all are keys or codes. `parent` is 0 for a root."""

    key: IntArray
    document: IntArray
    position: IntArray
    last: IntArray
    station: IntArray
    parent: IntArray
    kind: IntArray
    title: IntArray


class KeyIndex:
    """The place of each key among some keys: a table where they lie close, else by bisection."""

    def __init__(self, keys: IntArray) -> None:
        top = int(keys.max(initial=0))
        self._table = np.full(top + 1, NOTHING, np.int32) if top <= 3 * len(keys) + 1000 else None
        self._order = np.zeros(0, np.int32)
        self._sorted = np.zeros(0, np.int64)
        if self._table is not None:
            self._table[keys] = np.arange(len(keys))
        else:
            self._order = np.argsort(keys).astype(np.int32)
            self._sorted = keys[self._order]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._table.nbytes if self._table is not None else self._order.nbytes + self._sorted.nbytes

    def find(self, keys: IntArray) -> IntArray:
        """The places, -1 where a key is none of them."""
        if self._table is not None:
            known = (keys >= 0) & (keys < len(self._table))
            if known.all():
                return self._table[keys].astype(np.int64)
            return np.where(known, self._table[np.where(known, keys, 0)], NOTHING).astype(np.int64)
        if not len(self._sorted):
            return np.full(len(keys), NOTHING)
        at = np.minimum(np.searchsorted(self._sorted, keys), len(self._sorted) - 1)
        return np.where(self._sorted[at] == keys, self._order[at], NOTHING).astype(np.int64)


@dataclass(slots=True)
class Forest:
    """Columns over the numbers of nodes. `end` is the last number of the subtree; `document`, `parent` (-1: none),
    `station` and `above` (the station around a station, -1: none) are numbers; `kind` is a code, `rank` orders by id;
    `title` marks title headings. `moved` holds the numbers of keys that changed after the start
    (-1: gone), `buried` the runs of dead numbers."""

    key: Tape
    end: Tape
    document: Tape
    parent: Tape
    station: Tape
    above: Tape
    kind: Tape
    title: Tape
    rank: Tape
    index: KeyIndex
    moved: dict[int, int]
    buried: list[tuple[int, int]] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many numbers were given, dead ones included."""
        return len(self.key)

    @property
    def living(self) -> int:
        """How many nodes there are."""
        return self.size - sum(last - first + 1 for first, last in self.buried)

    def mark_living(self) -> BoolArray:
        """Which numbers are those of nodes that there are."""
        living = np.ones(self.size, np.bool_)
        for first, last in self.buried:
            living[first : last + 1] = False
        return living

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        tapes = (self.key, self.end, self.document, self.parent, self.station, self.above, self.kind, self.title)
        return sum(tape.nbytes for tape in (*tapes, self.rank)) + self.index.nbytes

    def place(self, scope: Scope) -> NDArray[Any]:
        """The station of each node under a scope."""
        if scope == "section":
            return self.station.values
        return self.document.values if scope == "document" else np.arange(self.size)

    def find(self, key: int) -> int:
        """The number of a node, -1 where there is none."""
        return int(self.find_all(np.array([key]))[0])

    def find_all(self, keys: IntArray) -> IntArray:
        """The numbers of nodes, -1 where there is none."""
        found = self.index.find(keys)
        if self.moved:
            for place, key in enumerate(keys.tolist()):
                found[place] = self.moved.get(key, found[place])
        return found

    def list_around(self, node: int) -> list[int]:
        """What a node lies in, the nearest first."""
        parent, found = self.parent.values, []
        while (node := int(parent[node])) >= 0:
            found.append(node)
        return found

    def append(self, columns: NodeColumns, rank: IntArray) -> None:
        """Gives numbers to the nodes of whole documents; the documents' old numbers are dead from then on."""
        part = number_nodes(columns, self.size)
        for tape, values in zip(self._tapes(), (*part, rank), strict=True):
            tape.append(values)
        self.moved.update(zip(columns.key.tolist(), range(self.size - len(rank), self.size), strict=True))

    def bury(self, key: int) -> tuple[int, int] | None:
        """Marks the nodes of a document as dead: (first number, last number), or None where it is not known."""
        first = self.find(key)
        if first < 0 or int(self.document.values[first]) != first:
            return None
        last = int(self.end.values[first])
        self.moved.update(dict.fromkeys(self.key.values[first : last + 1].tolist(), NOTHING))
        self.buried.append((first, last))
        return first, last

    def _tapes(self) -> tuple[Tape, ...]:
        return (
            *(self.key, self.end, self.document, self.parent, self.station, self.above, self.kind, self.title),
            self.rank,
        )


def number_nodes(columns: NodeColumns, start: int) -> tuple[NDArray[Any], ...]:
    """The columns of a forest but for the rank, for nodes whose first gets the number `start`."""
    key, count = columns.key, len(columns.key)
    index = KeyIndex(key)
    document, parent, station = (index.find(keys) for keys in (columns.document, columns.parent, columns.station))
    above = np.where(parent >= 0, station[parent], NOTHING)
    # A title heading's station is its document, which has nothing above it.
    above = np.where(station == np.arange(count), above, NOTHING)
    shifted = [np.where(column >= 0, column + start, NOTHING).astype(np.int32) for column in (document, parent)]
    return (
        shrink(key),
        (np.arange(start, start + count) + columns.last - columns.position).astype(np.int32),
        *shifted,
        (station + start).astype(np.int32),
        np.where(above >= 0, above + start, NOTHING).astype(np.int32),
        columns.kind.astype(np.uint8),
        columns.title.astype(np.bool_),
    )


def build_forest(columns: NodeColumns, keys_by_id: IntArray) -> Forest:
    """The forest of all nodes. `keys_by_id` are their keys in the order of their ids."""
    key, end, document, parent, station, above, kind, title = map(Tape, number_nodes(columns, 0))
    rank = Tape(np.zeros(len(columns.key), np.int64))
    tapes = (key, end, document, parent, station, above, kind, title, rank)
    forest = Forest(*tapes, KeyIndex(columns.key), {})
    rank_afresh(forest, keys_by_id)
    return forest


def rank_afresh(forest: Forest, keys_by_id: IntArray) -> None:
    """Gives fresh ranks to all living nodes; their order stays. Who holds the old ranks may go on with them."""
    rank = np.zeros(forest.size, np.int64)
    rank[forest.find_all(keys_by_id)] = np.arange(1, len(keys_by_id) + 1) * GAP
    forest.rank = Tape(rank)


def rank_between(before: list[int | None], after: list[int | None]) -> IntArray | None:
    """Ranks for new ids in ascending order. `before` and `after` are the ranks of the ids next to each (None: it is new
    too, or there is none). None where there is no room."""
    count = len(before)
    upper = [0] * count
    left = [0] * count
    for at in range(count - 1, -1, -1):
        known = after[at]
        follows = at + 1 < count and before[at + 1] is None
        upper[at] = known if known is not None else (upper[at + 1] if follows else 0)
        left[at] = left[at + 1] + 1 if follows else 1
    ranks, lower = [], 0
    for at in range(count):
        known = before[at]
        lower = known if known is not None else lower
        top = upper[at] or lower + GAP * (left[at] + 1)
        step = (top - lower) // (left[at] + 1)
        if step < 1:
            return None
        lower += step
        ranks.append(lower)
    return np.array(ranks, np.int64)


def mark_around(forest: Forest, node: int, strict: bool) -> BoolArray:
    """Which numbers no path enters after its first hop: the node, what lies in it and what it lies in."""
    masked = np.zeros(forest.size, np.bool_)
    if strict:
        masked[node] = True
        return masked
    masked[node : int(forest.end.values[node]) + 1] = True
    masked[forest.list_around(node)] = True
    return masked
