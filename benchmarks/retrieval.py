"""Recall of the answers to questions: stores public sets of questions with their passages as memories, and asks.

    python -m benchmarks.retrieval --data DIR [--sets locomo,musique] [--every N]

DIR holds `NAME.corpus.jsonl` ({id, group, text, and title, or author}) and `NAME.queries.jsonl` ({id, group, text,
relevant}). A text with an author is a memory `Author: text` of the source that its group names, in the order of the
file; one with a title is a memory that begins with it as heading. A question is searched for within its group. The
default embedder runs over all texts (1 to 2 minutes of processor time for 7 800 short ones), mentions and discovery are
settled before the first question.

Prints recall at 5 and at 10 (the share of the passages that answer, mean over questions), MRR (1 / rank of the first of
them within ten), and milliseconds a question, for plain FTS5 (porter, all words, BM25), and for the modes of `search`.

Not measured: whether an answer made from these passages would be right; texts in other languages than English; notes;
what temperature and importance do. A hundred questions leave about four points of noise.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from remem import Remem
from remem.storage import sqlite

Row: TypeAlias = dict[str, Any]
Ask: TypeAlias = Callable[[Row], Awaitable[Sequence[str]]]

DEEPEST = 10
BATCH = 1000
WAYS: dict[str, dict[str, Any]] = {
    "keyword": {"mode": "keyword"},
    "semantic": {"mode": "semantic"},
    "hybrid, spread=0": {"spread": 0},
    "hybrid": {},
}


CREATE_TEXTS = "CREATE VIRTUAL TABLE texts USING fts5 (id UNINDEXED, place UNINDEXED, content, tokenize = 'porter')"
INSERT_TEXT = "INSERT INTO texts (id, place, content) VALUES (?, ?, ?)"
RANK_TEXTS = "SELECT id FROM texts WHERE texts MATCH ? AND place = ? ORDER BY rank LIMIT ?"


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over the questions, in percent but for `mrr` (0 to 1) and `milliseconds`."""

    recall5: float
    recall10: float
    mrr: float
    milliseconds: float


def main() -> None:
    """Runs the sets and prints a table of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, required=True, help="where the sets lie")
    parser.add_argument("--sets", default="locomo,musique", help="their names, with commas")
    parser.add_argument("--every", type=int, default=1, help="ask every N-th question alone")
    given = parser.parse_args()
    versions = {name: metadata.version(name) for name in ("numpy", "sqlite-vec")}
    print(f"SQLite {sqlite.choose().sqlite_version}, {versions}")
    for name in given.sets.split(","):
        corpus = read_rows(given.data / f"{name}.corpus.jsonl")
        queries = read_rows(given.data / f"{name}.queries.jsonl")[:: given.every]
        with TemporaryDirectory() as folder:
            asyncio.run(run_set(name, corpus, queries, Path(folder) / "store.db"))


def read_rows(path: Path) -> list[Row]:
    """The objects of a file, one a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


async def run_set(name: str, corpus: Sequence[Row], queries: Sequence[Row], path: Path) -> None:
    """Stores a set, asks its questions in each way, and prints what was found."""
    print(f"\n{name}: {len(corpus)} texts, {len(queries)} questions")
    async with Remem.open(path) as remem:
        started = time.perf_counter()
        known = await store_corpus(remem, corpus)
        stored = time.perf_counter()
        state = await remem.settle()
        print(f"stored in {stored - started:.1f} s, settled in {time.perf_counter() - stored:.1f} s more; {state}")
        print(f"{'':18} recall@5  recall@10    MRR   ms a question")
        show("plain FTS5", await ask_all(queries, PlainIndex(corpus).ask))
        sources = {row["group"] for row in corpus if has_source(row)}
        for way, options in WAYS.items():
            show(way, await ask_all(queries, make_ask(remem, known, sources, options)))


async def store_corpus(remem: Remem, corpus: Sequence[Row]) -> dict[str, list[str]]:
    """Stores the texts in order; the ids of the set by those of the memories (equal texts are one memory)."""
    known: dict[str, list[str]] = {}
    for start in range(0, len(corpus), BATCH):
        part = corpus[start : start + BATCH]
        for row, memory in zip(part, await remem.store_batch([make_memory(row) for row in part]), strict=True):
            known.setdefault(memory.id, []).append(row["id"])
    return known


def make_memory(row: Row) -> Row:
    """A text of a set as the fields of a memory."""
    if has_source(row):
        return {"content": f"{row['author']}: {row['text']}", "source": row["group"]}
    return {"content": f"# {row['title']}\n\n{row['text']}"}


def has_source(row: Row) -> bool:
    """Whether a text is one of a conversation."""
    return "author" in row


def make_ask(remem: Remem, known: dict[str, list[str]], sources: set[str], options: dict[str, Any]) -> Ask:
    """What asks the product."""

    async def ask(query: Row) -> list[str]:
        group = query["group"]
        filters: dict[str, Any] = {"sources": [group]} if group in sources else {}
        page = await remem.search(query["text"], limit=DEEPEST, touch=False, **filters, **options)
        return [id for hit in page for id in known[hit.id]]

    return ask


class PlainIndex:
    """The peer: an FTS5 table over the same texts, all words of a question joined by OR."""

    def __init__(self, corpus: Iterable[Row]) -> None:
        self._connection = sqlite.choose().connect(":memory:")
        self._connection.execute(CREATE_TEXTS)
        rows = [(row["id"], row["group"], make_memory(row)["content"]) for row in corpus]
        self._connection.executemany(INSERT_TEXT, rows)

    async def ask(self, query: Row) -> list[str]:
        """The ids of the best texts."""
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query["text"]))
        found = self._connection.execute(RANK_TEXTS, (words, query["group"], DEEPEST))
        return [row[0] for row in found]


async def ask_all(queries: Sequence[Row], ask: Ask) -> Figures:
    """The figures of one way over all questions."""
    started = time.perf_counter()
    scores = [score_answer(set(query["relevant"]), await ask(query)) for query in queries]
    seconds = time.perf_counter() - started
    means = [sum(column) / len(scores) for column in zip(*scores, strict=True)]
    return Figures(100 * means[0], 100 * means[1], means[2], 1000 * seconds / len(queries))


def score_answer(relevant: set[str], found: Sequence[str]) -> tuple[float, float, float]:
    """Recall at 5, recall at 10, and 1 / rank of the first that is relevant (0 where none is)."""
    first = next((1 / rank for rank, id in enumerate(found, 1) if id in relevant), 0.0)
    return (
        len(relevant.intersection(found[:5])) / len(relevant),
        len(relevant.intersection(found[:DEEPEST])) / len(relevant),
        first,
    )


def show(way: str, figures: Figures) -> None:
    """Prints one line of the table."""
    print(
        f"{way:18} {figures.recall5:8.1f}  {figures.recall10:9.1f}  {figures.mrr:5.3f}  {figures.milliseconds:14.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
