"""Reading calls keep to their budget of tokens, say what they leave out, and go on from there without a gap."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import regex

from remem import Remem, datafiles
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError
from remem.ingest.tokens import count_tokens
from remem.records import NodeView, Page
from tests.faces.command import remem

BUDGETS = (60, 100, 1000, 10_000)
INCIDENT = "The stale timetable"
FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
LONG = f"{FAMILY}e\u0301" * 150

Call = Callable[..., Page[Any]]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RememSync]:
    folder = tmp_path_factory.mktemp("samples")
    (folder / "quiet.toml").write_text('[embedding]\nprovider = "none"\n')  # nothing is discovered meanwhile
    with Remem.open_sync(folder / "m.db", config=folder / "quiet.toml") as remem:
        remem.compile(datafiles.find_samples())
        yield remem


def name_calls(remem: RememSync) -> dict[str, tuple[Call, Callable[[Any], object]]]:
    """The calls whose items are many, each with what an item is known by."""
    return {
        "tree": (lambda **page: remem.tree(**page), lambda line: line.id),
        "tree, two levels": (lambda **page: remem.tree(depth=1, **page), lambda line: line.id),
        "tree of sections": (lambda **page: remem.tree(blocks=False, **page), lambda line: line.id),
        "tree of a node": (lambda **page: remem.tree("Glossary", **page), lambda line: line.id),
        "related": (
            lambda **page: remem.related(INCIDENT, depth=3, touch=False, **page),
            lambda item: item.node.id,
        ),
        "related by strength": (
            lambda **page: remem.related(INCIDENT, depth=3, rank="strength", touch=False, **page),
            lambda item: item.node.id,
        ),
        "connections": (lambda **page: remem.connections(500, **page), lambda edge: edge),
        "mentions": (lambda **page: remem.mentions(**page), lambda mention: mention),
        "pending": (lambda **page: remem.pending(**page), lambda edge: edge),
        "roots": (lambda **page: remem.roots(**page), lambda root: root.name),
        "search": (
            lambda **page: remem.search("the timetable of the boats", limit=200, touch=False, **page),
            lambda hit: hit.id,
        ),
    }


CALLS = list(name_calls(None))  # type: ignore[arg-type]


def read_pages(call: Call, budget: int | None, cursor: str | None = None) -> list[Page[Any]]:
    """All pages from a cursor on."""
    pages = [call(budget=budget, cursor=cursor)]
    while pages[-1].cursor is not None:
        pages.append(call(budget=budget, cursor=pages[-1].cursor))
    return pages


# --- every call -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("name", CALLS)
def test_pages_hold_together_just_what_the_whole_answer_holds(samples: RememSync, name: str, budget: int) -> None:
    call, key = name_calls(samples)[name]
    whole = call()
    pages = read_pages(call, budget)
    assert Counter(key(item) for page in pages for item in page) == Counter(map(key, whole))
    left = len(whole)
    for page in pages:
        left -= len(page)
        assert (page.total, page.left_out) == (len(whole), left)
        assert page.tokens == count_tokens(page.text) <= budget


@pytest.mark.parametrize("name", CALLS)
def test_an_order_is_kept_over_pages_and_ids_are_always_printed(samples: RememSync, name: str) -> None:
    call, key = name_calls(samples)[name]
    whole = call()
    assert whole.cursor is None and whole.left_out == 0 and whole.total == len(whole)
    for page in read_pages(call, 300):
        if page.cursor is not None:
            assert page.text.endswith(f"… {page.left_out} more (cursor {page.cursor})")
        if name not in ("pending", "roots", "connections", "mentions"):
            assert all(str(key(item)) in page.text for item in page)
    if not name.startswith("tree"):
        assert [item for page in read_pages(call, 300) for item in page] == list(whole)


@pytest.mark.parametrize("name", CALLS)
def test_a_budget_that_holds_everything_leaves_nothing_out(samples: RememSync, name: str) -> None:
    call, _ = name_calls(samples)[name]
    whole = call()
    page = call(budget=whole.tokens + 100)
    assert page == whole and page.cursor is None
    assert page.text == whole.text


@pytest.mark.parametrize("name", CALLS)
def test_what_cannot_be_is_refused(samples: RememSync, name: str) -> None:
    call, _ = name_calls(samples)[name]
    for wrong in ({"budget": 59}, {"budget": "60"}, {"cursor": "nonsense!"}, {"cursor": "zzzz"}, {"cursor": ""}):
        with pytest.raises(InvalidInputError):
            call(**wrong)


def test_a_cursor_fits_no_other_request(samples: RememSync) -> None:
    cursor = samples.tree(budget=100).cursor
    others: list[Callable[[], object]] = [
        lambda: samples.tree(depth=4, cursor=cursor),
        lambda: samples.tree("Glossary", cursor=cursor),
        lambda: samples.tree(blocks=False, cursor=cursor),
        lambda: samples.related(INCIDENT, cursor=cursor),
        lambda: samples.pending(cursor=cursor),
        lambda: samples.search("boats", cursor=cursor),
        lambda: samples.show("Glossary", cursor=cursor),
    ]
    for other in others:
        with pytest.raises(InvalidInputError, match="another request"):
            other()
    assert samples.tree(budget=1000, cursor=cursor)


def test_a_cursor_outlives_the_process(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(datafiles.find_samples())
        first = remem.tree(budget=500)
        whole = remem.tree()
    with Remem.open_sync(tmp_path / "m.db") as remem:
        rest = [line for page in read_pages(remem.tree, 500, first.cursor) for line in page]
    assert Counter(line.id for line in [*first, *rest]) == Counter(line.id for line in whole)


# --- the index --------------------------------------------------------------------------------------------------------


def test_each_line_says_how_many_nodes_below_it_are_not_on_the_page(samples: RememSync) -> None:
    parents = {line.id: line.parent_id for line in samples.tree()}

    def lies_below(id: str | None, top: str) -> bool:
        while id is not None and id != top:
            id = parents[id]
        return id == top

    for page in read_pages(samples.tree, 1500):
        shown = {line.id for line in page}
        for line in page:
            below = sum(lies_below(id, line.id) for id in parents if id not in shown)
            (printed,) = [text for text in page.text.split("\n") if f"] {line.id} " in text]
            assert printed.endswith(f" … {below} below") if below else " below" not in printed


def test_a_page_shows_its_lines_in_the_order_of_the_documents(samples: RememSync) -> None:
    order = [line.id for line in samples.tree()]
    for page in read_pages(samples.tree, 700):
        numbers = [order.index(line.id) for line in page]
        assert numbers == sorted(numbers)
        printed = re.findall(r"^ *- .*\] (\S{11}) ", page.text, re.M)
        assert printed == [line.id for line in page]


def test_upper_levels_come_first(samples: RememSync) -> None:
    depths = [line.depth for page in read_pages(samples.tree, 300) for line in sorted(page, key=lambda x: x.depth)]
    assert depths == sorted(depths)


def write_notes(folder: Path, count: int = 40) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        text = f"# Note {number:02}\n\n## Part\n\nA paragraph about [[Note {(number + 1) % count:02}]] and {number}.\n"
        (folder / f"note {number:02}.md").write_text(text, encoding="utf-8")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The wall clock: milliseconds in a list, to be set."""
    now = [1_800_000_000_000]
    monkeypatch.setattr(time, "time_ns", lambda: now[0] * 1_000_000)
    return now


