"""Several processes on one store share the work: each text is embedded by one of them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from remem import Remem
from remem.storage import jobs
from tests.background.conftest import Opening, write_config
from tests.background.services import Embedding
from tests.guard import guard_hang

COUNT = 40
WRITER = """
import asyncio, sys
from remem import Remem

async def run():
    async with Remem.open(sys.argv[1], config=sys.argv[2]) as remem:
        for number in range(int(sys.argv[4])):
            await remem.store(f"fact {sys.argv[3]} number {number}")
        state = await remem.settle()
        print(state.embed, state.discover, state.problem)

asyncio.run(run())
"""


def test_two_processes_embed_each_text_once(path: Path, tmp_path: Path) -> None:
    with Embedding() as service, guard_hang("sharing"):
        settings = write_config(tmp_path, f'model = "m"\nurl = "{service.url}"\n', "openai")
        Remem.open_sync(path, config=settings).close()
        command = [sys.executable, "-c", WRITER, str(path), str(settings)]
        writers = [
            subprocess.Popen([*command, name, str(COUNT)], stdout=subprocess.PIPE, text=True) for name in ("a", "b")
        ]
        assert [writer.communicate()[0].strip() for writer in writers] == ["0 0", "0 0"]
        texts = {text: count for text, count in service.count_texts().items() if text.startswith("fact")}
    assert texts == {f"fact {name} number {number}": 1 for name in ("a", "b") for number in range(COUNT)}
    with Remem.open_sync(path, config=settings) as remem:
        assert remem.stats().embedded == 2 * COUNT
        assert [finding for finding in remem.doctor().findings if finding.fault] == []


def test_a_process_leaves_the_work_to_another_one_that_lives_and_says_where_it_is_done(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            now = 1 << 62
            await remem.storage.write(lambda c: c.execute(
                "INSERT INTO claims (work, owner, until) VALUES ('vectors', 'another', ?)", (2**62,)))  # fmt: skip
            assert not await remem.storage.write(jobs.claim_work, jobs.VECTORS, "third", now - 1000, 60_000)
            assert (await remem.stats()).worker == "elsewhere"
            await remem.storage.write(jobs.release_work, jobs.VECTORS, "another")
            await remem.store("puffins nest in burrows")
            assert (await remem.stats()).worker in ("waiting", "working")
            await remem.settle()
            assert (await remem.stats()).owed == 0

    with guard_hang("settling"):
        asyncio.run(run())
