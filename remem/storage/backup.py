"""Copies of a whole store: one that is consistent while others write, and one that takes a store's place.

Both are made beside where they belong and moved there at once, so that a file of that name is always a whole one. It
knows no table.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape, glob
from typing import TYPE_CHECKING, Any

from remem.errors import NotFoundError, RefusedError, StoreBusyError, StoreCorruptError, StoreError
from remem.records import Backup, Restored
from remem.storage import meta, migrate, sqlite
from remem.storage.faults import BUSY, CORRUPT, NOTADB, get_code, mapped_errors
from remem.storage.place import check_place, make_private, make_uri, sync_file, sync_folder

if TYPE_CHECKING:
    from sqlite3 import Connection

HOLD_STATE = "SELECT count(*) FROM sqlite_schema"
LEAVE_LOG = "PRAGMA journal_mode = DELETE"
HOLD_ALONE = "BEGIN EXCLUSIVE"
QUICK_CHECK = "PRAGMA quick_check(1)"
LIST_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'"
HAS_SNAPSHOTS = "SELECT id FROM snapshots LIMIT 1"

BIRTH_KEY = "created_at"
PAGES = 2048
"""Pages copied in one step, after which a copy may be given up."""
LOGS = ("-wal", "-shm", "-journal")
PARTIAL = ".partial-"
# Where SQLite locks a file: a byte for who is about to write, one for who writes, 510 for those who read.
_LOCK_START, _LOCK_LENGTH = 0x40000000, 512


class GivenUp(Exception):
    """Whoever wanted a copy does not want it any more. It never leaves this module's callers."""


def back_up(
    path: str, target: str, given_up: Callable[[], bool] = lambda: False, *, force: bool = False
) -> Backup:  # fmt: skip
    """Copies the store at `path` to the file `target`, as it is at one instant, while others read and write it.

    An earlier backup of that name is replaced, another store only with `force`. Raises RefusedError where the target is
    the store itself, such another one, or another kind of file, StoreError and its subclasses.
    """
    full = os.path.realpath(target)
    check_target(path, full, force)
    with mapped_errors(full), _made_beside(full) as partial:
        copy_store(path, partial, given_up)
        shutil.copymode(path, partial)  # who may not read the store may not read its copy
        os.replace(partial, full)
        sync_folder(full)
        return Backup(full, os.path.getsize(full))


def check_target(path: str, target: str, force: bool) -> None:
    """Raises RefusedError where a backup would take the place of the store itself, of another one (but with `force`),
    or of what is no store."""
    own = {os.path.realpath(path) + ending for ending in ("", *LOGS)}
    if target in own or (os.path.exists(target) and os.path.exists(path) and os.path.samefile(path, target)):
        raise RefusedError(f"{target} is the store itself; give another file", path=target)
    check_place(target, create=True)
    if os.path.exists(target) and not is_store(target):
        raise RefusedError(f"{target} is there and is no store of Remem; give another file", path=target)
    if not force and os.path.exists(target) and find_birth(target) not in (None, find_birth(path)):
        told = f"{target} is another store, no copy of this one"
        raise RefusedError(f"{told}: give another file, or `force`", path=target)


def find_birth(path: str) -> str | None:
    """When a store was made, which all copies of it say too; None of what is no store or empty."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return None
    module = sqlite.choose()
    connection = module.connect(make_uri(path, **migrate.read_options(path)), uri=True)
    try:
        return meta.find_value(connection, BIRTH_KEY)
    except module.Error:
        return None
    finally:
        connection.close()


def is_store(path: str) -> bool:
    """Whether a file is empty or a store, of whatever version. One of a newer Remem is none."""
    try:
        migrate.inspect(path)
    except Exception:
        return False
    return True


def copy_store(path: str, target: str, given_up: Callable[[], bool] = lambda: False) -> None:
    """Copies a store to a new file, which is on the disk when this returns. Raises SQLite's errors, GivenUp."""
    module = sqlite.choose()

    def check(status: int, remaining: int, total: int) -> None:
        if given_up():
            raise GivenUp

    source = module.connect(make_uri(path, **migrate.read_options(path)), uri=True, isolation_level=None)
    try:
        # While this transaction holds, no write of others makes the copy begin anew.
        source.execute("BEGIN")
        source.execute(HOLD_STATE).fetchone()
        make_private(target)  # nobody else may read it while it is made
        copy = module.connect(target)
        try:
            source.backup(copy, pages=PAGES, progress=check)
        finally:
            copy.close()
    finally:
        source.close()
    sync_file(target)


