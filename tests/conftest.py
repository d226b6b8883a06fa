"""What all tests share: property tests that take the same path every time, and an environment with the one setting that
makes them quick."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import settings

from tests.usage.clock import Clock

settings.register_profile("remem", derandomize=True, deadline=None, database=None, print_blob=False)
settings.load_profile("remem")


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the settings of whoever runs it, and none waits for the disk: processes die here, power does not."""
    for name in [name for name in os.environ if name.startswith("REMEM_") or name in ("COLUMNS", "NO_COLOR")]:
        monkeypatch.delenv(name)  # the width is what test runners set for their workers
    monkeypatch.setenv("REMEM_STORAGE__SYNCHRONOUS", "normal")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The wall clock of this process: it stands still until the test turns it."""
    own = Clock()
    monkeypatch.setattr(time, "time_ns", lambda: own.now * 1_000_000)
    return own
