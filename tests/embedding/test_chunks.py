"""Long texts become chunks that an embedder takes in whole, cut where people pause."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.embedding.chunks import CHUNK_CHARACTERS, split_chunks
from remem.embedding.minilm import MAX_TOKENS, VOCABULARY
from remem.embedding.wordpiece import WordPiece
from tests.guard import guard_hang

SENTENCE = "The ferry leaves the pier at nine. "


def drop_spaces(text: str) -> str:
    return "".join(text.split())


def test_a_short_text_is_one_chunk_and_an_empty_one_none() -> None:
    assert split_chunks("  one text\n") == ["one text"]
    assert split_chunks("a" * CHUNK_CHARACTERS) == ["a" * CHUNK_CHARACTERS]
    assert split_chunks("") == split_chunks(" \n\t ") == []


def test_a_long_text_is_cut_after_sentences() -> None:
    chunks = split_chunks(SENTENCE * 100)
    assert all(chunk.startswith("The ferry") and chunk.endswith("nine.") for chunk in chunks)
    assert 5 <= len(chunks) <= 7


@pytest.mark.parametrize("pause", ["\n\n", "\n", ". ", ", ", " ", "。"])
def test_the_best_place_in_reach_is_taken(pause: str) -> None:
    worse = {"\n\n": "\n", "\n": ". ", ". ": ", ", ", ": " ", " ": "", "。": ""}[pause]
    unit = "abcdefghi" + worse
    text = unit * (600 // len(unit)) + pause + unit * 60
    assert split_chunks(text)[0] == (unit * (600 // len(unit)) + pause).strip()


def test_the_last_chunk_is_no_shred() -> None:
    for length in range(801, 1600, 37):
        assert min(map(len, split_chunks("word " * (length // 5)))) >= 250


def test_chunks_of_english_and_chinese_fit_the_default_model() -> None:
    tokeniser = WordPiece(VOCABULARY.read_text(encoding="utf-8").splitlines())
    for text in (SENTENCE * 200, "渡轮九点离开码头，请提前到达。" * 100):
        assert all(len(tokeniser.encode(chunk, 10_000)) <= MAX_TOKENS for chunk in split_chunks(text))


@given(st.text(alphabet="ab .,\n\t。文é", max_size=400), st.integers(1, 60))
def test_nothing_but_whitespace_is_lost_and_no_chunk_is_too_long(text: str, longest: int) -> None:
    chunks = split_chunks(text, longest)
    assert drop_spaces("".join(chunks)) == drop_spaces(text)
    assert all(0 < len(chunk) <= longest and chunk == chunk.strip() for chunk in chunks)


def test_the_time_is_linear_in_the_text() -> None:
    for unit in ("a", " ", ". ", "\n", "a\n\n", "文"):
        text = unit * (1_000_000 // len(unit))
        with guard_hang(f"the splitting of many {unit!r}"):
            chunks = split_chunks(text)
        assert sum(len(drop_spaces(chunk)) for chunk in chunks) == len(drop_spaces(text))
