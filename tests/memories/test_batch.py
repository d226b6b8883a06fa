"""Many memories at once: all or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from remem.engine.sync import RememSync
from remem.errors import ConflictError, InvalidInputError
from tests.memories.helpers import count_snapshots, list_edges, list_ids


def test_a_batch_is_stored_in_order(remem: RememSync) -> None:
    items: list[Any] = ["# One\n\n[[Two]]", {"content": "# Two", "id": "two", "tags": ["a"], "ttl": 5}, "# Three"]
    stored = remem.store_batch(items)
    assert [memory.label for memory in stored] == ["One", "Two", "Three"]
    assert list_ids(remem) == [memory.id for memory in reversed(stored)]
    assert [edge[:2] for edge in list_edges(remem)] == [(stored[0].id, "two")]
    assert (stored[1].tags, stored[1].memory_type) == (("a",), "short_term")


def test_what_is_twice_in_a_batch_is_one_memory(remem: RememSync) -> None:
    first, second, third = remem.store_batch(["x", {"content": "x", "tags": ["a"]}, {"content": "x", "source": "s"}])
    assert (first.id, second.existing, second.tags, third.existing) == (second.id, True, ("a",), False)
    assert first.id != third.id


def test_a_batch_of_a_thousand_is_one_snapshot(remem: RememSync, path: Path) -> None:
    stored = remem.store_batch([f"fact {number}" for number in range(1000)])
    assert (len({memory.id for memory in stored}), count_snapshots(path)) == (1000, 1)
    assert remem.memories().total == 1000


@pytest.mark.parametrize(
    ("items", "field"),
    [
        ([], "items"),
        ("text", "items"),
        (None, "items"),
        ({"content": "x"}, "items"),
        (["x"] * 1001, "items"),
    ],
)
def test_a_batch_is_a_list_of_one_to_a_thousand(remem: RememSync, items: Any, field: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        remem.store_batch(items)
    assert caught.value.facts == {"field": field}


def test_an_error_names_the_item_and_nothing_is_stored(remem: RememSync, path: Path) -> None:
    remem.store("there", id="taken")
    cases: list[tuple[Any, str | None]] = [
        ("bad \ud83d", "content"),
        (3, "items"),
        ({"tags": ["a"]}, "content"),
        ({"content": "x", "colour": "red"}, "colour"),
        ({"content": "x", "importance": 2}, "importance"),
        ({"content": "x", "id": "taken"}, None),
    ]
    for item, field in cases:
        with pytest.raises((InvalidInputError, ConflictError)) as caught:
            remem.store_batch(["fine", "fine too", item])
        assert caught.value.message.startswith("item 2: ")
        assert caught.value.facts["item"] == 2 and caught.value.facts.get("field") == field
    assert (list_ids(remem), count_snapshots(path)) == (["taken"], 1)
