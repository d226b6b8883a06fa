"""Texts of every format, links and queries as nobody should write them: they are read without an error and in time, and
nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError
from tests.campaigns.comparing import list_faults
from tests.fuzz.soups import HOSTILE, MARKDOWN, make_soup
from tests.fuzz.texts import SUFFIXES, normalise, read_whole
from tests.guard import guard_hang

SEEDS = st.integers(0, 2**32)
QUERY = (
    "river ", "the ", '"', '"river costs"', "AND ", "OR ", "NOT ", "NEAR(", "(", ")", "*", "riv*", "-", "+", "^", ":",
    "content:", "'",
    ";", "%", "_", "\\", "#tag", "[[costs]]", "漢", "é", "\u0301", "\n", "\t", "🏳️‍🌈", "\u200d", "\ufeff",
)  # fmt: skip


@pytest.mark.parametrize("format", SUFFIXES)
@settings(max_examples=120)
@given(seed=SEEDS, length=st.integers(0, 60), limit=st.sampled_from((16, 64, 512)))
def test_any_text_is_read_whole(format: str, seed: int, length: int, limit: int) -> None:
    text = normalise(make_soup(Random(seed), format, length))
    read_whole(text, format, limit)


@pytest.mark.parametrize("name", HOSTILE)
def test_long_texts_are_read_whole_and_in_time(name: str) -> None:
    text = HOSTILE[name](20_000)
    with guard_hang(f"the parsing of {name}"):
        read_whole(text, "markdown")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("texts")
    (place / "settings.toml").write_text('[embedding]\nprovider = "none"\n', encoding="utf-8")
    (place / "notes").mkdir()
    return place


@pytest.fixture(scope="module")
def remem(place: Path) -> Iterator[RememSync]:
    with Remem.open_sync(place / "store.db", config=place / "settings.toml") as opened:
        yield opened


@settings(max_examples=12)
@given(seed=SEEDS)
def test_a_store_of_such_texts_is_sound_and_gives_them_back(remem: RememSync, place: Path, seed: int) -> None:
    chance, texts = Random(seed), dict[str, str]()
    for format, suffix in SUFFIXES.items():
        source = f"{chance.choice('abc')}.{suffix}"
        texts[source] = normalise(make_soup(chance, format, chance.randint(0, 40)))
        (place / "notes" / source).write_bytes(texts[source].encode())
    remem.compile(place / "notes")
    assert remem.compile(place / "notes").snapshot is None
    assert list_faults(remem) == []
    folder = place / f"out{seed}"
    remem.export_markdown(folder)
    for source, text in texts.items():
        if not source.endswith(".html"):
            assert (folder / "notes" / source).read_bytes() == text.encode(), source


@settings(max_examples=60)
@given(parts=st.lists(st.sampled_from((*QUERY, *MARKDOWN[:30])), max_size=8))
def test_no_query_is_an_error(remem: RememSync, parts: list[str]) -> None:
    text = "".join(parts)
    for mode in ("keyword", "hybrid"):
        try:
            remem.search(text, mode=mode)
        except InvalidInputError:
            assert "\x00" in text
