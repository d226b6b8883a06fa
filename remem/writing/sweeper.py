"""The sweeper: archives what has expired, for the reads that met it and now and then. Owned by whoever opened the
store, and closed before it; its task runs only while there is something to sweep."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from remem.errors import StoreError
from remem.reading.expiry import is_due
from remem.records import Swept

if TYPE_CHECKING:
    from remem.reading.expiry import Uses
    from remem.storage.pool import Store

HURRY = 0.25
"""Seconds that a read waits for a sweep at most: another process may be writing for long."""


class Sweeper:
    """Sweeps one open store. `clock` gives milliseconds since 1970; `keep` is for how many milliseconds archived
    memories are kept, None for ever. A store that can only be read is left alone."""

    def __init__(self, store: Store, clock: Callable[[], int], uses: Uses, keep: int | None) -> None:
        self._store = store
        self._clock = clock
        self._uses = uses
        self._keep = keep
        self._closed = False
        self._task: asyncio.Task[None] | None = None

    async def sweep(self) -> Swept:
        """Archives, promotes and removes what is due."""
        from remem.writing.lifecycle import sweep_memories  # loads the write path, which most reads do not need

        return await self._store.write(sweep_memories, self._clock(), self._uses, self._keep)

    async def sweep_due(self) -> None:
        """Sweeps where there is anything to sweep. Only looks where there is not."""
        if self._closed or self._store.read_only:
            return
        if await self._store.read(is_due, self._clock(), self._keep):
            await self.sweep()

    async def hurry(self) -> None:
        """Something has expired: it is swept at once, and waited for a moment, so that a read sees what links to it
        lead to now. Where a sweep is under way already, or takes longer, reads go on without it."""
        if self._closed or self._store.read_only or (self._task is not None and not self._task.done()):
            return
        self._task = asyncio.get_running_loop().create_task(self._sweep_behind(), name="remem sweep")
        await asyncio.wait([self._task], timeout=HURRY)

    async def close(self) -> None:
        """Waits for the sweep that is under way; none begins afterwards. May be called again."""
        self._closed = True
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _sweep_behind(self) -> None:
        try:
            await self.sweep()
        except StoreError:
            return  # what has expired stays hidden, and the next read that meets it tries again
