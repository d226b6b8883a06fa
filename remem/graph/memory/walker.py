"""Walks over the graph in memory: takes the snapshot that a call's connection sees, finds the paths, tells them. Where
there is no snapshot yet, the SQL engine answers (`service`). Answers are the same either way.

A snapshot is built on a reader of the store. It follows the log of changes at the start of each call and inside the
call's own transaction, so it is never behind what the call would read from the tables.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from remem.errors import NotFoundError
from remem.graph import service
from remem.graph.csr import FORWARD, HopTable
from remem.graph.forest import mark_around
from remem.graph.memory.snapshot import Snapshot
from remem.graph.merge import STATION, WEIGHT, make_table, merge_parallel
from remem.graph.pagerank import SpreadGraph, spread
from remem.graph.paths import PathFound, find_paths
from remem.graph.requests import check_request, list_codes, scale_weight
from remem.graph.stations import BoolArray, FloatArray, Hops, IntArray
from remem.graph.telling import ToldPaths, Trail, tell_paths
from remem.graph.vicinity import cut_vicinity
from remem.graph.walks import HopRules, Walk
from remem.limits import DEEPEST_WALK
from remem.records import KINDS, ORIGINS, RELATIONSHIP_TYPES, Rank, Related, Scope, TraversalRequest
from remem.storage import adjacency
from remem.storage.traversal import load_anchor_hops, load_ids
from remem.usage.temperature import Thermometer, read_nothing

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")

SHALLOW = 2
"""The deepest walk that the SQL engine answers while there is no snapshot."""
QUICK_EDGES = 50_000
"""Up to so many edges another scope is built at once, whoever asks."""
LOCAL = 1 << 40
"""Numbers of edges from here on are rows of `Start.table`."""


@dataclass(frozen=True, slots=True)
class Start:
    """A walk that may begin: the graph as the request sees it, the anchor's hops, the keys of stations by number, and
    the codes of their kinds. `table` holds the hops of an anchor that is no station."""

    walk: Walk
    first: Hops
    keys: IntArray
    kinds: IntArray
    goal: int
    table: IntArray


class GraphMemory:
    """The snapshot of one open store, for all its readers' threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._scopes: set[Scope] = {"section"}

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes that walks asked for, which the next snapshot should have."""
        return tuple(sorted(self._scopes))

    @property
    def snapshot(self) -> Snapshot | None:
        """What is held now."""
        return self._snapshot

    def put(self, snapshot: Snapshot | None) -> None:
        """Takes a new snapshot in the place of the old one."""
        with self._lock:
            self._snapshot = snapshot

    def is_ahead(self, connection: Connection) -> bool:
        """Whether the snapshot is of a later state than the connection sees: another call was quicker."""
        with self._lock:
            snapshot = self._snapshot
            return snapshot is not None and adjacency.find_log_ends(connection)[1] < snapshot.seq

    @contextmanager
    def hold(self, connection: Connection) -> Iterator[Snapshot | None]:
        """The snapshot in the state that the connection sees, to be used inside alone; None where there is none."""
        with self._lock:
            snapshot = self._snapshot
            yield snapshot if snapshot is not None and snapshot.follow(connection) else None

    def take(self, connection: Connection, request: TraversalRequest, goal: int | None = None) -> Start | None:
        """A start for the request in the state that the connection sees; None where there is no snapshot of it.

        Raises NotFoundError where the anchor or the goal (keys) does not exist.
        """
        with self.hold(connection) as snapshot:
            if snapshot is None:
                return None
            table = snapshot.tables.get(request.scope)
            if table is None:
                if request.depth <= SHALLOW and snapshot.edges > QUICK_EDGES:
                    self._scopes.add(request.scope)
                    return None
                table = snapshot.load_table(connection, request.scope)
            return _make_start(connection, snapshot, table, request, goal)


def _make_start(
    connection: Connection, snapshot: Snapshot, table: HopTable, request: TraversalRequest, goal: int | None
) -> Start:
    forest, strict = snapshot.forest, request.scope == "node"
    anchor = _get_number(snapshot, request.anchor)
    if forest.title.values[anchor] and not strict:
        anchor = int(forest.document.values[anchor])
    rules = HopRules(
        request.direction,
        scale_weight(request.weight_min),
        None if request.types is None else list_codes(request.types, RELATIONSHIP_TYPES),
        None if request.origins is None else list_codes(request.origins, ORIGINS),
    )
    hidden = snapshot.find_hidden(connection)
    if anchor in hidden:
        raise NotFoundError(f"there is no node with the key {request.anchor}", node=request.anchor)
    masked = mark_around(forest, anchor, strict)
    masked[hidden] = True
    walk = Walk(table, table.rows, table.direct, rules, forest.rank.values, masked, table.heaviest)
    hops = np.zeros((0, 8), np.int64)
    if int(forest.place(request.scope)[anchor]) == anchor:
        first = walk.expand_anchor(anchor, forest.title.values, strict)
    else:
        first, hops = _load_first(connection, snapshot, request)
    first = drop_targets(first, hidden)
    station = -1 if goal is None else int(forest.station.values[_get_number(snapshot, goal)])
    return Start(walk, first, forest.key.values, forest.kind.values, station, hops)


def drop_targets(first: Hops, hidden: IntArray) -> Hops:
    """One row of hops without those to some stations."""
    if not len(hidden):
        return first
    kept = ~np.isin(first.target, hidden)
    return Hops(np.array([int(kept.sum())]), first.target[kept], first.weight[kept], first.edge[kept])


def _get_number(snapshot: Snapshot, key: int) -> int:
    number = snapshot.forest.find(key)
    if number < 0:
        raise NotFoundError(f"there is no node with the key {key}", node=key)
    return number


def _load_first(connection: Connection, snapshot: Snapshot, request: TraversalRequest) -> tuple[Hops, IntArray]:
    """The hops of an anchor that is no station, which no row holds."""
    table = make_table(load_anchor_hops(connection, service.make_filter(connection, request)))
    kept = merge_parallel(table, lambda keys: load_ids(connection, keys.tolist()))
    target = snapshot.forest.find_all(table[kept, STATION])
    order = np.argsort(snapshot.forest.rank.values[target])
    kept = kept[order]
    return Hops(np.array([len(kept)]), target[order], table[kept, WEIGHT], kept + LOCAL), table


class Walker:
    """Walks for one call. Without `patient` the SQL engine answers whatever the snapshot cannot. Else `waits` says that
    the answer is empty because the call should be made again; `missed`, that a snapshot has to be built first.
    """

    def __init__(self, memory: GraphMemory, *, patient: bool) -> None:
        self.missed = False
        self.waits = False
        self._memory = memory
        self._patient = patient

    def walk(
        self,
        connection: Connection,
        request: TraversalRequest,
        thermometer: Thermometer = read_nothing,
        *,
        texts: bool = True,
    ) -> ToldPaths:
        """As `service.walk`."""
        check_request(request)
        start = self._memory.take(connection, request)
        if start is None:
            if self._must_wait(connection, request.depth):
                return ToldPaths((), (), lambda found: [])
            return service.walk(connection, request, thermometer, texts=texts)
        reported = np.ones(start.walk.size, np.bool_)
        if request.kinds is not None:
            reported = np.isin(start.kinds, [KINDS.index(kind) for kind in request.kinds])
        return self._find(connection, start, request, reported, thermometer, texts=texts)

    def find_path(
        self, connection: Connection, a: int, b: int, rank: Rank, thermometer: Thermometer = read_nothing
    ) -> Related | None:
        """As `service.find_path`."""
        request = TraversalRequest(anchor=a, depth=DEEPEST_WALK, rank=rank, limit=1)
        check_request(request)
        start = self._memory.take(connection, request, b)
        if start is None:
            return (
                None
                if self._must_wait(connection, DEEPEST_WALK)
                else service.find_path(connection, a, b, rank, thermometer)
            )
        reported = np.zeros(start.walk.size, np.bool_)
        reported[start.goal] = True
        return next(iter(self._find(connection, start, request, reported, thermometer)), None)

    def look(self, connection: Connection, view: Callable[[Connection, Snapshot], T]) -> T | None:
        """What `view(connection, snapshot)` gives, on the snapshot or, where waiting did not help, on one of its own.
        None where the snapshot should be waited for."""
        with self._memory.hold(connection) as snapshot:
            if snapshot is not None:
                return view(connection, snapshot)
        return None if self._must_wait(connection, DEEPEST_WALK) else view(connection, Snapshot(connection))

    def spread(self, connection: Connection, seeds: Mapping[int, float]) -> tuple[IntArray, FloatArray]:
        """Keys of stations and the share of activation that arrives in each, from seeds (key of a node: how often the
        walk begins there), along edges and structure (`pagerank.spread`); what passes the edge of a document and its
        title is the document's. Nothing where the snapshot should be waited for."""
        found = self.look(connection, lambda _, snapshot: _aim_spread(connection, snapshot, seeds))
        if found is None or not len(found.seeds):
            return np.zeros(0, np.int64), np.zeros(0)
        shares = spread(found.graph, found.seeds, found.shares)
        shares[found.hidden] = 0
        sums: FloatArray = np.bincount(found.stations, shares, minlength=len(shares)).astype(np.float64)
        reached = np.flatnonzero(sums > 0)
        return found.keys[reached], sums[reached]

    def _must_wait(self, connection: Connection, depth: int) -> bool:
        self.missed = not self._memory.is_ahead(connection)
        waits = self._patient and depth > SHALLOW
        self.waits = self.waits or waits
        return waits

    def _find(
        self,
        connection: Connection,
        start: Start,
        request: TraversalRequest,
        reported: BoolArray,
        thermometer: Thermometer,
        *,
        texts: bool = True,
    ) -> ToldPaths:
        found, stations = search_paths(start, request, reported)
        strict = request.scope == "node"
        direct = dict(zip(start.first.target.tolist(), start.first.edge.tolist(), strict=True))

        def tell(piece: list[PathFound]) -> list[Related]:
            trail, paths = _make_trail(start, direct, number_paths(piece, stations))
            return tell_paths(connection, trail, paths, strict, thermometer, texts=texts)

        ends = np.array([path.station for path in found], np.int64)
        return ToldPaths(found, start.keys[ends if stations is None else stations[ends]].tolist(), tell)


