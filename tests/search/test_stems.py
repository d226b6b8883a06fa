"""Stems shown in snippets are those that the full-text index has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from remem import datafiles
from remem.search.stems import list_prefixes, list_words, stem_word
from remem.storage import sqlite


def list_sample_words() -> list[str]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(Path(datafiles.find_samples()).rglob("*.md"))]
    return sorted({word for text in texts for word in re.findall("[a-z]+", text.lower())})


def index_words(words: list[str]) -> dict[int, str]:
    connection = sqlite.choose().connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (x, content = '', tokenize = 'porter unicode61')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, 'instance')")
    connection.executemany("INSERT INTO t (rowid, x) VALUES (?, ?)", list(enumerate(words)))
    return dict(connection.execute("SELECT doc, term FROM v"))


def test_every_word_of_the_samples_has_the_stem_of_the_index() -> None:
    words = list_sample_words()
    assert len(words) > 800
    assert [stem_word(word) for word in words] == [stem for _, stem in sorted(index_words(words).items())]


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("running", "run"), ("flies", "fli"), ("agreed", "agre"), ("hopping", "hop"), ("hoping", "hope"),
        ("relational", "relat"), ("happiness", "happi"), ("explosions", "explos"), ("ox", "ox"), ("caresses", "caress"),
        ("controlling", "control"), ("b" * 80 + "ing", "b" * 80 + "ing"),
    ],
)  # fmt: skip
def test_known_words_have_their_stems(word: str, stem: str) -> None:
    assert stem_word(word) == stem


def test_a_prefix_may_be_longer_than_the_stem() -> None:
    assert "run" in {stem_word(word) for word in list_words("runn")}
    assert "deploy" in {stem_word(word) for word in list_words("deploym")}
    assert list_prefixes("deplo") == ("deplo",)


def test_a_prefix_that_the_index_would_stem_is_looked_for_letter_by_letter() -> None:
    assert "maryl" in list_prefixes("mary")
    assert "mari" not in list_prefixes("mary")
