"""A clock that jumps by a year, forward and back: nobody waits for a year, nothing is lost, all stays in order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from tests.campaigns.imprint import count_rows
from tests.usage.clock import Clock, look

YEAR = 365.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def remem(path: Path, clock: Clock) -> Iterator[RememSync]:
    """A store; it must be healthy at the end."""
    with Remem.open_sync(path) as opened:
        yield opened
        assert [finding for finding in opened.doctor().findings if finding.fault] == []


@pytest.mark.parametrize("days", [YEAR, -YEAR])
def test_whatever_was_noted_by_another_clock_work_goes_on_at_once(days: float, path: Path, clock: Clock) -> None:
    """Claims, jobs put off, and instants of the last sweep of a process that died a year ahead, or ago."""
    with Remem.open_sync(path) as remem:
        remem.store_batch(["The ferry sails at noon.", "The ferry sails at one."])
    ahead = clock.now + round(days * 86_400_000)
    look(path, f"INSERT OR REPLACE INTO claims (work, owner, until) VALUES ('vectors', 'gone', {ahead + 60_000})")
    look(path, f"UPDATE jobs SET attempts = 3, due_at = {ahead}")
    with Remem.open_sync(path) as remem:
        state = remem.settle()
        assert (state.embed, state.discover, state.waiting, state.problem) == (0, 0, 0, "")
        assert remem.doctor().healthy
    assert count_rows(path, "SELECT count(*) FROM vectors WHERE passage IS NOT NULL") == 2


def test_memories_that_a_jump_ended_can_be_brought_back(remem: RememSync, clock: Clock) -> None:
    remem.store("For an hour.", id="hour", ttl=3600)
    remem.store("For ever.", id="ever")
    clock.turn(YEAR)
    assert [memory.id for memory in remem.memories()] == ["ever"]
    remem.store("Of the year ahead.", id="ahead", ttl=3600)
    clock.turn(-YEAR)
    assert {memory.id for memory in remem.memories()} == {"ever", "ahead"}
    assert remem.unarchive("hour").id == "hour"
    clock.turn(2 / 24)
    assert {memory.id for memory in remem.memories()} == {"ever", "ahead"}
    assert remem.update("ahead", ttl=60).id == "ahead"
    clock.turn(1 / 24)
    assert {memory.id for memory in remem.memories()} == {"ever"}


def test_the_trail_goes_by_its_numbers_not_by_the_clock(remem: RememSync, clock: Clock) -> None:
    for days, text in ((0.0, "first"), (YEAR, "second"), (-2 * YEAR, "third")):
        clock.turn(days)
        if text == "first":
            remem.store(text, id="m")
        else:
            remem.update("m", content=text)
    assert [line.id for line in remem.snapshots()] == [3, 2, 1]
    assert [entry.snapshot for entry in remem.history("m")] == [3, 2, 1]
    remem.rollback(2, "m")
    assert remem.get("m").content == "second"


def test_temperatures_stay_within_their_bounds_and_move_again(path: Path, clock: Clock) -> None:
    with Remem.open_sync(path) as remem:
        remem.store("Warm.", id="warm")
    for days in (YEAR, -2 * YEAR, YEAR, -0.5, 0.5):
        clock.turn(days)
        with Remem.open_sync(path) as remem:
            for _ in range(3):
                remem.get("warm")
            before = remem.get("warm", touch=False).temperature
            assert 0 <= before <= 1
    clock.turn(7)
    with Remem.open_sync(path) as remem:
        assert remem.get("warm", touch=False).temperature < before
        assert remem.doctor().healthy


@pytest.mark.parametrize("days", [YEAR, -YEAR])
def test_an_edit_is_seen_whatever_time_the_file_says(
    days: float, remem: RememSync, clock: Clock, tmp_path: Path
) -> None:  # fmt: skip
    """The file's time comes from the same clock, or from another computer."""
    note = tmp_path / "notes" / "a.md"
    note.parent.mkdir()
    note.write_text("# One\n")
    remem.compile(note.parent)
    clock.turn(days)
    for text in ("# Two\n", "# Six\n"):
        note.write_text(text)
        os.utime(note, (clock.now / 1000, clock.now / 1000))
        remem.compile(note.parent)
        assert remem.show(text[2:-1]).total == 1
        clock.turn(-days)
    assert remem.compile(note.parent).snapshot is None
