"""How large blocks are split: below the limit, at the best places, never inside a link, and as before where it fits."""

from __future__ import annotations

import random

import pytest

from remem.ingest.markdown import parse_markdown
from remem.ingest.split import split_block
from remem.records import ParsedNode
from tests.ingest.test_render import render_document

LIMIT = 40


def split_text(text: str, limit: int = LIMIT, previous: list[list[str]] | None = None) -> list[ParsedNode]:
    document = parse_markdown("n.md", text, max_tokens=limit, previous=previous or ())
    assert render_document(document) == text
    return list(document.nodes[1:])


def make_sentences(count: int, seed: int = 1) -> str:
    chooser = random.Random(seed)
    words = ["river", "plan", "cost", "storm", "bridge", "water", "stone", "north", "light", "paper"]
    return " ".join(
        " ".join(chooser.choice(words) for _ in range(chooser.randint(4, 12))).capitalize() + "." for _ in range(count)
    )


def test_text_is_split_at_sentences() -> None:
    nodes = split_text(make_sentences(30))
    assert len(nodes) > 4
    assert [node.piece for node in nodes] == list(range(len(nodes)))
    assert all(node.kind == "text" and node.tokens <= LIMIT and node.content.endswith(".") for node in nodes)
    assert all(node.tokens > LIMIT // 3 for node in nodes[:-1])


def test_a_sentence_that_is_too_long_is_split_at_lines_then_words_then_characters() -> None:
    lines = "\n".join("word " * 12 + "end" for _ in range(6))
    assert all(node.content.endswith("end") for node in split_text(lines))
    words = split_text("word " * 200)
    assert all(set(node.content.split()) == {"word"} for node in words)
    letters = split_text("x7" * 500)
    assert "".join(node.content for node in letters) == "x7" * 500
    assert all(node.tokens <= LIMIT for node in letters + words)


def test_graphemes_stay_whole() -> None:
    family = "👩‍👩‍👧‍👦"
    nodes = split_text(family * 60, 100)
    assert len(nodes) > 5
    assert all(node.content == family * (len(node.content) // len(family)) for node in nodes)


def test_a_list_is_split_at_items_and_keeps_nested_ones_with_them_where_they_fit() -> None:
    text = "\n".join(f"- item {number}\n  - detail one\n  - detail two" for number in range(20))
    nodes = split_text(text)
    assert len(nodes) > 3
    assert all(node.kind == "list" and node.content.startswith("- item") and node.tokens <= LIMIT for node in nodes)


def test_a_large_item_is_split_at_nested_items() -> None:
    text = "- top\n" + "\n".join(f"  - detail number {number}" for number in range(30))
    nodes = split_text(text)
    assert nodes[0].content.startswith("- top")
    assert all(node.content.startswith("- ") and node.tokens <= LIMIT for node in nodes)


def test_a_table_is_split_at_rows_and_later_pieces_hold_rows_only() -> None:
    text = "| name | value |\n|---|---|\n" + "\n".join(f"| row {n} | [[Target {n}]] |" for n in range(30))
    nodes = split_text(text, 60)
    assert nodes[0].content.startswith("| name | value |\n|---|---|\n| row 0 |")
    assert all(node.content.startswith("| row") for node in nodes[1:])
    assert [link.label for node in nodes for link in node.links] == [f"Target {n}" for n in range(30)]
    assert all(f"[[{link.label}]]" in node.content for node in nodes for link in node.links)


def test_code_is_split_at_blank_lines() -> None:
    parts = ["\n".join(f"    value_{part}_{line} = {line}" for line in range(4)) for part in range(8)]
    nodes = split_text("```py\n" + "\n\n".join(parts) + "\n```", 60)
    assert len(nodes) > 4
    assert all(node.content.split("\n")[0].strip().endswith(("= 0", "```py")) for node in nodes)


@pytest.mark.parametrize("link", ["[[A long name of a note|with words shown]]", "[some shown words](a/b/c.md)"])
def test_no_link_is_cut(link: str) -> None:
    for limit in (3, 5, 9):
        nodes = split_text(f"one two {link} three. {link} " * 6, limit)
        assert sum(node.content.count(link) for node in nodes) == 12
        assert sum(len(node.links) for node in nodes) == 12
        assert all(node.content.count(link) == len(node.links) for node in nodes)


def test_an_image_larger_than_the_limit_is_cut() -> None:
    nodes = split_text("before ![x](data:image/png;base64," + "QUJD" * 500 + ") after")
    assert all(node.tokens <= LIMIT for node in nodes)


def test_pieces_in_a_quote_come_back_with_their_prefixes() -> None:
    text = "> - a\n>\n>   ```\n" + "".join(f">   line {n}\n" for n in range(60)) + ">   ```\n"
    code = [node for node in split_text(text) if node.kind == "code"]
    assert len(code) > 3
    assert all(node.content.startswith("line") for node in code[1:])


def test_an_edit_keeps_the_cuts_before_and_behind_it() -> None:
    text = make_sentences(60)
    before = [node.content for node in split_text(text)]
    place = text.index(before[6]) + 10
    after = [node.content for node in split_text(text[:place] + " Something new." + text[place:], previous=[before])]
    assert after[:6] == before[:6]
    assert after[-(len(before) - 7) :] == before[7:]
    afresh = [node.content for node in split_text("New at the start. " * 3 + text)]
    kept = [node.content for node in split_text("New at the start. " * 3 + text, previous=[before])]
    assert set(before[1:]) <= set(kept)
    assert len(set(before) & set(afresh)) < len(set(before) & set(kept))


def test_cuts_of_rows_and_items_are_kept_too() -> None:
    rows = [f"| row {n} | value {n} |" for n in range(40)]
    table = "| a | b |\n|---|---|\n" + "\n".join(rows)
    before = [node.content for node in split_text(table, 60)]
    after = [node.content for node in split_text(table.replace("| row 1 |", "| row one and more |"), 60, [before])]
    assert after[1:] == before[1:]


def test_a_block_that_fits_again_is_one_node() -> None:
    before = [node.content for node in split_text(make_sentences(10))]
    assert len(before) > 1
    assert len(split_text(before[0], previous=[before])) == 1


def test_spans_are_in_order_and_without_white_space_around() -> None:
    content = "one two. three four.\n\nfive"
    spans = split_block("text", content, 3)
    assert [content[start:end] for start, end in spans] == ["one two.", "three four.", "five"]
    assert split_block("text", content, 100, forced=[9]) == [(0, 8), (9, len(content))]
