"""A connection on a thread of its own, and the calls that run there. Knows nothing of transactions or SQL."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Generic, TypeAlias, TypeVar

import aiosqlite

from remem.storage.faults import map_error
from remem.storage.sqlite import Connection

T = TypeVar("T")

_INTERRUPT_PAUSE = 0.01
# Steps of SQLite's machine, counted over the runs of a statement, after which it asks whether the caller is gone. It
# ends a call of many short statements, between which an interrupt passes unseen.
_STEPS = 500_000


class Abandoned(BaseException):
    """What came of a call whose caller was cancelled. No caller ever sees it."""


class Call(Generic[T]):
    """One function that is to run on a connection's thread, and what came of it. Made in the caller's event loop."""

    def __init__(self, function: Callable[[Connection], T]) -> None:
        self.cancelled = False
        self.started = False
        self.finished = False
        self.error: BaseException | None = None
        self._function = function
        self._result: T | None = None
        self._loop = asyncio.get_running_loop()
        self._signal = self._loop.create_future()

    def run(self, connection: Connection) -> None:
        """Runs the function and keeps its result. What it raises passes."""
        self._result = self._function(connection)

    async def wait(self, worker: Worker) -> T:
        """The function's result. Where the caller is cancelled, the function is interrupted and its end awaited.

        Raises what the function raised.
        """
        try:
            await self._signal
        except asyncio.CancelledError:
            await self._cancel(worker)
            raise
        if self.error is not None:
            raise self.error
        return self._result  # type: ignore[return-value]

    async def _cancel(self, worker: Worker) -> None:
        self.cancelled = True
        self._signal = self._loop.create_future()
        while worker.has_begun(self) and not self.finished:
            # Between two statements there is nothing to interrupt: one attempt may not be enough.
            worker.interrupt_call(self)
            await asyncio.wait([self._signal], timeout=_INTERRUPT_PAUSE)

    def wake_caller(self) -> None:
        """Ends `wait`. Runs in the caller's event loop."""
        if not self._signal.done():
            self._signal.set_result(None)

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop of the caller."""
        return self._loop


AnyCall: TypeAlias = Call[Any]


def finish_calls(calls: Iterable[AnyCall]) -> None:
    """Tells the callers that their calls have come to an end, with one wake-up for each event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[AnyCall]] = {}
    for call in calls:
        call.finished = True
        by_loop.setdefault(call.loop, []).append(call)
    for loop, own in by_loop.items():
        # In a loop that has been closed nobody waits any more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_wake_callers, own)


class Worker(aiosqlite.Connection):
    """A connection with its thread, which never keeps the process from ending. Jobs run one after the other."""

    def __init__(self, opener: Callable[[], Connection], path: str) -> None:
        super().__init__(opener, iter_chunk_size=64)
        self.load = 0
        self.failure: BaseException | None = None
        self._opener = opener
        self.path = path
        self._raw: Connection | None = None
        self._guard = threading.Lock()
        self._current: AnyCall | None = None

    def start(self) -> None:
        """Starts the thread, whose first job is to open the connection. `failure` tells where that went wrong."""
        body = self._thread.run

        def run_quietly() -> None:
            # The end of the thread is reported to a loop that may be closed by then.
            with suppress(RuntimeError):
                body()

        self._thread.run = run_quietly  # type: ignore[method-assign]
        self._thread.daemon = True
        self._thread.start()
        self.post(self._open)

    def post(self, job: Callable[[], None]) -> None:
        """Queues a job for the thread. Jobs must not raise."""
        self._tx.put_nowait((None, job))

    def perform(self, call: AnyCall, action: Callable[[Connection], None]) -> None:
        """Runs an action on behalf of a call, unless its caller has been cancelled, and keeps what it raises.

        On the worker's thread only. The call is not finished by it.
        """
        if not self._begin(call):
            call.error = Abandoned()
            return
        try:
            action(self.get_raw())
        except BaseException as error:
            # The error of a cancelled call would keep its cursors alive, and with them the interrupt.
            call.error = Abandoned() if call.cancelled else map_error(error, self.path)
        finally:
            with self._guard:
                self._current = None

    def get_raw(self) -> Connection:
        """The connection itself, for the worker's thread. Raises what kept it from being opened."""
        if self.failure is not None:
            raise self.failure
        assert self._raw is not None
        return self._raw

    def has_begun(self, call: AnyCall) -> bool:
        """Whether a call runs or ran. After it has answered no for a cancelled call, the call never runs."""
        with self._guard:
            return call.started

    def interrupt_call(self, call: AnyCall) -> None:
        """Interrupts the statement that runs for a call, if one does."""
        with self._guard:
            if self._current is call and self._raw is not None:
                self._raw.interrupt()

    def end(self, farewell: Callable[[Connection], None] | None = None) -> asyncio.Future[Any] | None:
        """Lets the thread finish its jobs, run `farewell`, close the connection and end.

        What it gives may be awaited.
        """
        self.post(lambda: self._close_raw(farewell))
        return self.stop()

    def _begin(self, call: AnyCall) -> bool:
        with self._guard:
            if call.cancelled:
                return False
            call.started = True
            self._current = call
            return True

    def _is_cancelled(self) -> bool:
        call = self._current
        return call is not None and call.cancelled

    def _open(self) -> None:
        try:
            self._raw = self._opener()
            self._raw.set_progress_handler(self._is_cancelled, _STEPS)
        except BaseException as error:
            self.failure = error

    def _close_raw(self, farewell: Callable[[Connection], None] | None) -> None:
        if self._raw is None:
            return
        try:
            if farewell is not None:
                farewell(self._raw)
        finally:
            self._raw.close()


def _wake_callers(calls: list[AnyCall]) -> None:
    for call in calls:
        call.wake_caller()
