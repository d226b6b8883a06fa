"""What is told of versions, and of the past, keeps to its budget of tokens, says what it leaves out, and goes on from
there without a gap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError
from remem.ingest.tokens import count_tokens
from tests.test_budgets import Call, read_pages

BUDGETS = (60, 100, 400, 10_000)
LONG = "A paragraph that says much more than any small page can hold, with 漢字 and e\u0301 in it. " * 12


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RememSync]:
    """A store with a few notes that changed often, and memories, of which one has a long history."""
    folder = tmp_path_factory.mktemp("trail")
    (folder / "quiet.toml").write_text('[embedding]\nprovider = "none"\n')  # nothing is discovered meanwhile
    notes = folder / "notes"
    notes.mkdir()
    for number in range(6):
        (notes / f"n{number}.md").write_text(
            f"# Note {number}\n\nSee [[n{(number + 1) % 6}]].\n\n- one\n- two\n\n{LONG}\n"
        )
    with Remem.open_sync(folder / "m.db", config=folder / "quiet.toml") as remem:
        remem.compile(notes)
        remem.store("The first version of a fact.", id="revised")
        for number in range(12):
            remem.update("revised", content=f"Version {number} of a fact that is told again and again.")
            remem.store(f"Fact {number} of the ferry. See [[n{number % 6}]].", id=f"fact-{number}")
        (notes / "n0.md").unlink()
        (notes / "n1.md").write_text(f"# Note one\n\nOther words than before.\n\n{LONG}\n")
        remem.compile(notes)
        remem.forget("fact-11")
        yield remem


def name_calls(remem: RememSync) -> dict[str, tuple[Call, Callable[[Any], object]]]:
    """The calls, each with what an item is known by."""
    return {
        "snapshots": (lambda **page: remem.snapshots(500, **page), lambda line: line.id),
        "delta": (lambda **page: remem.delta(1, **page), lambda change: change.id),
        "delta of everything": (lambda **page: remem.delta(0, **page), lambda change: change.id),
        "diff": (lambda **page: remem.diff(1, 27, **page), lambda change: change.id),
        "diff backwards": (lambda **page: remem.diff(27, 2, **page), lambda change: change.id),
        "history": (lambda **page: remem.history("revised", **page), lambda entry: entry.snapshot),
        "tree as it was": (lambda **page: remem.tree(as_of=2, **page), lambda line: line.id),
        "memories": (lambda **page: remem.memories(200, **page), lambda memory: memory.id),
        "connections": (lambda **page: remem.connections(500, **page), lambda edge: edge),
    }


CALLS = list(name_calls(None))  # type: ignore[arg-type]


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("name", CALLS)
def test_pages_hold_together_just_what_the_whole_answer_holds(trail: RememSync, name: str, budget: int) -> None:
    call, key = name_calls(trail)[name]
    whole = call()
    pages = read_pages(call, budget)
    assert [item for page in pages for item in page] == list(whole)
    assert max(Counter(map(key, whole)).values()) == 1
    left = len(whole)
    for page in pages:
        left -= len(page)
        assert (page.total, page.left_out) == (len(whole), left)
        assert page.tokens == count_tokens(page.text) <= budget
        if page.cursor is not None:
            assert page.text.endswith(f"… {page.left_out} more (cursor {page.cursor})")


@pytest.mark.parametrize("name", CALLS)
def test_a_budget_that_holds_everything_leaves_nothing_out(trail: RememSync, name: str) -> None:
    call, _ = name_calls(trail)[name]
    whole = call()
    assert whole.cursor is None and whole.left_out == 0 and whole.total == len(whole) > 0
    page = call(budget=whole.tokens + 100)
    assert page == whole and page.cursor is None and page.text == whole.text


@pytest.mark.parametrize("name", CALLS)
def test_what_cannot_be_is_refused(trail: RememSync, name: str) -> None:
    call, _ = name_calls(trail)[name]
    for wrong in ({"budget": 59}, {"budget": "60"}, {"cursor": "nonsense!"}, {"cursor": "zzzz"}, {"cursor": ""}):
        with pytest.raises(InvalidInputError):
            call(**wrong)


def test_a_cursor_fits_no_other_request(trail: RememSync) -> None:
    cursor = trail.delta(0, 100).cursor
    others: list[Callable[[], object]] = [
        lambda: trail.delta(1, cursor=cursor),
        lambda: trail.diff(0, 1, cursor=cursor),
        lambda: trail.history("revised", cursor=cursor),
        lambda: trail.snapshots(cursor=cursor),
        lambda: trail.tree(as_of=1, cursor=cursor),
        lambda: trail.tree(cursor=cursor),
    ]
    for call in others:
        with pytest.raises(InvalidInputError):
            call()


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_parts_of_a_node_as_it_was_give_the_whole(trail: RememSync, budget: int) -> None:
    (document,) = [line.id for line in trail.tree(depth=0, as_of=1) if line.source == "n0.md"]
    whole = trail.show(document, as_of=1)
    pages = read_pages(lambda **page: trail.show(document, as_of=1, **page), budget)
    assert "".join(page[0].text for page in pages) == whole[0].text
    assert [line.id for page in pages for line in page[0].children] == [line.id for line in whole[0].children]
    assert all(page.tokens == count_tokens(page.text) <= budget for page in pages)


def test_a_change_that_is_longer_than_the_budget_is_cut_and_the_next_page_goes_on(trail: RememSync) -> None:
    pages = read_pages(lambda **page: trail.delta(0, **page), 60)
    assert any("(cut: too long for the budget)" in page.text for page in pages)
    assert sum(map(len, pages)) == len(trail.delta(0))
