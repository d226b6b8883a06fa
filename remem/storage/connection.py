"""Opens connections to a store with the settings that Remem relies on. Keeps no connection and starts no thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar

from remem.errors import StoreError, StoreReadOnlyError
from remem.storage import migrate, sqlite
from remem.storage.faults import BUSY, get_code, mapped_errors
from remem.storage.place import get_identity, is_writable, make_private, make_uri
from remem.storage.sqlite import Connection

Synchronous: TypeAlias = Literal["full", "normal"]
T = TypeVar("T")

PAGE_SIZE = "PRAGMA page_size = 2048"
"""Half of SQLite's own: there are some ninety tables and indexes, and a new one takes a page."""
READ_JOURNAL = "PRAGMA journal_mode"
USE_WAL = "PRAGMA journal_mode = WAL"
DISTRUST = "PRAGMA trusted_schema = OFF"
"""Functions with effects of their own cannot be called by what stands in the schema of a file."""
COMMON_SETTINGS = (
    "PRAGMA cache_size = -32768",
    "PRAGMA mmap_size = 268435456",
    "PRAGMA temp_store = MEMORY",
)
WRITER_SETTINGS = (
    *COMMON_SETTINGS,
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",
    "PRAGMA journal_size_limit = 67108864",
)
READER_SETTINGS = (*COMMON_SETTINGS, "PRAGMA query_only = ON")
SYNCHRONOUS_SETTINGS: dict[Synchronous, tuple[str, ...]] = {
    # fullfsync: on macOS a plain fsync leaves the data in the drive's cache.
    "full": ("PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON"),
    "normal": ("PRAGMA synchronous = NORMAL",),
}

CACHED_STATEMENTS = 512
"""More than there are: a statement that drops out of the cache costs ten times as much to prepare as to run."""

_OPEN_PAUSE = 0.005
# The writer asks for the lock again and again itself (see `begin_write`): SQLite's own waits grow to 0.1 s, so that a
# process which commits without a pause would keep others out until they give up.
_WRITER_WAIT = 0.008


def open_writer(path: str, synchronous: Synchronous, busy_timeout: float) -> Connection:
    """A connection that may write, to a store that is made or brought up to date first.

    `path` is absolute and checked, `busy_timeout` is in seconds. Raises StoreError and its subclasses.
    """
    with mapped_errors(path):
        return _retry_busy(lambda: _open_writer(path, synchronous, busy_timeout), busy_timeout)


def open_reader(path: str, identity: tuple[int, int] | None, busy_timeout: float) -> Connection:
    """A connection that only reads. A file that this process may not write is opened all the same.

    `identity` is what the file at `path` must be (None: anything). Raises StoreError and its subclasses.
    """
    with mapped_errors(path):
        return _retry_busy(lambda: _open_reader(path, identity, busy_timeout), busy_timeout)


def begin_write(connection: Connection, deadline: float, give_up: Callable[[], bool]) -> bool:
    """Takes the write lock, waiting until `deadline` (of time.monotonic) while another process holds it.

    False, without the lock, as soon as `give_up()` is true. Raises SQLite's error after the deadline.
    """
    while not give_up():
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite.OperationalError as error:
            if get_code(error) != BUSY or time.monotonic() >= deadline:
                raise
        else:
            return True
    return False


def check_identity(path: str, identity: tuple[int, int]) -> None:
    """Raises StoreError where the file at `path` is gone or is another than the one that was opened."""
    try:
        same = get_identity(path) == identity
    except FileNotFoundError:
        same = False
    if not same:
        raise StoreError(
            f"store {path}: the file was deleted or replaced while it was open, and nothing of the call was written. "
            "Put it back or choose another, then open the store again.",
            path=path,
        )


def _open_writer(path: str, synchronous: Synchronous, busy_timeout: float) -> Connection:
    migrate.inspect(path)
    make_private(path)
    connection = _connect(make_uri(path, mode="rwc"), busy_timeout)
    try:
        connection.execute(PAGE_SIZE)
        _set_wal(connection, path)
        _apply(connection, SYNCHRONOUS_SETTINGS[synchronous])
        migrate.prepare(connection, path)
        _apply(connection, WRITER_SETTINGS)
        sqlite.load_vectors(connection)
        _set_wait(connection, min(busy_timeout, _WRITER_WAIT))
    except BaseException:
        connection.close()
        raise
    return connection


def _open_reader(path: str, identity: tuple[int, int] | None, busy_timeout: float) -> Connection:
    if identity is not None:
        # Opening an empty file makes SQLite drop the log beside it, which here is that of the store.
        check_identity(path, identity)
    writable = is_writable(path)
    if not writable:
        _check_readable(path)
    # Without a log no other process is writing now, and a log could not be made: the file is read as it stands.
    options: dict[str, str | int] = {"mode": "rw"} if writable else migrate.read_options(path)
    connection = _connect(make_uri(path, **options), busy_timeout)
    try:
        _apply(connection, READER_SETTINGS)
        sqlite.load_vectors(connection)
        if identity is not None:
            check_identity(path, identity)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_readable(path: str) -> None:
    if migrate.inspect(path) < migrate.get_newest():
        raise StoreReadOnlyError(
            f"store {path}: it has to be brought up to date first, but cannot be written. "
            "Open it once with the right to write the file and its folder.",
            path=path,
        )


def _connect(uri: str, busy_timeout: float) -> Connection:
    connection: Any = sqlite.choose().connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, cached_statements=CACHED_STATEMENTS
    )
    connection.execute(DISTRUST)
    _set_wait(connection, busy_timeout)
    return connection  # type: ignore[no-any-return]


def _set_wal(connection: Connection, path: str) -> None:
    if connection.execute(READ_JOURNAL).fetchone()[0] == "wal":
        return
    mode = connection.execute(USE_WAL).fetchone()[0]
    if mode != "wal":
        raise StoreError(
            f"store {path}: SQLite cannot keep a write-ahead log here (it stays in mode {mode}). "
            "Choose a path on a local disk.",
            path=path,
        )


def _set_wait(connection: Connection, seconds: float) -> None:
    # A PRAGMA takes no parameters; `int` lets nothing else in.
    connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")


def _apply(connection: Connection, statements: tuple[str, ...]) -> None:
    for statement in statements:
        connection.execute(statement)


def _retry_busy(work: Callable[[], T], seconds: float) -> T:
    """While a file is made, recovered or closed by another process, SQLite says busy without waiting."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return work()
        except sqlite.OperationalError as error:
            if get_code(error) != BUSY or time.monotonic() >= deadline:
                raise
            time.sleep(_OPEN_PAUSE)
