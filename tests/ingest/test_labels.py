"""Labels of blocks: the first meaningful words, at most 80 characters, whole graphemes, no markup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.ingest.labels import MAX_LABEL, block_label
from remem.records import KINDS


@pytest.mark.parametrize(
    ("kind", "content", "label"),
    [
        ("text", "Plain words.", "Plain words."),
        (
            "text",
            "A *strong* `code` and [[Note|shown]] or [[Other; w=2]] and [x](y.md)",
            "A strong code and shown or Other and x",
        ),
        ("text", "Two\nlines with a mark ^fig-07", "Two lines with a mark"),
        ("text", "%% hidden words %%", "hidden words"),
        ("text", "costs &amp; more <b>bold</b>", "costs & more bold"),
        ("list", "- first\n- second", "first second"),
        ("list", "1. [x] done ^id\n2. next", "done next"),
        ("list", "- [ ] task", "task"),
        ("list", "- alpha\n- bravo\n  - charlie\n    - delta\n- echo", "alpha bravo charlie delta echo"),
        ("list", "1. one\n   1. two", "one two"),
        ("list", "- [ ] first\n  - [x] second", "first second"),
        ("list", "- item\n  > quoted", "item quoted"),
        ("list", "- item\n  ```\n  code\n  ```", "item code"),
        ("text", "bar<br>qux<br/>quux<BR />end<wbr>ing", "bar qux quux ending"),
        ("text", "[link<br>text](a.md)", "link text"),
        ("table", "| one<br>two | `three` |", "one two, three"),
        ("text", "[^x]: footy", "footy"),
        ("quote", "> [^x]: footy", "footy"),
        ("text", "So it is[^x]: really", "So it is: really"),
        ("quote", "> a quote\n> over lines", "a quote over lines"),
        ("quote", "> [!note] Title\n> body", "note Title body"),
        ("code", "```py\n\nx = 1\ny = 2\n```", "x = 1 y = 2"),
        ("code", "```mermaid\n```", "mermaid"),
        ("code", "indented code", "indented code"),
        ("table", "| Name | Value |\n|---|---|\n| a | b |", "Name, Value"),
        ("table", "| [[a\\|b]] | `c` |", "b, c"),
        ("kv", "---\ntitle: A\ntags: x\n---", "title: A tags: x"),
        ("html", "<details>\n<summary>S</summary>", "S"),
        ("html", "<!-- a comment -->", "a comment"),
        ("embed", "![[Note#Part]]", "Note#Part"),
        ("embed", "![[plan.svg|200]]", "plan.svg"),
        ("text", "See this[^1] and ![[plan.svg|10x20]] in [[300]]", "See this and plan.svg in 300"),
        ("text", "!!!", "!!!"),
        ("html", "<hr>", "<hr>"),
        ("text", "", ""),
    ],
)
def test_label_is_the_first_words_without_markup(kind: str, content: str, label: str) -> None:
    assert block_label(kind, content) == label


def test_a_long_label_ends_with_a_word() -> None:
    label = block_label("text", "some words to read " * 20)
    assert 60 < len(label) <= MAX_LABEL
    assert ("some words to read " * 20).startswith(label + " ")


@pytest.mark.parametrize("grapheme", ["👩‍👩‍👧‍👦", "e\u0301", "ខ្មែ", "🇩🇪", "⚙\ufe0f"])
def test_a_label_is_never_cut_inside_a_grapheme(grapheme: str) -> None:
    label = block_label("text", grapheme * 60)
    assert 0 < len(label) <= MAX_LABEL
    assert label == grapheme * (len(label) // len(grapheme))


@given(st.sampled_from(KINDS), st.text(max_size=300))
def test_any_content_has_a_label_of_one_line(kind: str, content: str) -> None:
    label = block_label(kind, content)
    assert len(label) <= MAX_LABEL
    assert label == " ".join(label.split())
    assert bool(label) == bool(content.strip())
