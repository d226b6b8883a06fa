"""Walks over lists of memories whose order changes meanwhile: each memory comes once."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from tests.usage.clock import Clock


def _fill(remem: RememSync, clock: Clock) -> set[str]:
    for number in range(14):
        remem.store(f"memory {number}", id=f"m{number:02}", importance=number / 20)
        clock.now += 1000
        remem.get(f"m{number:02}")
    return {f"m{number:02}" for number in range(14)}


def _change(remem: RememSync, clock: Clock, shown: list[str], whole: set[str]) -> None:
    """The next ones rise, those that were shown fall or rise."""
    clock.now += 1000
    for id in (shown[-1], *sorted(whole - set(shown))[::3]):
        remem.update(id, importance=0.99 - len(shown) / 100)
        remem.get(id)
    remem.update(shown[0], importance=0.0)


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort_by", ["updated_at", "accessed_at", "importance"])
@pytest.mark.parametrize(("budget", "anew"), [(None, True), (150, False)])
def test_each_memory_comes_once_whatever_is_read_or_updated_between_pages(
    path: Path, clock: Clock, sort_by: str, order: str, budget: int | None, anew: bool
) -> None:
    found: list[str] = []
    remem = Remem.open_sync(path)
    remem.__enter__()
    try:
        whole, cursor = _fill(remem, clock), None
        for _ in range(30):
            page = remem.memories(3, cursor, sort_by, order, budget=budget)  # type: ignore[arg-type]
            found += [memory.id for memory in page]
            cursor = page.cursor
            if cursor is None:
                break
            assert (page.total, page.left_out) == (14, 14 - len(found))
            _change(remem, clock, found, whole)
            if anew:
                remem.__exit__(None, None, None)
                remem = Remem.open_sync(path)
                remem.__enter__()
        assert len(found) == 14 and set(found) == whole
    finally:
        remem.__exit__(None, None, None)


def test_where_nobody_knows_what_was_shown_a_list_goes_on_behind_the_last_one(path: Path, clock: Clock) -> None:
    found: list[str] = []
    with Remem.open_sync(path) as remem:
        _fill(remem, clock)
        whole = [memory.id for memory in remem.memories(50, sort_by="importance")]
    cursor: str | None = None
    for _ in range(30):
        with Remem.open_sync(path) as remem:
            page = remem.memories(3, cursor, "importance", budget=60)
            found += [memory.id for memory in page]
            cursor = page.cursor
            if cursor is None:
                break
    assert found == whole


@pytest.mark.parametrize("sort_by", ["updated_at", "accessed_at", "importance"])
def test_one_that_rose_late_does_not_begin_the_list_anew(path: Path, clock: Clock, sort_by: str) -> None:
    found: list[str] = []
    with Remem.open_sync(path) as remem:
        whole, cursor = _fill(remem, clock), None
        for _ in range(7):
            page = remem.memories(1, cursor, sort_by, budget=60)  # type: ignore[arg-type]
            found += [memory.id for memory in page]
            cursor = page.cursor
        remem.update("m00", importance=1.0)
        remem.get("m00")
        page = remem.memories(1, cursor, sort_by, budget=60)  # type: ignore[arg-type]
        assert [memory.id for memory in page] == ["m00"]
        found.append("m00")
        cursor = page.cursor
    while cursor is not None:
        with Remem.open_sync(path) as remem:  # nobody knows what was shown
            page = remem.memories(1, cursor, sort_by, budget=60)  # type: ignore[arg-type]
            found += [memory.id for memory in page]
            cursor = page.cursor
    assert len(found) == 14 and set(found) == whole
