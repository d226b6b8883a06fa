"""Rollback: a part of the store, or all of it, is again what it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remem.engine.sync import RememSync
from remem.errors import AmbiguousError, ConflictError, InvalidInputError, NotFoundError, RefusedError
from tests.usage.clock import Clock, look
from tests.versioning.vault import Vault, find_newest, list_faults, read_state, read_trees, record, tell

ALPHA = "# Alpha\n\nfirst paragraph of it\n\n## Costs\n\nsee [[Beta]] for the sum\n"
BETA = "# Beta\n\nall that is known of it\n"


@pytest.fixture(autouse=True)
def _healthy(remem: RememSync) -> object:
    yield
    assert list_faults(remem) == []


def list_edges(remem: RememSync) -> set[tuple[str, str, str, str]]:
    return {(e.source_id, e.target_id, e.relationship_type, e.origin) for e in remem.export().edges}


def test_notes_go_back_and_memories_stay(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA, b=BETA)
    before, edges = record(remem), list_edges(remem)
    remem.store("fact", id="m")
    vault.compile(a="# Alpha\n\nanother text\n", b=None, c="# New\n")
    done = remem.rollback(1)
    assert (done.to, done.scope, done.snapshot, done.dry_run) == (1, "notes", 4, False)
    assert (done.added, done.modified, done.removed) == (6, 0, 3)
    trees = read_trees(remem)
    assert (trees.pop("m")[0].kind, trees) == ("memory", before.trees)
    assert list_edges(remem) == edges
    assert done.held == ("vault/a.md", "vault/b.md", "vault/c.md")


def test_a_rollback_can_be_rolled_back_and_all_is_said(vault: Vault, remem: RememSync) -> None:
    states = [read_state(remem)]
    states += [read_state(remem) for _ in [vault.compile(a=ALPHA)]]
    states += [read_state(remem) for _ in [remem.store("one", id="m", tags=["t"])]]
    states += [read_state(remem) for _ in [remem.forget("m")]]
    states += [read_state(remem) for _ in [remem.store("two", id="n")]]
    states += [read_state(remem) for _ in [remem.forget("m", hard=True)]]
    states += [read_state(remem) for _ in [vault.compile(a=None, b=BETA)]]
    for to in (0, 6, 2, 5, 3, 1, 4, 6):
        remem.rollback(to, "all")
        assert read_state(remem) == (states[to]), to
        assert list_faults(remem) == []
    assert remem.rollback(find_newest(remem), "all").snapshot is None


def test_a_dry_run_tells_what_would_change_and_changes_nothing(vault: Vault, remem: RememSync, path: Path) -> None:
    vault.compile(a=ALPHA)
    remem.store("fact", id="m")
    vault.compile(a=BETA, b=ALPHA)
    tables = ("nodes", "changes", "removed", "held", "edges", "links", "snapshots", "memories", "contents", "layouts")
    before = [look(path, f"SELECT * FROM {table}") for table in tables]
    seen = remem.rollback(0, "all", dry_run=True)
    assert [look(path, f"SELECT * FROM {table}") for table in tables] == before
    assert (seen.dry_run, seen.snapshot) == (True, None)
    done = remem.rollback(0, "all")
    assert (seen.changes, seen.held) == (done.changes, done.held)


def test_compile_leaves_what_was_rolled_back_until_its_file_changes(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA, b=BETA)
    vault.compile(a=ALPHA.replace("first", "last"), b=None, c="# New\n\nnews\n")
    remem.rollback(1)
    trees = read_trees(remem)
    assert vault.compile() == 3
    assert read_trees(remem) == trees
    vault.compile(c="# New\n\nnews of today\n")
    assert {line.label for line in remem.tree(depth=1)} >= {"Alpha", "Beta", "New"}
    vault.compile(a=ALPHA.replace("first", "very last"))
    assert vault.find("very last paragraph of it")
    vault.compile(b="# Beta\n\nis back\n")
    assert vault.find("is back")


def test_manual_edges_and_pins_come_back_with_their_nodes(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA, b=BETA)
    remem.store("fact", id="m")
    remem.relate("m", vault.find("Costs"), type="caused_by")
    remem.relate(vault.find("Beta", "heading"), "m", weight=2)
    remem.pin("Costs")
    edges = list_edges(remem)
    vault.compile(a=None, b=None)
    remem.forget("m", hard=False)
    remem.rollback(2, "all")
    assert list_edges(remem) == edges
    assert remem.show("Costs")[0].node.pinned
    remem.rollback(0, "all")
    assert (list_edges(remem), remem.export().nodes) == (set(), ())
    remem.rollback(2, "all")
    assert list_edges(remem) == edges


def test_links_wait_and_heal_as_their_targets_go_and_return(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA)
    vault.compile(b=BETA)
    assert not remem.pending()
    remem.rollback(1)
    assert [edge.label for edge in remem.pending()] == ["Beta"]
    remem.rollback(2)
    assert not remem.pending()


def test_a_document_goes_back_alone_by_its_id_its_source_or_its_title(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA, b=BETA)
    id = vault.find("Alpha", "document")
    for scope in (id, "a.md", "vault/a.md"):
        vault.compile(a=ALPHA + f"\n{scope} was here\n", b=BETA + f"\n{scope} was here too\n")
        done = remem.rollback(1, scope)
        assert {(change.op, change.source) for change in done.changes} == {("rem", "a.md")}
        assert done.held == ("vault/a.md",)


def test_a_document_that_is_gone_comes_back_under_its_ids(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA, b=BETA)
    before = read_trees(remem)
    vault.compile(a=None)
    assert remem.rollback(1, "a.md").added == 5
    assert read_trees(remem) == before
    assert vault.compile() == 3


def test_a_root_goes_back_alone_and_to_before_it_was(vault: Vault, remem: RememSync, tmp_path: Path) -> None:
    other = Vault(tmp_path / "other", remem)
    vault.compile(a=ALPHA)
    other.compile(b=BETA)
    vault.compile(a=ALPHA + "\nmore\n")
    other.compile(b=BETA + "\nmore\n")
    assert {change.root for change in remem.rollback(2, "other").changes} == {"other"}
    assert {(change.op, change.root) for change in remem.rollback(1, "other").changes} == {("rem", "other")}
    assert other.compile() == find_newest(remem)
    assert [root.documents for root in remem.roots()] == [0, 1]


def test_a_root_that_was_dropped_comes_back(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA, b=BETA)
    before = record(remem)
    remem.drop("vault")
    remem.rollback(1, "vault")
    assert record(remem) == before
    assert [(root.name, root.path) for root in remem.roots()] == [("vault", str(vault.folder))]
    assert vault.compile() == 3
    vault.compile(a=ALPHA + "\nmore\n")
    assert vault.find("more")


def test_a_root_that_is_part_of_another_now_comes_back_there(vault: Vault, remem: RememSync, tmp_path: Path) -> None:
    vault.compile(a=ALPHA, b=BETA)
    before = read_trees(remem)
    (tmp_path / "vault" / "b.md").unlink()
    remem.compile(vault.folder.parent, root="outer")
    remem.rollback(1)
    assert read_trees(remem) == before
    assert {line.source for line in remem.tree(depth=0)} == {"vault/a.md", "vault/b.md"}


def test_a_section_goes_back_where_it_stands(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA + "\n## Rest\n\nof the note\n")
    costs = vault.find("Costs")
    vault.compile(a=ALPHA.replace("see [[Beta]] for the sum", "a sum\n\nand more of it") + "\n## Rest\n\nedited now\n")
    done = remem.rollback(1, costs)
    assert ("rem", "and more of it") in tell(done.changes)
    assert "edited now" in remem.show("Alpha")[0].text
    assert "see [[Beta]] for the sum" in remem.show(costs)[0].text


def test_a_section_that_is_gone_comes_back_after_its_former_neighbour(vault: Vault, remem: RememSync) -> None:
    whole = "# Alpha\n\nintro\n\n## One\n\ntext one\n\n## Two\n\ntext two\n\n## Three\n\ntext three\n"
    vault.compile(a=whole)
    two = vault.find("Two")
    vault.compile(a=whole.replace("## Two\n\ntext two\n\n", "") + "\nlast words\n")
    done = remem.rollback(1, two)
    assert tell(done.changes) == [("add", "Two"), ("add", "text two")]
    labels = [line.label for line in remem.tree(depth=9)]
    assert labels == [
        "Alpha",
        "Alpha",
        "intro",
        "One",
        "text one",
        "Two",
        "text two",
        "Three",
        "text three",
        "last words",
    ]


def test_a_node_that_was_not_there_goes(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA)
    vault.compile(a=ALPHA + "\nmore text of the note\n")
    assert tell(remem.rollback(1, vault.find("more text of the note")).changes) == [("rem", "more text of the note")]


def test_a_node_whose_document_is_gone_needs_its_document(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA)
    costs, document = vault.find("Costs"), vault.find("Alpha", "document")
    vault.compile(a=None)
    with pytest.raises(RefusedError, match=document):
        remem.rollback(1, costs)


def test_what_a_document_takes_back_another_loses(vault: Vault, remem: RememSync) -> None:
    part = "## The part in question\n\nwhat this part has to say at length\n"
    vault.compile(a=f"# A\n\n{part}", b="# B\n\nbody\n")
    before = read_trees(remem)
    vault.compile(a="# A\n", b=f"# B\n\nbody\n\n{part}")
    done = remem.rollback(1, "a.md")
    assert {change.op for change in done.changes} == {"move"}
    assert read_trees(remem) == before
    assert done.held == ("vault/a.md", "vault/b.md")


def test_a_memory_goes_back_alone(remem: RememSync) -> None:
    remem.store("one", id="m", tags=["a"], importance=0.9, metadata={"k": 1})
    remem.store("other", id="n")
    remem.update("m", content="two", tags=["b"])
    remem.update("n", content="changed")
    remem.rollback(2, "m")
    assert (remem.get("m").content, remem.get("m").tags, remem.get("n").content) == ("one", ("a",), "changed")
    remem.forget("m", hard=True)
    remem.rollback(2, "m")
    memory = remem.get("m")
    assert (memory.content, memory.importance, memory.metadata) == ("one", 0.9, {"k": 1})
    remem.rollback(0, "m")
    with pytest.raises(NotFoundError):
        remem.get("m")
    remem.rollback(5, "m")
    assert remem.get("m").content == "one"


@pytest.mark.parametrize("then", ["absent", "living", "archived", "edited and archived"])
@pytest.mark.parametrize("now", ["absent", "living", "archived", "edited and archived", "expired"])
def test_a_memory_goes_from_any_state_to_any_other(then: str, now: str, remem: RememSync, clock: Clock) -> None:
    make: dict[str, Callable[[], object]] = {
        "absent": lambda: remem.forget("m", hard=True),
        "living": lambda: remem.update("m", content="now", tags=["n"]),
        "archived": lambda: remem.forget("m"),
        "edited and archived": lambda: [remem.update("m", content=f"# {then}\n\n{now}"), remem.forget("m")],
        "expired": lambda: expire(remem, clock),
    }
    remem.store("first", id="m", tags=["f"])
    make[then]()
    to, state = find_newest(remem), read_state(remem)
    if then == "absent":
        remem.store("second", id="m")
    elif then != "living":
        remem.unarchive("m")
    make[now]()
    before, left = find_newest(remem), read_state(remem)
    remem.rollback(to, "m")
    assert read_state(remem) == state
    assert list_faults(remem) == []
    remem.rollback(before, "m")
    assert read_state(remem) == left


def expire(remem: RememSync, clock: Clock) -> None:
    remem.update("m", content="short", ttl=1, memory_type="short_term")
    clock.turn(1)


def test_entities_go_with_the_notes_and_return_under_their_ids(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA)
    remem.store("fact", id="m", graph_extraction={"entities": [{"name": "Ada", "type": "person"}]})
    edges = list_edges(remem)
    assert tell(remem.rollback(1).changes) == [("rem", "Ada")]
    assert ("m", "references") not in {(source, type) for source, _, type, _ in list_edges(remem)}
    remem.rollback(2)
    assert list_edges(remem) == edges
    assert tell(remem.rollback(0, "all").changes)[-2:] == [("rem", "fact"), ("rem", "Ada")]


def test_an_entity_that_was_rolled_back_is_the_same_when_named_again(remem: RememSync) -> None:
    entities = {"entities": [{"name": "Ada", "type": "person"}]}
    first = remem.store("fact", graph_extraction=entities).extraction
    remem.rollback(0)
    second = remem.store("another fact", graph_extraction=entities).extraction
    assert first and second and first.entities[0].id == second.entities[0].id


def test_two_memories_of_a_source_never_say_the_same(remem: RememSync) -> None:
    remem.store("one", id="m")
    remem.update("m", content="two")
    remem.store("one", id="n")
    with pytest.raises(ConflictError, match="the same as n"):
        remem.rollback(1, "m")
    assert remem.get("m").content == "two"


def test_a_place_that_another_document_has_is_not_taken(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA)
    id = vault.find("Alpha", "document")
    vault.compile(a=None)
    vault.compile(a="# Something else\n\nentirely, without a word of that\n")
    with pytest.raises(ConflictError, match="another document"):
        remem.rollback(1, id)
    remem.rollback(1, "a.md")
    assert vault.find("Alpha", "document") == id


def test_a_renamed_document_goes_back_to_its_name(vault: Vault, remem: RememSync) -> None:
    vault.compile(a="just a text that says a thing or two\n")
    before = record(remem)
    (vault.folder / "a.md").rename(vault.folder / "b.md")
    vault.compile()
    assert vault.find("b", "document")
    remem.rollback(1)
    assert (record(remem), remem.tree(depth=0)[0].source) == (before, "a.md")
    assert vault.compile() == 3


@pytest.mark.parametrize("scope", ["nothing", "x.md", "vault/x.md", "zzz/"])
def test_an_unknown_scope_is_not_found(scope: str, vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA)
    with pytest.raises(NotFoundError, match="no root, document, node or memory"):
        remem.rollback(0, scope)


@pytest.mark.parametrize("scope", ["", "  ", 5, None, "a\x00", "\ud800", "x" * 5000])
def test_what_is_no_scope_is_refused(scope: object, remem: RememSync) -> None:
    with pytest.raises(InvalidInputError):
        remem.rollback(0, scope)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        remem.rollback(0, "all", dry_run="yes")  # type: ignore[arg-type]


def test_a_source_in_two_roots_must_be_told_apart(vault: Vault, remem: RememSync, tmp_path: Path) -> None:
    vault.compile(a=ALPHA)
    Vault(tmp_path / "other", remem).compile(a=BETA)
    with pytest.raises(AmbiguousError):
        remem.rollback(0, "a.md")
    assert {change.root for change in remem.rollback(0, "other/a.md").changes} == {"other"}


def test_a_folder_called_notes_is_meant_with_a_slash(remem: RememSync, tmp_path: Path) -> None:
    notes, other = Vault(tmp_path / "notes", remem), Vault(tmp_path / "other", remem)
    notes.compile(a=ALPHA)
    other.compile(b=BETA)
    assert {change.root for change in remem.rollback(0, "notes/", dry_run=True).changes} == {"notes"}
    assert {change.root for change in remem.rollback(0, "notes").changes} == {"notes", "other"}


FORMATS = {
    "p.html": (
        "<title>P</title><h1>Head</h1><p>a <a href='q.html#x'>link</a></p><ul><li>one [[d]]</li></ul>",
        "<p>other</p>",
    ),
    "q.html": ("<h1 id=x>Other</h1><p id=y>body</p>", "<h1 id=x>Other</h1>"),
    "d.yaml": ("title: Data\nkeys:\n  a: 1\n  b: '[[p]]'\nlist:\n- x\n- y\n", "title: Data\nkeys:\n  a: 2\n"),
    "e.json": ('{"name": "E", "a": {"b": [1, 2, 3]}, "c": "see [[d]]"}', '{"name": "E", "a": {"b": [1]}}'),
    "t.toml": ("title = 'T'\n[x]\ny = 1\n", "title = 'T'\n[x]\ny = 2\nz = 3\n"),
    "x.txt": ("para one\n\npara two #tag\n", "para one\n\npara three\n"),
}


def test_files_of_every_format_go_back_with_their_links(vault: Vault, remem: RememSync) -> None:
    for name, (text, _) in FORMATS.items():
        (vault.folder / name).write_text(text, encoding="utf-8")
    vault.compile()
    before, edges, states = record(remem), list_edges(remem), [read_state(remem)]
    for name, (_, text) in FORMATS.items():
        (vault.folder / name).write_text(text, encoding="utf-8")
    vault.compile()
    states.append(read_state(remem))
    for name in FORMATS:
        (vault.folder / name).unlink()
    vault.compile()
    states.append(read_state(remem))
    for to in (1, 2, 3, 1):
        remem.rollback(to)
        assert read_state(remem) == states[to - 1]
        assert list_faults(remem) == []
    assert (record(remem), list_edges(remem)) == (before, edges)