def test_the_hottest_branches_come_first_and_pinned_ones_before_them(tmp_path: Path, clock: list[int]) -> None:
    write_notes(tmp_path / "notes")
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(tmp_path / "notes")
        assert [line.label for line in remem.tree(budget=100)] == ["Note 00", "Note 01"]
        remem.show("Note 31#Part")
    with Remem.open_sync(tmp_path / "m.db") as remem:
        clock[0] += 10_000
        assert [line.label for line in remem.tree(budget=100)] == ["Note 00", "Note 31"]
        remem.pin("Note 17")
        remem.pin("Note 20")
        assert [line.label for line in remem.tree(budget=100)] == ["Note 17", "Note 20"]


def test_uses_between_two_pages_hide_nothing(tmp_path: Path, clock: list[int]) -> None:
    write_notes(tmp_path / "notes")
    seen: Counter[str] = Counter()
    cursor, number = None, 39
    while True:
        with Remem.open_sync(tmp_path / "m.db") as remem:
            if cursor is None and not seen:
                remem.compile(tmp_path / "notes")
                remem.show("Note 30")
            page = remem.tree(depth=0, budget=150, cursor=cursor)
            seen.update(line.label for line in page)
            cursor = page.cursor
            if cursor is None:
                break
            remem.show(f"Note {number:02}")  # written when the store is closed
            number -= 1
        clock[0] += 60_000
    assert set(seen) == {f"Note {number:02}" for number in range(40)}
    assert sum(seen.values()) == 40


