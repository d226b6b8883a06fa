"""Passages: every node stands in one, under one section, within the limit of tokens."""

from __future__ import annotations

from random import Random

import pytest

from remem.ingest.parse import parse_source
from remem.records import FileStat, NodeRow, Passage
from remem.search.passages import MAX_TOKENS, hash_text, make_passages
from remem.writing.drafts import NewFile, make_rows
from tests.writing.vaults import make_note

NOTE = """---
tags: [ops]
---
# Guide

Opening words.

## Costs #money

First block.

Second block #cheap.

### Light

## Empty
"""


def read_note(text: str, source: str = "guide.md") -> tuple[list[NodeRow], dict[int, tuple[str, ...]], int | None]:
    parsed = parse_source(source, text, "markdown")
    file = NewFile(parsed, b"", FileStat(0, 0, 0), 0, "", (), 0)
    keys = list(range(10, 10 + len(parsed.nodes)))
    rows = make_rows(file, keys, [f"id{key}" for key in keys])
    tags = {key: node.tags for key, node in zip(keys, parsed.nodes, strict=True) if node.tags}
    return rows, tags, None if parsed.title_heading is None else keys[parsed.title_heading]


def split_note(text: str, source: str = "guide.md") -> list[Passage]:
    rows, tags, title = read_note(text, source)
    return make_passages(rows, tags, source, title)


def test_each_section_has_its_label_breadcrumb_and_blocks() -> None:
    passages = [passage.text for passage in split_note(NOTE)]
    assert [(text.label, text.breadcrumb) for text in passages] == [
        ("Guide", ""),
        ("Costs #money", "Guide"),
        ("Light", "Guide\nCosts #money"),
        ("Empty", "Guide"),
    ]
    assert "Opening words." in passages[0].content
    assert passages[1].content == "First block.\n\nSecond block #cheap.".replace("\n\n", "\n")
    assert passages[2].content == passages[3].content == ""


def test_tags_are_those_of_the_blocks_and_of_what_contains_them() -> None:
    assert [passage.text.tags for passage in split_note(NOTE)] == ["ops", "cheap money ops", "money ops", "ops"]


def test_a_file_stem_that_the_title_does_not_say_is_indexed_once() -> None:
    assert split_note("# Guide\n", "a/guide.md")[0].text.breadcrumb == ""
    assert split_note("# Guide\n\n## Part\n", "a/old-manual.md")[0].text.breadcrumb == "old-manual"
    assert split_note("# Guide\n\n## Part\n", "a/old-manual.md")[1].text.breadcrumb == "Guide"


def test_a_very_long_block_is_a_passage_of_its_own() -> None:
    long = " ".join(["harbor"] * 400)
    passages = split_note(f"# A\n\nfirst\n\n{long}\n\nlast")
    assert [passage.text.content.split()[0] for passage in passages] == ["first", "harbor", "last"]


def test_a_heading_is_never_parted_from_its_first_block() -> None:
    long = " ".join(["harbor"] * 400)
    (_, passage) = split_note(f"# A\n\n## Costs\n\n{long}")
    assert passage.text.content == long


def test_a_title_heading_that_is_not_the_title_can_be_found() -> None:
    passage = split_note("---\ntitle: Handbook\n---\n# Ferry guide\n\ntext")[0]
    assert passage.text.label == "Handbook Ferry guide"


def test_an_empty_file_has_one_passage_with_its_title() -> None:
    (passage,) = split_note("", "plan.md")
    assert (passage.text.label, passage.text.content, passage.first, passage.last) == ("plan", "", 0, 0)


@pytest.mark.parametrize("seed", range(40))
def test_passages_cover_all_nodes_in_order(seed: int) -> None:
    rows, tags, title = read_note(make_note(Random(seed)))
    passages = make_passages(rows, tags, "note.md", title)
    assert [n for p in passages for n in range(p.first, p.last + 1)] == [row.position for row in rows]
    for passage in passages:
        nodes = rows[passage.first : passage.last + 1]
        assert {row.station for row in nodes} == {passage.section}
        assert passage.tokens == sum(row.tokens for row in nodes)
        assert passage.tokens <= MAX_TOKENS or len([row for row in nodes if row.kind != "heading"]) <= 2


def test_the_hash_tells_the_columns_apart() -> None:
    text = split_note(NOTE)[1].text
    assert hash_text(text) == hash_text(text._replace())
    assert hash_text(text) != hash_text(text._replace(label=text.breadcrumb, breadcrumb=text.label))
    assert -(2**63) <= hash_text(text) < 2**63
