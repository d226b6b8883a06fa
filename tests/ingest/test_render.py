"""Nothing is lost: the nodes of any text give that text again, and keep the promises of a tree."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from remem.ingest.labels import MAX_LABEL, block_label
from remem.ingest.markdown import parse_markdown
from remem.ingest.render import render
from remem.ingest.text import parse_text
from remem.records import ParsedDocument
from tests.ingest.notation import read_cases

FRAGMENTS = (
    *(
        "a",
        "b ",
        " ",
        "  ",
        "    ",
        "\t",
        "\n",
        "\n",
        "\n\n",
        "> ",
        ">",
        "- ",
        "* ",
        "1. ",
        "10) ",
        "-\t",
        "```",
        "~~~",
    ),
    *(
        "# ",
        "## ",
        "===",
        "---",
        "|",
        "|---|",
        "| a | b |",
        "[[x]]",
        "[[a|b]]",
        "![[e]]",
        "[f]",
        "[f]: u.md",
        "[t](n.md)",
    ),
    *("<div>", "</div>", "<!--", "-->", "%%", "$$", "$", "`", "^id", " ^id-2", "#tag", "[^1]: ", "[^1]", "é", "🙂"),
    *("\u00a0", "\r", "\x00", "\ud83d", "<knowledge>", "</knowledge>", "<code>", "</code>", "**", "\\", "&amp;", "***"),
    *("+++", "t: v", "- [ ] ", "word word. ", "caused_by:: ", "caused_by ", "\f", "\u2028"),
)
MARKDOWN = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join)
LIMITS = st.sampled_from((512, 16, 4, 1))


def render_document(document: ParsedDocument) -> str:
    return render([(node.gap, node.content, node.prefixes) for node in document.nodes], document.tail)


def check_tree(document: ParsedDocument) -> None:
    assert document.nodes[0].kind == "document"
    assert document.nodes[0].content == ""
    for index, node in enumerate(document.nodes):
        assert node.content == node.content.strip()
        assert len(node.prefixes) in (0, node.content.count("\n"))
        assert -1 <= node.parent < index or index == node.parent == -1
        assert index <= node.last < len(document.nodes)
        assert len(block_label(node.kind, node.content)) <= MAX_LABEL


@given(MARKDOWN, LIMITS)
@settings(max_examples=800)
@example("- [ ] \x0c>[f]t: v<!--word <div><knowledge>+++\n  - x</knowledge>é", 1)
@example("> - a\n>\n>       code\n>   \n> \n", 4)
def test_any_markdown_comes_back_byte_for_byte(text: str, limit: int) -> None:
    document = parse_markdown("n.md", text, max_tokens=limit)
    assert render_document(document) == text
    check_tree(document)


@given(st.text(), LIMITS)
@settings(max_examples=300)
def test_any_text_comes_back_byte_for_byte(text: str, limit: int) -> None:
    for parse in (parse_markdown, parse_text):
        document = parse("n", text, max_tokens=limit)
        assert render_document(document) == text
        check_tree(document)


@given(MARKDOWN, MARKDOWN, st.integers(0, 200))
@settings(max_examples=200)
def test_earlier_cuts_lose_nothing(text: str, inserted: str, position: int) -> None:
    pieces = [node.content for node in parse_markdown("n.md", text, max_tokens=4).nodes]
    edited = text[:position] + inserted + text[position:]
    document = parse_markdown("n.md", edited, max_tokens=4, previous=[pieces])
    assert render_document(document) == edited
    check_tree(document)


@pytest.mark.parametrize("text", [case[1] for case in read_cases("markdown.md")])
@pytest.mark.parametrize("limit", [512, 6])
def test_every_case_comes_back_with_any_indent(text: str, limit: int) -> None:
    for prefix in ("", "> ", "  ", "- ", "> 1. "):
        indent = prefix if prefix.startswith((">", " ")) and "1" not in prefix else ">    " if ">" in prefix else "  "
        lines = text.split("\n")
        nested = "\n".join([prefix + lines[0], *[indent + line for line in lines[1:]]])
        assert render_document(parse_markdown("n.md", nested, max_tokens=limit)) == nested


def test_render_puts_a_prefix_before_each_later_line() -> None:
    parts = [("", "", ()), ("> ", "a\nb\n\nc", ("> ", ">", "")), ("\n\n", "d\ne", ())]
    assert render(parts, "\n") == "> a\n> b\n>\nc\n\nd\ne\n"
