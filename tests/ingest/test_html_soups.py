"""Pages at random: nothing fails, no visible text is lost, what is kept says the same again."""

from __future__ import annotations

import random
import re
from collections import Counter

from hypothesis import example, given, settings
from hypothesis import strategies as st

from remem.ingest.html.document import parse_html
from remem.ingest.tokens import count_tokens
from remem.records import ParsedDocument
from tests.ingest.soups import count_words, make_soup, read_visible
from tests.ingest.test_html import check_kept

MARKS = ["<p>", "<b>", "</b>", "<br>", "<!--", "[[", "]]", " ", "\n", *"<>&()*_`$|a#-1.~\\!^"]
FUZZ = settings(max_examples=150, derandomize=True, deadline=None, database=None)


def check_page(document: ParsedDocument, page: str, max_tokens: int = 512) -> None:
    lines = page.count("\n") + 1
    for index, node in enumerate(document.nodes[1:], 1):
        assert 0 <= node.parent < index <= node.last <= document.nodes[node.parent].last
        assert node.content or node.last > index
        assert node.tokens == count_tokens(node.content)
        assert 1 <= node.line <= lines
        assert node.tokens <= max_tokens or node.kind == "heading" or node.last > index or node.links
    for problem in document.diagnostics:
        assert re.fullmatch("[a-z]+(-[a-z]+)*", problem.code) and 0 <= problem.line <= lines
    names = [name for node in document.nodes for name in node.blocks if name != "id"]
    assert len(names) == len(set(names))


@FUZZ
@given(st.integers(0, 1 << 32), st.integers(1, 80), st.sampled_from([16, 512]))
def test_soups_of_tags_lose_no_word(seed: int, length: int, max_tokens: int) -> None:
    page = make_soup(random.Random(seed), length)
    document = parse_html("n.html", page, max_tokens=max_tokens)
    check_page(document, page, max_tokens)
    found = count_words("\n".join(node.content for node in document.nodes))
    visible, maybe = read_visible(page)
    assert visible == Counter({word: count for word, count in found.items() if word not in maybe}), page
    if max_tokens == 512:
        check_kept(document)


@FUZZ
@given(st.text(st.characters(codec="utf-8"), max_size=200))
@example("<")
@example("</")
@example("<!")
@example("<a/='\"<p")
def test_any_text_is_a_page(text: str) -> None:
    document = parse_html("n.html", text)
    check_page(document, text)
    check_kept(document)


@settings(FUZZ, max_examples=100)
@given(st.lists(st.sampled_from(MARKS), max_size=40))
def test_any_marks_in_text_stay_text(parts: list[str]) -> None:
    page = "".join(parts)
    document = parse_html("n.html", page)
    check_page(document, page)
    check_kept(document)
    assert {node.kind for node in document.nodes} <= {"document", "text", "embed"}
