"""Folding and pairs: what the index and a query make of a text is the same, whatever the script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.search.scripts import find_tokens, fold_text, index_text, split_run, split_tokens


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Café", "cafe"),
        ("ＡＢＣ", "abc"),
        ("Straße", "strasse"),
        ("co\u00adoperate", "cooperate"),
        ("ﬁle", "file"),
        ("שָׁלוֹם", "שלום"),
        ("كِتَاب", "كتاب"),
        ("Άλφα", "αλφα"),
    ],
)
def test_accents_widths_and_invisible_marks_make_no_difference(written: str, folded: str) -> None:
    assert split_tokens(fold_text(written)) == [folded]


def test_ascii_text_is_indexed_as_it_stands() -> None:
    assert index_text("Night-shift ends at 9.75, sort_keys") == "Night-shift ends at 9.75, sort_keys"


def test_names_that_would_be_a_lone_letter_become_words() -> None:
    assert split_tokens(fold_text("C++ or C#, not C and not a#b")) == [
        *("cplusplus", "or", "csharp", "not", "c"),
        *("and", "not", "a", "b"),
    ]


def test_runs_without_spaces_are_indexed_as_overlapping_pairs() -> None:
    assert index_text("知识图谱 is").split() == ["知识", "识图", "图谱", "is", "谱"]


def test_the_last_character_of_a_run_parts_no_phrase() -> None:
    assert index_text("入門Python").split()[:2] == ["入門", "python"]


def test_half_width_and_full_width_kana_are_the_same() -> None:
    assert index_text("ｶﾀｶﾅ") == index_text("カタカナ")


def test_a_run_of_one_character_is_itself() -> None:
    assert split_run("東") == ["東"]


@given(st.text(max_size=40))
def test_folding_twice_is_folding_once(text: str) -> None:
    once = split_tokens(fold_text(text))
    assert split_tokens(fold_text(" ".join(once))) == once


@given(st.text(max_size=40))
def test_words_found_in_a_text_lie_in_it_and_do_not_overlap(text: str) -> None:
    end = 0
    for start, stop, _ in find_tokens(text):
        assert end <= start < stop <= len(text)
        end = stop


@given(st.text(alphabet="aé日本ンｶก็ ", max_size=30))
def test_composed_and_decomposed_texts_are_indexed_alike(text: str) -> None:
    assert index_text(unicodedata.normalize("NFD", text)) == index_text(unicodedata.normalize("NFC", text))
