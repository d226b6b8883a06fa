"""Every field wrong in every way: an error that names it, and nothing written."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from remem.engine.sync import RememSync
from remem.errors import ConflictError, InvalidInputError, NotFoundError
from tests.memories.helpers import count_snapshots, list_ids

METADATA: list[Any] = [[], "x", 3, {1: 2}, {"a": math.nan}, {"a": {1, 2}}, {"a": b"x"}, {"a": 1 << 70}]
TTLS: list[Any] = [0, -1, math.nan, math.inf, "60", True, 10 * 366 * 86_400, [60]]
EXTRACTIONS: list[Any] = [[], "x", 3]
DEEP: Any = {}
for _ in range(100):
    DEEP = {"a": DEEP}

WRONG: list[tuple[str, Any]] = [
    *(("content", value) for value in (None, 3, b"x", "", " \n", "a\0b", "hi \ud83d there", "x" * 100_001, ["x"])),
    *(("id", value) for value in ("", "a b", "ä", "a" * 65, 7, "a\n", "a/b", "\ud83d")),
    *(("memory_type", value) for value in ("", "medium", 1, True, ["long_term"])),
    *(("importance", value) for value in (-0.1, 1.1, math.nan, math.inf, "0.5", None, True)),
    *(("tags", value) for value in (3, [3], [["a"]], [""], ["#"], ["a\0"], ["x" * 201], ["\udc00"], {"a": 1}, "a")),
    ("tags", [str(number) for number in range(51)]),
    *(("source", value) for value in (None, 3, "a\0", "x" * 1001, "\ud800")),
    *(("metadata", value) for value in METADATA),
    *(("metadata", value) for value in ({"a": "\ud83d"}, {"\ud83d": 1}, {"a": "\0"}, {"a": "x" * 100_001}, DEEP)),
    *(("ttl", value) for value in TTLS),
    *(("graph_extraction", value) for value in EXTRACTIONS),
    ("graph_extraction.entities", {"entities": "Ada"}),
    ("graph_extraction.relationships", {"relationships": {"a": "b"}}),
    ("graph_extraction.persons", {"persons": []}),
]  # fmt: skip


def test_a_wrong_field_is_named_and_nothing_is_stored(remem: RememSync) -> None:
    for field, value in WRONG:
        fields = {"content": "fine", field.partition(".")[0]: value}
        with pytest.raises(InvalidInputError) as caught:
            remem.store(**fields)
        assert caught.value.facts["field"] == field, (field, value)
        assert len(caught.value.message) < 300
    assert list_ids(remem) == []


def test_a_wrong_field_changes_nothing_of_a_memory(remem: RememSync, path: Path) -> None:
    before = remem.store("fine", id="m", tags=["a"])
    for field, value in WRONG:
        if field != "id" and not field.startswith("graph_extraction"):
            with pytest.raises(InvalidInputError) as caught:
                remem.update("m", **{field: value})
            assert caught.value.facts["field"] == field, (field, value)
    for fields in ({}, {"nonsense": 1}, {"id": "n"}, {"ttl": 5, "memory_type": "long_term"}, {"pinned": True}):
        with pytest.raises(InvalidInputError):
            remem.update("m", **fields)
    assert remem.get("m", touch=False) == before
    assert count_snapshots(path) == 1


def test_a_ttl_contradicts_long_term(remem: RememSync) -> None:
    with pytest.raises(InvalidInputError) as caught:
        remem.store("x", memory_type="long_term", ttl=5)
    assert caught.value.facts == {"field": "ttl"}


LISTS: list[tuple[str, dict[str, Any]]] = [
    ("limit", {"limit": 0}),
    ("limit", {"limit": 201}),
    ("limit", {"limit": "5"}),
    ("limit", {"limit": True}),
    ("sort_by", {"sort_by": "content"}),
    ("order", {"order": "down"}),
    ("cursor", {"cursor": "nonsense!"}),
    ("cursor", {"cursor": ""}),
    ("budget", {"budget": 3}),
    ("memory_type", {"memory_type": "all"}),
    ("importance_min", {"importance_min": -1}),
    ("importance_min", {"importance_min": 0.9, "importance_max": 0.1}),
    ("tags", {"tags": [1]}),
    ("sources", {"sources": 5}),
    ("created_after", {"created_after": 1.5}),
    ("created_before", {"created_before": "today"}),
    ("archived", {"archived": 1}),
]


def test_a_list_refuses_what_it_cannot_mean(remem: RememSync) -> None:
    for field, arguments in LISTS:
        with pytest.raises(InvalidInputError) as caught:
            remem.memories(**arguments)
        assert caught.value.facts["field"] == field


def test_an_unknown_id_is_not_found_by_any_call(remem: RememSync) -> None:
    calls: list[Any] = [
        *(remem.get, remem.forget, remem.unarchive, remem.promote, remem.related, remem.pin),
        lambda id: remem.update(id, importance=1),
        lambda id: remem.forget(id, hard=True),
        lambda id: remem.get(id, archived=True),
    ]
    for id in ("41", "n 1", "../x", "x" * 900, "🙂", "N1", "mem_abc"):
        for call in calls:
            with pytest.raises(NotFoundError):
                call(id)


def test_what_is_no_id_at_all_is_said_so(remem: RememSync) -> None:
    calls: list[Any] = [remem.get, remem.forget, remem.unarchive, remem.promote]
    for value in (None, 3, "", " ", "a\0", "\ud83d", ["a"]):
        for call in calls:
            with pytest.raises(InvalidInputError):
                call(value)


def test_a_flag_is_true_or_false(remem: RememSync) -> None:
    remem.store("x", id="m")
    hards: list[Any] = [1, None, "yes"]
    for hard in hards:
        with pytest.raises(InvalidInputError):
            remem.forget("m", hard=hard)
    assert list_ids(remem) == ["m"]


def test_no_text_of_a_memory_gets_into_an_error(remem: RememSync) -> None:
    remem.store("a secret fact", id="m")
    for content in ("another secret", "\0 secret", "secret" * 20_000):
        with pytest.raises((ConflictError, InvalidInputError)) as caught:
            remem.store(content, id="m")
        assert "secret" not in str(caught.value)