def restore(path: str, backup: str) -> Restored:
    """Puts a copy of the store `backup` in the place of the store at `path`; the former file is kept beside it.

    Raises NotFoundError where there is no backup, StoreBusyError while any process has the store open, RefusedError
    where both are one file, StoreCorruptError for a damaged backup, StoreNewerError, StoreError. Then, and when the
    process is killed, the store is as it was.
    """
    source = os.path.realpath(backup)
    if not os.path.isfile(source):
        raise NotFoundError(f"there is no backup {source}", path=source)
    full = check_place(path, create=True)
    if os.path.exists(full) and os.path.samefile(source, full):
        raise RefusedError(f"{source} is the store itself; give the file of a backup", path=source)
    with mapped_errors(source):
        if migrate.inspect(source) == 0:
            raise StoreCorruptError(f"{source} is empty and no backup of a store", path=source)
    with mapped_errors(full), _held_alone(full) as held, _made_beside(full) as partial:
        copy_store(source, partial)
        _check_copy(source, partial)
        shutil.copymode(full if os.path.exists(full) else source, partial)
        kept = _set_aside(full) if os.path.exists(full) else None
        if held is not None and os.name == "nt":  # where no file that is open can be replaced
            held.close()
        os.replace(partial, full)
        sync_folder(full)
        return Restored(full, os.path.getsize(full), kept)


def discard_empty(path: str) -> None:
    """Removes a store that nothing was written into and that nobody has open; any other is left."""
    path = os.path.abspath(path)
    with suppress(StoreError, OSError), mapped_errors(path), _held_alone(path) as held:
        tables = {str(name) for (name,) in held.execute(LIST_TABLES)} if held is not None else set()
        if held is not None and "snapshots" in tables and held.execute(HAS_SNAPSHOTS).fetchone() is not None:
            return
        if held is not None and os.name == "nt":
            held.close()
        for name in (path, *(path + ending for ending in LOGS)):
            with suppress(FileNotFoundError):
                os.unlink(name)


def _check_copy(source: str, copy: str) -> None:
    connection: Connection = sqlite.choose().connect(make_uri(copy, mode="ro", immutable=1), uri=True)
    try:
        sqlite.load_vectors(connection)
        told = connection.execute(QUICK_CHECK).fetchone()[0]
    finally:
        connection.close()
    if told != "ok":
        raise StoreCorruptError(f"{source}: SQLite finds it damaged; give another backup", path=source)


def _set_aside(path: str) -> str:
    """Gives the present store a second name, with its log where it has one, and leaves the first name to be taken."""
    base = f"{path}.before-restore-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    kept, number = base, 1
    while os.path.exists(kept):
        kept, number = f"{base}-{number}", number + 1
    os.link(path, kept)
    for ending in LOGS:  # of a damaged store alone: they must not meet the new file
        with suppress(FileNotFoundError):
            os.replace(path + ending, kept + ending)
    return kept


@contextmanager
def _held_alone(path: str) -> Iterator[Connection | None]:
    """Keeps every other process from the store at `path`, if there is one. Raises StoreBusyError where one has it
    open."""
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        yield None
        return
    module = sqlite.choose()
    connection = module.connect(make_uri(path, mode="rw"), uri=True, isolation_level=None, timeout=0)
    try:
        try:
            # Leaving the log needs the file alone, and takes what is in the log into it.
            connection.execute(LEAVE_LOG).fetchone()
            connection.execute(HOLD_ALONE)
        except module.Error as error:
            _judge_refusal(path, error)
        yield connection
    finally:
        connection.close()


def _judge_refusal(path: str, error: Any) -> None:
    """Lets a file pass that is damaged and that nobody has open."""
    damaged = get_code(error) in (CORRUPT, NOTADB)
    if get_code(error) == BUSY or (damaged and _is_locked(path)):
        raise StoreBusyError(
            f"store {path}: it is open in another process. End that one first: a server, an MCP client, a command.",
            path=path,
        )
    if not damaged:
        raise error


def _is_locked(path: str) -> bool:
    """Whether another process holds one of SQLite's locks on a file. False where the system cannot say."""
    try:
        import fcntl
        import struct
    except ImportError:
        return False
    form = "hhqqi4x"  # type, whence, start, length, pid
    with open(path, "r+b") as file:
        asked = struct.pack(form, fcntl.F_WRLCK, os.SEEK_SET, _LOCK_START, _LOCK_LENGTH, 0)
        found: int = struct.unpack(form, fcntl.fcntl(file, fcntl.F_GETLK, asked))[0]
    return found != fcntl.F_UNLCK


@contextmanager
def _made_beside(target: str) -> Iterator[str]:
    """A name beside the target for what is being made; what is left of it, and of processes that died, is removed."""
    partial = f"{target}{PARTIAL}{os.getpid()}-{time.monotonic_ns()}"
    for name in glob(f"{escape(target)}{PARTIAL}*"):
        if _is_stale(name):
            with suppress(OSError):
                os.unlink(name)
    try:
        yield partial
    finally:
        for ending in ("", *LOGS):
            with suppress(OSError):
                os.unlink(partial + ending)


def _is_stale(name: str) -> bool:
    """Whether the process that made a file, as its name says, has ended. False where that cannot be known."""
    pid = name.rpartition(PARTIAL)[2].partition("-")[0]
    if os.name != "posix" or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False
