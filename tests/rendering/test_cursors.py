"""Cursors and pages as values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import InvalidInputError
from remem.reading.cursors import check_page, mark_request, pack_float, read_cursor, unpack_float, write_cursor
from remem.records import Page, Printed

MARK = mark_request("tree", None, 5)


@given(st.lists(st.integers(0, 2**64), max_size=6))
def test_a_cursor_gives_its_numbers_back(numbers: list[int]) -> None:
    cursor = write_cursor(MARK, numbers)
    assert cursor.isascii() and cursor.isalnum()
    assert read_cursor(MARK, cursor, len(numbers)) == tuple(numbers)


@given(st.floats(allow_nan=False))
def test_a_score_is_kept_to_the_last_bit(score: float) -> None:
    assert unpack_float(pack_float(score)) == score


def test_a_cursor_belongs_to_its_request() -> None:
    cursor = write_cursor(MARK, (1, 2, 3))
    for mark, count in ((mark_request("tree", None, 4), 3), (mark_request("pending", True), 3), (MARK, 2), (MARK, 4)):
        with pytest.raises(InvalidInputError, match="another request") as caught:
            read_cursor(mark, cursor, count)
        assert caught.value.facts["field"] == "cursor"


@given(st.text(min_size=1, max_size=60))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        read_cursor(MARK, text, 3)


@pytest.mark.parametrize("budget", [59, 0, -1, True, 60.0, "60", 10**12])
def test_a_budget_is_a_number_of_at_least_60(budget: object) -> None:
    with pytest.raises(InvalidInputError) as caught:
        check_page(budget, None)
    assert caught.value.facts["field"] == "budget"


@pytest.mark.parametrize("cursor", ["", " ", 5, "x" * 1001, "a\x00b", "\ud800"])
def test_a_cursor_is_a_short_text(cursor: object) -> None:
    with pytest.raises(InvalidInputError) as caught:
        check_page(None, cursor)
    assert caught.value.facts["field"] == "cursor"


def test_a_page_is_a_sequence_equal_to_lists_of_its_items() -> None:
    page = Page((1, 2, 3), 5, 2, "abc", lambda: Printed("1\n2\n3", len))
    assert page == [1, 2, 3] == page and page == (1, 2, 3) and page != [1, 2] and page != "123"
    assert page == Page((1, 2, 3), 3, 0, None, lambda: Printed("", len))
    assert (len(page), page[0], page[-1], page[1:], list(page), 2 in page) == (3, 1, 3, (2, 3), [1, 2, 3], True)
    assert (page.text, page.tokens) == ("1\n2\n3", 5)


def test_the_text_of_a_page_is_made_once_and_only_when_asked_for() -> None:
    made: list[int] = []

    def render() -> Printed:
        made.append(1)
        return Printed("x", len)

    page = Page((1,), 1, 0, None, render)
    assert page == [1] and not made
    assert page.text == "x" and page.tokens == 1 and made == [1]
