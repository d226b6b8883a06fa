"""What the tests of versions share: an open store and a folder of notes beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from tests.versioning.vault import Vault


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store is."""
    return tmp_path / "store.db"


@pytest.fixture
def remem(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RememSync]:
    """An open store that embeds nothing."""
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "none")
    with Remem.open_sync(path) as opened:
        yield opened


@pytest.fixture
def vault(tmp_path: Path, remem: RememSync) -> Vault:
    """A folder of notes, still empty."""
    return Vault(tmp_path / "vault", remem)
