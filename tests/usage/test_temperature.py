"""The formula of temperature, and that it does not depend on how uses are spread over processes."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from remem.clock import DAY
from remem.records import START_TEMPERATURE, Boost, UsageRow
from remem.usage.temperature import FETCH_GAIN, LIST_GAIN, cool, measure, pin, read_heat, warm

WEEK = 7 * DAY
T0 = 1_800_000_000_000
NEW = UsageRow(1, START_TEMPERATURE, T0)

gains = st.sampled_from([(FETCH_GAIN, 1), (LIST_GAIN, 0)])
steps = st.lists(st.tuples(st.integers(0, 30 * DAY), gains), max_size=30)


def make_boosts(moves: list[tuple[int, tuple[float, int]]]) -> list[Boost]:
    at, boosts = T0, []
    for step, (gain, fetched) in moves:
        at += step
        boosts.append(Boost(1, at, gain, fetched))
    return boosts


def fetch(at: int) -> Boost:
    return Boost(1, at, FETCH_GAIN, 1)


def test_a_node_that_nobody_uses_halves_every_half_life_from_when_it_was_first_seen() -> None:
    assert measure(NEW, T0, WEEK) == 0.5
    assert measure(NEW, T0 + WEEK, WEEK) == 0.25
    assert measure(NEW, T0 + 3 * WEEK, WEEK) == 0.0625


def test_a_fetch_adds_fifteen_percent_of_what_is_missing_and_a_listing_a_third_of_that() -> None:
    assert measure(warm(NEW, [fetch(T0)], T0, WEEK), T0, WEEK) == approx(0.5 + 0.15 * 0.5)
    assert measure(warm(NEW, [Boost(1, T0, LIST_GAIN, 0)], T0, WEEK), T0, WEEK) == approx(0.5 + 0.05 * 0.5)


def test_a_use_warms_what_the_time_has_left() -> None:
    warmed = warm(NEW, [fetch(T0 + WEEK)], T0 + WEEK, WEEK)
    assert measure(warmed, T0 + 2 * WEEK, WEEK) == approx((0.25 + 0.15 * 0.75) / 2)


def test_fetches_are_counted_and_listings_are_not() -> None:
    row = warm(NEW, [fetch(T0 + 5), Boost(1, T0 + 9, LIST_GAIN, 0), fetch(T0 + 7)], T0 + 10, WEEK)
    assert (row.accesses, row.accessed_at) == (2, T0 + 7)
    assert warm(NEW, [Boost(1, T0, LIST_GAIN, 0)], T0, WEEK)[3:] == (0, None, 0)


def test_a_pinned_node_keeps_its_temperature_and_cools_only_from_when_it_is_unpinned() -> None:
    pinned = pin(NEW, True, T0 + WEEK, WEEK)
    assert measure(pinned, T0 + 50 * WEEK, WEEK) == 0.25
    assert measure(warm(pinned, [fetch(T0 + 9 * WEEK)], T0 + 9 * WEEK, WEEK), T0 + 99 * WEEK, WEEK) == approx(0.3625)
    free = pin(pinned, False, T0 + 50 * WEEK, WEEK)
    assert measure(free, T0 + 50 * WEEK, WEEK) == 0.25
    assert measure(free, T0 + 51 * WEEK, WEEK) == 0.125


def test_a_clock_that_was_set_back_neither_warms_nor_cools() -> None:
    assert measure(NEW, T0 - 100 * WEEK, WEEK) == 0.5
    back = T0 - 10 * WEEK
    row = warm(NEW, [fetch(back)], back, WEEK)
    assert row.temperature == approx(0.575)
    assert row.at == back
    assert measure(row, back + WEEK, WEEK) == approx(0.2875)


def test_after_very_long_a_temperature_is_nothing_and_no_error() -> None:
    assert cool(1.0, 0, 10**18, 0.01 * DAY) == 0.0
    assert read_heat(NEW, 10**18, WEEK) == (0.0, False)


@given(steps, st.integers(-5, 400 * DAY), st.booleans())
def test_a_temperature_stays_within_nothing_and_one(
    moves: list[tuple[int, tuple[float, int]]], later: int, pinned: bool
) -> None:
    row = warm(NEW._replace(pinned=int(pinned)), make_boosts(moves), T0 + 10**12, WEEK)
    assert 0 <= measure(row, row.at + later, WEEK) <= 1


@given(steps, st.integers(0, 2**32))
def test_uses_give_the_same_however_they_are_cut_into_batches(
    moves: list[tuple[int, tuple[float, int]]], seed: int
) -> None:
    chance, boosts, end = random.Random(seed), make_boosts(moves), T0 + 10**12
    whole, row, rest = warm(NEW, boosts, end, WEEK), NEW, list(boosts)
    while rest:
        cut = chance.randint(1, len(rest))
        batch, rest = rest[:cut], rest[cut:]
        row = warm(row, chance.sample(batch, len(batch)), end, WEEK)
    assert row.temperature == approx(whole.temperature, abs=1e-12)
    assert row._replace(temperature=0) == whole._replace(temperature=0)


@given(st.lists(st.tuples(st.integers(0, 2000), gains), max_size=30), st.integers(0, 2**32))
def test_uses_that_processes_write_up_to_seconds_late_give_the_same_within_a_millionth_each(
    moves: list[tuple[int, tuple[float, int]]], seed: int
) -> None:
    chance, boosts = random.Random(seed), make_boosts(moves)
    end = T0 + 10**12
    arriving = sorted(boosts, key=lambda boost: boost.at + chance.randint(0, 4000))
    row = NEW
    for boost in arriving:
        row = warm(row, [boost], end, WEEK)
    whole = warm(NEW, boosts, end, WEEK)
    assert abs(row.temperature - whole.temperature) <= 1e-6 * len(boosts)
    assert row._replace(temperature=0) == whole._replace(temperature=0)
