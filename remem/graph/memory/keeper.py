"""Keeps the graph of an open store in memory: has snapshots built in the background, and ends that when the store
closes. Walks nothing itself.

A build runs as one read on a reader's thread; SQLite and numpy do nearly all of it without the interpreter's lock, so
the event loop goes on. It begins a moment after the first walk was answered, so that a process which asks once and ends
never pays for it; a walk that only the snapshot can answer has it begin at once, and waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from remem.errors import RememError
from remem.graph.memory import overview, picture
from remem.graph.memory.snapshot import Snapshot
from remem.graph.memory.walker import GraphMemory, Walker
from remem.records import GraphFigures, Neighbourhood, Picture
from remem.storage.pool import Store

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.usage.temperature import Thermometer

T = TypeVar("T")

Veil: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Wraps what reads a connection so that something is hidden from it."""

PAUSE = 0.05
"""Seconds between an answer and the build that it gives rise to."""
PATIENCE = 2
"""How often a deep walk waits for a build before the SQL engine answers it after all: others may write faster than a
snapshot is built."""

_log = logging.getLogger(__name__)


def lift_veil(function: Callable[..., T]) -> Callable[..., T]:
    """Hides nothing from what a function reads."""
    return function


class GraphKeeper:
    """The owner of one store's graph in memory. Used in one event loop; `close` before the store closes."""

    def __init__(self, store: Store) -> None:
        self.memory = GraphMemory()
        self._store = store
        self._task: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()
        self._closed = False

    async def read(self, function: Callable[[Connection, Walker], T]) -> T:
        """What `function(connection, walker)` gives, in one read transaction. It may run more than once: a walk that
        needs the snapshot gives nothing the first time."""
        for attempt in range(PATIENCE + 1):
            walker = Walker(self.memory, patient=attempt < PATIENCE)
            try:
                result = await self._store.read(function, walker)
            except RememError:
                # What the function makes of an answer that is not there yet does not count.
                if not walker.waits:
                    raise
            if not walker.waits:
                break
            if walker.missed:
                await self.build()
        if walker.missed or self._is_worn():
            self._start()
        return result

    async def view_around(self, nodes: Sequence[str], depth: int, limit: int, veil: Veil = lift_veil) -> Neighbourhood:
        """What lies around nodes given by id or label (`overview.view_around`)."""
        return await self._look(overview.view_around(nodes, depth, limit), veil)

    async def view_most(self, limit: int, veil: Veil = lift_veil) -> Neighbourhood:
        """The part of the whole graph with most edges (`overview.view_most`)."""
        return await self._look(overview.view_most(limit), veil)

    async def draw(
        self, nodes: Sequence[str], depth: int, limit: int, thermometer: Thermometer, veil: Veil = lift_veil
    ) -> Picture:
        """What is drawn of the graph (`picture.draw`)."""
        return await self._look(picture.draw(nodes, depth, limit, thermometer), veil)

    async def read_figures(self, veil: Veil = lift_veil) -> GraphFigures:
        """How the graph hangs together."""
        return await self._look(overview.read_figures, veil)

    async def _look(self, view: Callable[[Connection, Snapshot], T], veil: Veil) -> T:
        def look(connection: Connection, walker: Walker) -> T | None:
            return walker.look(connection, view)

        found: T | None = await self.read(veil(look))
        assert found is not None
        return found

    async def build(self) -> None:
        """Has a snapshot built now, or waits for the one that is being built. Returns also where that fails."""
        self._hurry.set()
        task = self._start()
        if task is not None:
            await asyncio.wait([task])

    async def close(self) -> None:
        """Ends a build that is under way and lets the graph go. May be called again."""
        self._closed = True
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        self.memory.put(None)

    def _is_worn(self) -> bool:
        snapshot = self.memory.snapshot
        return snapshot is not None and snapshot.is_worn

    def _start(self) -> asyncio.Task[None] | None:
        if self._task is None and not self._closed:
            self._task = asyncio.create_task(self._build_later())
        return self._task

    async def _build_later(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(PAUSE):
                await self._hurry.wait()
        try:
            self._hurry.clear()
            self.memory.put(await self._store.read(Snapshot, self.memory.scopes))
        except Exception as error:
            # The SQL engine goes on answering; the next walk tries again.
            known = isinstance(error, RememError)
            _log.warning("the graph could not be read into memory: %s", error, exc_info=not known)
        finally:
            self._task = None
