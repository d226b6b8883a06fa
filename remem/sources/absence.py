"""Which known files of a root are gone: one look at each. It walks nothing and reads nothing, and takes for gone only
what a walk would not find either."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from remem.records import SourceFile


def list_gone(folder: Path, sources: Iterable[str], present: Sequence[SourceFile]) -> tuple[str, ...]:
    """Those of the sources at which no file stands any more. `present` are files that were found: what is one of them
    under a former spelling, or by a link on the way, is gone. What cannot be looked at is not. Linear."""
    there = {file.source for file in present}
    found = {file.stat.inode: file.path for file in present if file.stat.inode}
    root = os.fspath(folder)
    return tuple(source for source in sources if source not in there and _is_gone(os.path.join(root, source), found))


def _is_gone(path: str, found: Mapping[int, str]) -> bool:
    try:
        seen = os.lstat(path)
        if not stat.S_ISREG(seen.st_mode):
            return True
        # A file of one name that was found under another one.
        return seen.st_nlink == 1 and seen.st_ino in found and os.path.samefile(path, found[seen.st_ino])
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
