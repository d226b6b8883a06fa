"""The watcher: follows one folder and has it compiled again when its notes change. It decides when and what; how a
compile works it does not know."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable

from remem.clock import read_clock
from remem.errors import RememError
from remem.records import CompileReport, WatchPhase, WatchState
from remem.sources.watch import FolderEvents, Pace, find_identity, is_note, pick_relevant

_log = logging.getLogger(__name__)

Compile = Callable[[str, str], Awaitable[CompileReport | None]]
"""Compiles a path of a root ("": not known yet); None where that root was dropped from the store."""
Tell = Callable[[CompileReport | None, str], None]
"""Is called after each compile that did or said anything: with its report, or with the problem that it had."""


class Watcher:
    """The owner of one folder that is watched. Used in one event loop; `stop` before the store closes."""

    def __init__(self, folder: str, compile: Compile, tell: Tell | None = None, pace: Pace | None = None) -> None:
        self.folder = folder
        self.root = ""
        self._compile = compile
        self._tell = tell
        self._pace = pace or Pace()
        self._kept: tuple[str, ...] = ()
        self._task: asyncio.Task[None] | None = None
        self._events: FolderEvents | None = None
        self._state: WatchPhase = "starting"
        self._pending: set[str] = set()
        self._owed = False
        self._compiles = self._failures = 0
        self._compiled_at: int | None = None
        self._seen_at: int | None = None
        self._snapshot: int | None = None
        self._problem = self._told = ""

    @property
    def ended(self) -> bool:
        """Whether it has been stopped, or has ended because its root was dropped."""
        return self._state in ("dropped", "stopped")

    def start(self, report: CompileReport | None = None) -> None:
        """Begins to watch. `report` is that of a compile just made, of which nobody needs to be told again."""
        if self._task is not None or self.ended:
            return
        if report is not None:
            self._note_report(report)
        self._task = asyncio.create_task(self._run(), name=f"watch {self.root}")

    async def stop(self) -> None:
        """Ends watching; a compile that is under way is given up, and the next one goes on from there. May be called
        again."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        if self._state != "dropped":
            self._state = "stopped"

    async def wait(self) -> None:
        """Returns when watching has ended."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def read_state(self) -> WatchState:
        """What it is at."""
        return WatchState(
            root=self.root,
            path=self.folder,
            state=self._state,
            native=self._events is not None and not self._events.failed,
            pending=len(self._pending),
            compiles=self._compiles,
            compiled_at=self._compiled_at,
            seen_at=self._seen_at,
            snapshot=self._snapshot,
            problem=self._problem,
        )

    # --- following ----------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        """Follows the folder as often as there is one of its name."""
        while self._state != "dropped":
            identity = find_identity(self.folder)
            if identity is None:
                self._miss()
                await asyncio.sleep(self._pace.heartbeat)
                continue
            self._events = self._open_events()
            try:
                await self._look_through()
                await self._follow(identity)
            finally:
                events, self._events = self._events, None
                if events is not None:
                    await events.close()

    def _open_events(self) -> FolderEvents | None:
        try:
            return FolderEvents(self.folder, self._pace)
        except OSError:
            return None

    def _miss(self) -> None:
        if self._state != "missing":
            self._state = "missing"
            self._report_problem(f"{self.folder} is not there; it is waited for, and nothing is removed")

    async def _follow(self, identity: tuple[int, int]) -> None:
        """Has what changes compiled, until the folder is gone or another one."""
        looked = time.monotonic()
        while self._state != "dropped":
            changed = await self._wait_changes()
            if find_identity(self.folder) != identity:
                return
            self._seen_at = read_clock()
            relevant = pick_relevant(self.folder, changed)
            if relevant:
                if await self._take(relevant):
                    looked = time.monotonic()
            elif self._owed or time.monotonic() - looked >= self._find_pause():
                await self._look_through()
                looked = time.monotonic()

    def _find_pause(self) -> float:
        """Seconds between two looks through all of the folder."""
        native = self._events is not None and not self._events.failed
        return self._pace.rescan if native else self._pace.poll

    async def _wait_changes(self) -> frozenset[str]:
        pause = self._pace.heartbeat
        if self._failures:
            pause = min(self._pace.longest_retry, self._pace.retry * 2 ** (self._failures - 1))
        if self._events is not None and not self._events.failed:
            return await self._events.wait(pause)
        await asyncio.sleep(pause)
        return frozenset()

    # --- compiling ----------------------------------------------------------------------------------------------------

    async def _take(self, paths: frozenset[str]) -> bool:
        """Has changed paths compiled: a lone note by itself, all else by a look through the folder, which alone sees
        what is gone. Says whether it looked through all."""
        self._pending |= paths
        lone = next(iter(paths)) if len(paths) == 1 and not self._owed else None
        if lone is not None and is_note(lone):
            await self._run_compile(lone)
            return False
        await self._look_through()
        if any(find_identity(path) for path in paths):
            self._owed = True  # what was written into a new folder before the system looked at it is not told
        return True

    async def _look_through(self) -> None:
        self._owed = False
        await self._run_compile(self.folder)

    async def _run_compile(self, path: str) -> None:
        pending, self._pending = self._pending, set()
        self._state = "compiling"
        try:
            report = await self._compile(self.root, path)
        except asyncio.CancelledError:
            self._pending |= pending
            raise
        except RememError as error:
            self._fail(pending, error.message)
        except Exception as error:  # a fault of ours must not end the watching; its message may hold content
            _log.error("a compile of %s failed by an unexpected %s", self.root, type(error).__name__)
            self._fail(pending, f"unexpected {type(error).__name__}")
        else:
            self._note_end(report)

    def _fail(self, pending: Iterable[str], problem: str) -> None:
        self._state, self._owed = "failed", True
        self._pending |= set(pending)
        self._failures += 1
        self._report_problem(problem)

    def _report_problem(self, problem: str) -> None:
        self._problem = problem
        if self._tell is not None and problem != self._told:
            self._tell(None, problem)
        self._told = problem

    def _note_end(self, report: CompileReport | None) -> None:
        if report is None:
            self._state = "dropped"
            self._report_problem(
                f"root {self.root} was dropped from the store, so {self.folder} is not watched any more"
            )
            return
        files = report.files_added + report.files_changed + report.files_removed  # one that was renamed, for example
        news = report.snapshot is not None or files > 0 or report.kept != self._kept or bool(self._told)
        self._note_report(report)
        if self._tell is not None and news:
            self._tell(report, "")

    def _note_report(self, report: CompileReport) -> None:
        """Notes a compile that went well."""
        self.root = report.root
        self._state, self._problem, self._told, self._failures = "watching", "", "", 0
        self._compiles += 1
        self._compiled_at = self._seen_at = read_clock()
        self._snapshot = report.snapshot if report.snapshot is not None else self._snapshot
        self._kept = report.kept
        if report.kept:  # no failure: they stay until somebody confirms that they were deleted
            gone = f"{len(report.kept)} known files are gone and stay in the store"
            self._problem = f"{gone}. If that is meant: `remem compile --prune`"
