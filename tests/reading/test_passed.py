"""Cursors that tell what was shown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.errors import InvalidInputError
from remem.limits import LONGEST_CURSOR
from remem.reading.cursors import mark_request, write_cursor
from remem.reading.passed import KEPT_BYTES, ShownNodes, read_passed, write_passed

MARK = mark_request("search", "a query")
keys = st.frozensets(st.integers(1, (1 << 63) - 1), min_size=1, max_size=300)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(keys, st.none() | st.integers(60, 5000))
def test_what_was_shown_is_read_back_in_the_process_that_kept_it(shown: frozenset[int], budget: int | None) -> None:
    kept = ShownNodes()
    kept.keep(shown)
    cursor = write_passed(MARK, shown, budget)
    assert len(cursor) <= (LONGEST_CURSOR if budget is None else max(budget // 4, 24))
    assert read_passed(MARK, cursor, kept).join([]) == shown


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.frozensets(st.integers(1, 100_000), min_size=1, max_size=300))
def test_another_process_knows_what_was_shown_where_the_cursor_has_room(shown: frozenset[int]) -> None:
    assert read_passed(MARK, write_passed(MARK, shown, None), ShownNodes()).nodes == shown


def test_a_cursor_with_a_hash_holds_as_long_as_the_same_nodes_rank_first() -> None:
    shown = frozenset(range(1, 100_000, 100))
    passed = read_passed(MARK, write_passed(MARK, shown, 60), ShownNodes())
    assert (passed.first, passed.nodes) == (1000, frozenset())
    assert passed.join(sorted(shown, reverse=True)) == shown
    for ranked in (sorted(shown)[1:], [*sorted(shown)[1:], 7]):
        with pytest.raises(InvalidInputError, match="leave the cursor out to begin anew"):
            passed.join(ranked)


@pytest.mark.parametrize("numbers", [(), (0,), (5,), (3, 1, 2), (1 << 40, 7), (0, 1 << 64), (0, 1 << 62, 1 << 62)])
def test_a_cursor_that_no_call_has_written_is_refused(numbers: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInputError, match="cursor belongs to another request"):
        read_passed(MARK, write_cursor(MARK, numbers), ShownNodes())


def test_a_cursor_of_another_request_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="cursor belongs to another request"):
        read_passed(mark_request("search", "another"), write_passed(MARK, {1, 2}, None), ShownNodes())


def test_what_was_kept_longest_ago_is_let_go_first() -> None:
    kept = ShownNodes()
    walks = [range(number * 1000 + 1, number * 1000 + 100_001) for number in range(2 * KEPT_BYTES // 800_000)]
    for walk in walks:
        kept.keep(walk)
    cursors = [write_passed(MARK, walk, None) for walk in walks]
    known = [bool(read_passed(MARK, cursor, kept).nodes) for cursor in cursors]
    assert known == sorted(known) and True in known and False in known
