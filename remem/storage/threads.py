"""Work on a thread that ends with the call that waits for it. Knows no store."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def run_stoppable(work: Callable[[Callable[[], bool]], T]) -> T:
    """What `work(is_stopped)` gives, on a thread of its own.

    Where the call is cancelled, `is_stopped()` is true from then on, and the call ends when the work has: so that
    nothing goes on behind it, work that takes long asks often.
    """
    stopped = threading.Event()
    running = asyncio.ensure_future(asyncio.to_thread(work, stopped.is_set))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        stopped.set()
        await asyncio.wait([running])
        if not running.cancelled():
            running.exception()  # has been seen
        raise
