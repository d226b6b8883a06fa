"""The calls of class `Remem` on the background work as callers steer it: see it, run it now, pause it. It knows no SQL
and no face."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from remem.checks import check_choice
from remem.clock import read_clock
from remem.engine.memories import MemoryCalls
from remem.engine.transfer import TransferCalls
from remem.errors import ConflictError, RememError
from remem.records import TASKS, TaskState
from remem.storage import tasks as task_rows

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.records import WorkState
    from remem.storage.tasks import TaskRow

BACKUP_SUFFIX = ".backup"
"""What the name of the copy beside the store ends in; a later copy takes its place."""
CHORE_SECONDS = 2.0
SWEEP_SECONDS = 300.0
_EVERY = {"expire": CHORE_SECONDS, "sweep": SWEEP_SECONDS}


class TaskCalls(MemoryCalls, TransferCalls):
    """What `Remem` does with background work. All methods raise subclasses of `remem.errors.RememError`."""

    async def tasks(self) -> list[TaskState]:
        """All kinds of background work: embed, discover, expire, sweep, backup."""
        state = await self.work()
        rows = await self.storage.read(task_rows.load_tasks)
        return [_tell_task(name, rows.get(name), state, self._is_copying) for name in TASKS]

    async def run_task(self, name: str) -> TaskState:
        """Has background work done now, and waits for expire, sweep and backup; embed and discover are begun. The copy
        that backup makes lies beside the store, its name with `.backup` behind.

        Raises InvalidInputError for an unknown name, ConflictError where the work is paused.
        """
        check_choice("name", name, TASKS)
        if name in await self.storage.read(task_rows.load_paused):
            raise ConflictError(f"{name} is paused: let it go on first", name=name)
        runs: dict[str, Callable[[], Awaitable[str]]] = {
            "embed": self._run_owed,
            "discover": self._run_owed,
            "expire": self._run_expire,
            "sweep": self._run_sweep,
            "backup": self._run_backup,
        }
        try:
            outcome = await runs[name]()
        except RememError as error:
            await self.storage.write(task_rows.save_run, name, read_clock(), f"failed: {error.message}")
            raise
        await self.storage.write(task_rows.save_run, name, read_clock(), outcome)
        return await self._get_task(name)

    async def pause_task(self, name: str) -> TaskState:
        """Has background work rest until it is let go on, in every process that has the store, and beyond their end.
        What is owed goes on gathering; what has expired is hidden all the same. Raises InvalidInputError."""
        return await self._set_paused(name, True)

    async def resume_task(self, name: str) -> TaskState:
        """Lets background work go on. Raises InvalidInputError."""
        return await self._set_paused(name, False)

    async def _set_paused(self, name: str, paused: bool) -> TaskState:
        check_choice("name", name, TASKS)
        await self.storage.write(task_rows.save_paused, name, paused)
        self.worker.problem = ""
        self.worker.kick()
        return await self._get_task(name)

    async def _get_task(self, name: str) -> TaskState:
        return next(task for task in await self.tasks() if task.name == name)

    # --- how each is run ---------------------------------------------------------------------------------------------

    _copying: asyncio.Lock | None = None

    @property
    def _is_copying(self) -> bool:
        return self._copying is not None and self._copying.locked()

    async def _run_owed(self) -> str:
        from remem.storage import jobs

        def retry(connection: Connection) -> int:
            jobs.retry_all(connection)
            return sum(owed for owed, _ in jobs.count_jobs(connection, read_clock()).values())

        owed = await self.storage.write(retry)
        self.worker.kick()
        return f"begun: {owed} owed"

    async def _run_expire(self) -> str:
        swept = await self.expire()
        return f"{swept.archived} archived, {swept.promoted} promoted, {swept.removed} removed"

    async def _run_sweep(self) -> str:
        await self.worker.sweep()
        return "looked for what was missed"

    async def _run_backup(self) -> str:
        self._copying = self._copying or asyncio.Lock()
        if self._copying.locked():
            raise ConflictError("a copy is being made already")
        async with self._copying:
            made = await self.backup(self.storage.path + BACKUP_SUFFIX)
        return f"{made.bytes} bytes"


def _tell_task(name: str, row: TaskRow | None, state: WorkState, copying: bool) -> TaskState:
    owed = {"embed": state.embed, "discover": state.discover}.get(name)
    paused = row is not None and row.paused == 1
    active = copying if name == "backup" else state.active and bool(owed) and not paused
    return TaskState(
        name=name,
        paused=paused,
        active=active,
        owed=owed,
        every=_EVERY.get(name),
        ran_at=None if row is None else row.ran_at,
        outcome="" if row is None else row.outcome,
        problem=state.problem if owed is not None else "",
    )
