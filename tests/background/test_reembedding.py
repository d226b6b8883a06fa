"""Vectors are made anew by another embedder, though the process dies on the way and though others work meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from remem import Remem
from remem.storage import jobs
from tests.background.conftest import Opening, wait_until, write_config
from tests.background.embedders import Counting, Waiting
from tests.background.services import Embedding
from tests.guard import guard_hang

COUNT = 100
REEMBED = """
import sys
from remem import Remem

with Remem.open_sync(sys.argv[1], config=sys.argv[2]) as remem:
    remem.reembed()
"""


async def list_faults(remem: Remem) -> list[str]:
    return [finding.message for finding in (await remem.doctor()).findings if finding.fault]


def test_a_killed_reembedding_is_gone_on_with_where_it_stopped(open_store: Opening, path: Path, tmp_path: Path) -> None:
    async def fill() -> None:
        async with open_store() as remem:
            await remem.store_batch([{"content": f"fact number {n}", "id": f"m{n}"} for n in range(COUNT)])
            assert (await remem.settle()).embedded == COUNT

    async def resume(settings: Path) -> None:
        async with Remem.open(path, config=settings) as remem:
            await remem.storage.write(jobs.release_work, jobs.VECTORS, await remem.storage.read(find_owner))
            before = await remem.work()
            assert 0 < before.embed < COUNT and 0 < before.embedded < COUNT
            assert len(await remem.search("fact number 7", mode="keyword")) > 0
            state = await remem.settle()
            assert (state.embed, state.discover, state.embedded, state.problem) == (0, 0, COUNT, "")
            assert (await remem.search("number 7 fact", mode="semantic", limit=1))[0].id == "m7"
            assert await list_faults(remem) == []

    asyncio.run(fill())
    with Embedding() as service, guard_hang("reembedding"):
        settings = write_config(tmp_path, f'model = "m"\nurl = "{service.url}"\n', "openai")
        child = subprocess.Popen([sys.executable, "-c", REEMBED, str(path), str(settings)])
        service.at_request(4, lambda: os.kill(child.pid, signal.SIGKILL))
        assert child.wait() == -signal.SIGKILL
        begun = service.count_texts()
        asyncio.run(resume(settings))
        texts = service.count_texts()
    assert {text for text in texts if text.startswith("fact")} == {f"fact number {n}" for n in range(COUNT)}
    # What was being embedded when the process died is asked for once more, nothing else.
    assert 0 < sum(texts[text] - 1 for text in texts if text.startswith("fact")) <= 32
    assert sum(begun.values()) > 32


def find_owner(connection: object) -> str:
    row = connection.execute("SELECT owner FROM claims").fetchone()  # type: ignore[attr-defined]
    assert row is not None
    return str(row[0])


def test_a_step_of_the_former_embedder_leaves_nothing_behind(open_store: Opening) -> None:
    async def run() -> None:
        slow = Waiting()
        async with open_store(slow) as old, open_store(Counting(64)) as new:
            await old.store("puffins nest in burrows", id="one")
            settling = asyncio.create_task(old.settle())
            await asyncio.to_thread(slow.begun.wait, 20)
            reembedding = asyncio.create_task(new.reembed())

            async def is_replaced() -> bool:
                return "hashing/64" in (await new.work()).embedder

            await wait_until(is_replaced)
            slow.let.set()
            assert (await reembedding).embedded == 1
            assert "hashing/64" in (await settling).embedder
            assert [hit.id for hit in await new.search("puffins", mode="semantic")] == ["one"]
            assert await list_faults(new) == []

    with guard_hang("reembedding"):
        asyncio.run(run())
