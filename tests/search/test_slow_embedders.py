"""Search while the embedder hangs, fails or is another one: it goes on by words at once, and says so once."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from remem import Remem
from remem.embedding.hashing import HashingEmbedder
from remem.embedding.keeper import EmbedderKeeper
from remem.engine import queries
from remem.engine.queries import PAUSE, QueryEmbedder
from remem.engine.sync import RememSync
from remem.errors import EmbedderError
from remem.records import EmbedderOptions, Fixed, NoEmbedder, Refusal
from remem.settings import EmbeddingSettings
from tests.embedding.server import Service, reply_openai, reply_status, serve
from tests.guard import guard_hang

if TYPE_CHECKING:
    from remem.embedding.base import Vector

FACT = "Puffins nest in burrows"


class Moody(HashingEmbedder):
    """Embeds queries by whatever `mood` does first; counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.mood: Callable[[], object] = lambda: None
        self.closing = threading.Event()

    def embed_queries(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """As the hashing one, after its mood; a refusal where that gives one."""
        self.asked += 1
        found = self.mood()
        return [found] if isinstance(found, Refusal) else super().embed_queries(texts)

    def hang(self) -> None:
        """Answers when the test is over."""
        self.closing.wait(60)

    def fail(self) -> None:
        """Fails as a whole."""
        raise EmbedderError("the model does not answer", model="moody", endpoint=None)

    def break_down(self) -> None:
        """Raises what no embedder should."""
        raise ZeroDivisionError("secret text")


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LIMIT", "LONGEST_REQUEST", "FIRST_LIMIT"):
        monkeypatch.setattr(queries, name, 0.3)


@contextmanager
def open_store(path: Path, config: Path, mood: str) -> Iterator[tuple[RememSync, Moody]]:
    """A store with one embedded memory, and an embedder of that mood from now on."""
    embedder = Moody()
    with Remem.open_sync(path, config=config) as opened:
        opened._remem._keeper = EmbedderKeeper(EmbedderOptions(), embedder)
        opened.store(FACT, id="puffins")
        assert opened.settle().embedded == 1
        embedder.mood = getattr(embedder, mood)
        try:
            yield opened, embedder
        finally:
            embedder.closing.set()


@pytest.mark.parametrize(
    ("mood", "reason"),
    [
        ("hang", "no vector of the query within 0.3 s"),
        ("fail", "the model does not answer"),
        ("break_down", "the embedder failed (ZeroDivisionError)"),
    ],
)
def test_a_failure_is_waited_for_once_and_every_search_goes_on_by_words(
    tmp_path: Path, config: Path, mood: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    with guard_hang("a search"), open_store(tmp_path / "m.db", config, mood) as (remem, embedder):
        for number in range(4):
            page = remem.search(f"puffins {number}")
            assert [hit.id for hit in page] == ["puffins"] and page.mode == "keyword"
            (note,) = page.notes
            assert note.startswith("searched by words alone: ") and reason in note and "secret" not in note
            assert ("; it is asked again in " in note) is (number > 0)
        assert reason in remem.recall("puffins").notes[0]
        assert embedder.asked == 1
        with pytest.raises(EmbedderError):
            remem.search("puffins", mode="semantic")
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) == 1


def test_after_the_pause_one_query_tries_while_the_others_go_on(config: Path) -> None:
    clock, embedder = Clock(), Moody()
    asker = QueryEmbedder(EmbeddingSettings(provider="hashing"), clock)
    keeper = EmbedderKeeper(EmbedderOptions(), embedder)
    fixed = Fixed(embedder.fingerprint, embedder.dimensions)

    async def ask(text: str) -> bool:
        try:
            return not isinstance(await asker.embed(keeper, fixed, text), Refusal)
        except EmbedderError:
            return False

    async def run() -> None:
        embedder.mood = embedder.fail
        assert [await ask("a"), await ask("b"), embedder.asked] == [False, False, 1]
        clock.now += PAUSE - 1
        assert [await ask("c"), embedder.asked] == [False, 1]
        clock.now += 2
        assert not any(await asyncio.gather(ask("d"), ask("e"), ask("f")))
        assert embedder.asked == 2
        clock.now += PAUSE + 1
        embedder.mood = lambda: None
        assert list(await asyncio.gather(ask("g"), ask("h"))) == [True, False]
        assert [await ask("i"), await ask("k")] == [True, True]

    asyncio.run(run())


def test_a_vector_that_is_none_is_told_and_puts_nothing_off(tmp_path: Path, config: Path) -> None:
    with open_store(tmp_path / "m.db", config, "fail") as (remem, embedder):
        embedder.mood = lambda: Refusal("the model gave a vector of zeros", retry=True)
        assert remem.search("puffins").notes == ("searched by words alone: the model gave a vector of zeros",)
        with pytest.raises(EmbedderError, match="zeros"):
            remem.search("puffins there", mode="semantic")
        embedder.mood = lambda: Refusal("the text is empty", retry=False)
        page = remem.search("puffins here", mode="semantic")
        assert (list(page), page.mode) == ([], "semantic")
        assert page.notes[0] == "nothing can be found by meaning: the text is empty"
        embedder.mood = lambda: None
        assert remem.search("puffins again").mode == "hybrid"


def test_another_embedder_is_named_and_puts_nothing_off(config: Path, caplog: pytest.LogCaptureFixture) -> None:
    embedder = Moody()
    asker = QueryEmbedder(EmbeddingSettings(provider="hashing"), Clock())
    keeper = EmbedderKeeper(EmbedderOptions(), embedder)

    async def run() -> None:
        for _ in range(3):
            with pytest.raises(EmbedderError, match="remem reembed") as caught:
                await asker.embed(keeper, Fixed("other/3/00", 3), "puffins")
            assert "asked again" not in caught.value.message
        none = EmbedderKeeper(EmbedderOptions(provider="none"))
        assert isinstance(await none.get(), NoEmbedder)
        with pytest.raises(EmbedderError):
            await asker.embed(none, Fixed("other/3/00", 3), "puffins")
        await asker.embed(keeper, Fixed(embedder.fingerprint, embedder.dimensions), "puffins")

    asyncio.run(run())
    assert len([record for record in caplog.records if "remem reembed" in record.message]) == 1


# --- services ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def service() -> Iterator[Service]:
    """A good service, until a test makes it worse."""
    with serve(reply_openai) as running:
        yield running


def write_settings(folder: Path, url: str) -> Path:
    file = folder / "service.toml"
    told = f'[embedding]\nprovider = "openai"\nmodel = "small"\nurl = "{url}"\nretries = 5\ndimensions = 3\n'
    file.write_text(told, encoding="utf-8")
    return file


@pytest.mark.parametrize("trouble", ["hangs", "refuses", "drips"])
def test_a_service_in_trouble_is_asked_once_without_retries(tmp_path: Path, service: Service, trouble: str) -> None:
    with (
        guard_hang("a search"),
        Remem.open_sync(tmp_path / "m.db", config=write_settings(tmp_path, service.url)) as opened,
    ):
        opened.store(FACT, id="puffins")
        assert opened.settle().embedded == 1
        assert opened.search("burrows").mode == "hybrid"
        service.hangs, service.drips = trouble == "hangs", trouble == "drips"
        if trouble == "refuses":
            service.replies = [reply_status(503)]
        before = len(service.requests)
        for number in range(3):
            page = opened.search(f"puffins {number}")
            assert [hit.id for hit in page] == ["puffins"]
            assert page.notes[0].startswith("searched by words alone: ")
        assert len(service.requests) == before + 1


def test_a_service_that_is_gone_delays_no_search(tmp_path: Path) -> None:
    with serve(reply_openai) as service:
        settings = write_settings(tmp_path, service.url)
        with Remem.open_sync(tmp_path / "m.db", config=settings) as opened:
            opened.store(FACT, id="puffins")
            assert opened.settle().embedded == 1
    with guard_hang("a search"), Remem.open_sync(tmp_path / "m.db", config=settings) as opened:
        for number in range(3):
            assert [hit.id for hit in opened.search(f"puffins {number}")] == ["puffins"]
