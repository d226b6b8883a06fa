"""The calls of class `Remem` on the store as a whole: figures, use, exports, checks. It knows no SQL and no face."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from remem import records
from remem.checks import check_int, check_path, check_weight
from remem.clock import DAY, read_clock
from remem.engine.work import WorkCalls
from remem.errors import StoreError
from remem.storage import digest
from remem.usage.cold import digest_cold, list_cold
from remem.usage.service import pin_node

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.records import ColdDigest, ColdNode, DoctorReport, Examined, Export, NodeUsage, Stats

MOST_TOKENS = 1_000_000_000
MOST_DIGESTED = 1000
MOST_COLD = 20
"""So many cold nodes stand among the figures."""


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
        from remem.reading.find import get_node

        usage = self.usage
        await usage.flush()

        def write(connection: Connection) -> NodeUsage:
            return pin_node(connection, get_node(connection, node), pinned, read_clock(), usage.half_life)

        told = await self._write(write)
        usage.forget_followed()
        return told

    async def cold(self, min_tokens: int = 400, below: float = 0.1) -> list[ColdNode]:
        """Documents, headings and memories of at least `min_tokens` tokens with all below them whose temperature is
        below `below` (0 to 1), coldest first. Pinned ones are never among them."""
        min_tokens = check_int("min_tokens", min_tokens, 0, MOST_TOKENS)
        below = check_weight("below", below, 1.0)
        return await self._read(list_cold, self.usage.read_heats, read_clock(), self.usage.half_life, min_tokens, below)

    async def take_cold_digest(self, most: int = 5) -> ColdDigest | None:
        """The cold nodes in short, with at most `most` (1 to 1000) of them, for an agent that is to be told: to one
        caller a day, of all processes that have the store open. None where there are none, or it was taken within the
        last 24 hours. That it was taken is noted in the file before this returns, in a short transaction of its own;
        nothing is taken from a store that can only be read."""
        half_life = self.usage.half_life
        most, thermometer, now = check_int("most", most, 1, MOST_DIGESTED), self.usage.read_heats, read_clock()

        def find(connection: Connection) -> ColdDigest | None:
            told = digest.load_told(connection)
            is_due = told is None or abs(now - told) >= DAY
            return digest_cold(connection, thermometer, now, half_life, most) if is_due else None

        found = None if self.storage.read_only else await self._read(find)
        if found is None or not found.total:
            return None
        return found if await self.storage.write(digest.claim_telling, now, DAY) else None

    # --- the store as a whole ----------------------------------------------------------------------------------------

    async def check(self) -> None:
        """Whether the store can be used: its file is there and gives an answer. Raises StoreError."""
        await self.storage.check()

    async def stats(self) -> Stats:
        """Figures of the store, what the background work is at, and the first of the cold nodes."""
        from remem.reading.stats import read_stats

        owner, problem = ("", "") if self._worker is None else (self._worker.owner, self._worker.problem)
        path, thermometer, half_life = self.storage.path, self.usage.read_heats, self.usage.half_life

        def read(connection: Connection) -> Stats:
            figures = read_stats(connection, path, read_clock(), owner, problem)
            return replace(figures, cold=digest_cold(connection, thermometer, read_clock(), half_life, MOST_COLD))

        return await self._read(read)

    async def export(self) -> Export:
        """All nodes, edges and pending edges."""
        from remem.reading import export

        return await self._read(export.export_all)

    async def export_markdown(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes every document's text below `folder`, a folder for each root. Raises RefusedError where it is not
        empty; returns the files."""
        from remem.reading import export

        place = Path(check_path("folder", folder))
        texts = await self.storage.read(export.render_documents)
        return export.write_files(place, texts)

    async def doctor(self, *, fix: bool = False) -> DoctorReport:
        """Checks every invariant; with `fix`, rebuilds what follows from the nodes and checks again. An embedder that
        is a service is asked once, for a few seconds.

        Damaged pages are told by the tables that they belong to, and nothing else then; with `fix`, these are made anew
        first. Raises StoreCorruptError where rows cannot be read that follow from nothing else: restore a backup.
        """
        from remem.doctor.damage import FILE, tell_damage
        from remem.storage import salvage

        found = await self._examine_embedder()
        try:
            report = await self._examine(fix, found)
        except StoreError:  # of the vectors' table damage is told as any other failure
            damaged = await self.storage.read(salvage.find_damage)
            if not damaged:
                raise
        else:
            is_whole = not any(finding.check == FILE for finding in report.findings)
            damaged = [] if is_whole else await self.storage.read(salvage.find_damage)
            if not damaged:
                return report
        if not fix:
            return records.DoctorReport(tuple(map(tell_damage, damaged)), 1)
        await self.storage.write_alone(salvage.rebuild_tables, damaged)
        await self.storage.run_outside(salvage.rewrite)
        mended = await self._examine(fix, found)
        return replace(mended, fixed=mended.fixed + len(damaged))

    async def _examine(self, fix: bool, found: Examined | None) -> DoctorReport:
        from remem.doctor import service as doctor

        threshold = self.settings.connections.auto_discovery_threshold
        if fix:
            return await self.storage.write_alone(doctor.repair_store, read_clock(), threshold, found)
        return await self.storage.read(doctor.check_store, threshold, found)
