"""The service on an empty store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faces.rest.site import Site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Site(tmp_path / "memory.db") as site:
        yield site
