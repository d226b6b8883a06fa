"""Snapshots, and what changed between two of them, net."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem.engine.sync import RememSync
from remem.errors import InvalidInputError, NotFoundError
from remem.ingest.tokens import count_tokens
from tests.usage.clock import look
from tests.versioning.vault import Vault, tell

ALPHA = "# Alpha\n\nfirst\n\nsecond\n\n## Costs\n\nmuch\n"


def test_snapshots_come_newest_first_and_tell_how_much_they_changed(vault: Vault, remem: RememSync) -> None:
    vault.compile(a=ALPHA)
    remem.store("fact", id="m")
    vault.compile(a="# Alpha\n\nsecond\n\nfirst one\n\n## Costs\n\nmuch\n")
    remem.forget("m")
    page = remem.snapshots()
    assert [(s.id, s.parent, s.message) for s in page] == [
        *((4, 3, "archive m"), (3, 2, "compile vault"), (2, 1, "store m"), (1, 0, "compile vault")),
    ]
    assert [(s.added, s.modified, s.moved, s.removed) for s in page] == [
        *((0, 0, 0, 1), (0, 1, 1, 0), (1, 0, 0, 0), (6, 0, 0, 0)),
    ]
    assert all(len(s.state_hash) == 32 and s.finished and s.created_at > 0 for s in page)


def test_snapshots_are_paged(remem: RememSync) -> None:
    for number in range(7):
        remem.store(f"fact {number}")
    first = remem.snapshots(3)
    assert ([s.id for s in first], first.total, first.left_out) == ([7, 6, 5], 7, 4)
    second = remem.snapshots(3, first.cursor)
    remem.store("one more")
    third = remem.snapshots(3, second.cursor)
    assert ([s.id for s in second], [s.id for s in third], third.cursor) == ([4, 3, 2], [1], None)
    small = remem.snapshots(budget=60)
    assert small.tokens <= 60 and small.left_out and count_tokens(small.text) == small.tokens


def test_a_delta_is_net_with_one_entry_a_node(vault: Vault, remem: RememSync) -> None:
    start = vault.compile(a=ALPHA, b="# Beta\n\nold\n")
    vault.compile(a=ALPHA.replace("first", "first, edited"))
    vault.compile(a=ALPHA.replace("first", "first, edited again"), c="# Came\n\nand went\n")
    vault.compile(c=None, b=None)
    remem.store("fact", id="m")
    delta = remem.delta(start)
    assert tell(list(delta)) == [
        *(("mod", "first, edited again"), ("rem", "Beta"), ("rem", "Beta"), ("rem", "old"), ("add", "fact")),
    ]
    assert [change.content for change in delta] == ["first, edited again", "", "", "", "fact"]
    assert [(change.root, change.source) for change in delta][::2] == [("vault", "a.md"), ("vault", "b.md"), ("", "")]
    assert tell(list(remem.delta(4))) == [("add", "fact")]
    assert (len(remem.delta(5)), remem.delta(5).text) == (0, "nothing changed")


def test_what_returns_as_it_was_is_no_change(vault: Vault, remem: RememSync) -> None:
    start = vault.compile(a=ALPHA, b="# Beta\n\ntext\n")
    vault.compile(a=ALPHA.replace("first", "other"), b=None)
    vault.compile(a=ALPHA, b="# Beta\n\ntext\n")
    assert list(remem.delta(start)) == []
    assert {op for op, _ in tell(list(remem.delta(start + 1)))} == {"add", "rem"}


def test_a_section_that_moves_is_told_as_moved(vault: Vault, remem: RememSync) -> None:
    one = "## The first part\n\nwhat the first part says at some length\n"
    start = vault.compile(a=f"# A\n\n{one}\n## Two\n\ntext two\n", b="# B\n\nbody\n")
    vault.compile(a="# A\n\n## Two\n\ntext two\n", b=f"# B\n\nbody\n\n{one}")
    assert tell(list(remem.delta(start))) == [("move", "The first part")]
    assert remem.delta(start)[0].source == "b.md"


def test_archived_memories_are_gone_and_come_back(remem: RememSync) -> None:
    remem.store("fact", id="m")
    remem.forget("m")
    assert tell(list(remem.delta(1))) == [("rem", "fact")]
    remem.update(remem.unarchive("m").id, content="another fact")
    assert tell(list(remem.delta(1))) == [("mod", "another fact")]
    assert tell(list(remem.delta(2))) == [("add", "another fact")]
    remem.forget("m", hard=True)
    assert (tell(list(remem.delta(2))), tell(list(remem.delta(0)))) == ([], [])


def test_a_delta_is_paged_within_its_budget_and_its_pages_tell_of_one_span(vault: Vault, remem: RememSync) -> None:
    vault.compile(a="# A\n\n" + "\n\n".join(f"paragraph {number} of many words" for number in range(40)))
    whole = tell(list(remem.delta(0)))
    page = remem.delta(0, budget=200)
    seen = tell(list(page))
    vault.compile(b="# New\n\nmeanwhile\n")
    while page.cursor:
        assert page.tokens <= 200 and f"{page.left_out} more" in page.text
        page = remem.delta(0, budget=200, cursor=page.cursor)
        assert page.total == len(whole)
        seen += tell(list(page))
    assert seen == whole
    with pytest.raises(InvalidInputError):
        remem.delta(1, cursor=remem.delta(0, budget=200).cursor)


def test_a_diff_shows_both_texts_in_either_order(vault: Vault, remem: RememSync) -> None:
    vault.compile(a="# A\n\none\ntwo\nthree\n")
    vault.compile(a="# A\n\none\n2\nthree\n\nmore\n")
    forth, back = remem.diff(1, 2), remem.diff(2, 1)
    assert tell(list(forth)) == [("mod", "one 2 three"), ("add", "more")]
    assert tell(list(back)) == [("mod", "one two three"), ("rem", "more")]
    assert (forth[0].before, forth[0].after) == ("one\ntwo\nthree", "one\n2\nthree")
    assert forth[0].diff.split("\n")[2:] == ["@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"]
    assert back[0].diff.split("\n")[2:] == ["@@ -1,3 +1,3 @@", " one", "-2", "+two", " three"]
    assert (forth[1].before, forth[1].after, back[1].after) == (None, "more", None)
    assert list(remem.diff(1, 1)) == []


def test_a_diff_within_the_past_knows_nothing_of_later(vault: Vault, remem: RememSync) -> None:
    vault.compile(a="# A\n\none\n")
    vault.compile(a="# A\n\ntwo\n")
    before = list(remem.diff(0, 2))
    vault.compile(a=None)
    remem.rollback(1)
    vault.compile(b="# B\n")
    assert list(remem.diff(0, 2)) == before


@pytest.mark.parametrize("wrong", [-1, 1.0, True, "1", None, 1 << 70])
def test_what_is_no_snapshot_is_refused(wrong: object, remem: RememSync) -> None:
    remem.store("fact")
    calls: tuple[Callable[[Any], object], ...] = (
        remem.delta,
        lambda given: remem.diff(given, 0),
        lambda given: remem.diff(0, given),
        remem.rollback,
    )
    for call in calls:
        with pytest.raises(InvalidInputError):
            call(wrong)


def test_a_snapshot_to_come_is_not_found(remem: RememSync, path: Path) -> None:
    remem.store("fact", id="m")
    calls = (
        lambda: remem.delta(2),
        lambda: remem.diff(0, 2),
        lambda: remem.rollback(2),
        lambda: remem.purge(snapshot=2),
        lambda: remem.tree(as_of=2),
        lambda: remem.get("m", as_of=2),
    )
    for call in calls:
        with pytest.raises(NotFoundError, match="the newest is 1"):
            call()
    assert look(path, "SELECT count(*) FROM snapshots") == [(1,)]
