"""Storing a memory: what it holds, and when it is the one that is there already."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import ConflictError, InvalidInputError
from tests.memories.helpers import count_snapshots, list_found, list_ids, turn
from tests.usage.clock import START, Clock


def test_a_memory_has_the_defaults_of_the_contract(remem: RememSync) -> None:
    memory = remem.store("The deploy key rotates on Fridays.")
    assert memory == remem.get(memory.id)
    assert (memory.content, memory.memory_type, memory.importance) == (
        "The deploy key rotates on Fridays.",
        "long_term",
        0.5,
    )
    assert (memory.tags, memory.source, memory.metadata) == ((), "", {})
    assert (memory.created_at, memory.updated_at, memory.accessed_at) == (START, START, None)
    assert (memory.access_count, memory.expires_at, memory.pinned, memory.archived) == (0, None, False, False)
    assert (memory.temperature, memory.existing, memory.extraction, memory.kind) == (0.5, False, None, "memory")
    assert len(memory.id) == 11 and memory.label == "The deploy key rotates on Fridays."


def test_all_given_fields_are_kept(remem: RememSync) -> None:
    metadata = {"who": "Ada", "n": [1, 2.5, None, True], "deep": {"ключ": "wert"}}
    memory = remem.store(
        "x", id="mem_abc-1", memory_type="short_term", importance=0.9, tags=["Ops", "#key", "ops"], source=" chat ",
        metadata=metadata, ttl=60,
    )  # fmt: skip
    assert remem.get("mem_abc-1", touch=False) == memory
    assert (memory.id, memory.memory_type, memory.importance, memory.source) == ("mem_abc-1", "short_term", 0.9, "chat")
    assert (memory.tags, memory.metadata, memory.expires_at) == (("key", "Ops"), metadata, START + 60_000)


def test_a_ttl_alone_makes_a_short_term_memory_and_its_lack_one_of_an_hour(remem: RememSync) -> None:
    assert remem.store("a", ttl=0.5).memory_type == "short_term"
    hour = remem.store("b", memory_type="short_term")
    assert hour.expires_at == START + 3_600_000
    assert remem.store("c", ttl=10 * 365.25 * 86_400).memory_type == "short_term"


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("# Deploy *key*\n\ntext", "Deploy key"),
        ("text first\n\n## Later\n\n# Last", "Later"),
        ("- # in a list\n\nand a text", ""),
        ("no heading", ""),
    ],
)
def test_the_first_heading_is_the_title_by_which_links_find_it(remem: RememSync, content: str, title: str) -> None:
    memory = remem.store(content)
    assert memory.label == (title or memory.label)
    if title:
        assert remem.get(title, touch=False).id == memory.id


def test_the_content_is_kept_as_it_was_given(remem: RememSync) -> None:
    for content in ("  a\r\nb\r\n", "\ufeff# T\n\nx\n\n\n", "\tcode\n", "…" * 100_000):
        assert remem.get(remem.store(content).id).content == content


def test_tags_of_the_text_are_tags_of_the_memory(remem: RememSync) -> None:
    memory = remem.store("about #ops and #Keys, not `#code`", tags=["keys", "more"])
    assert memory.tags == ("keys", "more", "ops")
    assert list_ids(remem, tags=["OPS", "more"]) == [memory.id] == list_found(remem, "more")


def test_the_bound_of_tags_is_for_those_that_a_call_gives(remem: RememSync) -> None:
    text = " ".join(f"#said{number}" for number in range(60))
    given = [f"given{number}" for number in range(50)]
    assert set(remem.store(text, id="m", tags=given).tags) == {*given, *text.replace("#", "").split()}
    with pytest.raises(InvalidInputError):
        remem.update("m", tags=[*given, "more"])
    assert set(remem.update("m", tags=["one"]).tags) == {"one", *text.replace("#", "").split()}


def test_the_same_content_again_is_the_same_memory(remem: RememSync, path: Path, clock: Clock) -> None:
    first = remem.store("a fact", tags=["a"], importance=0.4, ttl=100)
    turn(clock, 50)
    again = remem.store("a fact", tags=["b", "A"], importance=0.2, ttl=200)
    assert (again.id, again.existing, again.tags, again.importance) == (first.id, True, ("a", "b"), 0.4)
    assert again.expires_at == clock.now + 200_000
    turn(clock, 10)
    third = remem.store("a fact", memory_type="short_term", importance=0.8)
    assert (third.importance, third.expires_at) == (0.8, clock.now + 200_000)
    assert remem.store("a fact").memory_type == "long_term"
    assert remem.store("a fact", ttl=5).memory_type == "long_term"
    assert list_ids(remem) == [first.id]
    assert count_snapshots(path) == 2  # what only changed its time or importance says nothing else


def test_the_same_content_in_another_source_is_another_memory(remem: RememSync) -> None:
    assert remem.store("a fact", source="a").id != remem.store("a fact", source="b").id
    assert remem.store("a fact", source="a").existing


def test_storing_again_brings_an_archived_memory_back(remem: RememSync) -> None:
    memory = remem.store("a fact", tags=["a"])
    remem.relate(memory.id, remem.store("other").id, type="supports")
    remem.forget(memory.id)
    back = remem.store("a fact", tags=["b"])
    assert (back.id, back.existing, back.archived, back.tags) == (memory.id, True, False, ("a", "b"))
    assert [item.node.label for item in remem.related(memory.id)] == ["other"]
    assert list_found(remem, "fact") == [memory.id]


def test_an_id_that_exists_is_a_conflict_only_with_other_content(remem: RememSync, tmp_path: Path) -> None:
    remem.store("a fact", id="mine")
    assert remem.store("a fact", id="mine").existing
    with pytest.raises(ConflictError) as caught:
        remem.store("another fact", id="mine")
    assert caught.value.facts == {"id": "mine"}
    remem.forget("mine")
    with pytest.raises(ConflictError):
        remem.store("another fact", id="mine")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n", encoding="utf-8")
    remem.compile(tmp_path / "notes")
    note = remem.tree()[0].id
    with pytest.raises(ConflictError):
        remem.store("a third fact", id=note)
    assert list_ids(remem) == []


def test_an_id_is_free_again_when_its_memory_was_removed_for_good(remem: RememSync) -> None:
    remem.store("# Old\n\nwords", id="mine", tags=["a"])
    other = remem.store("other")
    remem.relate(other.id, "mine")
    remem.pin("mine")
    remem.forget("mine", hard=True)
    new = remem.store("something else", id="mine")
    assert (new.tags, new.pinned, new.access_count, new.existing) == ((), False, 0, False)
    assert [item.node.id for item in remem.related(other.id)] == ["mine"]
    assert list_found(remem, "words") == []


def test_memories_of_one_source_find_each_other_by_the_one_before(remem: RememSync) -> None:
    first = remem.store("Ada asks about zebras", source="chat")
    second = remem.store("Bo answers", source="chat")
    third = remem.store("They part", source="chat")
    loose = remem.store("Cy listens")
    assert list_found(remem, "zebras") == [first.id, second.id]
    remem.forget(first.id)
    assert list_found(remem, "zebras") == []
    remem.unarchive(first.id)
    remem.update(second.id, source="")
    assert list_found(remem, "zebras") == [first.id, third.id]
    remem.update(first.id, content="Ada asks about gnus")
    assert set(list_found(remem, "gnus")) == {first.id, third.id}
    assert loose.id not in list_found(remem, "Bo answers part zebras")


def test_a_node_of_a_note_reads_as_a_memory(remem: RememSync, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\n## Part\n\ntext #tag\n\nmore\n", encoding="utf-8")
    remem.compile(folder)
    memory = remem.get("Part")
    assert (memory.kind, memory.content, memory.source, memory.root) == (
        "heading",
        "## Part\n\ntext #tag\n\nmore",
        "a.md",
        "notes",
    )
    assert (memory.memory_type, memory.importance, memory.created_at, memory.updated_at) == (
        "long_term",
        0.5,
        START,
        START,
    )
    assert remem.get("Part").access_count == 1
    with pytest.raises(ConflictError) as caught:
        remem.delete("Part")
    assert caught.value.facts["place"] == "notes/a.md:3"
    with pytest.raises(ConflictError):
        remem.update("Part", importance=1)


def test_reading_is_counted_unless_it_says_otherwise(remem: RememSync, clock: Clock) -> None:
    id = remem.store("a").id
    remem.get(id)
    turn(clock, 5)
    assert remem.get(id, touch=False).access_count == 1
    remem.get(id)
    memory = remem.get(id)
    assert (memory.access_count, memory.accessed_at) == (2, clock.now)
    assert memory.temperature > 0.5


def test_a_store_that_was_closed_holds_its_memories(path: Path, remem: RememSync) -> None:
    memory = remem.store("kept", tags=["a"], metadata={"a": 1})
    with Remem.open_sync(path) as other:
        assert other.get(memory.id) == memory
