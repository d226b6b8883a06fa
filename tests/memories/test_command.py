"""Memories by the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem import Remem
from tests.faces.command import remem


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_fact_is_stored_and_told_by_its_id() -> None:
    stored = remem("store", "A fact. See [[Plan]].", "--id", "fact", "--tag", "a,b", "--tag", "c", "--json")
    assert (stored.status, stored.err) == (0, "stored: fact\n")
    assert (stored.load()["tags"], stored.load()["existing"]) == (["a", "b", "c"], False)
    assert remem("store", "A fact. See [[Plan]].").err == "known already: fact\n"


def test_an_id_of_another_fact_fails_and_a_wrong_value_is_wrong_usage() -> None:
    remem("store", "A fact.", "--id", "fact")
    assert remem("store", "Another.", "--id", "fact").status == 1
    assert remem("store", "Another.", "--importance", "7").status == 2
    assert remem("store", "Another.", "--metadata", "{").err.startswith("error: metadata is not JSON")
    assert remem("update", "fact").status == 2
    assert remem("forget", "nothing").status == 1


def test_a_memory_goes_through_its_life() -> None:
    remem("store", "A fact.", "--id", "fact", "--ttl", "60")
    assert remem("update", "fact", "--text", "Another fact.", "--tag", "x").err == "updated: fact\n"
    assert remem("promote", "fact").err == "long-term: fact\n"
    assert remem("forget", "fact").err == "fact is archived\n"
    assert remem("unarchive", "fact").err == "back: fact\n"
    assert remem("pin", "fact").err == "pinned: Another fact. fact\n"
    assert remem("unpin", "fact").err == "unpinned: Another fact. fact\n"
    assert remem("forget", "fact", "--hard").err == "fact is removed for good\n"
    with Remem.open_sync("memory.db") as opened:
        assert len(opened.memories()) == 0 == len(opened.memories(archived=True))
