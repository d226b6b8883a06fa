"""Texts fitted into budgets of tokens, and cut between graphemes."""

from __future__ import annotations

import random

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from remem.ingest.tokens import count_tokens
from remem.rendering.budget import Fitted, cut_text, find_word_end, fit_lines, fit_units, shorten_text

WORDS = ["harbor", "tide", "ferry", "Überfahrt", "渡船", "рейс", "🚢", "—", "12,5", "[[Link]]", "`code`", "\t", "", ""]
FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"


def make_units(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(0, 30))) for _ in range(count)]


def fit(units: list[str], budget: int) -> Fitted:
    def compose(count: int) -> str:
        rest = [f"… {len(units) - count} more"] if count < len(units) else []
        return "\n".join([*units[:count], *rest])

    return fit_units(len(units), lambda number: count_tokens(units[number] + "\n"), compose, budget)


@given(st.integers(0, 10_000), st.integers(0, 40), st.integers(60, 500))
def test_a_fitted_text_stays_in_its_budget_and_is_counted_exactly(seed: int, count: int, budget: int) -> None:
    units = make_units(seed, count)
    fitted = fit(units, budget)
    assert fitted.tokens == count_tokens(fitted.text) <= budget or not fitted.units
    assert fitted.text.split("\n")[: fitted.units] == units[: fitted.units]


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(60, 500))
def test_hardly_any_room_is_left_unused(seed: int, count: int, budget: int) -> None:
    units = make_units(seed, count)
    fitted = fit(units, budget)
    if fitted.units < count:
        assert fitted.tokens + count_tokens(units[fitted.units] + "\n") + 10 > budget


def test_only_what_fits_is_looked_at() -> None:
    seen: set[int] = set()

    def measure(number: int) -> int:
        seen.add(number)
        return 10

    fitted = fit_units(1_000_000, measure, lambda count: "a ferry waits at the northern pier today\n" * count, 200)
    assert 10 < fitted.units < 30 and max(seen) < 40


def fit_apart(units: list[str], budget: int, tail: str = "") -> Fitted:
    """`fit_lines` of units with a closing line that is longer the more is left."""
    left = len(units)

    def close(count: int) -> str:
        rest = [f"… {left - count} more (cursor {'ab1' * (left - count)})"] if count < left else []
        return "\n".join([*filter(None, [tail]), *rest])

    return fit_lines(left, units.__getitem__, close, budget)


LINES = st.lists(
    st.text(st.characters(codec="utf-8"), max_size=60).map(lambda text: f"- {text}"),
    max_size=40,
)


@given(LINES, st.integers(30, 400), st.sampled_from(["", "searched 3 passages of 9 nodes"]))
def test_lines_are_counted_exactly_however_they_go_together(units: list[str], budget: int, tail: str) -> None:
    fitted = fit_apart(units, budget, tail)
    assert fitted.text.startswith("\n".join(units[: fitted.units]))
    assert fitted.tokens == count_tokens(fitted.text) <= budget or not fitted.units


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(60, 700))
def test_no_further_line_would_fit(seed: int, count: int, budget: int) -> None:
    units = [f"- {unit}" for unit in make_units(seed, count)]
    fitted = fit_apart(units, budget)
    if fitted.units < count:
        more = fit_apart(units[: fitted.units + 1], 10**6)
        assert more.units == fitted.units + 1
        closing = count_tokens(fitted.text.rpartition("\n")[2]) if fitted.units + 1 < count else 0
        assert more.tokens + closing + 3 > budget


def test_only_the_lines_that_fit_are_looked_at() -> None:
    seen: set[int] = set()

    def show(number: int) -> str:
        seen.add(number)
        return "a ferry waits at the northern pier today"

    fitted = fit_lines(1_000_000, show, lambda count: "…" if count < 1_000_000 else "", 200)
    assert 15 < fitted.units < 30 and max(seen) < 40


@given(st.text(min_size=1, max_size=300), st.integers(5, 60))
def test_a_cut_text_fits_and_is_as_long_as_can_be(text: str, budget: int) -> None:
    start = cut_text(text, lambda start: start + "…", budget)
    assert text.startswith(start) and start
    assert count_tokens(start + "…") <= budget or len(regex.findall(r"\X", start)) == 1


def test_a_text_is_cut_between_graphemes() -> None:
    text = f"e\u0301{FAMILY}🇩🇰क्षि" * 40
    borders = {match.end() for match in regex.finditer(r"\X", text)}
    for budget in range(20, 200, 7):
        assert len(cut_text(text, lambda start: start + "…", budget)) in borders


def test_a_grapheme_longer_than_the_budget_still_gives_way() -> None:
    text = "e" + "\u0301" * 5000
    assert 1 <= len(cut_text(text, lambda start: start + "…", 60)) < len(text)


def test_a_shortened_text_says_so_and_a_short_one_stays() -> None:
    assert shorten_text("a ferry", 20) == "a ferry"
    assert shorten_text("a ferry " * 100, 20).endswith("…")
    assert count_tokens(shorten_text("a ferry " * 100, 20)) <= 20


@pytest.mark.parametrize(
    ("text", "limit", "end"),
    [
        ("two words here", 14, 14),
        ("two words here", 11, 10),
        ("two words here", 9, 9),
        ("two words here", 6, 4),
        ("a longwordhere", 9, 9),
        ("ünïcödë\u3000wörds", 10, 8),
        ("x", 1, 1),
        ("ab", 1, 1),
    ],
)
def test_a_cut_goes_between_words_where_that_is_near(text: str, limit: int, end: int) -> None:
    assert find_word_end(text, limit) == end
