"""Connections as calls of the library: made, updated, listed in order, removed; what they refuse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import ConflictError, InvalidInputError, NotFoundError, RememError
from remem.records import Edge, Page
from tests.usage.clock import Clock

WRONG: list[tuple[dict[str, object], str]] = [
    ({"strength": 1.1}, "strength"),
    ({"strength": -0.1}, "strength"),
    ({"strength": float("nan")}, "strength"),
    ({"strength": True}, "strength"),
    ({"relationship_type": "loves"}, "relationship_type"),
    ({"relationship_type": None}, "relationship_type"),
    ({"target_id": ""}, "target_id"),
    ({"target_id": 3}, "target_id"),
    ({"target_id": "mem_abc"}, "target_id"),
]
WRONG_LISTS: list[tuple[dict[str, object], str]] = [
    ({"limit": 0}, "limit"),
    ({"limit": 501}, "limit"),
    ({"offset": -1}, "offset"),
    ({"type": "loves"}, "type"),
    ({"origin": "made"}, "origin"),
    ({"node": " "}, "node"),
    ({"cursor": "nonsense"}, "cursor"),
    ({"budget": 59}, "budget"),
]


@pytest.fixture
def remem(tmp_path: Path, clock: Clock) -> Iterator[RememSync]:
    """A store with three memories; it must be healthy at the end."""
    config = tmp_path / "settings.toml"
    config.write_text("[embedding]\nprovider = 'none'\n")
    with Remem.open_sync(tmp_path / "store.db", config=config) as opened:
        for id in ("mem_abc", "mem_def", "mem_ghi"):
            opened.store(f"The text of {id}.", id=id)
        yield opened
        assert opened.doctor().healthy


def name_edges(page: Page[Edge]) -> list[tuple[str, str, str, str]]:
    return [(edge.source_id, edge.target_id, edge.relationship_type, edge.origin) for edge in page]


def test_a_connection_made_again_is_updated_and_keeps_when_it_was_made(remem: RememSync, clock: Clock) -> None:
    made = remem.connect("mem_abc", "mem_def", "caused_by", 0.4)
    assert (made.source_id, made.target_id, made.relationship_type) == ("mem_abc", "mem_def", "caused_by")
    assert (made.weight, made.origin) == (0.4, "manual")
    clock.turn(1)
    again = remem.connect("mem_abc", "mem_def", "caused_by", 0.9)
    assert again.weight == 0.9 and again.created_at == made.created_at < again.updated_at
    assert remem.connections().items == (again,)
    assert remem.connect("mem_abc", "mem_def").relationship_type == "related_to"
    assert remem.connections().total == 2


@pytest.mark.parametrize(("wrong", "field"), WRONG)
def test_a_wrong_value_is_named_and_connects_nothing(remem: RememSync, wrong: dict[str, object], field: str) -> None:
    given: dict[str, object] = {"source_id": "mem_abc", "target_id": "mem_def"} | wrong
    with pytest.raises(InvalidInputError) as caught:
        remem.connect(**given)  # type: ignore[arg-type]
    assert caught.value.facts["field"] == field
    assert remem.connections() == []


def test_an_end_that_is_unknown_or_archived_is_not_found(remem: RememSync) -> None:
    remem.connect("mem_def", "mem_ghi")
    remem.forget("mem_ghi")
    for ends in (("mem_abc", "none"), ("none", "mem_abc"), ("mem_abc", "mem_ghi"), ("mem_ghi", "mem_abc")):
        for call in (remem.connect, remem.disconnect):
            with pytest.raises(NotFoundError):
                call(*ends)
    assert remem.connections().total == 0
    remem.unarchive("mem_ghi")
    assert name_edges(remem.connections()) == [("mem_def", "mem_ghi", "related_to", "manual")]


def test_an_end_that_has_expired_is_in_no_list_from_that_instant_on(remem: RememSync, clock: Clock) -> None:
    remem.store("Soon gone.", id="brief", ttl=10)
    remem.connect("brief", "mem_abc")
    remem.connect("mem_abc", "mem_def")
    assert remem.connections().total == remem.connections(node="mem_abc").total == 2
    clock.turn(11 / 86_400)
    assert remem.connections().total == remem.connections(node="mem_abc").total == 1


def test_the_list_is_oldest_first_then_by_ids_and_counts_what_the_filters_pass(remem: RememSync, clock: Clock) -> None:
    for source, target in (("mem_ghi", "mem_abc"), ("mem_abc", "mem_ghi"), ("mem_abc", "mem_def")):
        remem.connect(source, target)
    clock.turn(1)
    remem.store("See [[mem_abc]].", id="aaa")
    old = [("mem_abc", "mem_def"), ("mem_abc", "mem_ghi"), ("mem_ghi", "mem_abc")]
    manual = [(*ends, "related_to", "manual") for ends in old]
    parsed = ("aaa", "mem_abc", "references", "parsed")
    assert name_edges(remem.connections()) == [*manual, parsed]
    assert name_edges(remem.connections(limit=2, offset=1)) == manual[1:]
    assert remem.connections(limit=2, offset=1).total == 4
    assert name_edges(remem.connections(origin="parsed")) == [parsed]
    assert name_edges(remem.connections(type="related_to", node="mem_ghi")) == manual[1:]
    assert remem.connections(origin="discovered") == [] and remem.connections(offset=9).total == 4


def test_a_node_of_a_note_has_the_connections_of_all_below_it(remem: RememSync, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\n## Part\n\nSee [[B]] and [[mem_abc]].\n\n## Other\n\nText.\n")
    (notes / "b.md").write_text("# B\n\nText.\n")
    remem.compile(notes)
    assert remem.connections(node="A#Part").total == remem.connections(node="A").total == 2
    assert remem.connections(node="A#Other").total == 0 and remem.connections(node="B").total == 1


@pytest.mark.parametrize(("wrong", "field"), WRONG_LISTS)
def test_a_list_is_refused_and_never_clamped(remem: RememSync, wrong: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        remem.connections(**wrong)  # type: ignore[arg-type]
    assert caught.value.facts["field"] == field
    with pytest.raises(NotFoundError):
        remem.connections(node="none")


@pytest.mark.parametrize("node", [None, "mem_abc"])
def test_pages_go_on_after_what_was_shown_whatever_comes_and_goes(remem: RememSync, node: str | None) -> None:
    for number in range(40):
        remem.store(f"Number {number}.", id=f"n{number:02}")
        remem.connect("mem_abc", f"n{number:02}")
    whole = name_edges(remem.connections(node=node))
    first = remem.connections(node=node, budget=200)
    assert 0 < len(first) < 40 and first.tokens <= 200 and first.cursor
    remem.disconnect("mem_abc", first[-1].target_id)
    remem.forget(first[0].target_id)
    remem.connect("mem_def", "mem_ghi")
    seen = name_edges(first)
    cursor: str | None = first.cursor
    while cursor is not None:
        page = remem.connections(7, node=node, cursor=cursor)
        seen, cursor = seen + name_edges(page), page.cursor
    assert [edge for edge in seen if edge[0] == "mem_abc"] == whole
    with pytest.raises(InvalidInputError):
        remem.connections(offset=1, node=node, cursor=first.cursor)
    with pytest.raises(InvalidInputError):
        remem.connections(origin="manual", node=node, cursor=first.cursor)


def test_removing_takes_one_type_or_all_but_what_a_text_says(remem: RememSync) -> None:
    remem.update("mem_abc", content="See [[mem_def]].")
    for kind in ("caused_by", "supports", "part_of"):
        remem.connect("mem_abc", "mem_def", kind)
    assert remem.disconnect("mem_abc", "mem_def", "supports").deleted == 1
    with pytest.raises(NotFoundError):
        remem.disconnect("mem_abc", "mem_def", "supports")
    assert remem.disconnect("mem_abc", "mem_def").deleted == 2
    with pytest.raises(ConflictError) as caught:
        remem.disconnect("mem_abc", "mem_def")
    assert caught.value.facts["place"] == "mem_abc"
    assert name_edges(remem.connections()) == [("mem_abc", "mem_def", "references", "parsed")]
    with pytest.raises(NotFoundError):
        remem.disconnect("mem_def", "mem_abc")


def test_a_connection_that_a_note_makes_is_refused_with_its_file(remem: RememSync, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\nSee [[mem_abc]].\n")
    remem.compile(notes)
    (edge,) = remem.connections()
    with pytest.raises(ConflictError, match=r"notes/a\.md:3") as caught:
        remem.disconnect(edge.source_id, edge.target_id)
    assert caught.value.facts["place"] == "notes/a.md:3"


PLACES = [
    ("a.md", "# A\n\nOne.\n\n- x\n- y\n  z [[ferry]]\n", "a.md:7"),
    ("sub/b.md", '---\ntitle: B\n---\n\n> the ferry.md\n> and\n> [m](../ferry.md "t")\n', "sub/b.md:7"),
    ("c.html", "<p>One <a href='ferry.md'>m</a></p>\n", "c.html"),
    ("d.yaml", "a: 1\nb: see [[ferry]]\n", "d.yaml:2"),
]


@pytest.mark.parametrize(("name", "text", "place"), PLACES)
def test_the_place_of_a_link_is_its_file_with_the_root_and_its_line(
    remem: RememSync, tmp_path: Path, name: str, text: str, place: str
) -> None:
    file = tmp_path / "notes" / name
    file.parent.mkdir(parents=True)
    file.write_text(text)
    (tmp_path / "notes" / "ferry.md").write_text("It sails at noon.\n")
    remem.compile(tmp_path / "notes")
    (edge,) = remem.connections(origin="parsed")
    for call in (remem.disconnect, lambda *ends: remem.reconnect(*ends, strength=0.5), remem.unrelate):
        with pytest.raises(ConflictError) as caught:
            call(edge.source_id, edge.target_id)
        assert caught.value.facts["place"] == f"notes/{place}"


def test_who_asks_for_another_type_is_told_of_those_that_there_are(remem: RememSync) -> None:
    for kind in ("supports", "part_of"):
        remem.connect("mem_abc", "mem_def", kind)
    ends = ("mem_abc", "mem_def")
    for call in (
        lambda: remem.disconnect(*ends, "caused_by"),
        lambda: remem.reconnect(*ends, "caused_by", strength=0.5),
        lambda: remem.unrelate(*ends, type="caused_by"),
    ):
        with pytest.raises(NotFoundError) as caught:
            call()
        assert caught.value.facts["relationship_types"] == ["part_of", "supports"]
        told = "no edge of type caused_by leads from mem_abc to mem_def; those that do: part_of, supports"
        assert caught.value.message == told
    with pytest.raises(NotFoundError, match=r"no edge of type caused_by leads from mem_def to mem_abc$"):
        remem.disconnect("mem_def", "mem_abc", "caused_by")
    with pytest.raises(NotFoundError, match=r"no edge leads from mem_def to mem_abc$"):
        remem.disconnect("mem_def", "mem_abc")


def test_a_mention_that_was_removed_stays_away_until_a_text_changes(remem: RememSync) -> None:
    remem.store("# Harbour Master\n\nHe counts ships.", id="master")
    remem.update("mem_abc", content="The harbour master said so.")
    remem.settle()
    mention = ("mem_abc", "master", "references", "mentioned")
    assert name_edges(remem.connections(node="master")) == [mention]
    assert remem.disconnect("mem_abc", "master").deleted == 1
    remem.store("Another text.")
    remem.settle()
    assert remem.connections(node="master") == []
    remem.update("mem_abc", content="The harbour master said so again.")
    remem.settle()
    assert name_edges(remem.connections(node="master")) == [mention]


def test_a_connection_replaces_a_mention_of_its_type(remem: RememSync) -> None:
    remem.store("# Harbour Master\n\nHe counts ships.", id="master")
    remem.update("mem_abc", content="The harbour master said so.")
    remem.settle()
    remem.connect("mem_abc", "master", "references")
    assert name_edges(remem.connections()) == [("mem_abc", "master", "references", "manual")]


def test_connecting_makes_no_snapshot(remem: RememSync) -> None:
    before = remem.stats().snapshots
    remem.connect("mem_abc", "mem_def")
    remem.disconnect("mem_abc", "mem_def")
    assert remem.stats().snapshots == before


def test_a_walk_tells_how_important_memories_are(remem: RememSync) -> None:
    remem.update("mem_def", importance=0.9)
    remem.connect("mem_abc", "mem_def")
    remem.connect("mem_def", "mem_ghi")
    found = {item.node.id: item.importance for item in remem.related("mem_abc", depth=2)}
    assert found == {"mem_def": 0.9, "mem_ghi": 0.5}
    way = remem.path("mem_abc", "mem_def")
    assert way is not None and way.importance == 0.9


def test_several_memories_are_read_at_once_in_the_order_of_their_ids(remem: RememSync) -> None:
    remem.forget("mem_def")
    found = remem.get_batch(["mem_ghi", "none", "mem_def", "mem_abc", "mem_ghi"])
    assert [memory and memory.id for memory in found] == ["mem_ghi", None, None, "mem_abc", "mem_ghi"]
    assert remem.get("mem_ghi").access_count == 0 and remem.get_batch([]) == []
    with pytest.raises(RememError):
        remem.get_batch(["x"] * 1001)
