"""The guard ends what hangs, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from contextlib import suppress

import pytest

from tests.guard import guard_hang

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
SOON = 0.02


def test_an_endless_loop_is_ended_and_named() -> None:
    with (
        pytest.raises(AssertionError, match=r"the loop hangs: it has not ended after 0\.02 s"),
        guard_hang("the loop", SOON),
    ):
        while True:
            pass


def test_waiting_for_a_thread_or_an_event_is_ended() -> None:
    with pytest.raises(AssertionError, match="hangs"), guard_hang("the lock", SOON):
        threading.Event().wait()
    with pytest.raises(AssertionError, match="hangs"), guard_hang("the event", SOON):
        asyncio.run(asyncio.Event().wait())


def test_code_that_swallows_every_exception_is_told_all_the_same() -> None:
    with pytest.raises(AssertionError, match="hangs"), guard_hang("the loop", SOON), suppress(Exception):
        while True:
            pass


def test_what_ends_in_time_is_left_alone() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with guard_hang("nothing", 30):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before
    with pytest.raises(ZeroDivisionError), guard_hang("nothing", 30):
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGALRM) == before
