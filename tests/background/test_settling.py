"""Waiting for the work owed ends, whatever becomes of the work."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from remem import Remem
from remem.background import worker
from remem.embedding.base import Embedder
from remem.records import WorkState
from tests.background.conftest import Opening, write_config
from tests.background.embedders import Breaking, Failing
from tests.guard import guard_hang


async def settle_twice(remem: Remem) -> list[WorkState]:
    await remem.store("Puffins nest in burrows")
    first = await remem.settle()
    await remem.store("Terns dive")
    return [first, await remem.settle()]


@pytest.mark.parametrize("embedder", [Failing(), Breaking()], ids=["fails", "breaks"])
def test_an_embedder_that_raises_each_time_leaves_the_work_for_later(open_store: Opening, embedder: Embedder) -> None:
    async def run() -> None:
        async with open_store(embedder) as remem:
            states = await settle_twice(remem)
            assert [(state.embed, state.waiting, state.embedded) for state in states] == [(1, 1, 0), (2, 2, 0)]

    with guard_hang("settling"):
        asyncio.run(run())


def test_a_step_that_raises_what_nobody_expects_is_told(open_store: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_step(*_: object) -> bool:
        raise ZeroDivisionError("no step raises this")

    monkeypatch.setattr(worker, "PAUSE", 0.01)
    monkeypatch.setattr("remem.background.discover.discover_some", break_step)

    async def run() -> None:
        async with open_store() as remem:
            states = await settle_twice(remem)
            assert [(state.discover, state.problem) for state in states] == [
                (1, "the background work fails: ZeroDivisionError"),
                (2, "the background work fails: ZeroDivisionError"),
            ]
            assert len(await remem.search("puffins", mode="keyword")) == 1

    with guard_hang("settling"):
        asyncio.run(run())


def test_a_worker_that_was_ended_holds_nobody_up(open_store: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    def cancel_step(*_: object) -> bool:
        raise asyncio.CancelledError

    monkeypatch.setattr("remem.background.discover.discover_some", cancel_step)

    async def run() -> None:
        async with open_store() as remem:
            assert [state.discover for state in await settle_twice(remem)] == [1, 1]

    with guard_hang("settling"):
        asyncio.run(run())


def test_a_store_that_cannot_embed_does_not_keep_the_work_from_one_that_can(
    open_store: Opening, tmp_path: Path
) -> None:
    async def run() -> None:
        off = write_config(tmp_path, "", "none")
        async with open_store(settings=off) as unable:
            await unable.store("Puffins nest in burrows")
            assert (await unable.settle()).embed == 1
            on = write_config(tmp_path, "")
            async with open_store(settings=on) as able:
                assert (await able.settle()).embedded == 1

    with guard_hang("settling"):
        asyncio.run(run())
