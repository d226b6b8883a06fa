"""The claim on work: one process at a time, as long as it says that it lives."""

from __future__ import annotations

import asyncio
from pathlib import Path

from remem.storage import jobs
from remem.storage.pool import Store


def test_work_belongs_to_one_process_while_that_lives_and_to_the_next_afterwards(path: Path) -> None:
    async def run() -> None:
        async with await Store.open(path, synchronous="normal") as store:

            async def claim(owner: str, now: int) -> bool:
                return await store.write(jobs.claim_work, "vectors", owner, now, 60_000)

            assert await claim("a", 1_000)
            assert not await claim("b", 30_000)
            assert await claim("a", 50_000)
            assert not await claim("b", 100_000)
            assert await claim("b", 110_000)
            assert not await claim("a", 110_001)
            await store.write(jobs.release_work, "vectors", "b")
            assert await claim("a", 110_002)

    asyncio.run(run())


def test_a_claim_of_a_clock_that_ran_ahead_does_not_hold_the_work_up(path: Path) -> None:
    async def run() -> None:
        async with await Store.open(path, synchronous="normal") as store:
            await store.write(jobs.claim_work, "vectors", "ahead", 10_000_000, 60_000)
            assert await store.write(jobs.claim_work, "vectors", "b", 1_000, 60_000)

    asyncio.run(run())


def test_work_that_is_owed_again_meanwhile_is_not_struck_off(path: Path) -> None:
    async def run() -> None:
        async with await Store.open(path, synchronous="normal") as store:
            await store.write(jobs.queue_jobs, jobs.DISCOVER, [7])
            (job,) = await store.read(jobs.load_due, jobs.DISCOVER, 0, 10)
            await store.write(jobs.queue_jobs, jobs.DISCOVER, [7])
            await store.write(jobs.finish_jobs, [job])
            (again,) = await store.read(jobs.load_due, jobs.DISCOVER, 0, 10)
            await store.write(jobs.postpone_jobs, [(again, 500)])
            assert await store.read(jobs.load_due, jobs.DISCOVER, 499, 10) == []
            assert await store.read(jobs.count_jobs, 499) == {jobs.DISCOVER: (1, 1)}
            (late,) = await store.read(jobs.load_due, jobs.DISCOVER, 500, 10)
            assert late.attempts == 1
            await store.write(jobs.finish_jobs, [late])
            assert await store.read(jobs.count_jobs, 500) == {}

    asyncio.run(run())
