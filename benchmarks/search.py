"""Times keyword search beside a bare FTS5 table over the same texts.

    python -m benchmarks.search [--passages 100000] [--rounds 5] [--seed 7]

prints for each kind of query the median and the 95th percentile of whole calls (parsing, ranking, counting, snippets,
breadcrumbs; limit 10) and of the bare `MATCH … ORDER BY rank LIMIT 10`, CPU per call, and the size of both indexes. The
words follow Zipf's law, so there are rare and common ones. Not measured: a cold file, the hop to a thread, filters.
"""

from __future__ import annotations

import argparse
import itertools
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from benchmarks.figures import tell_run
from benchmarks.notes import make_words
from remem.ids import encode_id
from remem.records import NodeRow, SearchRequest
from remem.search.passages import make_passages
from remem.search.service import search
from remem.storage import nodes as node_rows
from remem.storage import sqlite
from remem.writing.passages import replace_passages

if TYPE_CHECKING:
    from sqlite3 import Connection

SCHEMA = Path(__file__).resolve().parent.parent / "schema.sql"
SECTIONS = 20
"""So many passages a document has."""
RANKS = {"rare": 3000, "middling": 300, "common": 10, "commonest": 0}

CREATE_BARE = "CREATE VIRTUAL TABLE bare USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')"
INSERT_BARE = "INSERT INTO bare (rowid, text) VALUES (?, ?)"
SEARCH_BARE = "SELECT rowid, rank FROM bare WHERE bare MATCH :query ORDER BY rank LIMIT 10"
INDEX_SIZE = "SELECT sum(length(block)) FROM {}_data"


def make_texts(count: int, words: Sequence[str], chance: random.Random) -> list[str]:
    """Texts of 20 to 110 words, each word with a probability that falls with its rank."""
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    return [" ".join(chance.choices(words, cum_weights=weights, k=chance.randint(20, 110))) for _ in range(count)]


def fill_store(connection: Connection, texts: Sequence[str]) -> float:
    """Documents of twenty sections with one paragraph each; returns the CPU seconds that their passages took."""
    spent = 0.0
    key = itertools.count(1)
    for start in range(0, len(texts), SECTIONS):
        rows = _make_document(texts[start : start + SECTIONS], start // SECTIONS, key)
        node_rows.insert_nodes(connection, rows)
        begin = time.process_time()
        replace_passages(connection, (), [make_passages(rows, {})])
        spent += time.process_time() - begin
    return spent


def _make_document(texts: Sequence[str], number: int, keys: itertools.count[int]) -> list[NodeRow]:
    document, last = next(keys), 2 * len(texts)
    rows = [_make_row(document, "document", document, None, 0, last, document, f"document {number}", "")]
    for index, text in enumerate(texts):
        heading, at = next(keys), 2 * index + 1
        label = " ".join(text.split()[:2])
        rows.append(_make_row(heading, "heading", document, document, at, at + 1, heading, label, f"## {label}"))
        rows.append(_make_row(next(keys), "text", document, heading, at + 1, at + 1, heading, None, text))
    return rows


def _make_row(
    key: int,
    kind: str,
    document: int,
    parent: int | None,
    position: int,
    last: int,
    station: int,
    label: str | None,
    content: str,
) -> NodeRow:
    id, tokens = encode_id(key * 2654435761 % 2**64), len(content) // 4
    return NodeRow(key, id, kind, document, parent, position, last, station, 0, tokens, label, content, None, None)


def make_queries(words: Sequence[str], chance: random.Random, count: int) -> dict[str, list[list[str]]]:
    """Words by kind of query, `count` queries each. `words` are in order of their frequency."""
    queries = {kind: [[words[rank + index % 8]] for index in range(count)] for kind, rank in RANKS.items()}
    queries["two words"] = [[words[chance.randint(20, 400)], words[chance.randint(400, 2000)]] for _ in range(count)]
    queries["six words"] = [[words[chance.randint(5, 3000)] for _ in range(6)] for _ in range(count)]
    return queries


def time_calls(call: Callable[[Sequence[str]], object], queries: Sequence[Sequence[str]], rounds: int) -> str:
    """Median, 95th percentile and CPU of a call in milliseconds."""
    times: list[float] = []
    cpu = time.process_time()
    for _ in range(rounds):
        for query in queries:
            begin = time.perf_counter()
            call(query)
            times.append((time.perf_counter() - begin) * 1000)
    cpu = (time.process_time() - cpu) * 1000 / len(times)
    return f"p50 {median(times):8.2f}  p95 {quantiles(times, n=20)[-1]:8.2f}  CPU {cpu:8.2f} ms"


def measure(connection: Connection, options: argparse.Namespace) -> None:
    """Fills both indexes and prints the figures."""
    chance = random.Random(options.seed)
    words = make_words(4000, chance)
    chance.shuffle(words)
    texts = make_texts(options.passages, words, chance)
    connection.execute("BEGIN")
    spent = fill_store(connection, texts)
    connection.execute("COMMIT")
    connection.execute(CREATE_BARE)
    begin = time.process_time()
    connection.execute("BEGIN")
    connection.executemany(INSERT_BARE, enumerate(texts, 1))
    connection.execute("COMMIT")
    bare = time.process_time() - begin
    sizes = [connection.execute(INDEX_SIZE.format(name)).fetchone()[0] / 1e6 for name in ("passages_text", "bare")]
    print(f"{sum(map(len, texts)) / 1e6:.1f} MB of text, {options.passages} passages")
    print(
        f"fill   remem {spent:6.2f} s CPU, index {sizes[0]:6.1f} MB   bare {bare:6.2f} s CPU, index {sizes[1]:6.1f} MB"
    )
    for kind, queries in make_queries(words, chance, 8).items():
        ours = time_calls(lambda query: search(connection, SearchRequest(" ".join(query))), queries, options.rounds)
        theirs = time_calls(
            lambda query: connection.execute(SEARCH_BARE, {"query": " OR ".join(query)}).fetchall(),
            queries,
            options.rounds,
        )
        print(f"{kind:10} remem {ours}   bare {theirs}", flush=True)


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description="Times keyword search beside bare FTS5.")
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    module = sqlite.choose()
    tell_run()
    with tempfile.TemporaryDirectory() as folder:
        connection = module.connect(str(Path(folder, "bench.db")), isolation_level=None)
        connection.execute("PRAGMA page_size = 2048")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA cache_size = -32768")
        connection.executescript(SCHEMA.read_text(encoding="utf-8"))
        measure(connection, options)
        connection.close()


if __name__ == "__main__":
    main()
