"""The two ends of the stdio protocol: lines from one descriptor, lines to another. What could make the event loop wait
is done on a thread of its own; pipes and sockets are read, and pipes with room are written, without one.

Descriptors 0 and 1 of the process lead elsewhere as soon as they are claimed, so that whatever else is printed, by
Python or by a C library, never comes between two messages. It knows nothing of the messages themselves.
"""

from __future__ import annotations

import asyncio
import os
import queue
import stat
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

    A thread that reads never keeps the process from ending: a read that nobody ends cannot be cancelled. `ended` is set
    when there is no more to come.
    """

    def __init__(self, descriptor: int, deliver: Deliver) -> None:
        self.ended = asyncio.Event()
        self._descriptor = descriptor
        self._deliver = deliver
        self._loop = asyncio.get_running_loop()
        self._rest = bytearray()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Starts to read."""
        if can_wait_for(self._descriptor):
            with suppress(OSError, NotImplementedError):  # some event loops wait for no pipe: a thread reads then
                self._loop.add_reader(self._descriptor, self._read_some)
                return
        threading.Thread(target=self._run, name="remem mcp reader", daemon=True).start()

    def _cut_lines(self, chunk: bytes) -> list[bytes]:
        """The lines that end in a chunk, or at the end of all (an empty chunk)."""
        before, found, after = chunk.rpartition(b"\n")
        if found:
            lines, self._rest = bytes(self._rest + before).split(b"\n"), bytearray(after)
            return lines
        self._rest += chunk
        if chunk or not self._rest:
            return []
        lines, self._rest = [bytes(self._rest)], bytearray()
        return lines

    # --- in the event loop -------------------------------------------------------------------------------------------

    def _read_some(self) -> None:
        try:
            chunk = os.read(self._descriptor, CHUNK)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:  # the wire has gone
            chunk = b""
        lines = self._cut_lines(chunk)
        if lines or not chunk:
            self._loop.remove_reader(self._descriptor)
            self._task = self._loop.create_task(self._hand_over(lines, more=bool(chunk)))

    async def _hand_over(self, lines: list[bytes], *, more: bool) -> None:
        try:
            await self._deliver(lines)
        except BaseException:
            self.ended.set()
            raise
        if more:
            self._loop.add_reader(self._descriptor, self._read_some)
        else:
            self.ended.set()

    # --- on a thread -------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        with suppress(OSError, RuntimeError, CancelledError):  # the wire or the loop has gone
            while chunk := os.read(self._descriptor, CHUNK):
                self._wait_taken(self._cut_lines(chunk))
            self._wait_taken(self._cut_lines(b""))
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.ended.set)

    def _wait_taken(self, lines: list[bytes]) -> None:
        if lines:
            asyncio.run_coroutine_threadsafe(self._deliver(lines), self._loop).result()


class LineWriter:
    """Writes lines to a descriptor, in order. `broken` is set when nobody reads them any more."""

    def __init__(self, descriptor: int) -> None:
        self.broken = asyncio.Event()
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._capacity = find_capacity(descriptor)
        self._waiting = 0
        self._jobs: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="remem mcp writer", daemon=True)

    def start(self) -> None:
        """Starts to write."""
        self._thread.start()

    async def write(self, line: bytes) -> None:
        """Writes a line; returns when the system has taken it, or at once when nobody reads."""
        if self.broken.is_set():
            return
        data = line + b"\n"
        if not self._waiting and len(data) <= self._capacity and is_empty(self._descriptor):
            data = data[self._write_some(data) :]
        if data and not self.broken.is_set():
            written = self._loop.create_future()
            self._waiting += 1
            self._jobs.put((data, written))
            await written

    def _write_some(self, data: bytes) -> int:
        try:
            return os.write(self._descriptor, data)
        except BlockingIOError:
            return 0
        except OSError:
            self.broken.set()
            return 0

    def _run(self) -> None:
        while True:
            data, written = self._jobs.get()
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:
                with suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self.broken.set)
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._finish, written)

    def _finish(self, written: asyncio.Future[None]) -> None:
        self._waiting -= 1
        if not written.done():
            written.set_result(None)


# --- what a descriptor leads to ---------------------------------------------------------------------------------------


def can_wait_for(descriptor: int) -> bool:
    """Whether an event loop can wait until there is something to read: at a pipe or a socket."""
    mode = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def find_capacity(descriptor: int) -> int:
    """The bytes that a pipe takes while nothing is in it, 0 where that is not known."""
    if sys.platform != "linux" or not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return 0
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)


def is_empty(descriptor: int) -> bool:
    """Whether all that was written to a pipe has been read."""
    if sys.platform != "linux":
        return False
    import fcntl
    import termios

    return not any(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))
