"""A very full queue is worked off in small steps."""

from __future__ import annotations

import asyncio
from pathlib import Path

from remem import Remem
from remem.background import embed
from remem.storage import jobs
from tests.background.conftest import Opening
from tests.background.embedders import Counting
from tests.guard import guard_hang

COUNT = 10_000


class Stepping(Counting):
    """Notes how many texts each step brings."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[int] = []

    def embed_passages(self, texts):  # type: ignore[no-untyped-def]
        self.steps.append(len(texts))
        return super().embed_passages(texts)


def test_ten_thousand_texts_are_owed_and_taken_some_at_a_time(open_store: Opening) -> None:
    async def run() -> None:
        embedder = Stepping()
        async with open_store(embedder) as remem:
            await remem.store_batch([f"fact {number}" for number in range(300)])
            # Those of documents that are gone are struck off.
            await remem.storage.write(jobs.queue_jobs, jobs.EMBED, range(1_000_000, 1_000_000 + COUNT))
            await remem.storage.write(jobs.queue_jobs, jobs.DISCOVER, range(1_000_000, 1_002_000))
            stats = await remem.stats()
            assert (stats.owed_embed, stats.owed_discover) == (COUNT + 300, 2000)
            batch = await remem.storage.read(embed.load_batch, 1 << 60)
            assert len(batch.done) <= embed.MOST_DOCUMENTS and len(batch.passages) <= embed.MOST_TEXTS
            looks: list[int] = []
            state = await remem.settle(lambda state: looks.append(state.embed))
            assert (state.embed, state.discover, state.embedded) == (0, 0, 300)
            assert sum(embedder.steps) == 300 and max(embedder.steps) <= embed.MOST_TEXTS
            assert looks[0] > looks[-1] == 0 and looks == sorted(looks, reverse=True)

    with guard_hang("settling"):
        asyncio.run(run())


def test_a_document_of_many_passages_is_embedded_over_many_steps(open_store: Opening, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    sections = "\n\n".join(f"## Part {number}\n\nWords of part {number}." for number in range(200))
    (notes / "long.md").write_text(f"# Long\n\n{sections}\n")

    async def run() -> None:
        embedder = Stepping()
        async with open_store(embedder) as remem:
            await remem.compile(notes)
            assert (await remem.embed()).embedded == 201  # the title stands for itself
            assert len(embedder.texts) == len(set(embedder.texts)) and max(embedder.steps) <= embed.MOST_TEXTS
            await remem.compile(notes)
            await remem.embed()
            assert len(embedder.texts) == len(set(embedder.texts))

    with guard_hang("embedding"):
        asyncio.run(run())


async def _count(remem: Remem) -> int:
    return (await remem.work()).embedded


def test_a_killed_store_of_many_goes_on_in_another(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            await remem.store_batch([f"fact {number}" for number in range(500)])
        async with open_store() as remem:
            await remem.settle()
            assert await _count(remem) == 500

    with guard_hang("settling"):
        asyncio.run(run())
