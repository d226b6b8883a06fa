"""Archived and brought back, removed for good, promoted, updated: and what becomes of the edges meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import ConflictError, NotFoundError
from tests.memories.helpers import count_snapshots, list_edges, list_found, list_ids, turn
from tests.usage.clock import START, Clock, look


def test_an_archived_memory_is_not_found_but_by_who_says_so(remem: RememSync) -> None:
    memory = remem.store("# Zebra\n\nstripes", tags=["a"])
    forgotten = remem.forget(memory.id)
    assert (forgotten.id, forgotten.hard) == (memory.id, False)
    for call in (remem.get, remem.forget, remem.promote, remem.related, remem.show, remem.pin, remem.tree):
        for reference in (memory.id, "Zebra"):
            with pytest.raises(NotFoundError):
                call(reference)
    with pytest.raises(NotFoundError):
        remem.update(memory.id, importance=1)
    assert (list_ids(remem), list_found(remem, "stripes"), list(remem.tree())) == ([], [], [])
    archived = remem.get(memory.id, archived=True)
    assert (archived.archived, archived.content, archived.tags) == (True, memory.content, ("a",))
    assert list_ids(remem, archived=True) == [memory.id]
    assert list_ids(remem, archived=True, tags=["a"]) == [memory.id]
    assert list_ids(remem, archived=True, tags=["b"]) == []


def test_what_is_brought_back_is_as_it_was(remem: RememSync, clock: Clock) -> None:
    one, two = remem.store("# One\n\nSee [[Two]].", tags=["a"], metadata={"k": 1}), remem.store("# Two")
    remem.relate(one.id, two.id, type="supports", weight=2)
    remem.relate(two.id, one.id, type="caused_by")
    remem.relate(two.id, target_label="One", type="part_of")
    remem.pin(one.id)
    edges, before = list_edges(remem), remem.get(one.id, touch=False)
    assert len(edges) == 4
    remem.forget(one.id)
    assert list_edges(remem) == set()
    turn(clock, 60)
    back = remem.unarchive(one.id)
    assert (back.id, back.content, back.tags, back.metadata, back.pinned) == (
        one.id,
        one.content,
        ("a",),
        {"k": 1},
        True,
    )
    assert (back.created_at, back.updated_at) == (before.created_at, clock.now)
    assert list_edges(remem) == edges
    assert remem.unarchive(one.id) == back


def test_a_hard_delete_leaves_nothing_but_the_history(remem: RememSync, path: Path) -> None:
    one, two = remem.store("# Zebra\n\nstripes [[Two]]"), remem.store("# Two\n\n[[Zebra]]")
    remem.relate(one.id, two.id)
    remem.relate(two.id, one.id, type="supports")
    remem.relate(two.id, target_label="Zebra", type="part_of")
    remem.get(one.id)
    assert remem.forget(one.id, hard=True).hard
    for call in (remem.get, remem.unarchive, remem.forget):
        with pytest.raises(NotFoundError):
            call(one.id)
    with pytest.raises(NotFoundError):
        remem.get(one.id, archived=True)
    assert list_edges(remem) == set()
    waiting = {(edge.origin, edge.relationship_type, edge.id, edge.label) for edge in remem.pending(suggest=False)}
    assert waiting == {
        ("parsed", "references", "", "Zebra"),
        ("manual", "supports", one.id, ""),
        ("manual", "part_of", "", "Zebra"),
    }
    kept = look(path, "SELECT count(*) FROM contents WHERE text LIKE '%stripes%'")
    assert kept == [(1,)]
    for table, column in (("memories", "node"), ("usage", "node"), ("names", "node"), ("passages", "document")):
        assert look(path, f"SELECT * FROM {table} WHERE {column} = 1") == []


def test_what_waits_for_a_bare_id_finds_no_namesake(remem: RememSync) -> None:
    one, two = remem.store("# Zebra\n\nfirst"), remem.store("two")
    remem.relate(two.id, one.id)
    remem.forget(one.id)
    remem.forget(one.id, hard=True)
    other = remem.store("# Zebra\n\nsecond")
    assert list_edges(remem) == set()
    remem.store("third", id=one.id)
    assert {edge[:2] for edge in list_edges(remem)} == {(two.id, one.id)}
    assert other.id != one.id


def test_an_archived_memory_can_be_removed_for_good(remem: RememSync, path: Path) -> None:
    memory = remem.store("# Zebra")
    remem.forget(memory.id)
    remem.forget(memory.id, hard=True)
    with pytest.raises(NotFoundError):
        remem.unarchive(memory.id)
    assert count_snapshots(path) == 3


def test_a_promoted_memory_never_expires(remem: RememSync, path: Path, clock: Clock) -> None:
    memory = remem.store("x", ttl=60)
    promoted = remem.promote(memory.id)
    assert (promoted.memory_type, promoted.expires_at) == ("long_term", None)
    assert remem.promote(memory.id) == promoted
    turn(clock, 61)
    assert list_ids(remem) == [memory.id]
    assert count_snapshots(path) == 1


def test_an_update_replaces_the_given_fields_alone(remem: RememSync, clock: Clock) -> None:
    before = remem.store("# A\n\nwords #x", tags=["a"], metadata={"a": 1}, source="s", importance=0.3)
    turn(clock, 5)
    assert remem.update(before.id, importance=0.9).importance == 0.9
    assert remem.update(before.id, metadata={"b": 2}).metadata == {"b": 2}
    assert remem.update(before.id, tags=["b"]).tags == ("b", "x")
    assert remem.update(before.id, source="t").source == "t"
    now = remem.update(before.id, content="# B\n\nother words")
    assert (now.label, now.tags, now.importance, now.source, now.metadata) == ("B", ("b",), 0.9, "t", {"b": 2})
    assert (now.created_at, now.updated_at) == (START, clock.now)
    assert remem.get(before.id, touch=False) == now
    assert list_found(remem, "other") == [before.id]


def test_an_update_of_the_text_keeps_edges_of_calls_and_follows_the_links(remem: RememSync) -> None:
    one, two, three = (remem.store(f"# {name}") for name in ("One", "Two", "Three"))
    remem.update(one.id, content="# One\n\n[[Two]]")
    remem.relate(one.id, three.id)
    remem.update(one.id, content="# First\n\n[[Three]]")
    assert list_edges(remem) == {
        (one.id, three.id, "references", "parsed", 1.0),
        (one.id, three.id, "related_to", "manual", 1.0),
    }
    assert remem.get("First").id == one.id == remem.get("One").id
    assert two.id not in {item.node.id for item in remem.related(one.id)}


def test_an_update_of_the_type_sets_the_time(remem: RememSync, clock: Clock) -> None:
    id = remem.store("x").id
    turn(clock, 5)
    assert remem.update(id, ttl=10).expires_at == clock.now + 10_000
    assert remem.update(id, memory_type="short_term").expires_at == clock.now + 10_000
    assert remem.update(id, memory_type="long_term").expires_at is None
    assert remem.update(id, memory_type="short_term").expires_at == clock.now + 3_600_000


def test_an_update_that_changes_nothing_writes_nothing(remem: RememSync, path: Path, clock: Clock) -> None:
    before = remem.store("x", tags=["a"])
    turn(clock, 5)
    assert remem.update(before.id, content="x", tags=["a"], importance=0.5, metadata={}).updated_at == START
    assert count_snapshots(path) == 1


def test_no_two_memories_of_a_source_say_the_same(remem: RememSync) -> None:
    one, two, far = remem.store("one"), remem.store("two"), remem.store("one", source="far")
    for change in ({"content": "one"}, {"content": "two", "source": ""}):
        with pytest.raises(ConflictError):
            remem.update(far.id if "source" in change else two.id, **change)
    remem.forget(one.id)
    remem.update(two.id, content="one")
    with pytest.raises(ConflictError) as caught:
        remem.unarchive(one.id)
    assert caught.value.facts == {"id": two.id}


def test_archived_memories_go_for_good_after_some_days_where_that_is_set(tmp_path: Path, clock: Clock) -> None:
    config = tmp_path / "remem.toml"
    config.write_text("[lifecycle]\nremove_archived = true\nremove_archived_days = 10\n", encoding="utf-8")
    with Remem.open_sync(tmp_path / "s.db", config=config) as remem:
        old, new = remem.store("old"), remem.store("new", ttl=5 * 86_400)
        remem.forget(old.id)
        clock.turn(9)
        swept = remem.expire()
        assert (swept.archived, swept.removed) == (1, 0)
        clock.turn(1)
        assert remem.expire().removed == 1
        assert list_ids(remem, archived=True) == [new.id]
        clock.turn(20)
        assert remem.expire().removed == 1
        assert [finding for finding in remem.doctor().findings if finding.fault] == []
    with Remem.open_sync(tmp_path / "t.db") as remem:
        remem.forget(remem.store("kept").id)
        clock.turn(400)
        assert remem.expire().removed == 0 == len(remem.memories())
        assert len(remem.memories(archived=True)) == 1
