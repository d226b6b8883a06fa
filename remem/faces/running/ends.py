"""How a process that serves ends: by which signals it is asked to, and without waiting for its threads."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import NoReturn

from remem.faces.wire import FAILED

END_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
REPEAT_SECONDS = 1.0
"""A signal that comes so soon after the first is that one again: `timeout` and others send on what the whole group of
processes has got."""


def listen_signals(end: Callable[[], object]) -> None:
    """Has the first signal call `end`, between any two steps of the main thread, and one that comes a second later or
    more end the process at once with status 1. Holds for the rest of the process: it may get one to its last moment."""
    began: float | None = None

    def hear(number: int, frame: FrameType | None) -> None:
        nonlocal began
        if began is None:
            began = time.monotonic()
            end()
        elif time.monotonic() - began >= REPEAT_SECONDS:
            os._exit(FAILED)

    for number in END_SIGNALS:
        signal.signal(number, hear)


def end_process(status: int) -> NoReturn:
    """Ends the process without waiting for threads: one may wait for a client that is gone, or parse a file."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(ValueError, OSError):
            if stream is not None:
                stream.flush()
    os._exit(status)
