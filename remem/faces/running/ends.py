"""How a process that serves ends: by which signals it is asked to, and without waiting for its threads."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

END_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def end_process(status: int) -> NoReturn:
    """Ends the process without waiting for threads: one may wait for a client that is gone, or parse a file."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(ValueError, OSError):
            if stream is not None:
                stream.flush()
    os._exit(status)
