"""The open store: one connection that writes, a few that read, each on its own thread. Knows no table."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from remem.errors import InvalidInputError, StoreError, StoreReadOnlyError
from remem.storage.connection import Synchronous, check_identity, open_reader, open_writer
from remem.storage.faults import map_error
from remem.storage.place import check_place, get_identity, is_writable
from remem.storage.sqlite import Connection
from remem.storage.worker import AnyCall, Call, Worker, finish_calls
from remem.storage.writer import Mode, Writer

P = ParamSpec("P")
T = TypeVar("T")

MAX_READERS = 32
MAX_BUSY_TIMEOUT = 3600

READ_DATA_VERSION = "PRAGMA data_version"
# No `PRAGMA optimize`: what it learns of a small store makes SQLite scan whole tables once the store has grown.
FAREWELL = ("PRAGMA wal_checkpoint(TRUNCATE)",)


class Store:
    """One store file. A unit of work is a plain function that gets the connection as its first argument.

    Its rows must be fetched before it returns, and it must leave transactions to the store. Cancelling `read` or
    `write` interrupts the function and rolls back; a cancel that comes while the commit is under way is too late for
    that. Errors of SQLite come as StoreError and its subclasses.

    A file that this process may not write can be read: `read_only` is true, and what writes raises StoreReadOnlyError.
    Without a log beside it such a file is taken as it stands, so later changes by others are not safe to read: open it
    for single calls, not for a service.
    """

    def __init__(self, path: str, *, synchronous: Synchronous, readers: int, busy_timeout: float) -> None:
        self.path = path
        self.read_only = False
        self._synchronous: Synchronous = synchronous
        self._busy_timeout = busy_timeout
        self._max_readers = readers
        self._identity: tuple[int, int] | None = None
        self._main = Worker(self._open_main, path)
        self._writer: Writer | None = None
        self._readers: list[Worker] = []
        self.writes = 0
        """How many writes have ended, well or not: what is kept of reads looks again after each."""
        self._closed = False
        self._ends: list[asyncio.Future[Any]] = []

    @classmethod
    async def open(
        cls,
        path: str | os.PathLike[str],
        *,
        synchronous: Synchronous = "full",
        readers: int = 2,
        busy_timeout: float = 5.0,
        create: bool = True,
    ) -> Self:
        """Opens the store at `path`, which is made where it is missing and `create` is true.

        `synchronous` "full" keeps an acknowledged write through a power cut, "normal" through the death of the process.
        `readers` is the number of reads that may run at once, `busy_timeout` how many seconds to wait for another
        process. Raises InvalidInputError, NotFoundError, StoreError and its subclasses.
        """
        _check_options(synchronous, readers, busy_timeout)
        full = check_place(path, create)
        store = cls(full, synchronous=synchronous, readers=readers, busy_timeout=busy_timeout)
        try:
            await store._start()
        except BaseException:
            store._end_workers()
            raise
        return store

    async def read(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `function(connection, *args)` gives, in one read transaction: all of it sees one state of the store."""
        self._check_open()
        worker = self._choose_reader()
        call = Call(lambda raw: function(raw, *args, **kwargs))
        return await self._run_read(worker, call)

    async def write(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `function(connection, *args)` gives, when what it wrote is committed; where it raises, nothing is kept.

        Calls that wait at the same time share one commit, each in a savepoint of its own. Where SQLite drops the whole
        transaction for the fault of one, the others run a second time: the function must change nothing but the store.
        """
        return await self._submit(Call(lambda raw: function(raw, *args, **kwargs)), "grouped")

    async def write_alone(
        self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """As `write`, in a transaction that no other call shares, and never run twice. For what takes long."""
        return await self._submit(Call(lambda raw: function(raw, *args, **kwargs)), "alone")

    async def run_outside(
        self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Runs a function on the writing connection outside of any transaction, for VACUUM and the like."""
        return await self._submit(Call(lambda raw: function(raw, *args, **kwargs)), "outside")

    async def check(self) -> None:
        """Whether the store can be used: its file is the one that was opened, and answers. Raises StoreError."""
        if self._identity is not None:
            check_identity(self.path, self._identity)
        await self.read(_do_nothing)

    async def data_version(self) -> int:
        """A number that changes with each commit to the file, by this store or by any other process.

        Comparable only within one open store. Take it before reading what is to be kept.
        """
        self._check_open()
        worker = self._readers[0] if self._readers else self._add_reader()
        return await self._run_read(worker, Call(_get_data_version))

    async def close(self) -> None:
        """Lets the calls that wait come to their end, tidies up and closes all connections. May be called again."""
        self._end_workers()
        pending = [end for end in self._ends if not end.done()]
        if pending:
            await asyncio.wait(pending)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _start(self) -> None:
        self._main.start()
        call = Call(_do_nothing)
        self._main.post(partial(_perform_read, self._main, call))
        await call.wait(self._main)
        if not self.read_only and self._identity is not None:
            self._writer = Writer(self._main, self.path, self._identity, self._busy_timeout)

    def _open_main(self) -> Connection:
        """The connection that writes. Where a backup takes the place of the file meanwhile, that is opened instead."""
        while True:
            before = self._find_identity()
            self.read_only = before is not None and not is_writable(self.path)
            try:
                raw = self._open_once()
            except StoreError:
                if before is None or self._find_identity() in (None, before):
                    raise
                continue
            self._identity = get_identity(self.path)
            if before in (None, self._identity):
                return raw
            raw.close()

    def _open_once(self) -> Connection:
        if self.read_only:
            return open_reader(self.path, None, self._busy_timeout)
        return open_writer(self.path, self._synchronous, self._busy_timeout)

    def _find_identity(self) -> tuple[int, int] | None:
        return get_identity(self.path) if os.path.exists(self.path) else None

    def _open_reader(self) -> Connection:
        return open_reader(self.path, self._identity, self._busy_timeout)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"store {self.path}: it has been closed. Open it again.", path=self.path)

    def _choose_reader(self) -> Worker:
        """A reader without work, a new one while there may be more, else the one with the least work."""
        best = min(self._readers, key=lambda worker: worker.load, default=None)
        if best is None or (best.load and len(self._readers) < self._max_readers):
            return self._add_reader()
        return best

    def _add_reader(self) -> Worker:
        worker = Worker(self._open_reader, self.path)
        worker.start()
        self._readers.append(worker)
        return worker

    async def _run_read(self, worker: Worker, call: Call[T]) -> T:
        worker.load += 1
        worker.post(partial(_perform_read, worker, call))
        try:
            return await call.wait(worker)
        finally:
            worker.load -= 1
            if worker.failure is not None and worker in self._readers:
                # It never opened; the next read tries a new one.
                self._readers.remove(worker)
                worker.end()

    async def _submit(self, call: Call[T], mode: Mode) -> T:
        self._check_open()
        if self._writer is None:
            raise StoreReadOnlyError(
                f"store {self.path}: it can only be read; this process may not write the file or its folder.",
                path=self.path,
            )
        self._writer.submit(call, mode)
        try:
            return await call.wait(self._main)
        finally:
            self.writes += 1

    def _end_workers(self) -> None:
        if self._closed:
            return
        self._closed = True
        ends = [worker.end() for worker in self._readers]
        ends.append(self._main.end(self._say_farewell))
        self._ends = [end for end in ends if end is not None]

    def _say_farewell(self, raw: Connection) -> None:
        if self._writer is None or not self._writer.has_written:
            return
        for statement in FAREWELL:
            raw.execute(statement).fetchall()


