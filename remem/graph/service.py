"""Traversal on a connection: loads the neighbourhood, has the best paths found, and has them told.

The arrays come from the SQL engine (`storage.traversal`); the ranking is that of `graph.paths`. Reads only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from remem.errors import NotFoundError
from remem.graph.merge import (
    OWNER,
    STATION,
    build_first,
    build_graph,
    make_table,
    mask_around,
    merge_parallel,
)
from remem.graph.paths import find_paths
from remem.graph.requests import check_request, list_codes, scale_weight
from remem.graph.stations import ArrayGraph, Hops, IntArray
from remem.graph.telling import ToldPaths, Trail, tell_paths
from remem.limits import DEEPEST_WALK
from remem.records import (
    ORIGINS,
    RELATIONSHIP_TYPES,
    HopFilter,
    Rank,
    Related,
    StationRow,
    TraversalRequest,
)
from remem.storage.nodes import load_nodes, load_spans
from remem.storage.traversal import (
    load_anchor_hops,
    load_ids,
    load_station_hops,
    load_stations,
)
from remem.usage.temperature import Thermometer, read_nothing

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Network:
    """The neighbourhood of an anchor: its stations in the order of their ids, the hops as a table (`merge`), the
    anchor's own hops, and the graph. Edge numbers are rows of the table."""

    stations: tuple[StationRow, ...]
    table: IntArray
    first: Hops
    graph: ArrayGraph

    @property
    def trail(self) -> Trail:
        """What is needed to tell its paths."""
        direct = dict(zip(self.first.target.tolist(), self.first.edge.tolist(), strict=True))
        return Trail({at: station.key for at, station in enumerate(self.stations)}, self.table, direct)


def walk(
    connection: Connection, request: TraversalRequest, thermometer: Thermometer = read_nothing, *, texts: bool = True
) -> ToldPaths:
    """What lies around a node, best first, each with its way; told as it is looked at. Without `texts`, the contents
    are left out.

    Raises:
        InvalidInputError: a value is out of range or unknown; `facts["field"]` names it.
        NotFoundError: the anchor does not exist.
    """
    check_request(request)
    network = load_network(connection, request)
    reported = np.array([request.kinds is None or row.kind in request.kinds for row in network.stations], np.bool_)
    found = find_paths(network.graph, network.first, request.depth, request.rank, request.limit, reported)
    strict = request.scope == "node"
    tell = partial(tell_paths, connection, network.trail, strict=strict, thermometer=thermometer, texts=texts)
    return ToldPaths(found, [network.trail.keys[path.station] for path in found], tell)


def find_path(
    connection: Connection, a: int, b: int, rank: Rank = "strength", thermometer: Thermometer = read_nothing
) -> Related | None:
    """The best way from node `a` to the station of node `b`: what `related(a, "both", depth=5)` says of it, or None.

    Raises:
        InvalidInputError: `rank` is unknown.
        NotFoundError: a node does not exist.
    """
    request = TraversalRequest(anchor=a, depth=DEEPEST_WALK, rank=rank, limit=1)
    check_request(request)
    goal = _find_station(connection, b)
    network = load_network(connection, request)
    reported = np.array([row.key == goal for row in network.stations], np.bool_)
    if not reported.any():
        return None
    found = find_paths(network.graph, network.first, request.depth, rank, 1, reported)
    return next(iter(tell_paths(connection, network.trail, found, False, thermometer)), None)


def _find_station(connection: Connection, node: int) -> int:
    row = load_nodes(connection, [node]).get(node)
    if row is None:
        raise NotFoundError(f"there is no node with the key {node}", node=node)
    return row.station


def load_network(connection: Connection, request: TraversalRequest) -> Network:
    """All hops within the request's depth of its anchor, by the SQL engine. Raises NotFoundError."""
    hops = make_filter(connection, request)
    rows = load_anchor_hops(connection, hops)
    first = len(rows)
    if request.depth > 1 and rows:
        # A cursor gives plain tuples: what counts here are positions, not names.
        rows += load_station_hops(connection, hops, {row[STATION] for row in rows}, request.depth - 1)
    table = make_table(rows)
    kept = merge_parallel(table, lambda keys: load_ids(connection, keys.tolist()))
    owners = table[first:, OWNER]
    keys = np.unique(np.concatenate((owners, table[:, STATION])))
    stations = sorted(load_stations(connection, keys.tolist()), key=lambda station: station.id)
    by_id = np.array([station.key for station in stations], np.int64)
    masked = mask_around(stations, hops.anchor, strict=request.scope == "node")
    graph = build_graph(table, kept, by_id, first, masked)
    return Network(tuple(stations), table, build_first(table, kept[kept < first], by_id), graph)


def make_filter(connection: Connection, request: TraversalRequest) -> HopFilter:
    """Which hops the request lets a walk take. Raises NotFoundError."""
    anchor, title = _find_anchor(connection, request.anchor, strict=request.scope == "node")
    return HopFilter(
        anchor=anchor,
        title=title,
        scope=request.scope,
        direction=request.direction,
        weight_min=scale_weight(request.weight_min),
        types=list_codes(request.types, RELATIONSHIP_TYPES),
        origins=list_codes(request.origins, ORIGINS),
    )


def _find_anchor(connection: Connection, key: int, strict: bool) -> tuple[StationRow, int | None]:
    """The anchor and its title heading. A title heading is one station with its document, so it stands for that."""
    span = load_spans(connection, [key]).get(key)
    if span is None:
        raise NotFoundError(f"there is no node with the key {key}", node=key)
    document, _, _, title = span
    anchor = document if key == title and not strict else key
    (row,) = load_stations(connection, [anchor])
    return row, title if anchor == document and not strict else None
