"""The clock that stores go by in these tests."""

from __future__ import annotations

import time

import pytest

from tests.usage.clock import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The wall clock of this process: it stands still until the test turns it."""
    own = Clock()
    monkeypatch.setattr(time, "time_ns", lambda: own.now * 1_000_000)
    return own
