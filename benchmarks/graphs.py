"""Seeded graphs for the benchmarks: power-law edges as arrays, as a station graph, and as rows of a store.

    python -m benchmarks.graphs [--nodes 200000] [--edges 1000000] [--sql-edges 100000] [--out-exponent 0.7]

prints how long the best 100 take, over arrays alone and through SQL. Not measured: a full traversal's texts on a cold
file, sections (each node is a document of its own here), and filters.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

import numpy as np

from remem.graph.paths import find_paths
from remem.graph.service import walk
from remem.graph.stations import ArrayGraph, Hops, IntArray
from remem.ids import encode_id
from remem.records import MICRO, TraversalRequest
from remem.storage import sqlite

if TYPE_CHECKING:
    from sqlite3 import Connection

SCHEMA = Path(__file__).resolve().parent.parent / "schema.sql"
WEIGHTS = ("mixed", "equal", "huge")


def make_edges(
    nodes: int, edges: int, seed: int = 7, out_exponent: float = 0.0, in_exponent: float = 0.7
) -> tuple[IntArray, IntArray]:
    """Source and target of distinct directed edges, each end drawn with probability rank ** -exponent. By default notes
    hold about as many links each, and few notes draw most of them."""
    random = np.random.default_rng(seed)
    rank = np.arange(1, nodes + 1, dtype=np.float64)
    ends = [(np.cumsum(rank**-exponent), random.permutation(nodes)) for exponent in (out_exponent, in_exponent)]
    codes: IntArray = np.zeros(0, np.int64)
    while len(codes) < edges:
        source, target = (spread[np.searchsorted(total, random.random(edges) * total[-1])] for total, spread in ends)
        codes = np.unique(np.concatenate((codes, (source * nodes + target)[source != target])))
    codes = np.sort(random.permutation(codes)[:edges])
    return codes // nodes, codes % nodes


def make_weights(count: int, style: str, seed: int = 7) -> IntArray:
    """Weights in millionths: `equal` all 1, `mixed` from 0 to 2.5 with six decimals, `huge` equal but for twenty of
    1 000 000."""
    random = np.random.default_rng(seed)
    if style == "mixed":
        return random.integers(1, 2_500_000, count)
    weight = np.full(count, MICRO, np.int64)
    if style == "huge":
        weight[random.integers(0, count, 20)] = 10**12
    return weight


def build_stations(source: IntArray, target: IntArray, weight: IntArray, nodes: int, direction: str) -> ArrayGraph:
    """Every node a station, numbered in the order of ids; of parallel edges the heaviest."""
    ends = {"out": (source, target), "in": (target, source)}
    owners, targets = ends.get(direction, (np.concatenate((source, target)), np.concatenate((target, source))))
    weights = np.tile(weight, len(owners) // len(weight))
    edges = np.tile(np.arange(len(weight)), len(owners) // len(weight))
    order = np.lexsort((-weights, targets, owners))
    code = owners[order] * nodes + targets[order]
    order = order[np.concatenate(([True], code[1:] != code[:-1]))]
    offset = np.concatenate(([0], np.cumsum(np.bincount(owners[order], minlength=nodes))))
    masked = np.zeros(nodes, np.bool_)
    return ArrayGraph(
        offset, targets[order], weights[order], edges[order], np.arange(nodes), masked, int(weights.max())
    )


def place_anchor(graph: ArrayGraph, anchor: int) -> tuple[ArrayGraph, Hops]:
    """The graph as a walk from one station sees it, and the walk's first hops."""
    masked = graph.masked.copy()
    masked[anchor] = True
    return replace(graph, masked=masked), graph.expand(np.array([anchor]))


def fill_store(source: IntArray, target: IntArray, weight: IntArray, nodes: int) -> Connection:
    """A store in memory in which every node is a memory."""
    connection: Connection = sqlite.choose().connect(":memory:", isolation_level=None)
    connection.executescript(SCHEMA.read_text(encoding="utf-8"))
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO nodes (key, id, kind, document, position, last, station, tokens, label, content)"
        " VALUES (?1, ?2, 'memory', ?1, 0, 0, ?1, 5, ?3, ?3)",
        ((key, encode_id(key * 2654435761 % 2**64), f"memory {key}") for key in range(1, nodes + 1)),
    )
    rows = zip(source.tolist(), target.tolist(), weight.tolist(), strict=True)
    connection.executemany(
        "INSERT INTO edges (source, target, type, origin, weight, created_at, updated_at) VALUES (?, ?, 3, 1, ?, 0, 0)",
        ((a + 1, b + 1, w) for a, b, w in rows),
    )
    connection.execute("COMMIT")
    return connection


def time_calls(call: Callable[[int], object], anchors: list[int]) -> str:
    """Median, 90th percentile and worst over the anchors, in milliseconds."""
    times = []
    for anchor in anchors:
        begin = time.perf_counter()
        call(anchor)
        times.append((time.perf_counter() - begin) * 1000)
    return f"p50 {median(times):8.2f} ms   p90 {quantiles(times, n=10)[-1]:8.2f} ms   max {max(times):8.2f} ms"


def measure_arrays(nodes: int, edges: int, anchors: int, out_exponent: float) -> None:
    """The path search alone, over arrays."""
    source, target = make_edges(nodes, edges, out_exponent=out_exponent)
    chosen = np.random.default_rng(1).integers(0, nodes, anchors).tolist()
    everything = np.ones(nodes, np.bool_)
    for style in WEIGHTS:
        weight = make_weights(edges, style)
        for direction in ("both", "out"):
            graph = build_stations(source, target, weight, nodes, direction)
            for depth in (1, 2, 3, 5):
                for rank in ("sum", "strength"):

                    def call(anchor: int, depth: int = depth, rank: str = rank, graph: ArrayGraph = graph) -> None:
                        find_paths(*place_anchor(graph, anchor), depth, rank, 100, everything)  # type: ignore[arg-type]

                    print(
                        f"arrays {style:5} {direction:4} depth {depth} {rank:8}", time_calls(call, chosen), flush=True
                    )


def measure_sql(nodes: int, edges: int, anchors: int) -> None:
    """Whole calls through the SQL engine, texts included."""
    source, target = make_edges(nodes, edges)
    connection = fill_store(source, target, make_weights(edges, "mixed"), nodes)
    chosen = np.random.default_rng(1).integers(1, nodes, anchors).tolist()
    for depth in (1, 2, 3):

        def call(anchor: int, depth: int = depth) -> None:
            walk(connection, TraversalRequest(anchor=anchor, depth=depth)).tell_all()

        print(f"sql    mixed both depth {depth} sum     ", time_calls(call, chosen), flush=True)


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description="Times traversal over seeded power-law graphs.")
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--sql-edges", type=int, default=100_000)
    parser.add_argument("--anchors", type=int, default=20)
    parser.add_argument("--out-exponent", type=float, default=0.0, help="above 0: some notes link to very many others")
    options = parser.parse_args()
    print(f"python {sys.version.split()[0]}, numpy {np.__version__}, {options.nodes} nodes, {options.edges} edges")
    measure_arrays(options.nodes, options.edges, options.anchors, options.out_exponent)
    print(f"{options.sql_edges // 5} nodes, {options.sql_edges} edges")
    measure_sql(options.sql_edges // 5, options.sql_edges, options.anchors)


if __name__ == "__main__":
    main()
