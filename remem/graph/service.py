"""Traversal on a connection: loads the neighbourhood, has the best paths found, and tells them with nodes and texts.

The arrays come from the SQL engine (`storage.traversal`); the ranking is that of `graph.paths`. Reads only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from remem.errors import NotFoundError
from remem.graph.merge import (
    FORWARD,
    ORIGIN,
    OWNER,
    SOURCE,
    STATION,
    TARGET,
    TYPE,
    WEIGHT,
    build_first,
    build_graph,
    make_table,
    mask_around,
    merge_parallel,
)
from remem.graph.paths import PathFound, find_paths
from remem.graph.requests import MAX_DEPTH, check_request, list_codes, scale_weight
from remem.graph.stations import ArrayGraph, Hops, IntArray
from remem.ingest.labels import block_label
from remem.records import (
    DEFAULT_IMPORTANCE,
    MICRO,
    ORIGINS,
    RELATIONSHIP_TYPES,
    DirectEdge,
    Heat,
    HopFilter,
    Node,
    NodeRow,
    PathStep,
    Rank,
    Related,
    SectionText,
    StationRow,
    TraversalRequest,
)
from remem.storage.memories import load_importances
from remem.storage.nodes import load_node_tags, load_nodes, load_places, load_spans
from remem.storage.traversal import (
    load_anchor_hops,
    load_created,
    load_depths,
    load_ids,
    load_section_texts,
    load_station_hops,
    load_stations,
)
from remem.usage.temperature import Thermometer, read_nothing

if TYPE_CHECKING:
    from sqlite3 import Connection

MAX_TEXT = 1200
"""Characters of a station's text that a result carries."""


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


class Trail(NamedTuple):
    """What the numbers of paths mean: the keys of stations by number, the hops as a table (`merge`), and the edge that
    leads from the anchor to a station without a detour."""

    keys: Mapping[int, int]
    table: IntArray
    direct: Mapping[int, int]


PIECE = 12
"""So many results are told at a time where only the first are wanted."""


class ToldPaths(Sequence[Related]):
    """Results that are told when they are looked at, `PIECE` at a time: a page rarely shows them all. Good as long as
    the transaction lasts in which they were found."""

    def __init__(self, found: Sequence[PathFound], tell: Callable[[list[PathFound]], list[Related]]) -> None:
        self._found = found
        self._tell = tell
        self._told: dict[int, list[Related]] = {}

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> Related: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Related]: ...

    def __getitem__(self, index: int | slice) -> Related | Sequence[Related]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if stop == len(self) and step == 1:
                return ToldPaths(self._found[start:], self._tell)
            return [self[number] for number in range(start, stop, step)]
        number = range(len(self))[index]
        piece = number // PIECE
        if piece not in self._told:
            self._told[piece] = self._tell(list(self._found[piece * PIECE : (piece + 1) * PIECE]))
        return self._told[piece][number % PIECE]


