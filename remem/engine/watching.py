"""The calls of class `Remem` that follow folders: what changes there is compiled as it changes. It knows no SQL and no
face."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from remem.checks import check_path
from remem.engine.notes import NoteCalls
from remem.errors import InvalidInputError, NotFoundError, RememError
from remem.rendering.lines import show_count

if TYPE_CHECKING:
    from remem.background.watcher import Watcher
    from remem.records import CompileReport, WatchState
    from remem.sources.watch import Pace

ROOTS_SECONDS = 5.0
"""How often is looked for roots that have become known."""

_log = logging.getLogger(__name__)

Tell: TypeAlias = "Callable[[CompileReport | None, str], None]"


class WatchCalls(NoteCalls):
    """How `Remem` follows folders of notes. All methods raise subclasses of `remem.errors.RememError`.

    What is watched is watched by this process until it closes the store. Several processes may watch the same folder:
    one of them compiles a change, the others find that nothing is left to do.
    """

    _watchers: dict[str, Watcher] | None = None
    _finder: asyncio.Task[None] | None = None

    async def watch(
        self,
        path: str | os.PathLike[str],
        root: str | None = None,
        *,
        tell: Tell | None = None,
        pace: Pace | None = None,
    ) -> WatchState:
        """Compiles a folder, and again whenever something changes in it, until `unwatch` or the store closes.

        `tell` is called after each later compile that changed anything, with its report and "", and with None and the
        problem where one failed, which is tried again. A folder that vanishes is waited for; nothing is removed.
        A folder that is watched already goes on as it is. Raises as `compile`; InvalidInputError for a file.
        """
        given = check_path("path", path)
        if await asyncio.to_thread(os.path.isfile, given):
            raise InvalidInputError(f"{given} is a file; give the folder that it lies in", field="path")
        report = await self.compile(given, root)
        watcher = self._add_watcher(_find_place(given), tell, pace)
        watcher.start(report)
        return watcher.read_state()

    async def unwatch(self, path: str | os.PathLike[str]) -> bool:
        """Ends the watching of a folder; whether it was watched."""
        watcher = (self._watchers or {}).pop(_find_place(check_path("path", path)), None)
        if watcher is None:
            return False
        await watcher.stop()
        return True

    async def watches(self) -> list[WatchState]:
        """The folders that this process watches, by path, with what it is at."""
        return [watcher.read_state() for _, watcher in sorted((self._watchers or {}).items())]

    async def wait_watches(self) -> None:
        """Returns when no folder is watched any more: their roots were dropped from the store."""
        await asyncio.gather(*(watcher.wait() for watcher in (self._watchers or {}).values()))

    async def watch_roots(self, tell: Tell | None = None) -> None:
        """Watches the folders of `[compile] roots` and all known roots, those too that become known later. Returns at
        once; what goes wrong is told and tried again."""
        if self._finder is None:
            for folder in self.settings.compile.roots:
                self._add_watcher(_find_place(folder), tell or _log_compile).start()
            self._finder = asyncio.create_task(self._find_roots(tell or _log_compile), name="find roots to watch")

    # --- behind the calls ---------------------------------------------------------------------------------------------

    async def _find_roots(self, tell: Tell) -> None:
        """Begins to watch roots as they become known. A root that was dropped and is compiled again begins anew."""
        from remem.storage.documents import load_roots

        while True:
            try:
                for root in await self.storage.read(load_roots):
                    self._add_watcher(_find_place(root.path), tell).start()
            except RememError as error:
                _log.warning("the roots cannot be read for the moment: %s", error.code)
            await asyncio.sleep(ROOTS_SECONDS)

    def _add_watcher(self, folder: str, tell: Tell | None, pace: Pace | None = None) -> Watcher:
        """The watcher of a folder: the one that is there, unless it has ended."""
        from remem.background.watcher import Watcher

        watchers = self._watchers = self._watchers if self._watchers is not None else {}
        found = watchers.get(folder)
        if found is None or found.ended:
            watchers[folder] = found = Watcher(folder, self._compile_watched, tell, pace)
        return found

    async def _compile_watched(self, root: str, path: str) -> CompileReport | None:
        """Compiles what a watcher asks for; None where its root was dropped, which must not bring it back: not even
        where it is dropped while the compile is under way."""
        from remem.storage.documents import load_roots
        from remem.writing.compile import CompileRequest

        request = CompileRequest(Path(check_path("path", path)), existing=bool(root))
        try:
            return await self._compile(request)
        except NotFoundError:
            known = await self.storage.read(load_roots)
            if root and all(other.name != root for other in known):
                return None
            raise

    async def _close_watches(self) -> None:
        """Ends all watching."""
        finder, self._finder = self._finder, None
        if finder is not None:
            finder.cancel()
            await asyncio.wait([finder])
        watchers, self._watchers = self._watchers or {}, None
        await asyncio.gather(*(watcher.stop() for watcher in watchers.values()))


def _find_place(folder: str) -> str:
    return os.path.realpath(folder)


def _log_compile(report: CompileReport | None, problem: str) -> None:
    """Tells the log of a compile, in figures alone."""
    if report is None:
        _log.warning("watching: %s", problem)
        return
    _log.info("%s", describe_compile(report))


def describe_compile(report: CompileReport) -> str:
    """A line for the log on what a compile did: no names but that of the root."""
    added = show_count(report.files_added, "file")
    files = f"{added} added, {report.files_changed} changed, {report.files_removed} removed"
    return f"compiled {report.root}: {files} in {report.seconds:.2f} s"
