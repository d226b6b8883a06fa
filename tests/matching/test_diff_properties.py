"""What holds for any edit: kept blocks keep their keys, no key is used twice, the same input gives the same answer."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.matching.diff import match_documents
from remem.records import Matching, OldDocument
from tests.guard import guard_hang
from tests.matching.diff_trees import make_new, make_old

Sections = list[tuple[str, list[str]]]
Notes = dict[str, Sections]

# Far apart, and so alike that each could be an edit of any other.
STYLES: dict[str, Callable[[int], str]] = {
    "distinct": lambda n: f"word{n}a word{n}b word{n}c word{n}d word{n}e",
    "alike": lambda n: f"Step {n} of the long plan is done by the team on time.",
}


def write_file(sections: Sections) -> str:
    return "\n".join(line for title, blocks in sections for line in (title, *blocks))


def make_notes(random: Random, write: Callable[[int], str]) -> Notes:
    numbers = iter(range(1000))
    notes: Notes = {}
    for file in range(random.randint(1, 3)):
        titles = [f"{'#' * random.randint(1, 3)} Part {file} {part}" for part in range(random.randint(1, 5))]
        notes[f"{file}.md"] = [(title, [write(next(numbers)) for _ in range(random.randint(1, 6))]) for title in titles]
    return notes


def edit_notes(random: Random, notes: Notes, write: Callable[[int], str]) -> Notes:
    """Blocks deleted, inserted and moved (in their file and to others), sections shuffled."""
    edited = {source: [(title, list(blocks)) for title, blocks in sections] for source, sections in notes.items()}
    places = [blocks for sections in edited.values() for _, blocks in sections]
    for step in range(random.randint(1, 8)):
        blocks = random.choice(places)
        taken = blocks.pop(random.randrange(len(blocks))) if blocks and random.random() < 0.7 else None
        if random.random() < 0.5:
            target = random.choice(places)
            target.insert(random.randint(0, len(target)), taken or write(5000 + step))
    if random.random() < 0.4:
        random.shuffle(random.choice(list(edited.values())))
    return edited


def match_notes(old: Notes, new: Notes) -> tuple[list[OldDocument], Matching]:
    before = make_old({source: write_file(sections) for source, sections in old.items()})
    return before, match_documents(before, make_new({source: write_file(sections) for source, sections in new.items()}))


def list_keys(matching: Matching) -> list[int]:
    return [key for keys in matching.nodes for key in keys if key is not None]


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=150)
@given(seed=st.integers(0, 1_000_000))
def test_every_kept_block_keeps_its_key_whatever_is_inserted_deleted_or_moved_around_it(style: str, seed: int) -> None:
    random = Random(seed)
    old = make_notes(random, STYLES[style])
    new = edit_notes(random, old, STYLES[style])
    before, matching = match_notes(old, new)
    known = {node.content: node.key for document in before for node in document.nodes if node.kind == "text"}
    after = make_new({source: write_file(sections) for source, sections in new.items()})
    for document, keys in zip(after, matching.nodes, strict=True):
        for node, key in zip(document.parsed.nodes, keys, strict=True):
            if node.content in known:
                assert key == known[node.content], node.content
            elif node.kind == "text" and style == "distinct":
                assert key is None, node.content


@settings(max_examples=100)
@given(seed=st.integers(0, 1_000_000), other=st.integers(0, 1_000_000))
def test_matching_is_a_partial_injection_over_nodes_of_one_kind_and_is_deterministic(seed: int, other: int) -> None:
    old, new = make_notes(Random(seed), STYLES["alike"]), make_notes(Random(other), STYLES["alike"])
    before, matching = match_notes(old, new)
    keys = list_keys(matching)
    kinds = {node.key: node.kind for document in before for node in document.nodes}
    assert len(keys) == len(set(keys)) and set(keys) <= set(kinds)
    assert match_notes(old, new)[1] == matching
    after = make_new({source: write_file(sections) for source, sections in new.items()})
    for document, found in zip(after, matching.nodes, strict=True):
        for node, key in zip(document.parsed.nodes, found, strict=True):
            assert key is None or kinds[key] == node.kind


@settings(max_examples=100)
@given(lines=st.lists(st.sampled_from(["# A", "# B", "## A", "## B", "same", "other", "- same"]), max_size=14))
def test_documents_full_of_repeats_match_themselves_in_order(lines: list[str]) -> None:
    files = {"a.md": "\n".join(lines)}
    assert match_documents(make_old(files), make_new(files)).nodes == [list(range(1, len(lines) + 2))]


@settings(max_examples=100)
@given(
    old=st.lists(st.sampled_from(["# A", "## B", "same", "other", "third one"]), max_size=10),
    new=st.lists(st.sampled_from(["# A", "## B", "same", "other", "third one"]), max_size=10),
)
def test_repeats_are_matched_as_often_as_both_sides_hold_them(old: list[str], new: list[str]) -> None:
    before = make_old({"a.md": "\n".join(old)})
    matching = match_documents(before, make_new({"a.md": "\n".join(new)}))
    keys = list_keys(matching)
    assert len(keys) == len(set(keys))
    for line in {"same", "other", "third one"}:
        kept = [key for text, key in zip(new, matching.nodes[0][1:], strict=True) if text == line and key is not None]
        assert len(kept) == min(old.count(line), new.count(line))


# --- size -------------------------------------------------------------------------------------------------------------


def write_texts(random: Random, count: int) -> list[str]:
    words = [f"{random.randrange(16**6):x}" for _ in range(3000)]
    return [" ".join(random.choices(words, k=12)) for _ in range(count)]


def match_soon(old: list[str], new: list[str]) -> Matching:
    """The matching of one document, which must not take for ever."""
    before, after = make_old({"a.md": "\n".join(old)}), make_new({"a.md": "\n".join(new)})
    with guard_hang("the matching"):
        return match_documents(before, after)


def test_a_large_document_with_few_edits_is_matched_fully_and_fast() -> None:
    texts = write_texts(Random(1), 25_000)
    edited = list(texts)
    for place in range(500, 25_000, 1000):
        edited[place] = edited[place] + " and more"
    assert match_soon(texts, edited).nodes[0] == list(range(1, 25_002))


def test_a_large_document_edited_in_every_block_is_matched_in_near_linear_time() -> None:
    texts = write_texts(Random(2), 5000)
    assert match_soon(texts, ["Now " + text for text in texts]).nodes[0] == list(range(1, 5002))


def test_ten_thousand_equal_items_stay_the_same_ones() -> None:
    assert match_soon(["- same"] * 10_000, ["- same"] * 9_000).nodes[0] == list(range(1, 9002))


def test_a_large_document_replaced_by_another_text_ends_soon() -> None:
    matching = match_soon(write_texts(Random(3), 4000), write_texts(Random(4), 4000))
    assert matching.nodes[0] == [1] + [None] * 4000