def _perform_read(worker: Worker, call: AnyCall) -> None:
    """Runs a call in a read transaction, on the worker's thread."""
    try:
        raw = worker.get_raw()
        raw.execute("BEGIN")
        worker.perform(call, call.run)
        if raw.in_transaction:
            raw.execute("ROLLBACK")
    except BaseException as error:
        call.error = map_error(error, worker.path)
    finally:
        finish_calls([call])


def _do_nothing(connection: Connection) -> None:
    pass


def _get_data_version(connection: Connection) -> int:
    return int(connection.execute(READ_DATA_VERSION).fetchone()[0])


def _check_options(synchronous: str, readers: int, busy_timeout: float) -> None:
    if synchronous not in ("full", "normal"):
        raise InvalidInputError(f'synchronous is "full" or "normal", not {synchronous!r}.', field="synchronous")
    if not 1 <= readers <= MAX_READERS:
        raise InvalidInputError(f"readers is a number from 1 to {MAX_READERS}, not {readers!r}.", field="readers")
    if not 0 <= busy_timeout <= MAX_BUSY_TIMEOUT:
        raise InvalidInputError(
            f"busy_timeout is a number of seconds from 0 to {MAX_BUSY_TIMEOUT}, not {busy_timeout!r}.",
            field="busy_timeout",
        )
