"""A store closes whatever its background work is doing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from remem import Remem
from tests.background.conftest import write_config
from tests.guard import guard_hang
from tests.usage.clock import look


@pytest.mark.parametrize("steps", range(8))
def test_a_store_closes_at_once_after_the_work_was_woken(tmp_path: Path, steps: int) -> None:
    async def run() -> None:
        remem = await Remem.open(tmp_path / "memory.db")
        await remem.store("The deploy key rotates on Fridays.")
        await remem.settle()
        await remem.store("The pier is closed in March.")
        for _ in range(steps):
            await asyncio.sleep(0)
        await remem.close()

    with guard_hang("closing"):
        asyncio.run(run())


def test_a_store_closes_after_a_compile_that_owes_work(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Alpha\n\nSee [[Beta]].\n", encoding="utf-8")
    with guard_hang("closing"):
        for _ in range(4):
            with Remem.open_sync(tmp_path / "memory.db") as remem:
                remem.compile(tmp_path / "notes")
                remem.store("Alpha is written down.")


def test_a_closed_store_never_keeps_the_work_from_the_next(tmp_path: Path) -> None:
    settings = write_config(tmp_path, "")

    async def run(steps: int) -> None:
        async with Remem.open(tmp_path / "memory.db", config=settings) as remem:
            await remem.store(f"fact {steps}")
            await remem.settle()
            for _ in range(steps):
                await asyncio.sleep(0.0002)

    with guard_hang("closing"):
        for steps in range(30):
            asyncio.run(run(steps))
            assert look(tmp_path / "memory.db", "SELECT owner FROM claims") == []
