"""Pictures of the graph in memory: what lies around some nodes, how the whole hangs together. Finds no paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from remem.checks import check_int, check_list
from remem.errors import InvalidInputError, NotFoundError
from remem.graph.components import count_degrees, group_documents
from remem.graph.csr import FORWARD, HopColumns, HopTable
from remem.graph.forest import Forest
from remem.graph.memory.snapshot import Snapshot
from remem.graph.stations import IntArray
from remem.ingest.labels import block_label
from remem.limits import DEEPEST_WALK, MOST_STATIONS
from remem.reading.find import get_node
from remem.records import (
    MICRO,
    ORIGINS,
    RELATIONSHIP_TYPES,
    GraphEdge,
    GraphFigures,
    GraphNode,
    Hub,
    Neighbourhood,
)
from remem.storage.outline import ShownNode, load_shown
from remem.storage.traversal import load_ids

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_HUBS = 10
MOST_EDGES = 20_000
"""Edges in one picture; of more, the heaviest are shown."""


def view_around(
    nodes: Sequence[str], depth: int = 1, limit: int = 200
) -> Callable[[Connection, Snapshot], Neighbourhood]:
    """What reads the neighbourhood of nodes given by id or label. Raises InvalidInputError now; NotFoundError and
    AmbiguousError when it is called."""
    depth, limit = check_int("depth", depth, 0, DEEPEST_WALK), check_int("limit", limit, 1, MOST_STATIONS)
    if not check_list("nodes", nodes):
        raise InvalidInputError("nodes must be a list of at least one id or label", field="nodes")

    def view(connection: Connection, snapshot: Snapshot) -> Neighbourhood:
        keys = [get_node(connection, node, "nodes").key for node in nodes]
        return read_neighbourhood(connection, snapshot, keys, depth, limit)

    return view


def read_neighbourhood(
    connection: Connection, snapshot: Snapshot, keys: Sequence[int], depth: int, limit: int
) -> Neighbourhood:
    """The sections, documents, memories and entities within `depth` hops of some nodes: the nearest, of those the ones
    with most hops, and the edges between them. Raises NotFoundError."""
    table, forest = snapshot.load_table(connection, "section"), snapshot.forest
    numbers = forest.find_all(np.array(keys, np.int64))
    if (numbers < 0).any():
        raise NotFoundError(
            "there is no such node",
            nodes=[key for key, number in zip(keys, numbers.tolist(), strict=True) if number < 0],
        )
    hidden = snapshot.find_hidden(connection)
    stations, distance = spread_out(table, forest.station.values[numbers].astype(np.int64), depth, hidden)
    return _picture(connection, snapshot, table, stations, distance, hidden, limit)


def view_most(limit: int = 200) -> Callable[[Connection, Snapshot], Neighbourhood]:
    """What reads the stations of the whole graph with most hops, and the edges between them; `distance` is 0. Raises
    InvalidInputError now."""
    limit = check_int("limit", limit, 1, MOST_STATIONS)

    def view(connection: Connection, snapshot: Snapshot) -> Neighbourhood:
        table, hidden = snapshot.load_table(connection, "section"), snapshot.find_hidden(connection)
        stations = list_stations(snapshot, hidden)
        return _picture(connection, snapshot, table, stations, np.zeros(len(stations), np.int64), hidden, limit)

    return view


def list_stations(snapshot: Snapshot, hidden: IntArray) -> IntArray:
    """The numbers of all documents, sections, memories and entities that live and are not hidden."""
    forest = snapshot.forest
    own = forest.place("section") == np.arange(forest.size)
    return np.setdiff1d(np.flatnonzero(own & forest.mark_living()), hidden)


def keep_nearest(snapshot: Snapshot, stations: IntArray, distance: IntArray, degree: IntArray) -> IntArray:
    """The order in which stations are shown where not all are: the nearest, of those the ones with most hops."""
    order: IntArray = np.lexsort((snapshot.forest.rank.values[stations], -degree, distance))
    return order


def _picture(
    connection: Connection,
    snapshot: Snapshot,
    table: HopTable,
    stations: IntArray,
    distance: IntArray,
    hidden: IntArray,
    limit: int,
) -> Neighbourhood:
    forest = snapshot.forest
    degree = count_hops(table, stations, hidden)
    order = keep_nearest(snapshot, stations, distance, degree)
    kept = stations[order][:limit]
    shown = load_shown(connection, forest.key.values[kept].tolist())
    nodes = [
        _show_node(shown[int(forest.key.values[station])], int(degree[at]), int(distance[at]))
        for station, at in zip(kept, order[:limit], strict=True)
    ]
    edges = list_edges(connection, snapshot, table, kept, nodes)
    return Neighbourhood(tuple(nodes), tuple(edges), len(stations) - len(kept))


def spread_out(table: HopTable, start: IntArray, depth: int, hidden: IntArray) -> tuple[IntArray, IntArray]:
    """All stations within `depth` hops of either direction but the hidden ones, with their distances."""
    found = frontier = np.unique(start)
    distances = [np.zeros(len(found), np.int64)]
    for hop in range(1, depth + 1):
        _, at = table.list_row(frontier)
        frontier = np.setdiff1d(table.columns.target[at].astype(np.int64), np.concatenate((found, hidden)))
        found = np.concatenate((found, frontier))
        distances.append(np.full(len(frontier), hop))
    return found, np.concatenate(distances)


def count_hops(table: HopTable, stations: IntArray, hidden: IntArray) -> IntArray:
    """How many hops leave each station, but for those to hidden ones."""
    total: IntArray = table.rows.total[stations].astype(np.int64)
    if not len(hidden):
        return total
    counts, at = table.list_row(stations)
    gone = np.repeat(np.arange(len(stations)), counts)[np.isin(table.columns.target[at], hidden)]
    return total - np.bincount(gone, minlength=len(stations))


def _show_node(node: ShownNode, degree: int, distance: int) -> GraphNode:
    label = node.label if node.label is not None else block_label(node.kind, node.opening or "")
    return GraphNode(node.id, node.kind, label, node.root, node.source, degree, distance)


def list_edges(
    connection: Connection, snapshot: Snapshot, table: HopTable, stations: IntArray, nodes: Sequence[GraphNode], *,
    limit: int = MOST_EDGES,
) -> list[GraphEdge]:  # fmt: skip
    """The edges between the stations, at most `limit`, the heaviest. Of the stations that hold an edge's end, the
    innermost shown stands for it; an edge inside that one is left out."""
    forest = snapshot.forest
    counts, at = table.list_row(stations)
    owner = np.repeat(stations, counts)
    forward = table.columns.code[at] & FORWARD > 0
    owner, at = owner[forward], at[forward]
    target = _find_shown(forest, table.columns.target[at].astype(np.int64), stations)
    within = target >= 0
    owner, at = owner[within], at[within]
    # Numbers grow inward, so the last station of an edge is the innermost.
    order = np.lexsort((-owner, at))
    order = order[np.append(True, at[order][1:] != at[order][:-1])] if len(order) else order
    owner, at = owner[order], at[order]
    hops = table.columns.take(at)
    hops = hops._replace(target=_find_shown(forest, hops.target.astype(np.int64), stations))
    apart = hops.target != owner
    owner, hops = owner[apart], hops.take(apart)
    heavy = np.sort(np.argsort(-hops.weight.astype(np.int64), kind="stable")[:limit])
    owner, hops = owner[heavy], hops.take(heavy)
    id_of = {int(station): node.id for station, node in zip(stations, nodes, strict=True)}
    return _show_edges(connection, forest.key.values, id_of, owner, hops)


def _find_shown(forest: Forest, numbers: IntArray, stations: IntArray) -> IntArray:
    """The innermost of the stations at or around each one, -1 where none is."""
    shown = np.zeros(forest.size, np.bool_)
    shown[stations] = True
    above, found = forest.above.values, numbers.copy()
    while len(out := np.flatnonzero((found >= 0) & ~shown[found])):
        found[out] = above[found[out]]
    return found


def _show_edges(
    connection: Connection, key: IntArray, id_of: dict[int, str], owner: IntArray, hops: HopColumns
) -> list[GraphEdge]:
    near, far = key[hops.near].tolist(), key[hops.far].tolist()
    ids = load_ids(connection, sorted({*near, *far}))
    kinds = [RELATIONSHIP_TYPES[code % FORWARD // 4] for code in range(4 * len(RELATIONSHIP_TYPES))]
    code = (hops.code % FORWARD).tolist()
    return [
        GraphEdge(id_of[start], id_of[end], kinds[kind], ORIGINS[kind % 4], weight / MICRO, ids[one], ids[other])
        for start, end, one, other, weight, kind in zip(
            owner.tolist(), hops.target.tolist(), near, far, hops.weight.tolist(), code, strict=True
        )
    ]


def read_figures(connection: Connection, snapshot: Snapshot) -> GraphFigures:
    """Degrees and groups. Time O((nodes + edges) log nodes)."""
    table, forest = snapshot.load_table(connection, "node"), snapshot.forest
    hidden = snapshot.find_hidden(connection)
    degrees = count_degrees(table, forest, hidden)
    total = degrees.out + degrees.back
    order = np.lexsort((forest.rank.values, -total))[:MOST_HUBS]
    order = order[total[order] > 0]
    shown = load_shown(connection, forest.key.values[order].tolist())
    hubs = []
    for number in order.tolist():
        if (row := shown.get(int(forest.key.values[number]))) is None:
            continue
        node = _show_node(row, 0, 0)
        hubs.append(Hub(node.id, node.label, int(degrees.out[number]), int(degrees.back[number])))
    groups = group_documents(table, forest, hidden)
    joined = tuple(groups[groups > 1].tolist())
    return GraphFigures(
        forest.living - len(hidden),
        int(degrees.out.sum()),
        int((total > 0).sum()),
        joined,
        int((groups == 1).sum()),
        tuple(hubs),
    )
