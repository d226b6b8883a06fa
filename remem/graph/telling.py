"""Paths that were found, as callers see them: results with their nodes, texts and ways. Finds none; reads only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

from remem.graph.merge import FORWARD, ORIGIN, SOURCE, TARGET, TYPE, WEIGHT
from remem.graph.paths import PathFound
from remem.graph.stations import IntArray
from remem.ingest.labels import label_row
from remem.records import (
    DEFAULT_IMPORTANCE,
    MICRO,
    ORIGINS,
    RELATIONSHIP_TYPES,
    DirectEdge,
    Heat,
    Node,
    NodeRow,
    PathStep,
    Related,
    SectionText,
)
from remem.storage.memories import load_importances
from remem.storage.nodes import load_node_tags, load_nodes, load_places
from remem.storage.traversal import load_created, load_depths, load_ids, load_section_texts
from remem.usage.temperature import Thermometer, read_nothing

if TYPE_CHECKING:
    from sqlite3 import Connection

MAX_TEXT = 1200
"""Characters of a station's text that a result carries."""
PIECE = 12
"""So many results are told at a time where only the first are wanted."""


class Trail(NamedTuple):
    """What the numbers of paths mean: the keys of stations by number, the hops as a table (`merge`), and the edge that
    leads from the anchor to a station without a detour."""

    keys: Mapping[int, int]
    table: IntArray
    direct: Mapping[int, int]


class ToldPaths(Sequence[Related]):
    """Results that are told when they are looked at, `PIECE` at a time: a page rarely shows them all. Good as long as
    the transaction lasts in which they were found. `keys` are those of the nodes, in order, which need no telling."""

    def __init__(
        self, found: Sequence[PathFound], keys: Sequence[int], tell: Callable[[list[PathFound]], list[Related]]
    ) -> None:
        self.keys = keys
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
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        piece = number // PIECE
        if piece not in self._told:
            self._told[piece] = self._tell(list(self._found[piece * PIECE : (piece + 1) * PIECE]))
        return self._told[piece][number % PIECE]

    def leave_out(self, nodes: Collection[int]) -> ToldPaths:
        """Those of other nodes (keys)."""
        if not nodes:
            return self
        left = [number for number, key in enumerate(self.keys) if key not in nodes]
        return ToldPaths([self._found[number] for number in left], [self.keys[number] for number in left], self._tell)

    def tell_all(self) -> list[Related]:
        """All of them, told at once."""
        told = self._tell(list(self._found))
        self._told = {start // PIECE: told[start : start + PIECE] for start in range(0, len(told), PIECE)}
        return told


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
        label_row(station),
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
            label=label_row(row),
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
