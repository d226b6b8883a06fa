"""Small changes to a hop table: only the rows of the stations concerned are made again. Reads no store."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from remem.graph.csr import FORWARD, EdgeColumns, HopTable, Rows, climb, make_hops, put_rows
from remem.graph.forest import Forest
from remem.graph.stations import BoolArray, IntArray


@dataclass(frozen=True, slots=True)
class Patch:
    """What changed, in numbers: runs of nodes that are dead, pairs of nodes whose edges are no longer known, and the
    edges that there are now at those pairs and at nodes that are new."""

    gone: tuple[tuple[int, int], ...]
    source: IntArray
    target: IntArray
    edges: EdgeColumns


def patch_table(table: HopTable, forest: Forest, patch: Patch) -> None:
    """Brings a table up to date with the forest and the patch. Time O(hops in the rows concerned, log)."""
    extend_table(table, forest.size)
    dead = _list_dead(table, forest, patch)
    dirty = np.setdiff1d(_list_dirty(table, forest, patch, dead), dead)
    counts, at = table.list_row(dirty)
    owner = np.repeat(dirty, counts)
    kept = _stays(table, forest, patch, at)
    new_owner, new_at = _append_hops(table, forest, patch.edges)
    owners, places = np.concatenate((owner[kept], new_owner)), np.concatenate((at[kept], new_at))
    put_rows(table, forest.rank.values, owners, places, np.concatenate((dirty, dead)))


def extend_table(table: HopTable, size: int) -> None:
    """Gives empty rows to the nodes with new numbers."""
    missing = size - len(table.direct)
    if missing <= 0:
        return
    empty = np.zeros(missing, np.int32)

    def extend(rows: Rows) -> Rows:
        begin, first, total = (np.concatenate((column, empty)) for column in rows)
        return Rows(begin, total if rows.first is rows.total else first, total)

    table.rows, table.forward, table.backward = map(extend, (table.rows, table.forward, table.backward))
    table.direct = np.concatenate((table.direct, np.zeros(missing, np.bool_)))


def _list_dead(table: HopTable, forest: Forest, patch: Patch) -> IntArray:
    """The stations among the dead nodes that have rows."""
    runs = [np.arange(first, last + 1) for first, last in patch.gone]
    nodes = np.concatenate(runs) if runs else np.zeros(0, np.int64)
    return nodes[table.rows.total[nodes] > 0]


def _list_dirty(table: HopTable, forest: Forest, patch: Patch, dead: IntArray) -> IntArray:
    """The stations whose rows have to be made again, dead ones among them."""
    place = forest.place(table.scope)
    _, at = table.list_row(dead)
    far = table.columns.far[at].astype(np.int64)
    edges = patch.edges
    nodes = np.concatenate((far, patch.source, patch.target, edges.source, edges.target))
    station = np.unique(place[nodes]).astype(np.int64)
    found = [station]
    while table.scope == "section" and len(station):
        station = np.unique(forest.above.values[station]).astype(np.int64)
        station = station[station >= 0]
        found.append(station)
    return np.unique(np.concatenate(found))


def _stays(table: HopTable, forest: Forest, patch: Patch, at: IntArray) -> BoolArray:
    """Which of the hops are still known to be there."""
    columns = table.columns
    near, far = columns.near[at].astype(np.int64), columns.far[at].astype(np.int64)
    kept = np.ones(len(at), np.bool_)
    for first, last in patch.gone:
        kept &= ((near < first) | (near > last)) & ((far < first) | (far > last))
    forward = columns.code[at] & FORWARD > 0
    pair = np.where(forward, near, far) * forest.size + np.where(forward, far, near)
    kept &= ~np.isin(pair, patch.source * forest.size + patch.target)
    return kept


def _append_hops(table: HopTable, forest: Forest, edges: EdgeColumns) -> tuple[IntArray, IntArray]:
    """Adds the hops of new edges: (station, position of hop) for all stations that they leave."""
    owner, hops = make_hops(edges, forest.place(table.scope))
    base = len(table.hops[0])
    for tape, column in zip(table.hops, hops, strict=True):
        tape.append(column.astype(np.int64))
    table.heaviest = max(table.heaviest, int(edges.weight.max(initial=0)))
    owner = owner.astype(np.int64)
    if table.scope != "section":
        return owner, base + np.arange(len(owner))
    return climb(forest, table.columns, owner, base + np.arange(len(owner)))
