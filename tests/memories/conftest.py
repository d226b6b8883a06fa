"""A store, and the clock that it goes by."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from tests.usage.clock import Clock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store lies."""
    return tmp_path / "store.db"


@pytest.fixture
def remem(path: Path, clock: Clock) -> Iterator[RememSync]:
    """An empty store; it must be healthy at the end."""
    with Remem.open_sync(path) as opened:
        yield opened
        assert [finding for finding in opened.doctor().findings if finding.fault] == []
