"""A short-term memory is gone from the instant on at which its time ends, whether anything has swept or not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import NotFoundError
from tests.memories.helpers import count_snapshots, list_edges, list_found, list_ids, read_state, turn
from tests.usage.clock import Clock, look


def is_swept(path: Path) -> bool:
    return look(path, "SELECT count(*) FROM memories WHERE archived_at IS NULL AND expires_at IS NOT NULL") == [(0,)]


READS: dict[str, Callable[[RememSync], Any]] = {
    "get": lambda r: r.get("short", touch=False).id,
    "get by title": lambda r: r.get("Fleeting", touch=False).id,
    "show": lambda r: r.show("short", touch=False)[0].node.id,
    "list": lambda r: sorted(memory.id for memory in r.memories()),
    "list by another order": lambda r: sorted(memory.id for memory in r.memories(sort_by="importance")),
    "search": lambda r: sorted(hit.id for hit in r.search("fleeting words", touch=False)),
    "tree": lambda r: sorted(line.id for line in r.tree()),
    "related": lambda r: sorted(item.node.id for item in r.related("one", depth=2, touch=False)),
    "related, deep": lambda r: sorted(item.node.id for item in r.related("one", depth=5, touch=False)),
    "related from it": lambda r: sorted(item.node.id for item in r.related("short", touch=False)),
    "path": lambda r: r.path("one", "two"),
    "export": lambda r: sorted(edge.target_id for edge in r.export().edges),
    "stats": lambda r: r.stats().nodes,
    "cold": lambda r: [node.id for node in r.cold(min_tokens=0, below=1.0)],
}
AFTER: dict[str, Any] = {
    "list": ["one", "two"],
    "list by another order": ["one", "two"],
    "search": [],
    "tree": ["one", "two"],
    "related": [],
    "related, deep": [],
    "path": None,
    "export": [],
    "stats": 2,
    "cold": ["one", "two"],
}


def fill(remem: RememSync) -> None:
    """`one` leads to `two` by way of the short-term memory alone."""
    remem.store("one", id="one")
    remem.store("two", id="two")
    remem.store("# Fleeting\n\nwords", id="short", ttl=60)
    remem.relate("one", "short")
    remem.relate("short", "two")


@pytest.mark.parametrize("name", READS)
def test_a_read_at_the_very_instant_no_longer_sees_it(name: str, remem: RememSync, clock: Clock) -> None:
    fill(remem)
    turn(clock, 59.999)
    assert READS[name](remem)
    turn(clock, 0.001)
    if name in AFTER:
        assert READS[name](remem) == AFTER[name]
    else:
        with pytest.raises(NotFoundError):
            READS[name](remem)


def test_a_read_that_meets_it_has_it_swept_behind(path: Path, clock: Clock) -> None:
    with Remem.open_sync(path) as remem:
        fill(remem)
        state, snapshots = read_state(path), count_snapshots(path)
        turn(clock, 60)
        assert not is_swept(path)
        assert list_ids(remem) == ["two", "one"]
    # The close waited for the sweep that the read began.
    assert is_swept(path)
    assert (read_state(path), count_snapshots(path)) == (state, snapshots)
    with Remem.open_sync(path) as again:
        assert again.get("short", archived=True).archived
        assert [finding for finding in again.doctor().findings if finding.fault] == []


def test_a_store_that_cannot_be_written_hides_it_all_the_same(path: Path, remem: RememSync, clock: Clock) -> None:
    fill(remem)
    turn(clock, 60)

    async def read() -> list[str]:
        async with Remem.open(path) as other:
            other.storage.read_only = True
            return [memory.id for memory in await other.memories()]

    assert asyncio.run(read()) == ["two", "one"]
    assert not is_swept(path)


@pytest.mark.parametrize("reads", [2, 3, 4])
def test_what_was_read_three_times_is_promoted_instead(reads: int, remem: RememSync, path: Path, clock: Clock) -> None:
    id = remem.store("x", ttl=60).id
    for _ in range(reads):
        remem.get(id)
    turn(clock, 60)
    assert list_ids(remem) == ([id] if reads >= 3 else [])
    remem.store("another write sweeps")
    assert is_swept(path)
    if reads >= 3:
        memory = remem.get(id, touch=False)
        assert (memory.memory_type, memory.expires_at) == ("long_term", None)
    else:
        with pytest.raises(NotFoundError):
            remem.get(id)
    assert count_snapshots(path) == 2


@pytest.mark.parametrize(
    "write",
    [
        lambda r: r.store("y"),
        lambda r: r.store_batch(["y"]),
        lambda r: r.update("one", importance=1),
        lambda r: r.forget("one"),
        lambda r: r.promote("one"),
        lambda r: r.unarchive("one"),
        lambda r: r.relate("one", "two"),
        lambda r: r.unrelate("one", "two"),
        lambda r: r.pin("one"),
        lambda r: r.expire(),
    ],
)
def test_every_write_sweeps_first(write: Any, remem: RememSync, path: Path, clock: Clock) -> None:
    fill(remem)
    remem.relate("one", "two")
    turn(clock, 60)
    write(remem)
    assert is_swept(path)
    assert "short" not in {edge[1] for edge in list_edges(remem)}


def test_links_to_what_has_expired_wait_and_find_it_again(remem: RememSync, tmp_path: Path, clock: Clock) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\n[[Fleeting]] and [[short]]\n", encoding="utf-8")
    remem.compile(folder)
    fill(remem)
    assert len([edge for edge in list_edges(remem) if edge[3] == "parsed"]) == 1
    turn(clock, 60)
    (folder / "b.md").write_text("# B\n\n[[Fleeting]]\n", encoding="utf-8")
    remem.compile(folder)
    assert [edge.label for edge in remem.pending(suggest=False) if edge.origin == "parsed"] == [
        "Fleeting",
        "short",
        "Fleeting",
    ]
    remem.unarchive("short")
    assert len([edge for edge in list_edges(remem) if edge[3] == "parsed"]) == 2


def test_what_has_expired_comes_back_with_a_new_time(remem: RememSync, path: Path, clock: Clock) -> None:
    fill(remem)
    edges, state = list_edges(remem), read_state(path)
    turn(clock, 100)
    back = remem.unarchive("short")
    assert (back.archived, back.expires_at, read_state(path)) == (False, clock.now + 60_000, state)
    assert list_edges(remem) == edges
    turn(clock, 60)
    again = remem.store("# Fleeting\n\nwords", ttl=5, tags=["a"])
    assert (again.id, again.existing, again.expires_at) == ("short", True, clock.now + 5000)
    assert read_state(path) != state


def test_what_has_expired_can_be_removed_for_good(remem: RememSync, path: Path, clock: Clock) -> None:
    fill(remem)
    remem.forget("two", hard=True)
    turn(clock, 60)
    with pytest.raises(NotFoundError):
        remem.forget("short")
    remem.forget("short", hard=True)
    remem.forget("one", hard=True)
    assert read_state(path) == bytes(16)


def test_a_clock_that_is_set_back_keeps_what_it_has_archived(remem: RememSync, clock: Clock) -> None:
    fill(remem)
    turn(clock, 60)
    remem.expire()
    turn(clock, -1000)
    assert list_ids(remem) == ["two", "one"]
    assert list_found(remem, "fleeting") == []


def test_another_process_that_reads_sees_the_same(path: Path, remem: RememSync, clock: Clock) -> None:
    fill(remem)
    with Remem.open_sync(path) as other:
        assert len(other.memories()) == 3
        turn(clock, 60)
        assert [item.node.id for item in other.related("one", depth=5)] == [] == list_found(other, "fleeting")
    assert time.time_ns() == clock.now * 1_000_000
