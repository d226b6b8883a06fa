"""The hops of all stations of one scope as compressed rows, built whole. Knows no request and no SQL.

A hop is one edge walked one way. The hops lie in rows by the station that holds their near end, and in a row in the
order of the ids of the stations they lead to; of parallel hops the preferred stands there and the others at the row's
end (`arrange_hops`). So a walk either way reads one slice. Walks one way read index rows. A station with stations below
it has an index row of all that leave its subtree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remem.graph.forest import NOTHING, Forest
from remem.graph.merge import NAME_RANK
from remem.graph.stations import BoolArray, IntArray, mark_starts
from remem.graph.tape import Tape, shrink
from remem.records import Scope

FORWARD = 32
"""The bit of a hop's code that says it is walked along its edge; below it type * 4 + origin."""


class EdgeColumns(NamedTuple):
    """Edges as columns: numbers (or keys) of the ends, type * 4 + origin, weight in millionths."""

    source: IntArray
    target: IntArray
    code: IntArray
    weight: IntArray


class HopColumns(NamedTuple):
    """Hops as columns: numbers of the station reached and of the edge's near and far end, weight, code."""

    target: NDArray[Any]
    near: NDArray[Any]
    far: NDArray[Any]
    weight: NDArray[Any]
    code: NDArray[Any]

    def take(self, at: IntArray | BoolArray) -> HopColumns:
        """Some of the hops."""
        return HopColumns(*(column[at] for column in self))


class Rows(NamedTuple):
    """For each station where its row begins, how many of its hops come first (one for each target), and how many there
    are."""

    begin: NDArray[Any]
    first: NDArray[Any]
    total: NDArray[Any]


@dataclass(slots=True)
class HopTable:
    """All hops of one scope. `rows` are slices of the hops where `direct`, else of `index`, whose entries are positions
    of hops. `forward` and `backward` are index rows of the direct stations' hops one way."""

    scope: Scope
    hops: tuple[Tape, ...]
    index: Tape
    rows: Rows
    direct: BoolArray
    forward: Rows
    backward: Rows
    one_way: NDArray[Any]
    heaviest: int
    garbage: int = 0

    @property
    def columns(self) -> HopColumns:
        """The hops as columns."""
        return HopColumns(*(tape.values for tape in self.hops))

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        kept = sum(tape.nbytes for tape in (*self.hops, self.index)) + self.direct.nbytes + self.one_way.nbytes
        columns = {id(part): part for rows in (self.rows, self.forward, self.backward) for part in rows}
        return kept + sum(part.nbytes for part in columns.values())

    def list_row(self, stations: IntArray) -> tuple[IntArray, IntArray]:
        """(count for each station, positions of all hops in their rows)."""
        rows, direct = self.rows, self.direct[stations]
        counts, at = gather_slices(rows.begin[stations], rows.total[stations])
        return counts, self.resolve(direct, counts, at)

    def resolve(self, direct: BoolArray, counts: IntArray, at: IntArray) -> IntArray:
        """Positions of hops for positions in rows."""
        if not direct.all():
            there = np.flatnonzero(np.repeat(~direct, counts))
            at[there] = self.index.values[at[there]]
        return at


