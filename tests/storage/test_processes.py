"""Several processes on one store, and processes that die."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from remem.storage.pool import Store
from remem.storage.sqlite import Connection
from tests.guard import HANG_SECONDS

COMMON = """
import asyncio, sys
from remem.storage.pool import Store

path, name = sys.argv[1], sys.argv[2]

def put(connection, key, value=""):
    connection.execute("INSERT INTO meta (key, value) VALUES (:key, :value)", {"key": key, "value": value})

def count(connection):
    return connection.execute("SELECT count(*) FROM meta WHERE key GLOB 'note *'").fetchone()[0]
"""
WRITE_ONE_BY_ONE = """
async def main():
    async with await Store.open(path) as store:
        for number in range(100):
            await store.write(put, f"note {name} {number}")
asyncio.run(main())
"""
WRITE_WITHOUT_PAUSE = """
async def write(store, task):
    for number in range(10):
        await store.write(put, f"note {name} {task} {number}")

async def main():
    async with await Store.open(path) as store:
        await asyncio.gather(*(write(store, task) for task in range(20)))
asyncio.run(main())
"""
COUNT_UP = """
async def main():
    async with await Store.open(path) as store:
        last = 0
        while last < int(name):
            now = await store.read(count)
            assert now >= last
            last = now
            await asyncio.sleep(0.001)
asyncio.run(main())
"""
WRITE_AND_TELL = """
def put_two(connection, number):
    put(connection, f"note {name} {number} a")
    put(connection, f"note {name} {number} b", "x" * 3000)

async def write(store, task):
    for number in range(10**6):
        await store.write(put_two, f"{task} {number}")
        print(f"{task} {number}", flush=True)

async def main():
    store = await Store.open(path)
    await asyncio.gather(*(write(store, task) for task in range(4)))
asyncio.run(main())
"""
NEVER_CLOSE = """
async def main():
    store = await Store.open(path)
    await store.read(count)
    await store.write(put, "note kept")
    return store
kept = asyncio.run(main())
"""
CANCEL_OPEN = """
async def main():
    opening = asyncio.ensure_future(Store.open(path))
    await asyncio.sleep(0)
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)
asyncio.run(main())
"""
LEAVE_IN_THE_MIDDLE = """
async def main():
    store = await Store.open(path)
    for number in range(100):
        asyncio.ensure_future(store.write(put, f"note {name} {number}"))
    await asyncio.sleep(0)
asyncio.run(main())
"""
STOP_BY_SIGNAL = """
import signal

async def write(store):
    for number in range(10**6):
        await store.write(put, f"note {name} {number}")

async def main():
    async with await Store.open(path) as store:
        task = asyncio.ensure_future(write(store))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        print("ready", flush=True)
        await asyncio.gather(task, return_exceptions=True)
asyncio.run(main())
"""


def start(script: str, path: Path, name: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", COMMON + script, str(path), str(name)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def finish(process: subprocess.Popen[str]) -> None:
    """Waits for a process, which must end well and say nothing."""
    _, errors = process.communicate(timeout=HANG_SECONDS)
    assert (process.returncode, errors) == (0, "")


def fetch_notes(path: Path) -> set[str]:
    def fetch(connection: Connection) -> set[str]:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {key for (key,) in connection.execute("SELECT key FROM meta WHERE key GLOB 'note *'")}

    async def read() -> set[str]:
        async with await Store.open(path) as store:
            return await store.read(fetch)

    return asyncio.run(read())


@pytest.mark.parametrize("script", [WRITE_ONE_BY_ONE, WRITE_WITHOUT_PAUSE])
def test_two_processes_write_while_a_third_reads_and_nothing_is_lost(tmp_path: Path, script: str) -> None:
    path = tmp_path / "memory.db"
    total = 200 if script is WRITE_ONE_BY_ONE else 400
    # All three make the store at once.
    processes = [start(script, path, "one"), start(script, path, "two"), start(COUNT_UP, path, total)]
    for process in processes:
        finish(process)
    assert len(fetch_notes(path)) == total
    assert [found.name for found in tmp_path.iterdir()] == ["memory.db"]


def test_a_killed_process_loses_nothing_that_was_acknowledged_and_leaves_nothing_half(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    for number in range(4):
        process = start(WRITE_AND_TELL, path, number)
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(20 + 17 * number)]
        process.kill()
        told += process.stdout.read().splitlines(keepends=True)  # `communicate` passes over what was read ahead
        process.communicate(timeout=HANG_SECONDS)
        acknowledged = {line.strip() for line in told if line.endswith("\n")}
        assert len(acknowledged) >= 20
        notes = fetch_notes(path)
        assert {f"note {number} {key} {half}" for key in acknowledged for half in "ab"} <= notes
        assert {note[:-1] + "b" for note in notes} == {note[:-1] + "b" for note in notes if note.endswith("b")}
        assert {note[:-1] + "a" for note in notes} == {note[:-1] + "a" for note in notes if note.endswith("a")}


@pytest.mark.parametrize("script", [NEVER_CLOSE, CANCEL_OPEN, LEAVE_IN_THE_MIDDLE])
def test_a_process_ends_at_once_though_its_store_was_never_closed(tmp_path: Path, script: str) -> None:
    path = tmp_path / "memory.db"
    finish(start(script, path, "x"))
    if script is NEVER_CLOSE:
        assert fetch_notes(path) == {"note kept"}


def test_a_process_that_is_asked_to_stop_in_the_middle_of_writes_stops_cleanly(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    process = start(STOP_BY_SIGNAL, path, "x")
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    finish(process)
    notes = fetch_notes(path)
    assert notes == {f"note x {number}" for number in range(len(notes))}
    assert [found.name for found in tmp_path.iterdir()] == ["memory.db"]
