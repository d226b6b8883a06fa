"""The digest of cold nodes is taken once a day by one caller of a store, and stands in the file from then on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remem import Remem
from remem.errors import InvalidInputError
from remem.storage import sqlite
from tests.usage.clock import Clock, look

TOLD = "SELECT value FROM meta WHERE key = 'cold_told'"
LONG = "The bank of the river is green and long. " * 60


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Path:
    """A store with two long notes, a short one and a long memory, on the day on which they were written."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for name in ("River", "Delta"):
        (notes / f"{name}.md").write_text(f"{name} has much to say. {LONG}\n", encoding="utf-8")
    (notes / "Costs.md").write_text("The harbor is dear.\n", encoding="utf-8")
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        remem.store(LONG, id="told")
    return tmp_path / "m.db"


def test_what_is_cold_is_told_once_a_day_whoever_asks(store: Path, clock: Clock) -> None:
    with Remem.open_sync(store) as first, Remem.open_sync(store) as second:
        clock.turn(30)
        told = [remem.take_cold_digest() for remem in (first, second, first, second)]
        assert told[0] is not None and told[1:] == [None] * 3
        assert told[0].total == 3 and {node.label for node in told[0].nodes} >= {"River", "Delta"}
        clock.turn(0.99)
        assert first.take_cold_digest() is None and second.take_cold_digest() is None
        clock.turn(0.02)
        assert second.take_cold_digest() is not None
        assert first.take_cold_digest() is None
    with Remem.open_sync(store) as later:
        assert later.take_cold_digest() is None


def test_a_digest_names_so_many_at_most_and_counts_all(store: Path, clock: Clock) -> None:
    with Remem.open_sync(store) as remem:
        clock.turn(30)
        digest = remem.take_cold_digest(1)
        assert digest is not None and (digest.total, len(digest.nodes)) == (3, 1)
        wrongs: list[Any] = [0, 1001, "5", None]
        for wrong in wrongs:
            with pytest.raises(InvalidInputError):
                remem.take_cold_digest(wrong)


def test_where_nothing_is_cold_nothing_is_written(store: Path, clock: Clock) -> None:
    with Remem.open_sync(store) as remem:
        assert remem.take_cold_digest() is None
    assert look(store, TOLD) == []


def test_what_was_used_since_is_not_in_the_digest(store: Path, clock: Clock) -> None:
    with Remem.open_sync(store) as remem:
        clock.turn(30)
        remem.show("River")
        remem.pin("told")
        digest = remem.take_cold_digest()
        assert digest is not None and [node.label for node in digest.nodes] == ["Delta"]


def test_the_figures_hold_what_is_cold_and_take_no_digest(store: Path, clock: Clock) -> None:
    with Remem.open_sync(store) as remem:
        clock.turn(30)
        cold = remem.stats().cold
        assert (cold.total, list(cold.nodes)) == (3, remem.cold())
        assert look(store, TOLD) == []
        assert remem.take_cold_digest() is not None


def test_a_store_that_is_read_only_tells_nothing(store: Path, clock: Clock) -> None:
    with Remem.open_sync(store) as remem:
        clock.turn(30)
        remem._remem.storage.read_only = True
        assert remem.take_cold_digest() is None
    assert look(store, TOLD) == []


@pytest.mark.parametrize("days", [-3, 400])
def test_an_instant_under_a_wrong_clock_keeps_no_digest_away(store: Path, clock: Clock, days: int) -> None:
    with Remem.open_sync(store) as remem:
        clock.turn(30)
        connection = sqlite.choose().connect(str(store))
        wrong = clock.now + days * 86_400_000
        connection.execute("INSERT INTO meta (key, value) VALUES ('cold_told', :wrong)", {"wrong": str(wrong)})
        connection.commit()
        connection.close()
        assert remem.take_cold_digest() is not None
        assert remem.take_cold_digest() is None
