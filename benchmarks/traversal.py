"""Times walks over seeded power-law graphs: the graph in memory, the SQL engine, and what graph libraries come near.

    python -m benchmarks.traversal [--sizes 10000,100000,500000,1000000] [--anchors 20] [--peers]

Every node is a memory; an edge's ends are drawn with probability rank ** -exponent. One run prints everything: build,
first walk of a fresh process, walks by depth, direction and weights, the SQL engine beside, spreading, and the peers
that are installed (networkx, rustworkx, igraph, scipy).

Not measured: sections within sections (each edge then leaves several stations), filters, cold disks, several callers at
once. No peer finds heaviest simple paths with their steps: they search breadth-first to the same depth, which is less.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.figures import judge, tell_run
from benchmarks.graphs import make_edges, make_weights
from remem.engine import Remem
from remem.graph import service
from remem.graph.memory.snapshot import Snapshot
from remem.graph.memory.walker import GraphMemory, Walker, search_paths
from remem.graph.pagerank import build_spread_graph, spread
from remem.graph.paths import find_paths
from remem.ids import encode_id
from remem.records import TraversalRequest
from remem.storage import sqlite
from remem.storage.connection import open_writer

if TYPE_CHECKING:
    from sqlite3 import Connection

NODES_PER_EDGE = 0.2
BOUNDED_EDGES = 1_000_000
"""The bounds on walks are set for graphs of so many edges."""
BOUND_BUILD = 1.0
BOUND_BYTES = 64
BOUND_OVER_SQL = 50
BOUND_SPREADING = 25
SPREAD_EDGES = 500_000
SQL_DEPTHS = (1, 2, 3)


def show_times(times: Sequence[float]) -> str:
    """Median and 90th percentile in milliseconds."""
    top = quantiles(times, n=10)[-1] if len(times) > 1 else times[0]
    return f"p50 {median(times) * 1000:9.2f} ms   p90 {top * 1000:9.2f} ms"


def time_calls(call: Callable[[Any], object], arguments: Sequence[Any]) -> list[float]:
    """Seconds of each call."""
    times = []
    for argument in arguments:
        begin = time.perf_counter()
        call(argument)
        times.append(time.perf_counter() - begin)
    return times


def write_store(path: Path, edges: int, style: str, hub: bool) -> None:
    """A store of memories. With `hub`, one node holds a tenth of all edges (at most 100 000)."""
    nodes = max(int(edges * NODES_PER_EDGE), 10)
    source, target = make_edges(nodes, edges)
    weight = make_weights(edges, style)
    if hub:
        spokes = np.arange(min(edges // 10, nodes - 1, 100_000)) + 1
        pairs = {(0, int(spoke)) for spoke in spokes} - set(zip(source.tolist(), target.tolist(), strict=True))
        extra = np.array(sorted(pairs), np.int64)
        source, target = np.concatenate((source, extra[:, 0])), np.concatenate((target, extra[:, 1]))
        weight = np.concatenate((weight, make_weights(len(extra), style)))
    connection = open_writer(str(path), "normal", 5.0)
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO nodes (key, id, kind, document, position, last, station, tokens, label, content)"
        " VALUES (?1, ?2, 'memory', ?1, 0, 0, ?1, 5, ?3, ?3)",
        ((key, encode_id(key * 0x9E3779B97F4A7C15 % 2**64), f"memory {key}") for key in range(1, nodes + 1)),
    )
    connection.executemany(
        "INSERT INTO edges (source, target, type, origin, weight, created_at, updated_at) VALUES (?, ?, 3, 1, ?, 0, 0)",
        zip((source + 1).tolist(), (target + 1).tolist(), weight.tolist(), strict=True),
    )
    connection.execute("COMMIT")
    connection.close()


def open_store(path: Path) -> Connection:
    """A connection as a reader has it."""
    connection: Connection = sqlite.choose().connect(str(path), isolation_level=None)
    for statement in ("PRAGMA cache_size = -32768", "PRAGMA mmap_size = 268435456", "PRAGMA temp_store = MEMORY"):
        connection.execute(statement)
    return connection


def measure_build(connection: Connection) -> Snapshot:
    """Builds a snapshot three times."""
    times = time_calls(lambda _: Snapshot(connection), range(3))
    snapshot = Snapshot(connection)
    print(
        f"  build  best {min(times):.2f} s, {min(times) / snapshot.edges * 1e6:.2f} s per million edges; "
        f"{snapshot.nbytes / snapshot.edges:.1f} bytes an edge",
        judge_build(min(times), snapshot),
        flush=True,
    )
    return snapshot


def judge_build(best: float, snapshot: Snapshot) -> str:
    """Both bounds of a build, "" for graphs that have none."""
    if snapshot.edges < BOUNDED_EDGES:
        return ""
    speed = judge(best / snapshot.edges * 1e6, BOUND_BUILD)
    return f"  {speed}; {judge(snapshot.nbytes / snapshot.edges, BOUND_BYTES)}"


def find_bound(edges: int, label: str, direction: str, depth: int) -> float | None:
    """The milliseconds that a walk may take by the median, None where none are set."""
    if edges < BOUNDED_EDGES or label == "hub":
        return None
    if depth < 3:
        return 1.0
    if depth < 5:
        return None
    return 5.0 if direction == "out" else (60.0 if label == "mixed" else 250.0)


def measure_walks(connection: Connection, snapshot: Snapshot, anchors: Sequence[int], label: str) -> dict[str, float]:
    """Walks in memory: the paths alone, and the whole answer with nodes, texts and steps. Medians by name,
    and sums."""
    memory, medians = GraphMemory(), {"edges": float(snapshot.edges)}
    memory.put(snapshot)
    everything = np.ones(snapshot.forest.size, np.bool_)
    for direction in ("both", "out"):
        for depth in (1, 2, 3, 4, 5):

            def ask(anchor: int, depth: int = depth, direction: Any = direction) -> TraversalRequest:
                return TraversalRequest(anchor, direction, depth)

            def find(anchor: int, ask: Callable[[int], TraversalRequest] = ask) -> None:
                start = memory.take(connection, ask(anchor))
                assert start is not None
                search_paths(start, ask(anchor), everything)

            def answer(anchor: int, ask: Callable[[int], TraversalRequest] = ask) -> None:
                Walker(memory, patient=False).walk(connection, ask(anchor)).tell_all()

            paths, whole = time_calls(find, anchors), time_calls(answer, anchors)
            medians[f"{direction} {depth}"], medians[f"{direction} {depth} together"] = median(paths), sum(paths)
            bound = find_bound(snapshot.edges, label, direction, depth)
            held = "" if bound is None else f"   {judge(median(paths) * 1000, bound)}"
            told = f"paths {show_times(paths)}   whole {show_times(whole)}{held}"
            print(f"  {label:12} {direction:4} depth {depth}  {told}", flush=True)
    return medians


def measure_sql(connection: Connection, anchors: Sequence[int], depths: Sequence[int], csr: dict[str, float]) -> None:
    """The SQL engine's paths for the same requests, and how many times as long they take: the median one, and all of
    them together, by which the bound is judged (walks that meet little take what a call takes, whoever answers)."""
    for depth in depths:

        def find(anchor: int, depth: int = depth) -> None:
            network = service.load_network(connection, TraversalRequest(anchor, depth=depth))
            reported = np.ones(len(network.stations), np.bool_)
            find_paths(network.graph, network.first, depth, "sum", 100, reported)

        times = time_calls(find, anchors)
        ratio, whole = median(times) / csr[f"both {depth}"], sum(times) / csr[f"both {depth} together"]
        bounded = depth == 3 and csr["edges"] >= BOUNDED_EDGES
        held = f"  {judge(whole, BOUND_OVER_SQL, least=True)}" if bounded else ""
        told = f"{ratio:.1f} x, {whole:.1f} x together"
        print(f"  SQL engine   both depth {depth}  paths {show_times(times)}   {told}{held}", flush=True)


def measure_first_call(path: Path, anchor: int) -> None:
    """The first walk of a store just opened, beside the opening."""

    async def run(depth: int) -> tuple[float, float]:
        begin = time.perf_counter()
        async with Remem.open(path) as remem:
            opened = time.perf_counter()
            await remem.related(encode_id(anchor * 0x9E3779B97F4A7C15 % 2**64), depth=depth, touch=False)
            return opened - begin, time.perf_counter() - opened

    for depth in (1, 2, 3):
        opening, walk = asyncio.run(run(depth))
        told = f"opened in {opening * 1000:.0f} ms, first walk of depth {depth} {walk * 1000:.0f} ms more"
        print(f"  fresh store: {told}", flush=True)


def measure_writes(path: Path, anchors: Sequence[int]) -> None:
    """Single writes with a walk after each."""

    async def run() -> list[float]:
        times = []
        async with Remem.open(path) as remem:
            await remem.graph.build()
            ids = [encode_id(anchor * 0x9E3779B97F4A7C15 % 2**64) for anchor in anchors]
            for source, target in pairwise(ids):
                await remem.relate(source, target, weight=2)
                begin = time.perf_counter()
                await remem.related(source, depth=2, limit=10, touch=False)
                times.append(time.perf_counter() - begin)
        return times

    print(f"  walk of depth 2, best 10, right after a write  {show_times(asyncio.run(run()))}", flush=True)


def measure_spreading(connection: Connection, snapshot: Snapshot) -> None:
    """Personalised PageRank from 20 seeds."""
    graph = build_spread_graph(snapshot.load_table(connection, "node"), snapshot.forest)
    random = np.random.default_rng(2)

    def call(_: object) -> None:
        spread(graph, random.integers(0, snapshot.forest.size, 20), random.random(20))

    times = time_calls(call, range(15))
    held = f"   {judge(median(times) * 1000, BOUND_SPREADING)}" if snapshot.edges == SPREAD_EDGES else ""
    print(f"  spreading from 20 seeds          {show_times(times)}{held}", flush=True)


# --- peers -----------------------------------------------------------------------------------------------------------


def list_peers(source: Any, target: Any, nodes: int) -> Iterator[tuple[str, Callable[[int, int], object]]]:
    """Names and breadth-first searches (anchor, depth) of the peers that are installed; edges are walked either way."""
    pairs = list(zip(source.tolist(), target.tolist(), strict=True))
    if networkx := find_module("networkx"):
        graph = networkx.Graph(pairs)
        yield "networkx", lambda anchor, depth: networkx.single_source_shortest_path_length(graph, anchor, cutoff=depth)
    if rustworkx := find_module("rustworkx"):
        rust = rustworkx.PyGraph()
        rust.add_nodes_from(range(nodes))
        rust.add_edges_from_no_data(pairs)

        def search(anchor: int, depth: int) -> int:
            found = frontier = {anchor}
            for _ in range(depth):
                frontier = {node for at in frontier for node in rust.neighbors(at)} - found
                found = found | frontier
            return len(found)

        yield "rustworkx", search
    if igraph := find_module("igraph"):
        other = igraph.Graph(nodes, pairs)
        yield "igraph", lambda anchor, depth: other.neighborhood(anchor, order=depth)
    if sparse := find_module("scipy.sparse"):
        ones = np.ones(2 * len(source), np.float32)
        ends = np.concatenate((source, target)), np.concatenate((target, source))
        matrix = sparse.csr_matrix((ones, ends), (nodes, nodes))

        def multiply(anchor: int, depth: int) -> int:
            reached = sparse.csr_matrix(([1.0], ([0], [anchor])), (1, nodes), dtype=np.float32)
            for _ in range(depth):
                reached = reached + reached @ matrix
                reached.data[:] = 1
            return int(reached.nnz)

        yield "scipy", multiply


def find_module(name: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


def measure_peers(edges: int, anchors: Sequence[int]) -> None:
    """Breadth-first search of the peers, of which each is built and dropped in turn."""
    nodes = max(int(edges * NODES_PER_EDGE), 10)
    source, target = make_edges(nodes, edges)
    for name, search in list_peers(source, target, nodes):
        for depth in (1, 2, 3, 5):
            times = time_calls(partial(lambda search, depth, anchor: search(anchor - 1, depth), search, depth), anchors)
            print(f"  {name:12} both depth {depth}  reach {show_times(times)}", flush=True)


# --- the run ---------------------------------------------------------------------------------------------------------


def measure_size(folder: Path, edges: int, count: int, peers: bool) -> None:
    """Everything for graphs of one size."""
    nodes = max(int(edges * NODES_PER_EDGE), 10)
    anchors = np.random.default_rng(1).integers(1, nodes, count).tolist()
    for style, hub in (("mixed", False), ("equal", False), ("huge", False), ("mixed", True)):
        path = folder / f"{edges}-{style}-{hub}.db"
        write_store(path, edges, style, hub)
        label = "hub" if hub else style
        print(f"{nodes} nodes, {edges} edges, weights {style}{', a hub' if hub else ''}", flush=True)
        connection = open_store(path)
        snapshot = measure_build(connection)
        chosen = [1, *anchors[1:]] if hub else anchors
        medians = measure_walks(connection, snapshot, chosen, label)
        if style == "mixed" and not hub:
            measure_sql(connection, anchors, SQL_DEPTHS, medians)
            measure_spreading(connection, snapshot)
            measure_first_call(path, anchors[0])
            measure_writes(path, anchors)
        connection.close()
        path.unlink()
    if peers:
        measure_peers(edges, anchors)


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description="Times walks over seeded power-law graphs.")
    parser.add_argument("--sizes", default="10000,100000,500000,1000000", help="numbers of edges")
    parser.add_argument("--anchors", type=int, default=20)
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    tell_run("numpy", "networkx", "rustworkx", "igraph", "scipy")
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes.split(","):
            measure_size(Path(folder), int(size), options.anchors, options.peers)


if __name__ == "__main__":
    main()
