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
    assert remem("store", "Another.", "--metadata", "{").err.startswith("error: --metadata is not JSON")
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


def test_an_update_replaces_tags_or_takes_them_all_away() -> None:
    remem("store", "A fact.", "--id", "fact", "--tag", "a,b", "--no-wait")
    assert remem("update", "fact", "--importance", "1", "--json").load()["tags"] == ["a", "b"]
    assert remem("update", "fact", "--tag", "", "--json").load()["tags"] == []
    assert remem("update", "fact", "--tag", "c", "--json").load()["tags"] == ["c"]
    assert remem("update", "fact", "--no-tags", "--json").load()["tags"] == []
    assert remem("update", "fact", "--no-tags", "--tag", "d").status == 2
    assert remem("update", "fact", "--tag", "a,").status == 2


def test_a_fact_brings_entities_and_relationships_as_json_or_in_a_file() -> None:
    graph = '{"entities": [{"name": "Ada", "type": "person"}, {"name": "Bo"}], "relationships": [%s]}'
    link = '{"source": "Ada", "target": "Bo", "relationship_type": "supports", "strength": 0.5}'
    stored = remem("store", "Ada wrote to Bo.", "--graph", graph % link, "--no-wait", "--json")
    assert stored.err.splitlines()[1] == "2 entities, 1 relationship"
    assert [made["strength"] for made in stored.load()["graph_extraction"]["relationships"]] == [0.5]
    Path("graph.json").write_text(graph % '{"source": "Ada"}', encoding="utf-8")
    again = remem("store", "Ada wrote again.", "--graph", "graph.json", "--no-wait")
    assert again.err.splitlines()[1] == "2 entities, 0 relationships"
    assert again.err.splitlines()[2] == "left out: relationship Ada: target is missing"


@pytest.mark.parametrize("graph", ["missing.json", "{", "[]", '{"persons": []}', '{"entities": 5}', "\ud83d"])
def test_a_graph_that_is_none_is_refused_and_nothing_is_stored(graph: str) -> None:
    remem("store", "A fact.", "--id", "fact", "--no-wait")
    done = remem("store", "Another.", "--graph", graph, "--no-wait")
    assert done.status in (1, 2) and done.err.startswith("error: ") and "Traceback" not in done.err
    with Remem.open_sync("memory.db") as opened:
        assert len(opened.memories()) == 1
