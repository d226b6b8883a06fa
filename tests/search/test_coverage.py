"""What an answer says of what was not searched: texts that wait for their vectors, filters, an empty store."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem import Remem
from remem.embedding.keeper import EmbedderKeeper
from remem.engine.sync import RememSync
from remem.records import EmbedderOptions
from tests.background.embedders import Spoiling

BEHIND = "the index of meaning is behind: {} without vectors yet, {} of them refused or failed and to be tried again"


def test_texts_that_wait_for_their_vectors_are_counted(tmp_path: Path, config: Path) -> None:
    with Remem.open_sync(tmp_path / "m.db", config=config) as opened:
        embedder = Spoiling([float("nan")] * 384)
        opened._remem._keeper = EmbedderKeeper(EmbedderOptions(), embedder)
        opened.store("Puffins nest in burrows", id="puffins")
        for number in range(3):
            opened.store(f"puffins spoil the vector {number}", id=f"spoilt-{number}")
        opened.settle()
        behind = BEHIND.format("3 texts", 3)
        for mode in ("hybrid", "semantic"):
            assert opened.search("puffins", mode=mode).notes[0] == behind
        assert behind in opened.recall("puffins").notes
        assert opened.search("puffins", limit=1).notes == (behind,)  # a full page says it as well
        assert opened.search("puffins", mode="keyword").notes == ()
        opened.forget("spoilt-0")
        assert "2 texts without vectors yet" in opened.search("puffins").notes[0]
        embedder.ill = False
        opened.embed()
        assert opened.search("puffins").notes == ()


def test_before_anything_is_embedded_an_answer_says_so_and_how_much_waits(tmp_path: Path, config: Path) -> None:
    with Remem.open_sync(tmp_path / "m.db", config=config) as opened:
        opened._remem._keeper = EmbedderKeeper(EmbedderOptions(), Spoiling(None))
        opened.store("puffins spoil it")
        opened.settle()
        page = opened.search("puffins")
        assert page.mode == "keyword" and page.notes == (
            "nothing is embedded yet: searched by words alone",
            BEHIND.format("1 text", 1),
        )
        page = opened.search("puffins", mode="semantic")
        assert (list(page), page.mode) == ([], "semantic")
        assert page.notes[0] == "nothing is embedded yet: nothing can be found by meaning"
        assert page.searched is not None and (page.searched.passages, page.searched.nodes) == (1, 1)


def test_a_short_answer_counts_the_passages_without_vectors(remem: RememSync) -> None:
    note = "6 of 11 passages without vectors: `remem embed` makes them"
    assert note in remem.search("puffins", limit=50).notes
    assert note not in remem.search("puffins", limit=1).notes
    assert note not in remem.search("puffins", mode="keyword", limit=50).notes
    remem.embed()
    assert remem.search("puffins", limit=50).notes == ()


def test_nothing_is_said_of_vectors_where_nothing_was_asked(remem: RememSync) -> None:
    assert remem.search("").notes == ("the query holds no words",)


@pytest.mark.parametrize(
    ("filters", "note"),
    [
        ({"tags": ["nosuch"]}, "no passage passes the filter tags: nosuch"),
        ({"tags": ["nosuch"], "kinds": ["text"]}, "no passage passes the filter tags: nosuch"),
        ({"memory_type": "long_term", "roots": ["notes"]}, "no passage passes all of the filters together"),
        ({"sources": ["nowhere"], "tags": ["none"]}, "no passage passes the filters tags: none; sources: nowhere"),
        ({"created_after": 4_102_444_800_000}, "no passage passes the filter created_after: 2100-01-01 00:00:00 UTC"),
        ({"created_after": 1 << 50}, f"no passage passes the filter created_after: {1 << 50}"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_filters_that_let_nothing_through_are_named(
    remem: RememSync, filters: dict[str, object], note: str, mode: str
) -> None:
    page = remem.search("puffins", mode=mode, **filters)  # type: ignore[arg-type]
    assert any(told.startswith(note) for told in page.notes), page.notes
    assert page.searched is not None and page.searched.nodes == remem.stats().nodes


def test_filters_that_exclude_what_matches_are_named(remem: RememSync) -> None:
    page = remem.search("tickets", mode="keyword", tags=["birds"], memory_type="long_term")
    note = "1 section matches the words, but none of them passes the filters tags: birds; memory_type: long_term"
    assert page.notes == (note,)


def test_filters_that_let_through_what_is_not_embedded_are_named(remem: RememSync) -> None:
    page = remem.search("puffins", mode="semantic", sources=["birds.md"])
    assert "nothing is embedded of the 3 passages that the filters let through (sources: birds.md)" in page.notes


@pytest.mark.parametrize("mode", ["hybrid", "keyword"])
def test_a_store_with_nothing_to_search_says_what_there_is(tmp_path: Path, config: Path, mode: str) -> None:
    with Remem.open_sync(tmp_path / "m.db", config=config) as opened:
        assert opened.search("x", mode=mode).notes[-1] == (
            "the store is empty: nothing is compiled yet, and no memory is stored"
        )
        opened.store("Puffins", id="a")
        opened.store("Terns", id="b")
        opened.settle()
        assert not any("compiled" in note for note in opened.search("x", mode=mode).notes)
        opened.forget("a")
        opened.forget("b")
        assert opened.search("puffins", mode=mode).notes[-1] == (
            "nothing is there to be searched: no notes, and 2 memories archived or expired"
        )
