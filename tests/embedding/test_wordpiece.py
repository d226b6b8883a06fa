"""Texts become the token ids that the reference tokeniser gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.embedding.minilm import VOCABULARY
from remem.embedding.wordpiece import WordPiece
from tests.embedding.golden import read_golden

ENTRIES = VOCABULARY.read_text(encoding="utf-8").splitlines()
TOKENISER = WordPiece(ENTRIES)
CLS, SEP, UNKNOWN = 101, 102, 100


def read_back(text: str, longest: int = 256) -> list[str]:
    return [ENTRIES[number] for number in TOKENISER.encode(text, longest)[1:-1]]


def test_every_reference_text_has_exactly_the_reference_ids() -> None:
    golden = read_golden()
    assert len(golden) == 24
    for item in golden:
        assert TOKENISER.encode(item.text) == item.ids, item.text


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("The ÉCOLE's résumé", ["the", "ecole", "'", "s", "resume"]),
        ("tokenisation", ["token", "##isation"]),
        ("a\u00a0b\u3000c\u2028d", ["a", "b", "c", "d"]),
        ("a\x00b\u200bc\ufffdd\x0be", ["abc", "##de"]),
        ("x=1+2^3", ["x", "=", "1", "+", "2", "^", "3"]),
        ("中文", ["中", "文"]),
        ("ΟΔΟΣ", ["ο", "##δ", "##ο", "##σ"]),
        ("[MASK] but [mask]", ["[MASK]", "but", "[", "mask", "]"]),
        ("\U000e0001", []),
        (" \n\t", []),
    ],
)
def test_texts_are_normalised_and_split_as_the_reference_does(text: str, pieces: list[str]) -> None:
    assert read_back(text) == pieces


def test_a_word_without_known_pieces_or_of_more_than_a_hundred_letters_is_one_unknown_token() -> None:
    assert TOKENISER.encode("ꙮ" * 3) == [CLS, UNKNOWN, SEP]
    assert TOKENISER.encode("a" * 101) == [CLS, UNKNOWN, SEP]
    assert UNKNOWN not in TOKENISER.encode("a" * 100)


def test_a_long_text_is_cut_before_its_last_token_which_ends_it() -> None:
    assert TOKENISER.encode("word " * 1000, 8) == [CLS, *[2773] * 6, SEP]


def test_a_cased_vocabulary_keeps_case_and_accents() -> None:
    tokeniser = WordPiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "É", "e"], lower=False)
    assert tokeniser.encode("É e É") == [2, 5, 6, 5, 3]
    assert tokeniser.encode("E") == [2, 1, 3]


@given(st.text(max_size=80))
def test_any_text_has_ids_of_the_vocabulary_between_the_two_marks(text: str) -> None:
    ids = TOKENISER.encode(text, 32)
    assert (ids[0], ids[-1]) == (CLS, SEP)
    assert len(ids) <= 32
    assert all(0 <= number < len(ENTRIES) for number in ids)
    assert TOKENISER.encode(text, 32) == ids


@given(st.text(alphabet="ab \n", max_size=40), st.text(alphabet="ab \n", max_size=40))
def test_two_texts_with_a_space_between_have_the_tokens_of_both(first: str, second: str) -> None:
    assert read_back(f"{first} {second}") == read_back(first) + read_back(second)
