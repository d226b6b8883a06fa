"""The engine: class `Remem`, one short method for each operation. It opens the store and hands work to the services and
the write path; it knows no SQL and no face."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from remem.clock import read_clock
from remem.config import load_settings
from remem.engine.connections import ConnectionCalls
from remem.engine.edits import EditCalls
from remem.engine.graph import GraphCalls
from remem.engine.imports import ImportCalls
from remem.engine.kept import KeptCalls
from remem.engine.marks import MarkCalls
from remem.engine.memories import MemoryCalls
from remem.engine.notes import NoteCalls
from remem.engine.pictures import PictureCalls
from remem.engine.search import SearchCalls
from remem.engine.tasks import TaskCalls
from remem.engine.upkeep import UpkeepCalls
from remem.engine.versions import VersionCalls
from remem.engine.watching import WatchCalls
from remem.storage.pool import Store
from remem.usage.service import UsageRecorder

if TYPE_CHECKING:
    from remem.engine.sync import RememSync


class Remem(
    MarkCalls,
    KeptCalls,
    TaskCalls,
    ImportCalls,
    WatchCalls,
    NoteCalls,
    MemoryCalls,
    SearchCalls,
    GraphCalls,
    PictureCalls,
    ConnectionCalls,
    UpkeepCalls,
    VersionCalls,
    EditCalls,
):
    """One store: notes compiled to a tree, and the graph across them.

    ::

        async with Remem.open("memory.db") as remem:
            await remem.compile("notes/")

    Wherever a method takes a node, its id or an unambiguous label will do. All methods raise subclasses of
    `remem.errors.RememError` and nothing else on purpose.
    """

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        config: str | os.PathLike[str] | None = None,
        serving: bool = False,
    ) -> Self:
        """A store to be entered with `async with`, or awaited and closed later. The file is made where it is missing.

        `path` goes before `$REMEM_DB` and `[storage] path`; `config` is the configuration file. `serving` says that it
        stays open for callers that come and go: with `[embedding] notes = "auto"`, up to 5000 passages of notes are
        embedded in the background then.
        Raises ConfigError here; NotFoundError and StoreError when it is entered.
        """
        overrides = {"storage.path": None if path is None else os.fspath(path)}
        file = None if config is None else Path(config)
        return cls(load_settings(file, overrides=overrides, names={"storage.path": "path"}), serving=serving)

    @staticmethod
    def open_sync(
        path: str | os.PathLike[str] | None = None, *, config: str | os.PathLike[str] | None = None
    ) -> RememSync:
        """The same methods, blocking, for scripts and notebooks."""
        from remem.engine.sync import RememSync

        return RememSync(Remem.open(path, config=config))

    async def start(self) -> Self:
        """Opens the store. Raises StoreError and its subclasses."""
        storage = self.settings.storage
        if self.settings.redaction.patterns:
            _ = self.redactor  # a pattern that is of no use is told before anything is opened
        if self._store is None:
            self._store = await Store.open(
                storage.path, synchronous=storage.synchronous, busy_timeout=storage.busy_timeout
            )
            self._usage = UsageRecorder(self._store, self.settings.temperature.half_life_days, read_clock)
            self._start_work()
            if self.serving:
                from remem.engine.ahead import load_ahead

                load_ahead()
        return self

    async def close(self) -> None:
        """Writes how nodes were used, and closes the store. May be called again."""
        await self._close_watches()
        store, self._store = self._store, None
        usage, self._usage = self._usage, None
        graph, self._graph = self._graph, None
        self._close_kept()
        try:
            await self._close_work()
            if graph is not None:
                await graph.close()
            await self._close_memories()
            if usage is not None:
                await usage.close()
        finally:
            if store is not None:
                await store.close()

    def __await__(self) -> Generator[None, None, Self]:
        return self.start().__await__()

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
