"""Background work leaves those who write most of the time, is never put off for good, and hurries for who waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from remem import Remem
from remem.background import worker
from remem.embedding.hashing import HashingEmbedder
from remem.records import Refusal
from tests.background.conftest import Opening, wait_until
from tests.guard import guard_hang

if TYPE_CHECKING:
    from remem.embedding.base import Vector


class Slow(HashingEmbedder):
    """Takes a moment for each step, and counts them."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds
        self.steps = 0

    def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        self.steps += 1
        time.sleep(self.seconds)
        return super().embed_passages(texts)


def test_a_chore_rests_as_long_as_it_took_several_times(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            runs = 0

            async def chore() -> None:
                nonlocal runs
                runs += 1
                await asyncio.sleep(0.02)

            work = remem.worker
            await wait_until(lambda: settled(remem))
            work._chore = chore
            for _ in range(40):
                work.kick()
                await asyncio.sleep(0.01)
            assert 1 <= runs <= 6  # 20 without rest
            work.kick()
            before = runs

            async def has_run() -> bool:
                return runs > before

            await wait_until(has_run)  # what was put off is not forgotten

    with guard_hang("a chore"):
        asyncio.run(run())


async def settled(remem: Remem) -> bool:
    state = await remem.work()
    return not state.embed + state.discover


def test_embedding_rests_while_many_write_and_hurries_for_who_waits(
    open_store: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "EMBED_REST", 1000)
    monkeypatch.setattr(worker, "LONGEST_REST", 1000)
    monkeypatch.setattr(worker, "MANY_WRITES", 1)
    slow = Slow(0.2)

    async def run() -> None:
        async with open_store(slow) as remem:
            remem.worker.kick()
            for number in range(400):
                await remem.store(f"Gull number {number} sits on the pier")
                if slow.steps and number > 100:
                    break
            steps = slow.steps
            assert steps >= 1
            for number in range(50):
                await remem.store(f"Tern number {number} dives")
            assert slow.steps <= steps + 1  # it rests for very long
            state = await remem.settle()
            assert (state.embed, state.problem) == (0, "")

    with guard_hang("settling"):
        asyncio.run(run())


def test_work_begins_though_the_writes_never_pause(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            await remem.store("# Harbour light\n\nIt is lit at dusk.")
            await remem.store("The harbour light was out.")
            deadline = time.monotonic() + 20
            while not await remem.mentions():
                await remem.store(f"Fact {time.monotonic_ns()}")
                await asyncio.sleep(0.005)
                assert time.monotonic() < deadline

    with guard_hang("the first work"):
        asyncio.run(run())
