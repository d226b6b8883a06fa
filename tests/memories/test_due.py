"""At the instant at which the time of a memory ends, links lead where they lead without it, and what was read often
stays; nobody has to call for it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.storage.sqlite import choose
from tests.background.conftest import wait_until
from tests.guard import guard_hang
from tests.memories.helpers import list_edges, list_ids, turn
from tests.usage.clock import Clock, look


def write_notes(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def test_the_first_read_that_meets_it_finds_links_to_it_waiting(remem: RememSync, tmp_path: Path, clock: Clock) -> None:
    remem.compile(write_notes(tmp_path / "notes", a="# A\n\nSee [[Fleeting]].\n"))
    remem.store("# Fleeting\n\nwords", id="short", ttl=60)
    remem.relate("A", "short", weight=2)
    assert [edge.label for edge in remem.pending(suggest=False)] == []
    turn(clock, 60)
    assert sorted((edge.label, edge.origin) for edge in remem.pending(suggest=False)) == [
        ("Fleeting", "manual"),
        ("Fleeting", "parsed"),
    ]


def test_the_first_read_that_meets_it_finds_links_at_another_target(
    remem: RememSync, tmp_path: Path, clock: Clock
) -> None:
    plans = {remem.store(f"# Plan\n\nfor {name}").id for name in ("today", "later")}
    remem.compile(write_notes(tmp_path / "notes", a="# A\n\nSee [[Plan]].\n"))
    (before,) = {edge[1] for edge in list_edges(remem) if edge[3] == "parsed"}
    remem.update(before, ttl=60)
    turn(clock, 60)
    (after,) = {item.node.id for item in remem.related("A", origins=["parsed"])}
    assert {before, after} == plans


READS: dict[str, Any] = {
    "get": lambda remem: remem.get("kept", touch=False),
    "list": lambda remem: remem.memories()[0],
    "batch": lambda remem: remem.get_batch(["kept"])[0],
}


@pytest.mark.parametrize("read", READS)
def test_what_was_read_three_times_is_long_term_from_that_read_on(
    read: str, remem: RememSync, path: Path, clock: Clock
) -> None:
    remem.store("kept for good", id="kept", ttl=60)
    for _ in range(3):
        remem.get("kept")
    turn(clock, 60)
    memory = READS[read](remem)
    assert (memory.memory_type, memory.expires_at) == ("long_term", None)
    assert look(path, "SELECT type, expires_at FROM memories") == [("long_term", None)]
    assert list_ids(remem, memory_type="long_term") == ["kept"]
    assert list_ids(remem, memory_type="short_term") == []
    turn(clock, 10**8)
    assert list_ids(remem) == ["kept"]


def test_a_store_that_cannot_be_written_shows_it_as_long_term_too(path: Path, remem: RememSync, clock: Clock) -> None:
    remem.store("kept for good", id="kept", ttl=60)
    for _ in range(3):
        remem.get("kept")
    turn(clock, 60)

    async def read() -> tuple[str, int | None]:
        remem._remem.storage.read_only = True
        memory = await remem._remem.get("kept", touch=False)
        remem._remem.storage.read_only = False
        return memory.memory_type, memory.expires_at

    assert remem._run(read()) == ("long_term", None)


def test_a_read_does_not_wait_for_a_long_write_of_another_process(path: Path, clock: Clock) -> None:
    with Remem.open_sync(path) as remem:
        remem.store("fleeting", id="short", ttl=60)
        remem.store("stays", id="long")
        turn(clock, 60)
        other = choose().connect(str(path), isolation_level=None, timeout=0)
        other.execute("BEGIN IMMEDIATE")
        try:
            with guard_hang("reading"):
                assert list_ids(remem) == ["long"] == list_ids(remem)
            assert look(path, "SELECT count(*) FROM memories WHERE archived_at IS NULL") == [(2,)]
        finally:
            other.execute("ROLLBACK")
            other.close()


@pytest.mark.parametrize("remove", [False, True])
def test_an_open_store_sweeps_what_nobody_reads(remove: bool, path: Path, tmp_path: Path, clock: Clock) -> None:
    settings = tmp_path / "settings.toml"
    told = "[lifecycle]\nremove_archived = true\nremove_archived_days = 1\n" if remove else ""
    settings.write_text(f'[embedding]\nprovider = "none"\n{told}', encoding="utf-8")
    done = "SELECT count(*) FROM memories WHERE archived_at IS NULL AND expires_at IS NOT NULL OR id = 'old'"

    async def run() -> None:
        async with Remem.open(path, config=settings) as remem:
            await remem.store("forgotten long ago", id="old")
            await remem.store("fleeting", ttl=60)
            await remem.forget("old")
            turn(clock, 86_400)

            async def is_swept() -> bool:
                remem.worker.kick()
                return look(path, done) == [(0 if remove else 1,)]

            await wait_until(is_swept)

    with guard_hang("sweeping"):
        asyncio.run(run())
