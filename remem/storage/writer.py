"""Commits what callers write: those that wait at the same time share one transaction. Opens nothing, reads nothing."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from typing import Literal, TypeAlias

from remem.errors import StoreError
from remem.storage.connection import begin_write, check_identity
from remem.storage.faults import map_error
from remem.storage.sqlite import Connection
from remem.storage.worker import Abandoned, AnyCall, Worker, finish_calls

Mode: TypeAlias = Literal["grouped", "alone", "outside"]
"""Whether a call shares a commit with others, has its own, or runs outside of any transaction."""

MAX_GROUP = 256
# In seconds. A group takes no further call after the first, which waits for the commit; after the second of writing
# without a pause, other processes get a gap as long as the third to take the lock in.
MAX_GROUP_TIME = 0.05
MAX_TURN = 0.05
TURN_PAUSE = 0.003


class Writer:
    """The calls that wait to be written. One job of the worker's thread writes a group of them."""

    def __init__(self, worker: Worker, path: str, identity: tuple[int, int], busy_timeout: float) -> None:
        self.has_written = False
        self._worker = worker
        self._path = path
        self._identity = identity
        self._busy_timeout = busy_timeout
        self._waiting: deque[tuple[AnyCall, Mode, float]] = deque()
        self._turn_began: float | None = None
        self._turn_ended = 0.0

    def submit(self, call: AnyCall, mode: Mode) -> None:
        """Queues a call. Its caller is told after the commit."""
        # One job for each call, and each job writes at least one of those that wait: none is forgotten.
        self._waiting.append((call, mode, time.monotonic()))
        self._worker.post(self._write_next)

    def _write_next(self) -> None:
        if not self._waiting:
            return
        self._yield_turn()
        call, mode, submitted = self._waiting.popleft()
        calls = [call]
        try:
            if mode == "outside":
                self._run_outside(call)
            else:
                self._write_group(calls, mode, submitted)
        finally:
            self.has_written = True
            self._turn_ended = time.monotonic()
            finish_calls(calls)
        if not self._waiting:
            self._turn_began = None

    def _yield_turn(self) -> None:
        now = time.monotonic()
        if self._turn_began is None:
            self._turn_began = now
        elif now - self._turn_began > MAX_TURN:
            time.sleep(TURN_PAUSE)
            self._turn_began = time.monotonic()

    def _run_outside(self, call: AnyCall) -> None:
        raw = self._worker.get_raw()
        self._worker.perform(call, call.run)
        if raw.in_transaction:
            raw.execute("ROLLBACK")

    def _write_group(self, calls: list[AnyCall], mode: Mode, submitted: float) -> None:
        """Writes the call in `calls` and those that may share its commit, which it adds to the list."""
        raw = self._worker.get_raw()
        try:
            if not self._begin(raw, calls[0], submitted):
                return
            if mode == "alone":
                self._run_alone(raw, calls[0])
            else:
                self._run_unit(raw, calls[0])
            started = time.monotonic()
            while mode == "grouped" and raw.in_transaction and (call := self._take_joining(len(calls), started)):
                calls.append(call)
                self._run_unit(raw, call)
            if raw.in_transaction:
                self._end(raw, calls)
                return
        except BaseException as error:
            self._fail(raw, calls, error)
            return
        # SQLite drops the whole transaction where a statement is interrupted, the disk full or memory short. The other
        # calls of the group are not at fault: each gets a transaction of its own.
        for call in [call for call in calls if call.error is None]:
            self._write_group([call], "alone", time.monotonic())

    def _begin(self, raw: Connection, call: AnyCall, submitted: float) -> bool:
        # The time that a call waited for others of this process does not count as waiting for the lock.
        deadline = max(submitted, self._turn_ended) + self._busy_timeout
        if not begin_write(raw, deadline, lambda: call.cancelled):
            call.error = Abandoned()
            return False
        check_identity(self._path, self._identity)
        return True

    def _take_joining(self, count: int, started: float) -> AnyCall | None:
        """The next call, where it may join a group of `count` calls."""
        if not self._waiting or count >= MAX_GROUP or time.monotonic() - started > MAX_GROUP_TIME:
            return None
        if self._waiting[0][1] != "grouped":
            return None
        return self._waiting.popleft()[0]

    def _run_unit(self, raw: Connection, call: AnyCall) -> None:
        """Runs a call so that nothing of it remains where it fails. Only its own function can be interrupted."""
        raw.execute("SAVEPOINT unit")
        self._run_alone(raw, call)
        if not raw.in_transaction:
            return
        if call.error is not None:
            raw.execute("ROLLBACK TO unit")
        raw.execute("RELEASE unit")

    def _run_alone(self, raw: Connection, call: AnyCall) -> None:
        """Runs a call that has the transaction to itself, so that its end undoes it where it fails.

        Within a savepoint SQLite keeps every page that changes in memory as a linked list, and walks all of it after
        each statement that has triggers or indexes: the time of a large write would grow with its square.
        """
        self._worker.perform(call, call.run)
        if not raw.in_transaction:
            if call.error is None:
                raise StoreError(
                    f"store {self._path}: a call ended the transaction that it ran in. Writes leave that to the store.",
                    path=self._path,
                )
            return
        if call.cancelled:
            call.error = Abandoned()

    def _end(self, raw: Connection, calls: Iterable[AnyCall]) -> None:
        if all(call.error is not None for call in calls):
            raw.execute("ROLLBACK")
            return
        check_identity(self._path, self._identity)
        raw.execute("COMMIT")

    def _fail(self, raw: Connection, calls: Iterable[AnyCall], error: BaseException) -> None:
        if raw.in_transaction:
            raw.execute("ROLLBACK")
        for call in calls:
            if call.error is None:
                call.error = map_error(error, self._path)