# --- a store that changes between pages -------------------------------------------------------------------------------


def test_an_index_that_changes_neither_repeats_nor_skips_what_is_as_it_was(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    write_notes(notes)
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        first = remem.tree(depth=0, budget=300)
        last = first[-1].label.lower()
        for name in (f"{last}.md", "note 00.md"):
            (notes / name).unlink()
        (notes / "a new one.md").write_text("# A new one\n")
        remem.compile(notes)
        rest = [
            line.label
            for page in read_pages(lambda **page: remem.tree(depth=0, **page), 300, first.cursor)
            for line in page
        ]
    assert [*(line.label for line in first), *(x for x in rest if x != "A new one")] == [
        f"Note {n:02}" for n in range(40)
    ]


def test_relations_that_change_neither_repeat_nor_skip_what_is_as_it_was(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "hub.md").write_text("\n\n".join(f"[[leaf {n:02}; w={1 + n % 4}]]" for n in range(40)))
    for number in range(40):
        (notes / f"leaf {number:02}.md").write_text("text\n")
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        whole = [item.node.label for item in remem.related("hub")]
        first = remem.related("hub", budget=400)
        shown = [item.node.label for item in first]
        remem.relate("hub", shown[-1], weight=100)
        remem.relate("hub", shown[0], weight=0.5)
        (notes / f"{shown[1]}.md").unlink()
        remem.compile(notes)
        pages = read_pages(lambda **page: remem.related("hub", **page), 400, first.cursor)
    rest = [item.node.label for page in pages for item in page]
    assert shown + rest == whole


def test_links_that_heal_between_pages_leave_the_others_in_line(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(30):
        (notes / f"{number:02}.md").write_text(f"[[missing {number:02}]]\n")
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        remem.relate("00", target_label="missing too")
        first = remem.pending(budget=300)
        shown = [edge.label for edge in first]
        for label in (shown[0], shown[-1]):
            (notes / f"{label}.md").write_text("found\n")
        (notes / "01.md").unlink()
        remem.compile(notes)
        rest = [edge.label for page in read_pages(remem.pending, 300, first.cursor) for edge in page]
    assert shown + rest == [*(f"missing {number:02}" for number in range(30)), "missing too"]


def test_hits_go_on_after_the_last_one_when_the_store_has_changed(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(30):
        (notes / f"{number:02}.md").write_text(f"harbor {'water ' * number}\n")
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        whole = [hit.label for hit in remem.search("harbor", limit=200)]
        first = remem.search("harbor", budget=200)
        shown = [hit.label for hit in first]
        (notes / f"{shown[0]}.md").unlink()
        remem.compile(notes)
        pages = read_pages(lambda **page: remem.search("harbor", **page), 200, first.cursor)
    assert shown + [hit.label for page in pages for hit in page] == whole


def test_equal_notes_come_once_each_over_pages_of_ten(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(50):
        (notes / f"{number:02}.md").write_text("the same text\n")
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        pages = read_pages(lambda **page: remem.search("same text", **page), None)
    assert [len(page) for page in pages] == [10] * 5
    assert [page.left_out for page in pages] == [40, 30, 20, 10, 0]
    assert len({hit.id for page in pages for hit in page}) == 50


# --- one node ---------------------------------------------------------------------------------------------------------


def join_view(pages: list[Page[NodeView]]) -> tuple[str, list[object], list[str]]:
    views = [page[0] for page in pages]
    return (
        "".join(view.text for view in views),
        [edge for view in views for edge in view.edges],
        [line.id for view in views for line in view.children],
    )


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("node", ["Glossary", INCIDENT, "Seat hold", "pier-log"])
def test_the_parts_of_a_node_give_the_whole(samples: RememSync, node: str, budget: int) -> None:
    whole = samples.show(node, touch=False)
    pages = read_pages(lambda **page: samples.show(node, touch=False, **page), budget)
    assert join_view(pages) == join_view([whole])
    for page in pages:
        assert page.tokens == count_tokens(page.text) <= budget
        assert page[0].node.id in page.text
        assert page.total == whole.total
    assert [page.left_out for page in pages] == sorted((page.left_out for page in pages), reverse=True)
    assert pages[-1].left_out == 0


def test_a_part_ends_with_a_line_and_is_printed_as_it_stands(samples: RememSync) -> None:
    pages = read_pages(lambda **page: samples.show("Glossary", touch=False, **page), 200)
    assert len(pages) > 2
    for page in pages:
        text = page[0].text
        assert text.rstrip("\n") in page.text
        assert text == "" or text.endswith("\n") or page[0].edges or page[0].children or page.cursor is None


def test_a_node_that_changed_is_to_be_read_anew(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\n" + "\n\n".join(f"Paragraph {n} of many." for n in range(60)))
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        cursor = remem.show("a", budget=100).cursor
        (notes / "a.md").write_text("# A\n\n" + "\n\n".join(f"Paragraph {n} of very many." for n in range(60)))
        remem.compile(notes)
        with pytest.raises(InvalidInputError, match="changed"):
            remem.show("a", budget=100, cursor=cursor)


# --- what is too long -------------------------------------------------------------------------------------------------


@pytest.fixture
def wide(tmp_path: Path) -> Iterator[RememSync]:
    """A store with a label and a line that are longer than any budget."""
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(f"# {LONG}\n\nSee [[b]], [[{LONG}x]].\n\n{LONG}\n\nend\n", encoding="utf-8")
    (notes / "b.md").write_text("# B\n\nSee [[a]].\n", encoding="utf-8")
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
        yield remem


@pytest.mark.parametrize("budget", [60, 100, 300])
@pytest.mark.parametrize("name", ["tree", "related", "pending", "search"])
def test_an_item_longer_than_the_budget_is_cut_and_the_next_page_goes_on(
    wide: RememSync, name: str, budget: int
) -> None:
    calls: dict[str, Call] = {
        "tree": wide.tree,
        "related": lambda **page: wide.related("b", depth=2, touch=False, **page),
        "pending": wide.pending,
        "search": lambda **page: wide.search("see", touch=False, **page),
    }
    pages = read_pages(calls[name], budget)
    assert sum(map(len, pages)) == len(calls[name]()) > 0
    assert all(page.tokens == count_tokens(page.text) <= budget for page in pages)
    cut = [page.text for page in pages if "(cut: too long for the budget)" in page.text]
    assert cut
    for text in cut:
        before = text.split("… (cut")[0]
        whole = regex.findall(r"\X", before)
        assert whole[-1] in (FAMILY, "e\u0301") or LONG[:1] not in before


@pytest.mark.parametrize("budget", [60, 100, 300])
def test_a_line_longer_than_a_page_is_read_in_parts_that_end_between_graphemes(wide: RememSync, budget: int) -> None:
    whole = wide.show("a", touch=False)
    pages = read_pages(lambda **page: wide.show("a", touch=False, **page), budget)
    assert join_view(pages) == join_view([whole])
    borders = {match.end() for match in regex.finditer(r"\X", whole[0].text)}
    reached = 0
    for page in pages:
        assert page.tokens == count_tokens(page.text) <= budget
        reached += len(page[0].text)
        assert reached in borders or not page[0].text
    assert any("… (the line goes on)" in page.text for page in pages)


def test_empty_answers_say_so_within_any_budget(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "m.db") as remem:
        (tmp_path / "a.md").write_text(f"# {LONG}\n\ntext\n", encoding="utf-8")
        calls: list[Call] = [remem.tree, remem.pending, remem.roots, lambda **page: remem.search("x", **page)]
        for call in calls:
            page = call(budget=60)
            assert page == [] and page.cursor is None and page.text and page.tokens <= 60
        remem.compile(tmp_path / "a.md")
        page = remem.related("a", budget=60)
        assert page == [] and page.text.startswith("nothing is related to ") and page.tokens <= 60


# --- the command line -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", [("tree",), ("show", INCIDENT), ("related", INCIDENT, "--depth", "2"), ("pending",)]
)
def test_a_command_prints_a_page_and_goes_on_from_its_cursor(tmp_path: Path, command: tuple[str, ...]) -> None:
    store = tmp_path / "m.db"
    with Remem.open_sync(store) as opened:
        opened.compile(datafiles.find_samples())
    line: tuple[str | Path, ...] = ("--db", store, *command, "--budget", "150")
    first = remem(*line).out.rstrip("\n")
    (cursor,) = re.findall(r"^… \d+ more \(cursor (\w+)\)$", first, re.M)
    second = remem(*line, "--cursor", cursor).out.rstrip("\n")
    assert max(count_tokens(first), count_tokens(second)) <= 150
    assert second.split("\n")[-2] not in first
    assert {"total", "left_out", "cursor"} <= set(remem(*line, "--json").load())
    assert remem("--db", store, *command, "--budget", "59").status == 2
    assert remem("--db", store, *command, "--cursor", "nonsense").status == 2
