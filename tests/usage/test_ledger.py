"""What waits to be written: who sees it, and that nothing counts twice."""

from __future__ import annotations

from remem.records import Boost, UsageRow
from remem.usage import ledger
from remem.usage.ledger import Ledger

GAIN = 0.15
LATER = 10 + ledger.TOGETHER
"""So late that a use is not put together with one at 10."""


def make_row(node: int, at: int) -> UsageRow:
    return UsageRow(node, 0.5, at)


def make_boost(node: int, at: int) -> Boost:
    return Boost(node, at, GAIN, 1)


def test_what_is_queued_is_missing_whatever_the_row_says() -> None:
    kept = Ledger()
    kept.note([1, 2], 10, GAIN, 1)
    kept.note([1], LATER, GAIN, 1)
    assert kept.find_missing({1: make_row(1, 15), 3: make_row(3, 0)}) == {1: [make_boost(1, 10), make_boost(1, LATER)]}


def test_what_was_taken_is_missing_only_where_the_row_is_older() -> None:
    kept = Ledger()
    kept.note([1], 10, GAIN, 1)
    assert kept.take(now=12) == {1: [make_boost(1, 10)]}
    assert kept.find_missing({1: make_row(1, 5)}) == {1: [make_boost(1, 10)]}
    assert kept.find_missing({1: make_row(1, 10)}) == {}


def test_a_use_after_the_taking_is_missing_on_top_of_it() -> None:
    kept = Ledger()
    kept.note([1], 10, GAIN, 1)
    kept.take(now=12)
    kept.note([1], 12, GAIN, 1)
    assert kept.find_missing({1: make_row(1, 5)}) == {1: [make_boost(1, 10), make_boost(1, 12)]}
    assert kept.find_missing({1: make_row(1, 10)}) == {1: [make_boost(1, 12)]}


def test_an_instant_beyond_the_clock_is_taken_as_that_of_the_clock() -> None:
    kept = Ledger()
    kept.note([1], 99, GAIN, 1)
    assert kept.take(now=12) == {1: [make_boost(1, 12)]}


def test_taking_nothing_forgets_nothing() -> None:
    kept = Ledger()
    kept.note([1], 10, GAIN, 1)
    kept.take(now=12)
    assert kept.take(now=13) == {}
    assert kept.find_missing({1: make_row(1, 5)}) == {1: [make_boost(1, 10)]}


def test_what_could_not_be_written_waits_again_before_what_came_later() -> None:
    kept = Ledger()
    kept.note([1], 10, GAIN, 1)
    kept.take(now=12)
    kept.note([1], 11, GAIN, 1)
    kept.put_back()
    assert kept.count == 2
    assert kept.take(now=12) == {1: [make_boost(1, 10), make_boost(1, 11)]}


def test_a_store_that_cannot_be_written_for_long_does_not_fill_the_memory() -> None:
    kept = Ledger()
    for at in range(0, 100 * LATER, LATER):
        kept.note(range(500), at, GAIN, 1)
        kept.take(now=at)
        kept.put_back()
    assert kept.count <= ledger.MOST_KEPT