def related(
    connection: Connection,
    request: TraversalRequest,
    thermometer: Thermometer = read_nothing,
    *,
    piecewise: bool = False,
    texts: bool = True,
) -> Sequence[Related]:
    """What lies around a node, best first, each with its way; with `piecewise`, told as it is looked at. Without
    `texts`, the contents are left out.

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
    return ToldPaths(found, tell) if piecewise else tell(found)


def find_path(
    connection: Connection, a: int, b: int, rank: Rank = "strength", thermometer: Thermometer = read_nothing
) -> Related | None:
    """The best way from node `a` to the station of node `b`: what `related(a, "both", depth=5)` says of it, or None.

    Raises:
        InvalidInputError: `rank` is unknown.
        NotFoundError: a node does not exist.
    """
    request = TraversalRequest(anchor=a, depth=MAX_DEPTH, rank=rank, limit=1)
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
        raise NotFoundError(f"There is no node with the key {node}.", node=node)
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
        raise NotFoundError(f"There is no node with the key {key}.", node=key)
    document, _, _, title = span
    anchor = document if key == title and not strict else key
    (row,) = load_stations(connection, [anchor])
    return row, title if anchor == document and not strict else None


def tell_paths(
    connection: Connection,
    trail: Trail,
    found: list[PathFound],
    strict: bool,
    thermometer: Thermometer = read_nothing,
    *,
    texts: bool = True,
) -> list[Related]:
    """The results with their nodes, texts (empty without `texts`) and ways, in their order. A few statements, however
    many results."""
    keys, direct = trail.keys, trail.direct
    rows = load_nodes(connection, {keys[station] for path in found for station in path.stations})
    reported = [rows[keys[path.station]] for path in found]
    nodes = load_results(connection, reported, strict, thermometer, texts=texts)
    used = sorted({edge for path in found for edge in (*path.edges, direct.get(path.station, path.edges[0]))})
    table = trail.table[used]
    edges = dict(zip(used, _tell_edges(connection, table, {row.key: row.id for row in rows.values()}), strict=True))
    ends = dict(zip(used, _list_edge_keys(table), strict=True))
    created = load_created(connection, {ends[path.edges[-1]] for path in found})
    important = load_importances(connection, [row.key for row in reported if row.kind == "memory"])
    steps: dict[tuple[int, int], PathStep] = {}
    results = []
    for path, row in zip(found, reported, strict=True):
        for hop in zip(path.stations, path.edges, strict=True):
            if hop not in steps:
                steps[hop] = _tell_step(rows[keys[hop[0]]], edges[hop[1]])
        direct_edge = direct.get(path.station)
        results.append(
            Related(
                *nodes[row.key],
                path.score,
                path.distance,
                len(path.edges),
                None if direct_edge is None else edges[direct_edge],
                tuple([steps[hop] for hop in zip(path.stations, path.edges, strict=True)]),
                created.get(ends[path.edges[-1]], 0),
                important.get(row.key, DEFAULT_IMPORTANCE),
            )
        )
    return results


def _list_edge_keys(table: IntArray) -> list[tuple[int, ...]]:
    """(source, target, type, origin) of each edge of a table."""
    return [tuple(row) for row in table[:, [SOURCE, TARGET, TYPE, ORIGIN]].tolist()]


def _tell_edges(connection: Connection, table: IntArray, known: dict[int, str]) -> list[DirectEdge]:
    """The edges of a table with their own ends. `known` are ids by key that need not be read."""
    rows = table.tolist()
    missing = {row[end] for row in rows for end in (SOURCE, TARGET)} - known.keys()
    ids = {**known, **load_ids(connection, missing)} if missing else known
    return [
        DirectEdge(
            ids[row[SOURCE]],
            ids[row[TARGET]],
            RELATIONSHIP_TYPES[row[TYPE]],
            ORIGINS[row[ORIGIN]],
            row[WEIGHT] / MICRO,
            "out" if row[FORWARD] else "in",
        )
        for row in rows
    ]


def _tell_step(station: NodeRow, edge: DirectEdge) -> PathStep:
    return PathStep(
        station.id,
        _read_label(station),
        edge.source_id,
        edge.target_id,
        edge.relationship_type,
        edge.origin,
        edge.weight,
        edge.direction,
    )


def load_results(
    connection: Connection,
    rows: Sequence[NodeRow],
    strict: bool,
    thermometer: Thermometer = read_nothing,
    *,
    texts: bool = True,
) -> dict[int, tuple[Node, bool]]:
    """The nodes as callers see them, with their section's text and whether it was cut, by key. Bulk statements."""
    keys = [row.key for row in rows]
    # A memory or entity is a document of one node: what there is to tell stands in its row.
    placed = [row.key for row in rows if row.kind not in ("memory", "entity")]
    sections = load_section_texts(connection, placed, MAX_TEXT + 1, strict) if placed and texts else {}
    places, depths = (load_places(connection, placed), load_depths(connection, placed)) if placed else ({}, {})
    parents = load_ids(connection, {row.parent for row in rows if row.parent is not None}) if placed else {}
    tags, heats = load_node_tags(connection, keys), thermometer(connection, keys)
    results, nowhere, cold = {}, (None, "", 0), Heat()
    for key, row in zip(keys, rows, strict=True):
        own = SectionText(((row.piece, row.gap, row.content),), more=False)
        text, truncated = cut_text(sections.get(key) or own) if texts else ("", bool(row.tokens or row.last))
        root, source, _ = places.get(key, nowhere)
        heat = heats.get(key, cold)
        node = Node(
            id=row.id,
            kind=row.kind,
            label=_read_label(row),
            content=text,
            root=root or "",
            source=source,
            parent_id=None if row.parent is None else parents.get(row.parent),
            position=row.position,
            depth=depths.get(key, 0),
            tokens=row.tokens,
            tags=tags.get(key, ()),
            temperature=heat.temperature,
            pinned=heat.pinned,
        )
        results[key] = (node, truncated)
    return results


def cut_text(section: SectionText) -> tuple[str, bool]:
    """The contents joined by blank lines (the pieces of a split block by what stood between them), cut."""
    parts: list[str] = []
    for piece, gap, content in section.pieces:
        if not content:
            continue
        if parts:
            parts.append(gap if piece and gap is not None else "\n\n")
        parts.append(content)
    text = "".join(parts)
    return text[:MAX_TEXT], len(text) > MAX_TEXT or section.more


def _read_label(row: NodeRow) -> str:
    return row.label if row.label is not None else block_label(row.kind, row.content)
