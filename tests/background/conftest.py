"""A store whose embedder hashes words: it is quick, and texts with the same words are alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from remem import Remem
from remem.embedding.base import Embedder
from remem.embedding.keeper import EmbedderKeeper
from remem.records import EmbedderOptions

Opening: TypeAlias = Callable[..., AbstractAsyncContextManager[Remem]]
Check: TypeAlias = Callable[[Remem], Awaitable[None]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store lies."""
    return tmp_path / "store.db"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Settings with the hashing embedder."""
    return write_config(tmp_path, "")


def write_config(folder: Path, more: str, provider: str = "hashing") -> Path:
    """A file of settings."""
    file = folder / "settings.toml"
    text = f'[storage]\nsynchronous = "normal"\n[embedding]\nprovider = "{provider}"\n{more}'
    file.write_text(text, encoding="utf-8")
    return file


async def wait_until(check: Callable[[], Awaitable[bool]]) -> None:
    """Waits until a check holds, which takes no more than a moment."""
    for _ in range(5000):
        if await check():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("what was waited for never came")


@pytest.fixture
def open_store(path: Path, config: Path) -> Opening:
    """Opens the store, with an embedder of the test's own where one is given."""

    @asynccontextmanager
    async def open_it(embedder: Embedder | None = None, settings: Path = config) -> AsyncIterator[Remem]:
        async with Remem.open(path, config=settings) as remem:
            if embedder is not None:
                remem._keeper = EmbedderKeeper(EmbedderOptions(), embedder)
            yield remem

    return open_it
