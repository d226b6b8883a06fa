"""The history of one node, and the store as it was."""

from __future__ import annotations

import pytest

from remem.engine.sync import RememSync
from remem.errors import NotFoundError
from tests.usage.clock import Clock
from tests.versioning.vault import Vault


def test_a_history_tells_every_change_newest_first_with_both_texts(vault: Vault, remem: RememSync) -> None:
    vault.compile(a="# A\n\none two three\n")
    id = vault.find("one two three")
    vault.compile(a="# A\n\none two three four\n")
    vault.compile(a="# A\n")
    vault.compile(a="# A\n\none two three four\n")
    entries = remem.history(id)
    assert [(e.snapshot, e.op, e.before, e.after) for e in entries] == [
        (4, "add", None, "one two three four"),
        (3, "rem", "one two three four", None),
        (2, "mod", "one two three", "one two three four"),
        (1, "add", None, "one two three"),
    ]
    assert {entry.message for entry in entries} == {"compile vault"}


def test_a_history_goes_on_across_renames_and_of_what_is_gone(vault: Vault, remem: RememSync) -> None:
    vault.compile(a="# A\n\nsome text of the note\n")
    id = vault.find("some text of the note")
    (vault.folder / "a.md").rename(vault.folder / "b.md")
    vault.compile()
    vault.compile(b="# A\n\nsome text of the note, edited\n")
    assert [entry.op for entry in remem.history(id)] == ["mod", "add"]
    vault.compile(b=None)
    assert [entry.op for entry in remem.history(id)] == ["rem", "mod", "add"]


def test_the_history_of_a_memory_tells_how_it_came_and_went(remem: RememSync) -> None:
    remem.store("# T\n\none", id="m", tags=["x"])
    remem.update("m", content="two")
    remem.forget("m")
    remem.unarchive("m")
    remem.forget("m")
    remem.forget("m", hard=True)
    remem.store("three", id="m")
    entries = remem.history("m")
    assert [(e.op, e.detail) for e in entries] == [
        *(("add", "add"), ("rem", "delete"), ("rem", "archive"), ("add", "unarchive"), ("rem", "archive")),
        *(("mod", "mod"), ("add", "add")),
    ]
    assert (entries[5].before, entries[5].after, entries[6].label) == ("# T\n\none", "two", "T")


def test_a_history_is_paged(remem: RememSync) -> None:
    remem.store("text 0", id="m")
    for number in range(1, 12):
        remem.update("m", content=f"text {number}")
    page = remem.history("m", budget=100)
    seen = [entry.after for entry in page]
    while page.cursor:
        assert page.tokens <= 100
        page = remem.history("m", budget=100, cursor=page.cursor)
        seen += [entry.after for entry in page]
    assert seen == [f"text {number}" for number in range(11, -1, -1)]


def test_a_node_that_never_was_has_no_history(remem: RememSync) -> None:
    with pytest.raises(NotFoundError):
        remem.history("nothing")


def test_the_store_can_be_read_as_it_was(vault: Vault, remem: RememSync) -> None:
    vault.compile(a="# A\n\nintro\n\n## Part\n\n> quoted\n>\n> | x | y |\n> |---|---|\n> | 1 | 2 |\n")
    remem.store("fact one", id="m", tags=["t"])
    part, text = vault.find("Part"), remem.show("Part")[0].text
    before = [(line.id, line.label, line.parent_id, line.depth) for line in remem.tree(depth=9)]
    remem.update("m", content="fact two", tags=["u"])
    vault.compile(a="# A\n\nintro changed\n", b="# B\n")
    vault.compile(a=None)
    assert [(line.id, line.label, line.parent_id, line.depth) for line in remem.tree(depth=9, as_of=2)] == before
    view = remem.show(part, as_of=2)[0]
    assert (view.text, view.edges, [crumb.label for crumb in view.breadcrumb]) == (text, (), ["A", "A"])
    memory = remem.get("m", as_of=2)
    assert (memory.content, memory.tags, remem.get("m").tags) == ("fact one", ("t",), ("u",))
    assert list(remem.tree(as_of=0)) == []
    with pytest.raises(NotFoundError, match="was not there at snapshot 1"):
        remem.get("m", as_of=1)


def test_reading_the_past_keeps_its_budget_and_writes_nothing(vault: Vault, remem: RememSync) -> None:
    vault.compile(a="# A\n\n" + "\n\n".join(f"## Part {n}\n\ntext {n}" for n in range(30)))
    vault.compile(a="# A\n")
    state = remem.snapshots(1)[0]
    whole = [line.id for line in remem.tree(depth=9, as_of=1)]
    page = remem.tree(depth=9, as_of=1, budget=150)
    seen = [line.id for line in page]
    while page.cursor:
        assert page.tokens <= 150
        page = remem.tree(depth=9, as_of=1, budget=150, cursor=page.cursor)
        seen += [line.id for line in page]
    assert seen == whole
    parts = remem.show(whole[0], as_of=1, budget=120)
    text = parts[0].text
    while parts.cursor and parts[0].text:
        parts = remem.show(whole[0], as_of=1, budget=120, cursor=parts.cursor)
        text += parts[0].text
    assert text == remem.show(whole[0], as_of=1)[0].text
    assert remem.snapshots(1)[0] == state


def test_an_archived_memory_was_archived_then(remem: RememSync) -> None:
    remem.store("fact", id="m")
    remem.forget("m")
    remem.unarchive("m")
    assert remem.get("m", as_of=1).content == "fact"
    with pytest.raises(NotFoundError, match="was archived"):
        remem.get("m", as_of=2)
    assert [len(remem.tree(as_of=snapshot)) for snapshot in (1, 2, 3)] == [1, 0, 1]


def test_what_has_expired_is_no_change_and_is_not_served(remem: RememSync, clock: Clock) -> None:
    remem.store("short", id="s", ttl=5)
    remem.store("long", id="l")
    clock.turn(1)
    assert [change.id for change in remem.delta(0)] == ["l"]
    assert [change.id for change in remem.delta(1)] == ["l"]
    assert remem.get("s", as_of=1).content == "short"
    assert [line.id for line in remem.tree(as_of=1)] == ["s"]
    remem.expire()
    assert [line.id for line in remem.tree(as_of=1)] == ["s"]
    assert remem.history("s")[0].op == "add"
