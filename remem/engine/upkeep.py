"""The calls of class `Remem` on the store as a whole: figures, use, exports, checks. It knows no SQL and no face."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from remem.checks import check_int, check_weight
from remem.engine.base import read_clock
from remem.engine.work import WorkCalls
from remem.reading import export, find, stats
from remem.records import ColdNode, DoctorReport, Export, NodeUsage, Stats
from remem.usage.service import list_cold, pin_node

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_TOKENS = 1_000_000_000


class UpkeepCalls(WorkCalls):
    """What `Remem` does with the store as a whole. All methods raise subclasses of `remem.errors.RememError`."""

    # --- use ---------------------------------------------------------------------------------------------------------

    async def pin(self, node: str) -> NodeUsage:
        """Keeps the temperature of a node from falling, until it is unpinned. Makes no snapshot.

        Raises NotFoundError, AmbiguousError.
        """
        return await self._set_pinned(node, True)

    async def unpin(self, node: str) -> NodeUsage:
        """Lets a node cool again, from the temperature that it has. Raises NotFoundError, AmbiguousError."""
        return await self._set_pinned(node, False)

    async def _set_pinned(self, node: str, pinned: bool) -> NodeUsage:
        usage = self.usage
        await usage.flush()

        def write(connection: Connection) -> NodeUsage:
            return pin_node(connection, find.get_node(connection, node), pinned, read_clock(), usage.half_life)

        told = await self._write(write)
        usage.forget_followed()
        return told

    async def cold(self, min_tokens: int = 400, below: float = 0.1) -> list[ColdNode]:
        """Documents, headings and memories of at least `min_tokens` tokens with all below them whose temperature is
        below `below` (0 to 1), coldest first. Pinned ones are never among them."""
        min_tokens = check_int("min_tokens", min_tokens, 0, MOST_TOKENS)
        below = check_weight("below", below, 1.0)
        return await self._read(list_cold, self.usage.read_heats, min_tokens, below)

    # --- the store as a whole ----------------------------------------------------------------------------------------

    async def check(self) -> None:
        """Whether the store can be used: its file is there and gives an answer. Raises StoreError."""
        await self.storage.check()

    async def stats(self) -> Stats:
        """Figures of the store, and what the background work is at."""
        owner, problem = ("", "") if self._worker is None else (self._worker.owner, self._worker.problem)
        return await self._read(stats.read_stats, self.storage.path, read_clock(), owner, problem)

    async def export(self) -> Export:
        """All nodes, edges and pending edges."""
        return await self._read(export.export_all)

    async def export_markdown(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes every document's text below `folder`, a folder for each root. Raises RefusedError where it is not
        empty; returns the files."""
        texts = await self.storage.read(export.render_documents)
        return export.write_files(Path(folder), texts)

    async def doctor(self, *, fix: bool = False) -> DoctorReport:
        """Checks every invariant; with `fix`, rebuilds what follows from the nodes and checks again. An embedder that
        is a service is asked once, for a few seconds."""
        from remem.doctor import service as doctor

        threshold, found = self.settings.connections.auto_discovery_threshold, await self._examine_embedder()
        if fix:
            return await self.storage.write_alone(doctor.repair_store, read_clock(), threshold, found)
        return await self.storage.read(doctor.check_store, threshold, found)
