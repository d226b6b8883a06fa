"""Reads one note: a consistent copy of its bytes, decoded, with hash and stat. Parses nothing, keeps nothing."""

from __future__ import annotations

import errno
import os
import stat
from hashlib import blake2b
from typing import TypeAlias

from remem.records import Diagnostic, FileStat, SourceFile, SourceText, UnreadSource
from remem.sources.decode import decode_bytes, is_binary
from remem.sources.formats import MAX_FILE_BYTES

ATTEMPTS = 3
SETTLED_MS = 2000
"""A file that was changed less than this before it was seen may change again within the same tick of its mtime."""

# Never wait at a pipe, never follow a link that has been put in the place of the file.
_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)

_PROBLEMS = {
    "vanished": "was there when its folder was listed and is gone now",
    "not-regular": "is no regular file any more",
    "too-large": "has more bytes than [compile] max_file_bytes",
    "unstable": "is being written; compile again when it is complete",
    "binary": "looks like no text in UTF-8 or, with a byte order mark, UTF-16",
}

_Copy: TypeAlias = tuple[bytes, FileStat]


def read_source(file: SourceFile, *, max_bytes: int = MAX_FILE_BYTES) -> SourceText | UnreadSource:
    """The text of a note, or why there is none. Raises nothing for what a file can do.

    A file that changes while it is read is read again, up to three times. One file is open at a time.
    """
    try:
        found = read_stable(file.path, max_bytes)
    except OSError as error:
        return refuse_source(file.source, *explain_error(error))
    if isinstance(found, str):
        return refuse_source(file.source, found, _PROBLEMS[found])
    data, known = found
    if is_binary(data):
        return refuse_source(file.source, "binary", _PROBLEMS["binary"])
    text, diagnostics = decode_bytes(file.source, data)
    return SourceText(file.source, text, blake2b(data, digest_size=16).digest(), known, diagnostics)


def is_unchanged(found: FileStat, known: FileStat, seen_at_ms: int) -> bool:
    """Whether a file need not be read again: same size, time and inode as when it was last read, and by then its last
    change lay at least two seconds back. `seen_at_ms` is when it was last read, in milliseconds since 1970.

    An inode of 0 is unknown (directory listings of Windows) and equals any other.
    """
    if found.size != known.size or found.mtime != known.mtime:
        return False
    if found.inode != known.inode and found.inode and known.inode:
        return False
    return known.mtime <= (seen_at_ms - SETTLED_MS) * 1_000_000


def read_stable(path: str, max_bytes: int) -> _Copy | str:
    """Bytes and stat that belong together, or the code of a problem. Raises OSError."""
    for _ in range(ATTEMPTS):
        found = read_once(path, max_bytes)
        if found != "unstable":
            return found
    return "unstable"


def read_once(path: str, max_bytes: int) -> _Copy | str:
    """One attempt of `read_stable`."""
    handle = os.open(path, _FLAGS)
    try:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            return "not-regular"
        if before.st_size > max_bytes:
            return "too-large"
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(before.st_size + 1)
        after = os.fstat(handle)
    finally:
        os.close(handle)
    if len(data) != before.st_size or take_stat(before) != take_stat(after):
        return "unstable"
    return data, take_stat(before)


def take_stat(found: os.stat_result) -> FileStat:
    """The three values that tell a changed file."""
    return FileStat(found.st_size, found.st_mtime_ns, found.st_ino)


def explain_error(error: OSError) -> tuple[str, str]:
    """Code and message of an error of the system. The message holds no path."""
    if isinstance(error, FileNotFoundError):
        return "vanished", _PROBLEMS["vanished"]
    if error.errno == errno.ELOOP:
        return "not-regular", _PROBLEMS["not-regular"]
    return "unreadable", f"cannot be read ({error.strerror})"


def refuse_source(source: str, code: str, message: str) -> UnreadSource:
    """The outcome of a file that gave no text."""
    return UnreadSource(source, Diagnostic(source, 0, code, message))
