"""The best paths from one anchor, under either rank. Arrays in, paths out; reads nothing and knows no ids."""

from __future__ import annotations

from remem.graph.heaviest import Tuning, find_heaviest
from remem.graph.stations import BoolArray, Hops, PathFound, StationGraph
from remem.graph.strongest import UNITS, find_strongest
from remem.records import Rank

__all__ = ["PathFound", "Tuning", "find_paths"]


def find_paths(
    graph: StationGraph,
    first: Hops,
    depth: int,
    rank: Rank,
    limit: int | None,
    reported: BoolArray,
    tuning: Tuning | None = None,
) -> list[PathFound]:
    """The best `limit` stations (None: all) among the `reported`, each with its best path of at most `depth` (1 to 5)
    hops.

    `first` is one row: the hops of the anchor itself, which may lead to masked stations but never to the anchor. Order:
    score descending, distance, hops, id ascending; among equal paths fewer hops, then the smaller sequence of ids.
    """
    if rank == "strength":
        strongest = find_strongest(graph, first, depth, limit, reported)
        return [PathFound(w.station, w.score / UNITS, w.distance, w.stations, w.edges) for w in strongest]
    return find_heaviest(graph, first, depth, limit, reported, tuning or Tuning())
