"""Token counts are those of the cl100k encoding, with nothing built in Python."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from remem.ingest.tokens import count_tokens, fits_limit

TEXTS = ("", "hello world", "日本語のテキスト", "🙂👩‍🚀", "a" * 1000, "  x\n\n\ty", "<|endoftext|>", "a\x00b", "ខ្មែរ")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_counts_equal_those_of_the_package() -> None:
    encoding = importlib.import_module("bpe_openai").get_encoding("cl100k_base")
    assert [count_tokens(text) for text in TEXTS] == [len(encoding.encode_ordinary(text)) for text in TEXTS]


def test_known_counts() -> None:
    assert count_tokens("tiktoken is great!") == 6
    assert count_tokens("お誕生日おめでとう") == 9


def test_lone_surrogates_count_as_replacement_characters() -> None:
    assert count_tokens("hi \ud83d there") == count_tokens("hi \ufffd there")
    assert fits_limit("\ud83d", 3)


def test_the_limit_is_inclusive() -> None:
    text = "one two three"
    assert fits_limit(text, count_tokens(text))
    assert not fits_limit(text, count_tokens(text) - 1)


def test_counting_loads_neither_rank_tables_nor_the_package() -> None:
    code = (
        "import sys; from remem.ingest.tokens import count_tokens; assert 'bpe_openai._bindings' not in sys.modules; "
        "assert count_tokens('hello world') == 2; assert 'bpe_openai.registry' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
