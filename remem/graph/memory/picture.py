"""What is drawn of the graph: the stations around some nodes or of the whole, the edges between them, what waits. Lays
nothing out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from remem.checks import check_int
from remem.graph.csr import HopTable
from remem.graph.memory.overview import count_hops, keep_nearest, list_edges, list_stations, spread_out
from remem.graph.memory.snapshot import Snapshot
from remem.graph.stations import IntArray
from remem.ingest.labels import block_label
from remem.limits import DEEPEST_WALK
from remem.reading.find import get_node
from remem.records import MICRO, Ghost, GraphNode, Heat, Picture, PictureNode
from remem.storage import pictures
from remem.storage.pictures import DrawnRow

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.usage.temperature import Thermometer

MOST_DRAWN = 20_000
MOST_GHOSTS = 2_000
LONGEST_LABEL = 300
"""Characters of a label in a picture; a node that is read shows the whole."""


def draw(
    nodes: Sequence[str], depth: int, limit: int, thermometer: Thermometer
) -> Callable[[Connection, Snapshot], Picture]:
    """What reads the picture around nodes given by id or label, or of the whole graph where none is given. Raises
    InvalidInputError now; NotFoundError and AmbiguousError when it is called."""
    depth, limit = check_int("depth", depth, 0, DEEPEST_WALK), check_int("limit", limit, 1, MOST_DRAWN)

    def view(connection: Connection, snapshot: Snapshot) -> Picture:
        table, forest = snapshot.load_table(connection, "section"), snapshot.forest
        hidden = snapshot.find_hidden(connection)
        living = list_stations(snapshot, hidden)
        if nodes:
            keys = np.array([get_node(connection, node, "nodes").key for node in nodes], np.int64)
            start = forest.station.values[forest.find_all(keys)].astype(np.int64)
            stations, distance = spread_out(table, start, depth, hidden)
        else:
            stations, distance = living, np.zeros(len(living), np.int64)
        drawn = _Drawing(connection, snapshot, table, hidden)
        return drawn.read(stations, distance, limit, len(living), thermometer)

    return view


class _Drawing:
    """One picture in one read transaction."""

    def __init__(self, connection: Connection, snapshot: Snapshot, table: HopTable, hidden: IntArray) -> None:
        self._connection, self._snapshot, self._table, self._hidden = connection, snapshot, table, hidden

    def read(self, stations: IntArray, distance: IntArray, limit: int, total: int, thermometer: Thermometer) -> Picture:
        key = self._snapshot.forest.key.values
        degree = count_hops(self._table, stations, self._hidden)
        kept = keep_nearest(self._snapshot, stations, distance, degree)[:limit]
        numbers, degrees = stations[kept], degree[kept].tolist()
        keys: list[int] = key[numbers].tolist()
        rows = pictures.load_drawn(self._connection, keys)
        tags = pictures.load_station_tags(self._connection)
        heats = thermometer(self._connection, keys)
        nodes = [
            _show(rows[at], rows, number, tags.get(at, ()), heats.get(at, Heat()))
            for at, number in zip(keys, degrees, strict=True)
        ]
        ends = [GraphNode(node.id, node.kind, "", "", "", 0, 0) for node in nodes]
        edges = list_edges(self._connection, self._snapshot, self._table, numbers, ends, limit=5 * MOST_DRAWN)
        count, snapshot, change = pictures.count_totals(self._connection)
        ghosts = self._list_ghosts(rows)
        return Picture(tuple(nodes), tuple(edges), ghosts, total, count, len(stations) - len(kept), snapshot, change)

    def _list_ghosts(self, rows: dict[int, DrawnRow]) -> tuple[Ghost, ...]:
        waiting = pictures.load_ghosts(self._connection, MOST_GHOSTS)
        return tuple(
            Ghost(row.label[:LONGEST_LABEL], rows[row.station].id, row.type, row.weight / MICRO, row.links)
            for row in waiting
            if row.station in rows and row.label
        )


def _show(row: DrawnRow, rows: dict[int, DrawnRow], degree: int, tags: Sequence[str], heat: Heat) -> PictureNode:
    label = row.label if row.label is not None else block_label(row.kind, row.opening or "")
    around = None if row.parent is None else rows.get(row.parent)
    return PictureNode(
        row.id, row.kind, label[:LONGEST_LABEL], row.root, row.source, around.id if around else "", degree, row.tokens,
        heat.temperature, heat.pinned, row.created_at, row.updated_at, tuple(tags), row.x, row.y,
    )  # fmt: skip
