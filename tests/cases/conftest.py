"""A fresh vault for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.vault import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """A vault whose store is open."""
    made = Vault(tmp_path)
    with made.remem:
        yield made