class _Aim(NamedTuple):
    graph: SpreadGraph
    seeds: IntArray
    shares: FloatArray
    keys: IntArray
    hidden: IntArray
    stations: IntArray


def _aim_spread(connection: Connection, snapshot: Snapshot, seeds: Mapping[int, float]) -> _Aim:
    """What spreading needs; seeds that are gone are left out."""
    numbers = snapshot.forest.find_all(np.array(list(seeds), np.int64))
    shares = np.array(list(seeds.values()), np.float64)
    known = (numbers >= 0) & (shares > 0)
    hidden = snapshot.find_hidden(connection)
    graph = snapshot.load_spread_graph(connection)
    forest = snapshot.forest
    stations = np.maximum(forest.station.values, 0).astype(np.int64)
    return _Aim(graph, numbers[known], shares[known], forest.key.values, hidden, stations)


def search_paths(
    start: Start, request: TraversalRequest, reported: BoolArray
) -> tuple[list[PathFound], IntArray | None]:
    """The best paths of a walk that may begin, and which stations of the snapshot their numbers mean (None: these)."""
    near = cut_vicinity(start.walk, start.first, request.depth)
    if near is None:
        return find_paths(start.walk, start.first, request.depth, request.rank, request.limit, reported), None
    found = find_paths(near.graph, near.first, request.depth, request.rank, request.limit, reported[near.stations])
    return found, near.stations


