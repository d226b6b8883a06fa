"""Files: as found on the disk, as read, and the root that they belong to."""

from __future__ import annotations

from dataclasses import dataclass

from remem.records.parsed import Diagnostic


@dataclass(frozen=True, slots=True)
class FileStat:
    """What decides whether a file is read again: size in bytes, mtime in nanoseconds, inode."""

    size: int
    mtime: int
    inode: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file found below a root. `source` is its path relative to the root, with `/`."""

    source: str
    path: str
    stat: FileStat


@dataclass(frozen=True, slots=True)
class Scan:
    """What a walk found. `files` are in order of their source. `unreadable` are the sources of folders and files that
    could not be seen or are left as they were ("" is the root): what lies there or below is not to be taken as gone."""

    files: tuple[SourceFile, ...]
    unreadable: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file as read: decoded, without BOM, lines ended by `\\n`, without NUL and lone surrogates. `hash` is the
    blake2b of its bytes (16 bytes), `stat` that of the very bytes read."""

    source: str
    text: str
    hash: bytes
    stat: FileStat
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class UnreadSource:
    """A file that gave no text, and why. What was known of it stays until a later compile reads it or misses it."""

    source: str
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class RootPlan:
    """Which root a compile means and how much of it. `folder` is where the root lies from now on, `below` the part to
    compile ("" for all), `single_file` the source of a lone file. `takes_over` are (root name, prefix): that root
    ends, its sources become `prefix/source` of this one with their ids; the prefix is empty where a root only gets a
    new name, and the name may be this root's own. `moved` is True where the root was recorded at another place."""

    name: str
    folder: str
    below: str = ""
    single_file: str | None = None
    takes_over: tuple[tuple[str, str], ...] = ()
    moved: bool = False
