"""Pages of a recalled context: nothing is told twice or lost, whatever happens between them, in any budget."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError
from remem.ingest.tokens import count_tokens
from remem.records import Recall, RecallItem
from remem.rendering.recall import CUT

WORDS = ["lantern", "puffin", "anchor", "pier", "chain", "rope", "salt", "ferry", "tide", "dock"]
QUERY = "lantern puffin"
MOST_PAGES = 400


def write_notes(folder: Path, notes: int = 40) -> Path:
    """Notes of up to two sections, most of which a query finds."""
    chance = random.Random(5)
    folder.mkdir()
    for number in range(notes):
        text = f"# Note {number}\n"
        for part in range(2):
            said = " ".join(chance.choice(WORDS) for _ in range(chance.randint(5, 60)))
            text += f"\n## Part {part}\n\n{said} only{number}x{part}.\n"
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose vectors nobody makes."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "remem-server.toml").write_text('[embedding]\nprovider = "none"\n', encoding="utf-8")
    with Remem.open_sync(folder / "memory.db", config=folder / "remem-server.toml") as opened:
        opened.compile(write_notes(folder / "notes"))
        opened.store(f"# Saga\n\n{'lantern puffin and more of it, ' * 400}the end", id="saga")
    return folder / "memory.db"


@pytest.fixture
def notes(store: Path, tmp_path: Path) -> Path:
    """A copy of that store."""
    (tmp_path / "remem-server.toml").write_bytes((store.parent / "remem-server.toml").read_bytes())
    (tmp_path / "memory.db").write_bytes(store.read_bytes())
    return tmp_path / "memory.db"


def open_store(path: Path) -> RememSync:
    return Remem.open_sync(path, config=path.parent / "remem-server.toml")


def follow(opened: RememSync, page: Recall, budget: int) -> list[Recall]:
    """A page with all that come after it."""
    pages = [page]
    while (cursor := pages[-1].cursor) is not None and len(pages) < MOST_PAGES:
        pages.append(opened.recall(QUERY, budget, cursor, touch=False))
    assert pages[-1].cursor is None
    return pages


def list_begun(pages: list[Recall]) -> list[str]:
    return [item.id for page in pages for item in page if not item.continued]


def join_text(items: list[RecallItem]) -> str:
    return "".join(item.text.removesuffix(CUT) if item.truncated else item.text for item in items)


@pytest.mark.parametrize("budget", [150, 700, 2000])
def test_the_pages_tell_every_section_once_and_hold_to_the_budget(store: Path, budget: int) -> None:
    with open_store(store) as opened:
        pages = follow(opened, opened.recall(QUERY, budget, touch=False), budget)
        saga = opened.get("saga", touch=False).content
    told = list_begun(pages)
    assert len(told) == len(set(told)) > 60
    for page in pages:
        assert page.tokens == count_tokens(page.text) <= budget
        assert page.cursor is None or f"(cursor {page.cursor})" in page.text
    items = [item for page in pages for item in page]
    assert join_text([item for item in items if item.id == "saga"]) == saga.partition("\n\n")[2]
    texts = "\n".join(page.text for page in pages)
    assert all(texts.count(f"only{number}x{part}.") <= 1 for number in range(40) for part in range(2))


def test_a_small_and_a_large_budget_tell_the_same_sections(store: Path) -> None:
    with open_store(store) as opened:
        small = follow(opened, opened.recall(QUERY, 500, touch=False), 500)
        large = follow(opened, opened.recall(QUERY, 8000, touch=False), 8000)
    known = "\n".join(page.text for page in large)
    words = {word for page in small for item in page for word in item.text.split() if word.startswith("only")}
    assert len(words) > 60 and all(word in known for word in words)


def test_another_budget_on_a_later_page_tells_nothing_twice_and_loses_nothing(store: Path) -> None:
    with open_store(store) as opened:
        same = follow(opened, opened.recall(QUERY, 300, touch=False), 300)
        other = follow(opened, opened.recall(QUERY, 300, touch=False), 3000)
    assert sorted(list_begun(same)) == sorted(list_begun(other))


def test_writes_between_pages_neither_repeat_nor_lose_what_stood_there(notes: Path) -> None:
    with open_store(notes) as opened:
        whole = set(list_begun(follow(opened, opened.recall(QUERY, 600, touch=False), 600)))
        first = opened.recall(QUERY, 600, touch=False)
        for number in range(5):
            opened.store(f"{QUERY} {QUERY} told meanwhile, number {number}")
        opened.delete("saga")
        pages = follow(opened, first, 600)
    told = list_begun(pages)
    assert len(told) == len(set(told))
    assert whole - {"saga"} <= set(told) and sum("told meanwhile" in page.text for page in pages)


def test_a_cursor_outlives_the_process_that_gave_it(store: Path) -> None:
    with open_store(store) as opened:
        whole = list_begun(follow(opened, opened.recall(QUERY, 600, touch=False), 600))
        pages = [opened.recall(QUERY, 600, touch=False)]
    for _ in range(3):
        with open_store(store) as opened:
            pages.append(opened.recall(QUERY, 600, pages[-1].cursor, touch=False))
    assert list_begun(pages) == whole[: len(list_begun(pages))]


def test_a_text_that_changed_since_it_was_cut_is_told_anew(notes: Path) -> None:
    with open_store(notes) as opened:
        page = opened.recall(QUERY, 300, kinds=["memory"], touch=False)
        assert [item.id for item in page if item.truncated] == ["saga"]
        assert page.items[0].text.removesuffix(CUT).endswith(" ")  # between words
        opened.update("saga", content="lantern puffin: a short one by now")
        (item,) = opened.recall(QUERY, 300, page.cursor, kinds=["memory"], touch=False)
    assert item.text == "lantern puffin: a short one by now" and not item.continued


def test_what_says_the_same_does_not_hide_what_comes_after_it(tmp_path: Path, config: Path) -> None:
    with Remem.open_sync(tmp_path / "store.db", config=config) as opened:
        for number in range(70):
            opened.store("lantern puffin, the very same", source=f"mail {number}")
        opened.store("lantern puffin with a few other words that nobody else has", id="other")
        first = opened.recall(QUERY, 200, touch=False)
        told = [item.id for page in follow(opened, first, 200) for item in page]
    assert len(told) == 2 and "other" in told


def test_a_page_after_the_last_says_that_nothing_more_comes(notes: Path) -> None:
    with open_store(notes) as opened:
        page = opened.recall(QUERY, 300, kinds=["memory"], touch=False)
        opened.delete("saga")
        last = opened.recall(QUERY, 300, page.cursor, kinds=["memory"], touch=False)
    assert last.text.startswith("nothing more") and last.cursor is None and not last.items


@pytest.mark.parametrize("cursor", ["", "nonsense!", "AAAA", "z" * 1001, "0", 7])
def test_what_is_no_cursor_is_refused(store: Path, cursor: object) -> None:
    with open_store(store) as opened, pytest.raises(InvalidInputError) as caught:
        opened.recall(QUERY, 300, cursor)  # type: ignore[arg-type]
    assert caught.value.facts["field"] == "cursor"


def test_a_cursor_of_another_request_is_refused(store: Path) -> None:
    with open_store(store) as opened:
        cursor = opened.recall(QUERY, 300, touch=False).cursor
        of_search = opened.search(QUERY, budget=300, touch=False).cursor
        of_related = opened.tree(budget=300).cursor
        for query, foreign, filters in (
            ("puffin", cursor, {}),
            (QUERY, cursor, {"importance_min": 0.1}),
            (QUERY, cursor, {"spread": 0.1}),
            (QUERY, of_search, {}),
            (QUERY, of_related, {}),
        ):
            with pytest.raises(InvalidInputError) as caught:
                opened.recall(query, 300, foreign, **filters)  # type: ignore[arg-type]
            assert caught.value.facts["field"] == "cursor" and "another request" in caught.value.message


def test_the_smallest_budget_still_goes_on(store: Path) -> None:
    with open_store(store) as opened:
        page, told = opened.recall("puffins " + QUERY, 60, touch=False), 0
        for _ in range(12):
            assert page.tokens <= 60 and page.cursor is not None and page.cursor in page.text
            assert len(page) == 1 and join_text(list(page))
            told += len(join_text(list(page)))
            page = opened.recall("puffins " + QUERY, 60, page.cursor, touch=False)
    assert told > 100
