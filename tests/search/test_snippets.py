"""Snippets: what matched is marked by positions, in plain text, never inside a grapheme."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from remem import datafiles
from remem.records import SearchTerm
from remem.search.query import parse_query
from remem.search.snippets import SNIPPET, Matcher, cut_snippet
from remem.search.stems import stem_word


def mark(text: str, query: str) -> list[str]:
    snippet, spans = cut_snippet(text, Matcher(parse_query(query).terms).find(text))
    return [snippet[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Runners were running", "run", ["running"]),
        ("the Café and cafe\u0301s", "cafe", ["Café", "cafe\u0301s"]),
        ("night-shift and shift, night", '"night shift"', ["night", "shift"]),
        ("deploy, deployment, deplored", "deploy*", ["deploy", "deployment"]),
        ("关于知识图谱的", "图谱", ["图谱"]),
        ("半角ｶﾀｶﾅ", "カタカナ", ["ｶﾀｶﾅ"]),
        ("東京と関東", "東", ["東", "東"]),
        ("C++ and C", "C++", ["C++"]),
        ("user_id=42", "user_id=42", ["user", "id", "42"]),
        ("a NOT b", "a NOT b", ["a"]),
        ("plain", "other", []),
    ],
)
def test_matched_words_are_marked_as_written(text: str, query: str, marked: list[str]) -> None:
    assert mark(text, query) == marked


def test_the_part_with_most_of_the_words_is_shown() -> None:
    filler = "other words stand here and there " * 30
    text = f"key {filler} the deploy key rotates on fridays {filler}"
    snippet, spans = cut_snippet(text, Matcher(parse_query("deploy key rotates").terms).find(text))
    assert [snippet[start:end] for start, end in spans] == ["deploy", "key", "rotates"]
    assert snippet.startswith("…") and snippet.endswith("…")
    assert len(snippet) <= SNIPPET + 2
    assert snippet[1:-1] in text


def test_a_text_without_a_match_begins_at_its_beginning() -> None:
    snippet, spans = cut_snippet("words " * 100, ())
    assert snippet.startswith("words words")
    assert snippet.endswith("words…")
    assert spans == ()


def test_words_of_one_stem_find_each_other() -> None:
    texts = [path.read_text(encoding="utf-8") for path in sorted(Path(datafiles.find_samples()).rglob("*.md"))]
    words = {word for text in texts for word in re.findall("[a-z]+", text.lower())}
    stems: dict[str, list[str]] = {}
    for word in sorted(words):
        stems.setdefault(stem_word(word), []).append(word)
    for alike in stems.values():
        for word in alike:
            assert len(Matcher([SearchTerm((word,))]).find(" ".join(alike))) == len(alike), alike


@given(
    st.text(alphabet="ab日本e\u0301🇩🇪👩\u200d🚀 \u0e01\u0e47", max_size=700),
    st.sampled_from(["a", "日", "b*", "e", "ก็"]),
)
def test_neither_a_snippet_nor_a_mark_splits_a_grapheme(text: str, query: str) -> None:
    text = " ".join(text.split())
    snippet, spans = cut_snippet(text, Matcher(parse_query(query).terms).find(text))
    borders = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    core = snippet.strip("…")
    offset = text.find(core)
    assert offset >= 0
    assert any(at in borders and at + len(core) in borders for at in find_all(text, core))
    shown = {0, *(match.end() for match in regex.finditer(r"\X", snippet))}
    end = 0
    for first, last in spans:
        assert end <= first < last <= len(snippet)
        assert {first, last} <= shown
        end = last


def find_all(text: str, part: str) -> list[int]:
    return [at for at in range(len(text) - len(part) + 1) if text.startswith(part, at)] or [0]
