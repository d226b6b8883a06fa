"""Whole files: formats, cases that cross the parsers, and texts made to break them."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.errors import InvalidInputError
from remem.ingest import parse
from remem.ingest.parse import find_format, parse_source
from remem.ingest.render import render
from remem.ingest.tokens import count_tokens
from remem.records import RELATIONSHIP_TYPES, ParsedDocument, ParsedLink
from tests.guard import guard_hang

FORMATS = ("markdown", "text")


def render_document(document: ParsedDocument) -> str:
    return render(((node.gap, node.content, node.prefixes) for node in document.nodes), document.tail)


def links_of(text: str, format: str = "markdown") -> list[ParsedLink]:
    return [link for node in parse_source("a.md", text, format).nodes for link in node.links]


def labels_of(text: str, format: str = "markdown") -> list[str]:
    return [f"{link.label}#{link.anchor}" if link.anchor else link.label for link in links_of(text, format)]


def tags_of(text: str, format: str = "markdown") -> list[str]:
    return [tag for node in parse_source("a.md", text, format).nodes for tag in node.tags]


# --- formats ---------------------------------------------------------------------------------------------------------


def test_the_format_follows_from_the_extension() -> None:
    names = ["a.md", "b/A.MD", "x.markdown", "x.mdx", "notes.txt", "memo.ab", ".md", "README", "a.md.bak"]
    expected = ["markdown", "markdown", "markdown", "markdown", "text", None, None, None, None]
    assert [find_format(name) for name in names] == expected


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="unknown format 'docx'"):
        parse_source("a.docx", "", "docx")


@pytest.mark.parametrize("text", ["", "\n\n", "  one\n\n[[two]] \n"])
def test_a_file_whose_parser_fails_is_kept_whole(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(
        source: str, text: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
    ) -> ParsedDocument:
        raise ZeroDivisionError("secret")

    monkeypatch.setitem(parse._PARSERS, "markdown", fail)
    document = parse_source("d/My note.md", text, "markdown")
    assert render_document(document) == text
    assert document.nodes[0].label == "My note"
    assert [(node.kind, node.content) for node in document.nodes[1:]] == [("text", text.strip())] * bool(text.strip())
    [problem] = document.diagnostics
    assert problem.code == "parse-failed" and "secret" not in problem.message


# --- cases that cross parsers ----------------------------------------------------------------------------------------

LABELS = {
    "| who | what |\n|---|---|\n| [[River Plan\\|plan]] | x |": ["River Plan"],
    "| a | b |\n|---|---|\n| see [[River Plan|plan]] today | y |": ["River Plan"],
    '---\nicon: "[[art/pad.svg|Pad]]"\n---\nProse with [[River Plan|plan]].': ["art/pad.svg", "River Plan"],
    '```bash\nif [[ -f "x" ]]; then echo [[ok]]; fi\n```\n`rows[[0, 1]]`, ``a `[[b]]` c``\n\n    [[code]]': [],
    "```[[Target|Text]]```\n\n# After\n[[Real]]": ["Real"],
    "%% ![[Ada#Thanks]] %%\n<!-- [[Old]] -->\n<!-- note --> [[Same line]]\n%%\nblock [[Hidden]]\n%%\n"
    "100 %% of [[Shown]] is odd": ["Same line", "Shown"],
    "[[foo]] and ![[foo]] and [[*foo* bar]]\n\n[foo]: /url": ["foo", "foo", "*foo* bar"],
    "[w](https://example.org/A_(b)) [n](Notes_(old).md) [[Notes_(old)]]": ["Notes_(old).md", "Notes_(old)"],
    "# Q&amp;A &copy; 1\n[[#Q&A © 1]] [[Q&amp;A]]": ["#Q&A © 1", "Q&amp;A"],
    '[a [b] c](x.md) [empty]() []() [A [R](x.md) b](y.md) [[class]](t.md "An")': ["x.md", "x.md", "t.md"],
    "![alt](img.png) ![[img.png|200]] ![[Note]] [^1] <b@c.org> https://x.org/[[a]]\n\n[^1]: see [[Foot]]": [
        "Note",
        "Foot",
    ],
    "$[[a]]$ and\n\n$$\n[[b]]\n$$\n\n\\[[c]] [[]] [[|x]]": [],
    "---\ncast: [[Ann]], [[Bo]]\n---\n# Body": ["Ann", "Bo"],
    'text <knowledge weight="2">River Plan</knowledge> and <b>[[x]]</b> <code>[[y]]</code>': ["River Plan", "x"],
    "<details>\n<summary>S</summary>\n\n### H\n[[a]]\n\n</details>\n<details><summary>T</summary>\n[[b]]\n</details>": [
        "a",
        "b",
    ],
    "<!-- never closed\n\n# Head\n[[a]]": [],
}


@pytest.mark.parametrize("text", LABELS)
def test_links_of_markdown_are_those_a_reader_sees(text: str) -> None:
    assert labels_of(text) == LABELS[text]


def test_links_after_a_type_are_typed() -> None:
    text = "- caused_by [[A]] and [[B]]\n- see caused_by [[C]]\n\nsupports:: [[D]]\n\nsupports [[E]]"
    found = [(link.label, link.type) for link in links_of(text)]
    assert found == [
        ("A", "caused_by"),
        ("B", "caused_by"),
        ("C", "references"),
        ("D", "supports"),
        ("E", "references"),
    ]


def test_tags_of_markdown_are_found_outside_code_and_links() -> None:
    text = "---\ntags: [doc]\n---\n# oven.door #head\n[[#oven.door]] #one `#code` [x](y.md#z) https://x.org/#u #fff000"
    assert tags_of(text) == ["doc", "head", "one"]


def test_plain_text_has_wiki_links_and_tags_but_no_code() -> None:
    text = "`[[a]]` and \\[[no]]\n\n    [[b]] #tag https://x.org/[[c]]#no"
    assert labels_of(text, "text") == ["a", "b"]
    assert tags_of(text, "text") == ["tag"]


def test_a_malformed_parameter_is_reported_with_its_line_and_keeps_the_link() -> None:
    document = parse_source("a.md", "# T\n\n[[a; w=lots]]\n", "markdown")
    assert [(problem.line, problem.code) for problem in document.diagnostics] == [(3, "bad-link-weight")]


# --- texts made to break parsers -------------------------------------------------------------------------------------

BLOCKS = ("# ", "## H", "\n", "\n\n", "- ", "  ", "    ", "> ", "1. ", "```", "~~~", "---\n", "+++\n", "***", "a: b\n")
LINKS = (
    "[[",
    "]]",
    "![[",
    "|",
    "#",
    "; w=2",
    "; type=caused_by",
    "caused_by:: ",
    "- supports ",
    "^id",
    " ^b1",
    "[^1]: ",
)
INLINE = (
    "`",
    "$$",
    "$",
    "%%",
    "#tag ",
    "[x](y.md)",
    "[x]: y.md",
    "\\",
    "word ",
    ".",
    "\t",
    "| a | b |\n",
    "|---|---|\n",
)
HTML = ("<!--", "-->", "<div>", "</div>", "<knowledge>", "</knowledge>", "<pre>", "<code>", "</code>", "<a ", ">")
CHARACTERS = ("é", "知识", "🧠", "\u200b", "\x00", "\ud83d", "\u2028", "\x0c", "\x85")
PARTS = BLOCKS + LINKS + INLINE + HTML + CHARACTERS


def check_document(document: ParsedDocument, text: str, max_tokens: int) -> None:
    assert render_document(document) == text
    assert document.nodes[0].kind == "document" and document.nodes[0].parent == -1
    assert document.nodes[0].last == len(document.nodes) - 1
    lines = text.count("\n") + 1
    for index, node in enumerate(document.nodes[1:], 1):
        assert 0 <= node.parent < index <= node.last <= document.nodes[node.parent].last
        assert node.tokens == count_tokens(node.content)
        assert 1 <= node.line <= lines
        assert node.tokens <= max_tokens or node.kind == "heading" or node.last > index or node.links
        for link in node.links:
            assert link.type in RELATIONSHIP_TYPES and 1 <= link.line <= lines
    for problem in document.diagnostics:
        assert re.fullmatch("[a-z]+(-[a-z]+)*", problem.code) and problem.code != "parse-failed"
        assert 0 <= problem.line <= lines


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join), st.sampled_from(FORMATS), st.sampled_from([16, 512]))
def test_no_text_is_lost_and_no_parser_fails(text: str, format: str, max_tokens: int) -> None:
    check_document(parse_source("a.md", text, format, max_tokens=max_tokens), text, max_tokens)


@settings(max_examples=100)
@given(st.text(max_size=200), st.sampled_from(FORMATS))
def test_no_unicode_text_is_lost(text: str, format: str) -> None:
    check_document(parse_source("a.md", text, format), text, 512)


@settings(max_examples=60)
@given(st.lists(st.sampled_from(PARTS), max_size=60).map("".join), st.integers(0, 60))
def test_a_parse_is_a_function_of_the_text_and_of_earlier_pieces(text: str, cut: int) -> None:
    first = parse_source("a.md", text, "markdown", max_tokens=16)
    previous = [[node.content for node in first.nodes if node.piece or node.kind == "text"]]
    edited = text[:cut] + "more words\n" + text[cut:]
    for found in (parse_source("a.md", edited, "markdown", max_tokens=16, previous=previous) for _ in range(2)):
        check_document(found, edited, 16)
    assert parse_source("a.md", text, "markdown", max_tokens=16) == first


HOSTILE = {
    "open brackets": "[[" * 100_000,
    "brackets": "[" * 100_000 + "]" * 100_000,
    "spaces in a link": "[[a" + " " * 200_000,
    "spaces after a heading": "# A\n" + " " * 200_000 + "\nB",
    "emoji": "🙂" * 200_000,
    "backticks": "`" * 100_000 + "x",
    "pipes": "|" * 100_000,
    "open comments": "<!--" * 40_000,
    "emphasis": "**a " * 40_000,
    "khmer": "ខ្មែរ" * 24_000,
    "quotes": ">" * 10_000 + " a",
    "lists": "".join("  " * depth + "- a\n" for depth in range(300)),
    "percent signs": "%%\n" * 40_000,
    "tags": "#a " * 40_000,
    "front matter": "---\n" + "a: [\n" * 20_000 + "---\nb",
    "links": "[[a|b; w=2]] " * 10_000,
    "knowledge": "<knowledge>a" * 10_000,
    "html": "<div>\n" * 20_000,
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_parsed_in_linear_time(name: str, format: str) -> None:
    text = HOSTILE[name]
    with guard_hang(f"the parsing of {name} as {format}"):
        document = parse_source("a.md", text, format)
    assert render_document(document) == text
    assert not any(problem.code == "parse-failed" for problem in document.diagnostics)
