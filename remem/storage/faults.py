"""Turns what SQLite and the system report into the errors of a store. Decides nothing else."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from remem.errors import (
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
)
from remem.storage import sqlite

# Primary result codes of SQLite; extended codes carry them in the low byte.
BUSY, LOCKED, READONLY, INTERRUPT, IOERR = 5, 6, 8, 9, 10
CORRUPT, FULL, CANTOPEN, CONSTRAINT, NOTADB = 11, 13, 14, 19, 26

_FAULTS: dict[int, tuple[type[StoreError], str]] = {
    BUSY: (StoreBusyError, "another process kept it locked for longer than the busy timeout; try again"),
    LOCKED: (StoreBusyError, "another connection of this process keeps a table locked; try again"),
    READONLY: (StoreReadOnlyError, "it cannot be written; check the rights of the file and its folder"),
    INTERRUPT: (StoreError, "the statement was interrupted; nothing of it was kept"),
    IOERR: (StoreError, "the disk reported an error; check it, and the rights of the folder"),
    CORRUPT: (StoreCorruptError, "SQLite finds it damaged; restore a backup, or recover it with the sqlite3 shell"),
    FULL: (StoreFullError, "the disk is full, and nothing of the call was written; make room and try again"),
    CANTOPEN: (StoreError, "it cannot be opened; check that it exists, its rights, and the limit of open files"),
    CONSTRAINT: (StoreError, "the call breaks a rule of the schema"),
    NOTADB: (StoreCorruptError, "it is not an SQLite database; choose another path, or restore a backup"),
}
_SYSTEM_FAULTS: dict[int, tuple[type[StoreError], str]] = {
    errno.EACCES: (StoreReadOnlyError, "access is denied; check the rights of the file and its folder"),
    errno.EPERM: (StoreReadOnlyError, "access is denied; check the rights of the file and its folder"),
    errno.EROFS: (StoreReadOnlyError, "its file system is read-only"),
    errno.ENOSPC: (StoreFullError, "the disk is full; make room and try again"),
    errno.EDQUOT: (StoreFullError, "the disk quota is used up; make room and try again"),
    errno.ENAMETOOLONG: (StoreError, "its name is too long"),
}


# An error of copying a whole file comes without its code: there is only what SQLite calls it.
_NAMES = {
    "database is locked": BUSY,
    "attempt to write a readonly database": READONLY,
    "disk I/O error": IOERR,
    "database disk image is malformed": CORRUPT,
    "database or disk is full": FULL,
    "unable to open database file": CANTOPEN,
    "file is not a database": NOTADB,
}


def get_code(error: BaseException) -> int:
    """The primary result code of an SQLite error, 0 where it has none."""
    code = getattr(error, "sqlite_errorcode", None)
    if isinstance(code, int):
        return code & 0xFF
    return _NAMES.get(str(error), 0) if isinstance(error, sqlite.Error) else 0


def map_error(error: BaseException, path: str) -> BaseException:
    """The StoreError for an error of SQLite or of the system, with the original as its cause; others unchanged."""
    if isinstance(error, sqlite.Error):
        kind, reason = _FAULTS.get(get_code(error), (StoreError, "the statement failed"))
        mapped = kind(f"store {path}: {reason} ({error}).", path=path)
    elif isinstance(error, OSError):
        kind, reason = _SYSTEM_FAULTS.get(error.errno or 0, (StoreError, "the system reports an error"))
        mapped = kind(f"store {path}: {reason} ({error.strerror}).", path=path)
    else:
        return error
    mapped.__cause__ = error
    return mapped


@contextmanager
def mapped_errors(path: str) -> Iterator[None]:
    """Raises errors of SQLite and of the system that occur inside as the StoreErrors they mean."""
    try:
        yield
    except Exception as error:
        mapped = map_error(error, path)
        if mapped is error:
            raise
        raise mapped from error
