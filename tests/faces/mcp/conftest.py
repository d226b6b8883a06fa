"""One server process for the tests that do not change its store, and copies of the store for the others."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faces.mcp.wire_client import WireClient


@pytest.fixture(scope="session")
def shared(compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WireClient]:
    """A client after its handshake, on a store of the sample notes that nobody changes."""
    yield from serve_copy(compiled, tmp_path_factory.mktemp("shared"))


@pytest.fixture(scope="session")
def unused(compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WireClient]:
    """The same for tests that use no node, so that temperatures stand still: what was used between two pages of an
    index may come again."""
    yield from serve_copy(compiled, tmp_path_factory.mktemp("unused"))


def serve_copy(compiled: Path, folder: Path) -> Iterator[WireClient]:
    """A client of a server on a copy of the store."""
    store = shutil.copy(compiled, folder / "memory.db")
    with WireClient(Path(store)) as client:
        client.greet()
        yield client
