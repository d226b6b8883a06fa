"""The two ends of the stdio protocol: lines from one descriptor, lines to another, each on a thread of its own.

Descriptors 0 and 1 of the process lead elsewhere as soon as they are claimed, so that whatever else is printed, by
Python or by a C library, never comes between two messages. It knows nothing of the messages themselves.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, NamedTuple

CHUNK = 1 << 18

Deliver = Callable[[list[bytes]], Coroutine[Any, Any, None]]


class Wires(NamedTuple):
    """Descriptors of the protocol: lines come from `incoming`, answers go to `outgoing`."""

    incoming: int
    outgoing: int


def claim_wires() -> Wires:
    """Takes stdin and stdout for the protocol alone; from now on descriptor 0 is empty and 1 leads to stderr.

    They are not given back: what is still buffered when the process ends must not reach the wire either. No child
    inherits the wires.
    """
    with suppress(ValueError, OSError):
        sys.stdout.flush()
    wires = Wires(os.dup(0), os.dup(1))
    empty = os.open(os.devnull, os.O_RDWR)
    os.dup2(empty, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # stderr is closed
        os.dup2(empty, 1)
    os.close(empty)
    return wires


class LineReader:
    """Hands the lines of a descriptor to `deliver` in the event loop, in order, and waits until it has taken them.

    The thread never keeps the process from ending: a read that nobody ends cannot be cancelled. `ended` is set when
    there is no more to come.
    """

    def __init__(self, descriptor: int, deliver: Deliver) -> None:
        self.ended = asyncio.Event()
        self._descriptor = descriptor
        self._deliver = deliver
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="remem mcp reader", daemon=True)

    def start(self) -> None:
        """Starts to read."""
        self._thread.start()

    def _run(self) -> None:
        rest = bytearray()
        with suppress(OSError, RuntimeError, CancelledError):  # the wire or the loop has gone
            while chunk := os.read(self._descriptor, CHUNK):
                before, found, after = chunk.rpartition(b"\n")
                rest += before if found else chunk
                if not found:
                    continue
                lines = bytes(rest).split(b"\n")
                rest = bytearray(after)
                asyncio.run_coroutine_threadsafe(self._deliver(lines), self._loop).result()
            if rest:
                asyncio.run_coroutine_threadsafe(self._deliver([bytes(rest)]), self._loop).result()
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.ended.set)


class LineWriter:
    """Writes lines to a descriptor, in order. `broken` is set when nobody reads them any more."""

    def __init__(self, descriptor: int) -> None:
        self.broken = asyncio.Event()
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="remem mcp writer", daemon=True)

    def start(self) -> None:
        """Starts to write."""
        self._thread.start()

    async def write(self, line: bytes) -> None:
        """Writes a line; returns when the system has taken it, or at once when nobody reads."""
        if self.broken.is_set():
            return
        written = self._loop.create_future()
        self._jobs.put((line, written))
        await written

    def _run(self) -> None:
        while True:
            line, written = self._jobs.get()
            try:
                view = memoryview(line + b"\n")
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:
                with suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self.broken.set)
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(_finish, written)


def _finish(written: asyncio.Future[None]) -> None:
    if not written.done():
        written.set_result(None)
