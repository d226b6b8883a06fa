"""Many callers at once, and the sudden death of a process: no acknowledged memory is lost, none is half there."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from remem import Remem
from remem.records import Memory

CALLERS = 50
WRITER = """
import sys
from remem import Remem

with Remem.open_sync(sys.argv[1]) as remem:
    for number in range(100_000):
        memory = remem.store(f"# Fact {sys.argv[2]} {number}\\n\\n[[Fact {sys.argv[2]} {number - 1}]]", source="chat")
        if number % 3 == 1:
            remem.update(memory.id, tags=["seen"])
        if number % 5 == 4:
            remem.forget(memory.id)
        print(memory.id, number % 5 == 4, flush=True)
"""


def test_calls_of_many_at_once_are_each_kept(path: Path) -> None:
    async def run() -> list[Memory]:
        async with Remem.open(path) as remem:
            return await asyncio.gather(*(remem.store(f"fact {n}", source="chat") for n in range(CALLERS)))

    stored = asyncio.run(run())
    with Remem.open_sync(path) as remem:
        assert {memory.id for memory in remem.memories(200)} == {memory.id for memory in stored}
        assert [finding for finding in remem.doctor().findings if finding.fault] == []


def test_the_same_fact_told_by_many_at_once_is_one_memory(path: Path) -> None:
    async def run() -> list[Memory]:
        async with Remem.open(path) as one, Remem.open(path) as two:
            return await asyncio.gather(*((one, two)[n % 2].store("the same", tags=[f"t{n}"]) for n in range(20)))

    stored = asyncio.run(run())
    assert len({memory.id for memory in stored}) == 1
    assert sum(not memory.existing for memory in stored) == 1
    with Remem.open_sync(path) as remem:
        assert len(remem.memories()[0].tags) == 20


def test_nothing_acknowledged_is_lost_when_a_process_is_killed(path: Path) -> None:
    Remem.open_sync(path).close()
    acknowledged: dict[str, bool] = {}
    for name in ("a", "b", "c"):
        command = [sys.executable, "-c", WRITER, str(path), name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(25):
                id, gone = process.stdout.readline().split()
                acknowledged[id] = gone == "True"
            process.kill()
    with Remem.open_sync(path) as remem:
        living = {memory.id for memory in remem.memories(200)}
        archived = {memory.id for memory in remem.memories(200, archived=True)}
        assert living >= {id for id, is_gone in acknowledged.items() if not is_gone}
        assert archived >= {id for id, is_gone in acknowledged.items() if is_gone}
        assert [finding for finding in remem.doctor().findings if finding.fault] == []
