"""The figures of a store tell the queues, the worker, what keeps it from the work, and near-duplicates."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import numpy as np
import pytest

from remem import Remem
from remem.background.discover import group_duplicates
from remem.doctor import vectors as checks
from remem.faces import wire
from tests.background.conftest import Opening, wait_until
from tests.background.embedders import Failing
from tests.faces.command import remem as command


def test_the_queues_and_the_worker_are_in_the_figures(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            stats = await remem.stats()
            assert (stats.worker, stats.problem, stats.owed) == ("idle", "", 0)
            await remem.store("puffins nest in burrows")
            stats = await remem.stats()
            assert (stats.owed_embed, stats.owed_discover, stats.waiting, stats.worker) == (1, 0, 0, "waiting")
            await remem.settle()
            await remem.store("terns dive for sand eels")
            assert (await remem.stats()).owed_mentions >= 1
            await remem.settle()
            stats = await remem.stats()
            assert (stats.owed_embed, stats.owed_mentions, stats.embedded) == (0, 0, 2)

    asyncio.run(run())


def test_what_keeps_one_process_from_the_work_another_one_can_tell(
    open_store: Opening, path: Path, config: Path
) -> None:
    async def read() -> str:
        async with Remem.open(path, config=config) as other:
            return (await other.stats()).problem

    async def run() -> None:
        async with open_store(Failing()) as remem:
            await remem.store("puffins nest in burrows")
            await remem.settle()

            async def is_told() -> bool:
                return "does not answer" in await read()

            await wait_until(is_told)
        assert "does not answer" in await read()
        async with open_store() as able:
            await able.embed()
        assert await read() == ""

    asyncio.run(run())


def test_near_duplicates_are_counted_and_the_doctor_names_them(open_store: Opening, path: Path, config: Path) -> None:
    async def run() -> None:
        async with open_store() as remem:
            assert await remem.near_duplicates() == []
            for source in ("a", "b", "c"):
                await remem.store("puffins nest in deep burrows", source=source, id=f"same-{source}")
            await remem.store("puffins nest in burrows", id="alike")
            await remem.store("invoices are due on Friday", id="other")
            await remem.settle()
            stats = await remem.stats()
            assert stats.near_duplicates == 1 == wire.show_stats(stats)["near_duplicates"]
            report = await remem.doctor()
            (finding,) = [finding for finding in report.findings if finding.check == "duplicates"]
            assert report.healthy and not finding.fault
            assert finding.message.endswith("same-a, same-b, same-c")
            await remem.forget("same-b")
            assert (await remem.stats()).near_duplicates == 1
            await remem.forget("same-c")
            assert (await remem.stats()).near_duplicates == 0

    asyncio.run(run())
    lines = dict(
        line.split(None, 1) for line in command("--db", path, "--config", config, "stats").out.splitlines()[1:]
    )
    assert lines["queue"].startswith("0 embed, 0 connect") and lines["near-duplicates"] == "0 groups"
    assert lines["worker"] == "idle"


def test_where_memories_are_many_the_doctor_goes_by_what_discovery_found(
    open_store: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with open_store() as remem:
            for source in ("a", "b"):
                await remem.store("puffins nest in deep burrows", source=source, id=source)
            await remem.settle()
            exact = [finding.message for finding in (await remem.doctor()).findings if finding.check == "duplicates"]
            monkeypatch.setattr(checks, "MOST_COMPARED", 1)
            found = [finding.message for finding in (await remem.doctor()).findings if finding.check == "duplicates"]
            assert exact == found != []

    asyncio.run(run())


def test_groups_are_those_of_all_pairs_compared_one_by_one() -> None:
    random = Random(3)
    points = {
        node: np.array([[random.gauss(0, 1), random.gauss(0, 1), 4.0]], np.float32) for node in range(60)
    }  # fmt: skip
    unit = {node: rows / np.linalg.norm(rows) for node, rows in points.items()}
    groups = group_duplicates(unit, 0.995, block=7)
    leader = {node: node for node in unit}
    pairs = [(a, b) for a in unit for b in unit if a < b and float(unit[a][0] @ unit[b][0]) >= 0.995]
    for _ in unit:
        for a, b in pairs:
            leader[a] = leader[b] = min(leader[a], leader[b])
    wanted = [[node for node in unit if leader[node] == first] for first in sorted(set(leader.values()))]
    assert [group for group, _ in groups] == [group for group in wanted if len(group) > 1]
    assert all(least >= 0.995 - 1e-5 for _, least in groups)
