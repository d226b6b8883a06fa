"""A guard for what might never end: it fails a test that hangs. It measures nothing, so a busy machine fails none."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

HANG_SECONDS = 60.0
"""What takes longer than this hangs: whatever is guarded takes about a second."""


@contextmanager
def guard_hang(what: str, seconds: float = HANG_SECONDS) -> Iterator[None]:
    """Fails with an AssertionError that names `what` when its block has not ended after `seconds` of wall time.

    For the main thread alone, and not one within another. Where the system has no such timer, nothing is guarded.
    """
    if sys.platform == "win32":
        yield
        return
    message, rung = f"{what} hangs: it has not ended after {seconds:g} s", False

    def ring(number: int, frame: FrameType | None) -> None:
        nonlocal rung
        rung = True
        raise AssertionError(message)

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # What takes every exception for a fault of its input has swallowed it.
    assert not rung, message