def gather_slices(begin: NDArray[Any], counts: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """The lengths of slices, and all their positions one slice after the other."""
    counts = counts.astype(np.int64)
    ends = np.cumsum(counts)
    at = np.repeat(begin - ends + counts, counts)
    at += np.arange(len(at))
    return counts, at


def make_hops(edges: EdgeColumns, place: NDArray[Any]) -> tuple[IntArray, HopColumns]:
    """The hops of edges, both ways, with the station that each leaves. Edges within one station make none."""
    source, target, code, weight = edges
    here, there = place[source], place[target]
    kept = np.flatnonzero(here != there)
    if len(kept) < len(here):
        source, target, code, weight = source[kept], target[kept], code[kept], weight[kept]
        here, there = here[kept], there[kept]
    hops = HopColumns(
        np.concatenate((there, here)),
        np.concatenate((source, target)),
        np.concatenate((target, source)),
        np.concatenate((weight, weight)),
        np.concatenate((code | FORWARD, code)),
    )
    return np.concatenate((here, there)), hops


def build_table(edges: EdgeColumns, forest: Forest, scope: Scope) -> HopTable:
    """All hops of a scope, from all edges. Time O(edges log edges)."""
    owner, hops = make_hops(edges, forest.place(scope))
    rank = make_dense(forest.rank.values)
    order, owner, extra = arrange_hops(owner, hops, rank)
    rows = count_rows(owner, extra, forest.size)
    target, near, far, weight, code = hops.take(order)
    narrow = HopColumns(
        target.astype(np.int32), near.astype(np.int32), far.astype(np.int32), shrink(weight), code.astype(np.uint8)
    )
    one_way, forward, backward = _list_one_way(owner, narrow, extra, rank, forest.size)
    table = HopTable(
        scope,
        tuple(Tape(column) for column in narrow),
        Tape(np.zeros(0, np.int32)),
        rows,
        np.ones(forest.size, np.bool_),
        forward,
        backward,
        one_way,
        int(weight.max(initial=0)),
    )
    if scope == "section":
        _index_outer_stations(table, forest, owner, rank)
    return table


def pack_pairs(high: NDArray[Any], low: NDArray[Any]) -> IntArray:
    """One number for each pair, in the order of the pairs (no number is negative)."""
    high, low = high.astype(np.int64), low.astype(np.int64)
    span = int(low.max(initial=0)) + 1
    if (int(high.max(initial=0)) + 1) * span >= 2**62:
        high, low = np.unique(high, return_inverse=True)[1], np.unique(low, return_inverse=True)[1]
        span = int(low.max(initial=0)) + 1
    return high * span + low


def make_dense(rank: IntArray) -> IntArray:
    """Ranks without gaps."""
    dense = np.empty(len(rank), np.int64)
    dense[np.argsort(rank, kind="stable")] = np.arange(len(rank))
    return dense


def arrange_hops(owner: IntArray, hops: HopColumns, rank: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
    """(order, owners in that order, whether each is an extra): by owner; in a row first one hop for each target, by its
    rank, then the extra ones likewise.

    Of parallel hops the first is the heaviest, then the lower code of origin, then the type's name, source and target
    id, forward before backward.
    """
    key = pack_pairs(owner, rank[hops.target])
    order = np.argsort(key)
    key = key[order]
    extra = ~mark_starts(key)
    if not extra.any():
        return order, owner[order], extra
    _prefer(order, key, extra, hops, rank)
    owner = owner[order]
    place = _put_extras_last(owner, extra)
    final, extra_last = np.empty_like(order), np.empty_like(extra)
    final[place], extra_last[place] = order, extra
    return final, owner, extra_last


def _prefer(order: IntArray, key: IntArray, extra: BoolArray, hops: HopColumns, rank: IntArray) -> None:
    """Sorts each run of parallel hops in place."""
    rivals = np.flatnonzero(extra | np.append(extra[1:], False))
    at = order[rivals]
    near, far, weight, code = hops.near[at], hops.far[at], hops.weight[at], hops.code[at].astype(np.int64)
    forward = code & FORWARD > 0
    source, target = np.where(forward, near, far), np.where(forward, far, near)
    names = NAME_RANK[code % FORWARD // 4]
    sort = np.lexsort((~forward, rank[target], rank[source], names, code % 4, -weight.astype(np.int64), key[rivals]))
    order[rivals] = at[sort]


def _put_extras_last(owner: IntArray, extra: BoolArray) -> IntArray:
    """The place of each hop when the extra ones of each row go to its end."""
    starts = mark_starts(owner)
    row = np.cumsum(starts) - 1
    begin = np.flatnonzero(starts)
    counts = np.diff(np.append(begin, len(owner)))
    extras = np.add.reduceat(extra.astype(np.int64), begin)
    before: IntArray = np.cumsum(extra) - extra
    extra_index: IntArray = before - before[begin][row]
    first_index = np.arange(len(owner)) - begin[row] - extra_index
    place: IntArray = begin[row] + np.where(extra, (counts - extras)[row] + extra_index, first_index)
    return place


def count_rows(owner: IntArray, extra: BoolArray, size: int) -> Rows:
    """The rows of arranged hops."""
    count = np.bincount(owner, minlength=size)
    first = count - np.bincount(owner[extra], minlength=size)
    begin = np.cumsum(count) - count
    return Rows(begin.astype(np.int32), first.astype(np.int32), count.astype(np.int32))


def _list_one_way(
    owner: IntArray, hops: HopColumns, extra: BoolArray, rank: IntArray, size: int
) -> tuple[NDArray[Any], Rows, Rows]:
    """The positions of the hops along edges, then of those against them, each in rows by target."""
    at = np.arange(len(owner))
    if extra.any():
        # Extras go back beside the first of their target; of those the order is that of preference.
        mixed = np.unique(owner[extra])
        member = np.flatnonzero(np.isin(owner, mixed))
        sort = np.lexsort((extra[member], rank[hops.target[member]], owner[member]))
        at[member] = member[sort]
    forward = hops.code[at] & FORWARD > 0
    parts, rows = [], []
    offset = 0
    for part in (at[forward], at[~forward]):
        count = np.bincount(owner[part], minlength=size)
        begin = (np.cumsum(count) - count + offset).astype(np.int32)
        total = count.astype(np.int32)
        rows.append(Rows(begin, total, total))
        parts.append(part.astype(np.int32))
        offset += len(part)
    return np.concatenate(parts), rows[0], rows[1]


def _index_outer_stations(table: HopTable, forest: Forest, owner: IntArray, rank: IntArray) -> None:
    """Gives index rows to the stations that have stations below them."""
    above = forest.above.values
    outer = np.zeros(forest.size, np.bool_)
    outer[above[above >= 0]] = True
    if not outer.any():
        return
    own = np.flatnonzero(outer[owner])
    owners, at = climb(forest, table.columns, owner[own], own, up=False)
    raised, raised_at = climb(forest, table.columns, owner, np.arange(len(owner)), own=False)
    stations = np.flatnonzero(outer)
    put_rows(table, rank, np.concatenate((owners, raised)), np.concatenate((at, raised_at)), stations)


def climb(
    forest: Forest, hops: HopColumns, owner: IntArray, at: IntArray, *, own: bool = True, up: bool = True
) -> tuple[IntArray, IntArray]:
    """(station, position of hop) of the hops `at` for the stations they leave: `own` the station of their near end,
    `up` all around it. A hop that stays in a station's subtree leaves it only from the station itself."""
    above, end, title = forest.above.values, forest.end.values, forest.title.values
    owners, places = [], []
    if own:
        near, far = hops.near[at], hops.far[at]
        leaves = (far < owner) | (far > end[owner]) | (near == owner) | title[near]
        owners.append(owner[leaves])
        places.append(at[leaves])
    while up and len(owner):
        owner = above[owner].astype(np.int64)
        known = owner != NOTHING
        owner, at = owner[known], at[known]
        far = hops.far[at]
        leaves = (far < owner) | (far > end[owner])
        owners.append(owner[leaves])
        places.append(at[leaves])
    none = np.zeros(0, np.int64)
    return np.concatenate((none, *owners)), np.concatenate((none, *places))


def put_rows(table: HopTable, rank: IntArray, owner: IntArray, at: IntArray, stations: IntArray) -> None:
    """Replaces the rows of `stations` by index rows of the hops `at`, which leave the `owner`s (all of them among the
    stations). Arrays that others may hold are copied."""
    order, owner, extra = arrange_hops(owner, table.columns.take(at), rank)
    base = len(table.index)
    table.index.append(at[order].astype(np.int32))
    table.garbage += int(table.rows.total[stations].sum())
    begin, first, count = (column.copy() for column in table.rows)
    direct = table.direct.copy()
    begin[stations], first[stations], count[stations], direct[stations] = base, 0, 0, False
    if len(owner):
        starts = np.flatnonzero(mark_starts(owner))
        heads = owner[starts]
        begin[heads] = base + starts
        count[heads] = np.diff(np.append(starts, len(owner)))
        first[heads] = count[heads] - np.add.reduceat(extra.astype(np.int64), starts)
    table.rows, table.direct = Rows(begin, first, count), direct
