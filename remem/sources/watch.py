"""Sees that something below a folder has changed: by what the system tells, on a thread of its own. It says which paths
to look at again, not what became of them; whoever asks looks through the folder now and then all the same."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

from remem.sources.formats import find_format
from remem.sources.ignore import GIT_FILE, OWN_FILE

RULE_FILES = (OWN_FILE, GIT_FILE)
STORE_ENDINGS = (".db", "-wal", "-shm", "-journal", ".backup", ".tmp", ".swp", "~")
"""Names that end so are written all the time and hold no notes."""


class Pace(NamedTuple):
    """How fast a folder is followed, in seconds: how long it must be quiet before changes are told, and how long they
    are held back at most; how often is looked whether the folder is still there, and how often through all of it, where
    the system tells of changes and where it does not; how long is waited after a failure, growing up to the last."""

    quiet: float = 0.3
    longest: float = 2.0
    heartbeat: float = 1.0
    rescan: float = 60.0
    poll: float = 2.0
    retry: float = 2.0
    longest_retry: float = 60.0


def find_identity(folder: str) -> tuple[int, int] | None:
    """What tells a folder from another one of its name; None where it is not there."""
    try:
        found = os.stat(folder)
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if os.path.isdir(folder) else None


def is_note(path: str) -> bool:
    """Whether a note lies there now."""
    return find_format(os.path.basename(path)) is not None and os.path.isfile(path)


def pick_relevant(folder: str, paths: Iterable[str]) -> frozenset[str]:
    """Those of some paths that may be about notes: notes, files of ignore rules, folders. Hidden ones are not."""
    return frozenset(path for path in paths if is_relevant(folder, path))


def is_relevant(folder: str, path: str) -> bool:
    """Whether a change of this path may change what a compile of the folder gives."""
    inner = os.path.relpath(path, folder)
    *parents, name = inner.split(os.sep)
    if name in RULE_FILES:
        return not any(part.startswith(".") for part in parents)
    if any(part.startswith(".") and part != "." for part in (*parents, name)) or parents[:1] == [".."]:
        return False
    if find_format(name) is not None:
        return True
    if os.path.isdir(path) or inner == ".":
        return True
    # What is gone may have been a folder.
    return not os.path.lexists(path) and not name.endswith(STORE_ENDINGS)


class FolderEvents:
    """The changes below one folder as the system tells them. Used in one event loop; `close` ends the thread."""

    def __init__(self, folder: str, pace: Pace) -> None:
        """Raises OSError where the system cannot tell."""
        self._stop = threading.Event()
        self._changed: set[str] = set()
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._pace = pace
        self._failed = False
        self._notify = _open_native(folder)
        self._thread = threading.Thread(target=self._follow, name="remem-watch", daemon=True)
        self._thread.start()

    @property
    def failed(self) -> bool:
        """Whether the system has ceased to tell."""
        return self._failed

    async def wait(self, seconds: float) -> frozenset[str]:
        """The paths that have changed since the last call, waiting for the first of them for at most so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return frozenset()
        return self.take()

    def take(self) -> frozenset[str]:
        """The paths that have changed since the last call, without waiting."""
        self._wake.clear()
        changed, self._changed = self._changed, set()
        return frozenset(changed)

    async def close(self) -> None:
        """Ends the thread. May be called again."""
        self._stop.set()
        await asyncio.shield(asyncio.to_thread(self._thread.join, 2.0))

    def _follow(self) -> None:
        quiet, longest = round(self._pace.quiet * 1000), round(self._pace.longest * 1000)
        try:
            while not self._stop.is_set():
                found: Any = self._notify.watch(longest, quiet, max(quiet, 500), self._stop)
                if isinstance(found, set):
                    self._tell({str(path) for _, path in found}, False)
                elif found == "signal":
                    break
        except Exception:  # whatever it is, the folder is looked through now and then instead
            self._tell(set(), True)
        finally:
            self._notify.close()

    def _tell(self, paths: set[str], failed: bool) -> None:
        try:
            self._loop.call_soon_threadsafe(self._note, paths, failed)
        except RuntimeError:
            self._stop.set()  # the loop has ended

    def _note(self, paths: set[str], failed: bool) -> None:
        self._changed |= paths
        self._failed = self._failed or failed
        self._wake.set()


def _open_native(folder: str) -> Any:
    """What tells of changes below a folder. Raises OSError where it cannot."""
    if not os.path.isdir(folder):
        raise NotADirectoryError(folder)
    try:
        from watchfiles._rust_notify import RustNotify
    except ImportError:  # there are no wheels of it for every platform
        raise OSError("watchfiles is not there") from None
    try:
        return RustNotify([folder], False, False, 0, True, True)
    except Exception as error:
        raise OSError(f"{type(error).__name__}") from None
