"""The nodes of an index without their texts: which there are, how deep they stand, which go first where not all fit.

Made of plain tuples and lists, since there may be hundreds of thousands: 0.6 microseconds a node.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from remem.reading.cursors import lost_cursor_error
from remem.records import START_TEMPERATURE, NodeRow, UsageRow
from remem.storage import outline
from remem.storage import usage as usage_rows
from remem.storage.outline import Spot, Twig

if TYPE_CHECKING:
    from sqlite3 import Connection

_PINNED = 1 << 40
_COLDEST = 2.0**-20
_STEPS = 1000
MAX_DEPTH = 1_000_000
_position = itemgetter(1)


class Skeleton(NamedTuple):
    """The nodes of an index in its order, of any depth. `documents` are those that they lie in, `starts` the number of
    the first node of each; `levels` holds, by depth, the numbers of the nodes that are no deeper than `depth`. `leaves`
    counts, by depth, the nodes with nothing below them that were not loaded."""

    twigs: list[Twig]
    documents: list[tuple[str, str, str]]
    starts: list[int]
    levels: list[list[int]]
    leaves: list[int]
    depth: int

    def count_lines(self, first: int = 0) -> int:
        """How many lines the index has from a depth on."""
        return sum(map(len, self.levels[first:])) + sum(self.leaves[first : self.depth + 1])

    def find_end(self, number: int) -> int:
        """The number after the last node below a node."""
        document = bisect_right(self.starts, number) - 1
        last = self.twigs[number][2]
        return bisect_right(self.twigs, last, number, self._find_stop(document), key=_position)

    def find_after(self, spot: Spot) -> int:
        """The number of the first node that stands after a spot, be there a node or not."""
        document = bisect_left(self.documents, spot[:3])
        if document == len(self.documents):
            return len(self.twigs)
        start, stop = self.starts[document], self._find_stop(document)
        if self.documents[document] != spot[:3]:
            return start
        return bisect_right(self.twigs, spot.position, start, stop, key=_position)

    def _find_stop(self, document: int) -> int:
        return self.starts[document + 1] if document + 1 < len(self.starts) else len(self.twigs)


class Ranked(NamedTuple):
    """A line in the order in which a budget takes them: less deep first, then hotter, then by number."""

    depth: int
    heat: int
    number: int


def load_upper_skeleton(connection: Connection, depth: int) -> Skeleton:
    """The whole store, but for the nodes with nothing below them: these are counted."""
    documents = outline.load_document_spots(connection)
    twigs = outline.load_inner_twigs(connection)
    twigs.sort()
    skeleton = _arrange([row[:4] for row in documents], twigs, MAX_DEPTH)
    leaves = [0] * (len(skeleton.levels) + 1)
    for level, numbers in enumerate(skeleton.levels):
        below = sum(skeleton.twigs[number][2] - skeleton.twigs[number][1] for number in numbers)
        leaves[level + 1] += below
        leaves[level] -= below + len(numbers) if level else 0
    return skeleton._replace(levels=skeleton.levels[: depth + 1], leaves=leaves, depth=depth)


def load_skeleton(connection: Connection, top: NodeRow | None, depth: int, blocks: bool) -> Skeleton:
    """The nodes below `top` (with it), or of the whole store; without `blocks`, documents and sections alone."""
    if top is not None:
        spot = outline.find_spot(connection, top.key) or Spot("", "", "", 0)
        twigs = outline.load_twigs_below(connection, top.document, top.position, top.last, blocks=blocks)
        return _arrange([(*spot[:3], top.document)], sorted(twigs), depth)
    documents = outline.load_document_spots(connection)
    if depth == 0 and blocks:
        roots: list[Twig] = [(key, 0, last, key, None) for *_, key, last in documents]
        numbers = list(range(len(roots)))
        return Skeleton(roots, [row[:3] for row in documents], numbers, [numbers], [], depth)
    twigs = outline.load_twigs(connection, blocks=blocks)
    twigs.sort()
    return _arrange([row[:4] for row in documents], twigs, depth)


def _arrange(documents: Sequence[tuple[str, str, str, int]], twigs: list[Twig], depth: int) -> Skeleton:
    """The twigs, sorted, in the order of the documents. What lies in a node that is not among them is left out."""
    levels: list[list[int]] = []
    kept: list[Twig] = []
    starts = []
    for *_, document in documents:
        starts.append(len(kept))
        depths: dict[int | None, int] = {}
        for twig in twigs[bisect_left(twigs, (document,)) : bisect_left(twigs, (document + 1,))]:
            level = depths.get(twig[4], -1) + 1
            if not level and depths:
                continue
            depths[twig[3]] = level
            if level <= depth:
                if level == len(levels):
                    levels.append([])
                levels[level].append(len(kept))
            kept.append(twig)
    return Skeleton(kept, [row[:3] for row in documents], starts, levels, [], depth)


class Order(NamedTuple):
    """What orders branches: the half-life of their heat. Uses after the instant `until` (milliseconds) do not count:
    they were not known, or not all, when the order was fixed at `fixed`; pins are known at once. So all pages of a walk
    have the same."""

    half_life: float
    until: int
    fixed: int


class Cursor(NamedTuple):
    """The line after which an index goes on: its depth, heat and key; and until when uses count."""

    depth: int
    heat: int
    key: int
    until: int


def rank_lines(
    connection: Connection, skeleton: Skeleton, order: Order, after: Cursor | None, most: int
) -> tuple[list[Ranked], int] | None:
    """The first `most` lines that come after a cursor, and how many come after it in all; None where there are some
    among them that were not loaded.

    No line is passed over. One that was shown before comes again only where it, or something below it, was used since
    the cursor's instant: it is then where it would be had it never been used.
    """
    branches = _measure_branches(connection, order)
    found: list[Ranked] = []
    first = 0 if after is None else after.depth
    rest = skeleton.count_lines(first)
    for depth in range(first, skeleton.depth + 1):
        if len(found) >= most or len(found) >= rest:
            break
        if any(skeleton.leaves[depth : depth + 1]):
            return None
        numbers = skeleton.levels[depth]
        keys = {skeleton.twigs[number][3]: number for number in numbers}
        heats = _measure_nodes(connection, keys, order)
        ranked = [Ranked(depth, max(heats[key], branches.get(key, 0)), number) for key, number in keys.items()]
        ranked.sort(key=lambda line: (-line.heat, line.number))
        if after is not None and depth == first:
            ranked = _skip_shown(connection, skeleton, ranked, after)
            rest -= len(numbers) - len(ranked)
        found += ranked[: most - len(found)]
    return found, rest


def _skip_shown(connection: Connection, skeleton: Skeleton, ranked: list[Ranked], after: Cursor) -> list[Ranked]:
    spot = outline.find_spot(connection, after.key)
    if spot is None:
        raise lost_cursor_error()
    number = skeleton.find_after(spot)
    return [line for line in ranked if (-line.heat, line.number) >= (-after.heat, number)]


def _measure_nodes(connection: Connection, keys: Iterable[int], order: Order) -> dict[int, int]:
    rows = usage_rows.load_usage(connection, keys, START_TEMPERATURE, 0)
    late = [key for key, row in rows.items() if row.at > (order.fixed if row.pinned else order.until)]
    for key, at in outline.load_arrivals(connection, late).items():
        rows[key] = UsageRow(key, START_TEMPERATURE, at)
    return {key: measure_heat(row, order.half_life) for key, row in rows.items()}


def _measure_branches(connection: Connection, order: Order) -> dict[int, int]:
    """The heat of the hottest node in use at or below a node, by key."""
    pairs = outline.load_used_branches(connection)
    heats = _measure_nodes(connection, {used for _, used in pairs}, order)
    branches: dict[int, int] = {}
    for node, used in pairs:
        branches[node] = max(heats[used], branches.get(node, 0))
    return branches


def measure_heat(row: UsageRow, half_life: float) -> int:
    """What orders nodes by temperature, pinned ones first. Unlike the temperature it does not change with time, since
    all cool alike: so pages that are read one after the other stand in one order."""
    if row.pinned:
        return _PINNED
    halvings = math.log2(max(row.temperature, _COLDEST) / _COLDEST) + max(row.at, 0) / half_life
    return min(int(halvings * _STEPS), _PINNED - 1)
