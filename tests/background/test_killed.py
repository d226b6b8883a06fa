"""Work that a killed process had claimed is taken over at once by another one on the same machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.storage import owners
from remem.storage.owners import is_gone, make_owner
from tests.background.conftest import write_config
from tests.guard import guard_hang
from tests.writing.describe import connect

NAME = "import sys; from remem.storage.owners import make_owner; print(make_owner(), flush=True); sys.stdin.read()"
CLAIMANT = """
import asyncio, os, signal, sys, time
from remem import Remem
from remem.storage import jobs

async def run():
    async with Remem.open(sys.argv[1], config=sys.argv[2]) as remem:
        owner, now = remem.worker.owner, time.time_ns() // 1_000_000
        assert await remem.storage.write(jobs.claim_work, jobs.VECTORS, owner, now, 60_000)
        await remem.store("puffins nest in burrows", id="owed")
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(run())
"""


@pytest.fixture
def other() -> Iterator[subprocess.Popen[str]]:
    """A process that has told its name as a claimant and waits."""
    command = [sys.executable, "-c", NAME]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def read_name(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_claimant_lives_until_its_process_ends(other: subprocess.Popen[str]) -> None:
    name = read_name(other)
    assert not is_gone(name) and not is_gone(make_owner())
    other.kill()
    other.wait()
    assert is_gone(name)


def test_a_process_that_ended_and_that_nobody_waited_for_is_gone(other: subprocess.Popen[str]) -> None:
    name = read_name(other)
    other.kill()
    assert other.stdout is not None
    other.stdout.read()  # to the end, which comes when it has ended
    with guard_hang("ending"):
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert is_gone(name)
    other.wait()


def test_another_process_of_the_same_number_is_not_the_claimant() -> None:
    pid, start, *rest = make_owner().split(".")
    assert is_gone(".".join([pid, str(int(start) - 1), *rest]))


@pytest.mark.parametrize(
    "change",
    [
        lambda name: "",
        lambda name: "another",
        lambda name: "0" + name[name.index(".") :],
        lambda name: "-1" + name[name.index(".") :],
        lambda name: "99999999999999999999" + name[name.index(".") :],
        lambda name: ".".join(["1", "1", "0" * 16, "x"]),
        lambda name: name.replace(".", ":"),
        lambda name: "é" + name,
    ],
)
def test_of_who_cannot_be_told_only_the_time_tells(change: Callable[[str], str]) -> None:
    assert not is_gone(change(make_owner()))


def test_where_the_system_tells_no_processes_nobody_is_known_to_be_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = make_owner()
    monkeypatch.setattr(owners, "PROC", tmp_path)
    owners._find_machine.cache_clear()
    try:
        name = make_owner()
        assert not is_gone(name) and not is_gone(here)
    finally:
        monkeypatch.undo()
        owners._find_machine.cache_clear()


def test_the_work_of_a_killed_process_is_done_by_the_next_one_without_waiting(tmp_path: Path) -> None:
    path, settings = tmp_path / "store.db", write_config(tmp_path, "")
    done = subprocess.run([sys.executable, "-c", CLAIMANT, str(path), str(settings)], check=False)
    assert done.returncode == -signal.SIGKILL
    connection = connect(path)
    (before,) = connection.execute("SELECT owner, until FROM claims").fetchall()
    connection.close()
    with guard_hang("taking over", 30), Remem.open_sync(path, config=settings) as remem:
        assert remem.stats().worker in ("waiting", "working")
        remem.settle()
        stats = remem.stats()
        assert (stats.owed, stats.embedded) == (0, 1)
    assert is_gone(before[0])
