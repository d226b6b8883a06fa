"""Lists of memories: order, filters, pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.engine.sync import RememSync
from remem.errors import InvalidInputError
from remem.ingest.tokens import count_tokens
from tests.memories.helpers import list_ids, turn
from tests.usage.clock import Clock


@pytest.fixture
def filled(remem: RememSync, clock: Clock) -> RememSync:
    """Memories m0 to m5, a second apart; read and changed in other orders."""
    for number in range(6):
        remem.store(
            f"fact {number}", id=f"m{number}", importance=(0.5, 0.1, 0.9)[number % 3], source="even" * (not number % 2),
            tags=["all", f"t{number % 2}"], ttl=86_400 if number == 4 else None,
        )  # fmt: skip
        turn(clock, 1)
    for number in (3, 0, 5):
        remem.update(f"m{number}", metadata={"n": number})
        remem.get(f"m{(number + 1) % 6}")
        turn(clock, 1)
    return remem


@pytest.mark.parametrize(
    ("sort_by", "ids"),
    [
        ("created_at", "m5 m4 m3 m2 m1 m0"),
        ("updated_at", "m5 m0 m3 m4 m2 m1"),
        ("accessed_at", "m0 m1 m4 m5 m3 m2"),
        ("importance", "m5 m2 m3 m0 m4 m1"),
    ],
)
def test_every_order_both_ways_and_page_by_page(filled: RememSync, sort_by: str, ids: str) -> None:
    wanted = ids.split()
    for order, expected in (("desc", wanted), ("asc", wanted[::-1])):
        assert list_ids(filled, sort_by=sort_by, order=order) == expected
        seen: list[str] = []
        cursor = None
        while True:
            page = filled.memories(2, cursor, sort_by, order)  # type: ignore[arg-type]
            assert (page.total, page.left_out) == (6, 6 - len(seen) - len(page))
            seen += [memory.id for memory in page]
            cursor = page.cursor
            if cursor is None:
                break
        assert seen == expected


def test_filters_hold_together(filled: RememSync) -> None:
    assert list_ids(filled, memory_type="short_term") == ["m4"]
    assert list_ids(filled, importance_min=0.5) == ["m5", "m3", "m2", "m0"]
    assert list_ids(filled, importance_min=0.5, importance_max=0.5) == ["m3", "m0"]
    assert list_ids(filled, tags=["T1", "all"]) == ["m5", "m3", "m1"]
    assert list_ids(filled, tags="t1", sources=["even"]) == []
    assert list_ids(filled, sources=["even", "other"]) == ["m4", "m2", "m0"]
    assert list_ids(filled, sources=[""]) == ["m5", "m3", "m1"]
    middle = filled.get("m2", touch=False).created_at
    assert list_ids(filled, created_after=middle) == ["m5", "m4", "m3"]
    assert list_ids(filled, created_before=middle) == ["m1", "m0"]
    assert list_ids(filled, tags=["none"]) == []


def test_a_page_goes_on_whatever_came_and_went_meanwhile(filled: RememSync) -> None:
    first = filled.memories(2)
    filled.store("newer")
    filled.forget("m4")
    filled.forget("m3", hard=True)
    second = filled.memories(2, first.cursor)
    assert [memory.id for memory in second] == ["m2", "m1"]
    assert (second.total, second.left_out) == (5, 1)
    assert [memory.id for memory in filled.memories(2, second.cursor)] == ["m0"]


def test_a_cursor_belongs_to_its_request(filled: RememSync) -> None:
    cursor = filled.memories(2).cursor
    for arguments in ({"sort_by": "importance"}, {"order": "asc"}, {"tags": ["all"]}, {"archived": True}):
        with pytest.raises(InvalidInputError):
            filled.memories(2, cursor, **arguments)
    assert len(filled.memories(3, cursor)) == 3


def test_a_budget_is_kept_and_what_is_left_out_is_said(filled: RememSync) -> None:
    page = filled.memories(budget=60)
    assert page.tokens == count_tokens(page.text) <= 60
    assert 0 < len(page) < 6 and f"{page.left_out} more" in page.text
    assert filled.memories(cursor=page.cursor)[0].id == f"m{5 - len(page)}"


def test_many_of_one_instant_are_each_listed_once(remem: RememSync, path: Path) -> None:
    stored = [memory.id for memory in remem.store_batch([f"fact {number}" for number in range(50)])]
    seen: list[str] = []
    cursor = None
    for _ in range(5):
        page = remem.memories(10, cursor)
        seen += [memory.id for memory in page]
        cursor = page.cursor
    assert (sorted(seen), cursor) == (sorted(stored), None)
    assert remem.memories(200)[0].id == stored[-1]


def test_an_empty_list_says_so(remem: RememSync) -> None:
    page = remem.memories()
    assert (len(page), page.total, page.cursor, page.text) == (0, 0, None, "no memory matches")