def number_paths(found: list[PathFound], stations: IntArray | None) -> list[PathFound]:
    """The paths with the numbers that stations have in the snapshot."""
    if stations is None:
        return found
    met = sorted({station for path in found for station in path.stations})
    numbers = dict(zip(met, stations[np.array(met, np.int64)].tolist(), strict=True))
    return [
        PathFound(
            numbers[path.station],
            path.score,
            path.distance,
            tuple([numbers[station] for station in path.stations]),
            path.edges,
        )
        for path in found
    ]


def _make_trail(start: Start, first: Mapping[int, int], found: list[PathFound]) -> tuple[Trail, list[PathFound]]:
    """What the numbers of the paths mean, and the paths with edges numbered from 0. `first` are the edges from the
    anchor by station."""
    direct = {path.station: first[path.station] for path in found if path.station in first}
    edges = sorted({edge for path in found for edge in path.edges} | set(direct.values()))
    number = {edge: at for at, edge in enumerate(edges)}
    told = [
        PathFound(path.station, path.score, path.distance, path.stations, tuple([number[edge] for edge in path.edges]))
        for path in found
    ]
    stations = np.array(sorted({station for path in found for station in path.stations}), np.int64)
    keys = dict(zip(stations.tolist(), start.keys[stations].tolist(), strict=True))
    table = _list_hops(start, np.array(edges, np.int64))
    return Trail(keys, table, {station: number[edge] for station, edge in direct.items()}), told


def _list_hops(start: Start, edges: IntArray) -> IntArray:
    """The hops as a table (`merge`); owner and station are left out."""
    table = np.zeros((len(edges), 8), np.int64)
    local = edges >= LOCAL
    table[local] = start.table[edges[local] - LOCAL]
    hops = start.walk.table.columns.take(edges[~local])
    forward = hops.code & FORWARD > 0
    near, far = start.keys[hops.near], start.keys[hops.far]
    code = hops.code.astype(np.int64)
    columns = (np.where(forward, near, far), np.where(forward, far, near), code % FORWARD // 4, code % 4)
    table[~local, 2:] = np.column_stack((*columns, hops.weight, forward))
    return table
