"""Compiles that a call has begun and nobody waits for: each is a task with an id, its progress, and how it ended. Kept
in memory; what a compile did is in the store. One runs at a time, the others wait."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from uuid import uuid4

from remem.clock import read_clock
from remem.errors import NotFoundError, RateLimitError
from remem.faces import wire
from remem.faces.rest.events import HEARTBEAT, HEARTBEAT_SECONDS, write_event
from remem.faces.rest.problems import show_problem

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.faces.wire import Json
    from remem.records import CompileProgress

State: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]
ENDED = ("done", "failed", "cancelled")
MOST_QUEUED = 100
MOST_KEPT = 1000
"""So many tasks that have ended are remembered."""


class CompileTask:
    """One compile. `version` grows with each change."""

    def __init__(self, path: str, options: dict[str, Any]) -> None:
        self.id = uuid4().hex
        self.path = path
        self.options = options
        self.state: State = "queued"
        self.created_at = read_clock()
        self.ended_at: int | None = None
        self.progress: CompileProgress | None = None
        self.report: Json | None = None
        self.problem: Json | None = None
        self.version = 0
        self._changed = asyncio.Event()

    def note(self) -> None:
        """Tells all who watch that something has changed."""
        self.version += 1
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def end(self, state: State) -> None:
        """Ends the task."""
        self.state, self.ended_at = state, read_clock()
        self.note()

    async def wait(self, version: int, seconds: float) -> bool:
        """Waits until there is a later version; false where there was none for so long."""
        if self.version != version:
            return True
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True

    def show(self) -> Json:
        """The task as JSON."""
        at = self.progress
        return {
            "task_id": self.id,
            "kind": "compile",
            "state": self.state,
            "path": self.path,
            "created_at": wire.show_time(self.created_at),
            "ended_at": None if self.ended_at is None else wire.show_time(self.ended_at),
            "progress": None if at is None else {"phase": at.phase, "done": at.done, "total": at.total},
            "report": self.report,
            "problem": self.problem,
        }


class CompileTasks:
    """The compiles of one service. `close` before the store closes."""

    def __init__(self, remem: Remem) -> None:
        self._remem = remem
        self._tasks: OrderedDict[str, CompileTask] = OrderedDict()
        self._turn = asyncio.Lock()
        self._running: dict[asyncio.Task[None], CompileTask] = {}

    def start(self, path: str, options: dict[str, Any]) -> CompileTask:
        """Begins a compile, or has it wait for its turn. Raises RateLimitError where too many wait."""
        if len(self._running) >= MOST_QUEUED:
            raise RateLimitError(f"{MOST_QUEUED} compiles are waiting: try again later", retry_after=5)
        task = CompileTask(path, options)
        self._tasks[task.id] = task
        running = asyncio.create_task(self._run(task), name=f"compile {task.id}")
        self._running[running] = task
        running.add_done_callback(lambda ended: self._running.pop(ended, None))
        self._forget_old()
        return task

    def get(self, id: str) -> CompileTask:
        """A task. Raises NotFoundError."""
        task = self._tasks.get(id)
        if task is None:
            raise NotFoundError("there is no such task; those of a former run of the service are forgotten")
        return task

    def list_recent(self) -> list[CompileTask]:
        """All that are remembered, the latest first."""
        return list(reversed(self._tasks.values()))

    async def close(self) -> None:
        """Ends what is under way: each compile leaves a state of its own, and the next one goes on from there."""
        for running in self._running:
            running.cancel()
        if self._running:
            await asyncio.wait(list(self._running))

    async def _run(self, task: CompileTask) -> None:
        loop = asyncio.get_running_loop()

        def follow(progress: CompileProgress) -> None:
            loop.call_soon_threadsafe(_note_progress, task, progress)

        try:
            async with self._turn:
                task.state = "running"
                task.note()
                report = await self._remem.compile(task.path, **task.options, progress=follow)
            task.report = wire.show_compile(report)
            task.end("done")
        except asyncio.CancelledError:
            task.end("cancelled")
            raise
        except Exception as error:
            task.problem = show_problem(error, task.id)[1]
            task.end("failed")

    def _forget_old(self) -> None:
        ended = [id for id, task in self._tasks.items() if task.state in ENDED]
        for id in ended[: max(0, len(self._tasks) - MOST_KEPT)]:
            del self._tasks[id]


def _note_progress(task: CompileTask, progress: CompileProgress) -> None:
    if task.state == "running":
        task.progress = progress
        task.note()


async def stream_events(task: CompileTask) -> AsyncIterator[bytes]:
    """Server-sent events: the task as it is, then at each change, and its end. An event bears the name of the state."""
    while True:
        version, ended = task.version, task.state in ENDED
        yield write_event(task.state, task.show(), version)
        if ended:
            return
        while not await task.wait(version, HEARTBEAT_SECONDS):
            yield HEARTBEAT
