"""Vectors: semantic search over 100 000 and 1 000 000 vectors of 384 numbers, and the default embedder by itself.

    python -m benchmarks.vectors [--sizes 100000,1000000] [--queries 30] [--peers-up-to 1000000]

The index stands beside the scan of sqlite-vec (float32, cosine, in memory-mapped file) and a plain numpy product over
float32, in the same run and with one thread each; recall@10 is against the exact product. Vectors are seeded and lie in
loose groups, as texts of the same subject do; the queries come from the same groups and are not among them. Times are
of this process's processor: median and 90th percentile.

Not measured: the embedding of the query (its time is in the second part), loading vectors from the file, filters, other
distributions of vectors (recall falls where the tenth neighbour is hardly nearer than the thousandth), cold memory.
"""

from __future__ import annotations

import argparse
import platform
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from remem.embedding.index import BitIndex
from remem.embedding.minilm import MiniLM
from remem.storage.sqlite import choose, load_vectors

WIDTH = 384
GROUPS = 2000
NEAREST = 10
BLOCK = 50_000
BOUNDS = {100_000: 3.0, 1_000_000: 25.0}
BOUND_RECALL = 0.99
PEER_QUERIES = 5
SENTENCE = "the harbour keeps a list of vessels that may enter when the tide turns and the pilot has signed for them "

Matrix = npt.NDArray[np.float32]
Search = Callable[[Matrix], set[int]]


def make_vectors(count: int, seed: int) -> Matrix:
    """Seeded unit vectors around fixed centres."""
    centres = np.random.default_rng(7).standard_normal((GROUPS, WIDTH), dtype=np.float32)
    random = np.random.default_rng(seed)
    vectors = np.empty((count, WIDTH), dtype=np.float32)
    for start in range(0, count, BLOCK):
        block = centres[random.integers(0, GROUPS, min(BLOCK, count - start))]
        block += random.standard_normal(block.shape, dtype=np.float32)
        vectors[start : start + BLOCK] = block / np.linalg.norm(block, axis=1, keepdims=True)
    return vectors


def measure(search: Search, queries: Matrix) -> tuple[list[float], list[set[int]]]:
    """Milliseconds and keys of each query; the first is asked once before, untimed."""
    search(queries[0])
    times, found = [], []
    for query in queries:
        started = time.process_time()
        found.append(search(query))
        times.append((time.process_time() - started) * 1000)
    return times, found


def say(
    what: str, times: list[float], found: list[set[int]], truth: list[set[int]], bound: float | None = None
) -> None:
    """One line of the table."""
    recall = statistics.mean(len(a & b) / NEAREST for a, b in zip(found, truth, strict=False))
    high = statistics.quantiles(times, n=10)[-1] if len(times) > 1 else times[0]
    line = f"{what:<34} median {statistics.median(times):8.2f} ms  p90 {high:8.2f} ms  recall@10 {recall:.3f}"
    if bound is not None:
        held = statistics.median(times) <= bound and recall >= BOUND_RECALL
        line += f"  bound <= {bound:g} ms at >= {BOUND_RECALL}  {'ok' if held else 'MISSED'}"
    print(line, flush=True)


def fill_table(place: Path, vectors: Matrix) -> sqlite3.Connection:
    """A vec0 table with all vectors in a file that is mapped into memory."""
    connection: sqlite3.Connection = choose().connect(place / "vectors.db", isolation_level=None)
    load_vectors(connection)
    connection.execute("PRAGMA mmap_size = 4000000000")
    connection.execute(
        f"CREATE VIRTUAL TABLE v USING vec0 (id INTEGER PRIMARY KEY, e FLOAT[{WIDTH}] distance_metric=cosine)"
    )
    connection.execute("BEGIN")
    rows = ((key, vector.tobytes()) for key, vector in enumerate(vectors))
    connection.executemany("INSERT INTO v (id, e) VALUES (?, ?)", rows)
    connection.execute("COMMIT")
    return connection


def measure_peers(vectors: Matrix, queries: Matrix, truth: list[set[int]]) -> None:
    """sqlite-vec's scan, few queries."""
    with tempfile.TemporaryDirectory() as folder:
        connection = fill_table(Path(folder), vectors)

        def search(query: Matrix) -> set[int]:
            rows = connection.execute("SELECT id FROM v WHERE e MATCH ? AND k = ?", (query.tobytes(), NEAREST))
            return {key for (key,) in rows.fetchall()}

        say("sqlite-vec, float32, cosine", *measure(search, queries[:PEER_QUERIES]), truth)
        connection.close()


def measure_size(count: int, queries: Matrix, peers: bool) -> None:
    """All ways over one set of vectors."""
    vectors = make_vectors(count, seed=1)
    print(f"\n{count} vectors of {WIDTH} numbers, {NEAREST} nearest")

    def search_exactly(query: Matrix) -> set[int]:
        return set(np.argpartition(-(vectors @ query), NEAREST)[:NEAREST].tolist())

    with threadpool_limits(1):
        times, truth = measure(search_exactly, queries)
    say("numpy product, float32", times, truth, truth)
    index = BitIndex(WIDTH)
    started = time.process_time()
    for start in range(0, count, BLOCK):
        index.put(np.arange(start, min(start + BLOCK, count)), vectors[start : start + BLOCK])
    built = time.process_time() - started
    ways: dict[str, BitIndex] = {"index, vectors held": index}
    ways["index, vectors fetched"] = fetched = BitIndex(WIDTH, lambda keys: (keys, vectors[keys]))
    for start in range(0, count, BLOCK):
        fetched.put(np.arange(start, min(start + BLOCK, count)), vectors[start : start + BLOCK])
    for name, way in ways.items():

        def search(query: Matrix, way: BitIndex = way) -> set[int]:
            return {near.key for near in way.search(query, NEAREST)}

        say(name, *measure(search, queries), truth, BOUNDS.get(count))
    print(f"built in {built:.2f} s; arrays {index.bytes / 1e6:.0f} MB held, {fetched.bytes / 1e6:.0f} MB fetched")
    if peers:
        measure_peers(vectors, queries, truth)


def measure_embedder() -> None:
    """The default embedder: time to the first vector, texts of two lengths alone and in batches, memory."""
    print("\ndefault embedder, one thread")
    started = time.process_time()
    model = MiniLM()
    model.embed_queries(["warm"])
    print(f"checked, read, first vector: {(time.process_time() - started) * 1000:.0f} ms after numpy")
    for tokens in (20, 120):
        text = " ".join((SENTENCE * 10).split()[: tokens - 2])
        times = []
        for _ in range(15):
            started = time.process_time()
            model.embed_passages([text])
            times.append((time.process_time() - started) * 1000)
        started = time.process_time()
        model.embed_passages([text] * 64)
        rate = 64 / (time.process_time() - started)
        print(f"{tokens:>4} tokens: median {statistics.median(times):.1f} ms alone, {rate:.0f} texts/s in batches")
    print(f"peak memory of the process so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100000,1000000")
    parser.add_argument("--queries", type=int, default=30)
    parser.add_argument("--peers-up-to", type=int, default=1_000_000)
    options = parser.parse_args()
    sqlite = choose().sqlite_version
    print(f"Python {platform.python_version()}, numpy {np.__version__}, SQLite {sqlite}, {platform.machine()}")
    measure_embedder()
    queries = make_vectors(options.queries, seed=2)
    for count in map(int, options.sizes.split(",")):
        measure_size(count, queries, count <= options.peers_up_to)


if __name__ == "__main__":
    main()
