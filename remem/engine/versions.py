"""The calls of class `Remem` on the version trail. It knows no SQL and no face."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from remem import records
from remem.checks import check_flag, check_int
from remem.clock import read_clock
from remem.engine.work import WorkCalls
from remem.errors import StoreFullError
from remem.limits import MOST_SNAPSHOTS
from remem.reading.cursors import check_page

if TYPE_CHECKING:
    from remem.records import HistoryEntry, NodeChange, NodeDiff, Page, PurgeReport, RollbackReport, SnapshotLine

CLEAN = "nothing of the purged texts is left in the file"
NO_ROOM = (
    "the purged texts can no longer be read, but the disk has no room to write the file anew: old bytes stay in it."
    " Make room and run purge again"
)
HELD = (
    "the purged texts can no longer be read, but another process holds the file: old bytes stay in it and its log until"
    " purge is run again after that process has ended its reads"
)


class VersionCalls(WorkCalls):
    """What `Remem` does with snapshots. All methods raise subclasses of `remem.errors.RememError`.

    Snapshots are numbered 1, 2, 3 …; 0 is the empty store. One that there is not (yet) is a NotFoundError, what is no
    whole number from 0 on an InvalidInputError.
    """

    # --- reading -----------------------------------------------------------------------------------------------------

    async def snapshots(
        self, limit: int = 20, cursor: str | None = None, *, budget: int | None = None
    ) -> Page[SnapshotLine]:
        """The version trail, newest first, at most `limit` (1 to 500) snapshots on a page, with how many nodes each
        added, modified, moved and removed."""
        from remem.reading import versions

        limit = check_int("limit", limit, 1, MOST_SNAPSHOTS)
        return await self._read(versions.page_snapshots, limit, check_page(budget, cursor))

    async def delta(self, since: int, budget: int | None = None, cursor: str | None = None) -> Page[NodeChange]:
        """What changed from a snapshot to now, net: one entry for each node that was added, modified, moved or removed,
        with what it says now; nothing for what came and went. In the order of the documents. Later pages tell of the
        same span as the first, whatever was written meanwhile."""
        from remem.reading import versions

        return await self._read(versions.page_delta, since, check_page(budget, cursor))

    async def diff(self, a: int, b: int, budget: int | None = None, cursor: str | None = None) -> Page[NodeDiff]:
        """What changed from snapshot `a` to snapshot `b`, net, with the texts before and after and a unified diff of
        each; `a` may be the later one."""
        from remem.reading import versions

        return await self._read(versions.page_diff, a, b, check_page(budget, cursor))

    async def history(self, node: str, budget: int | None = None, cursor: str | None = None) -> Page[HistoryEntry]:
        """The changes of one node, newest first, across renames and moves, with the texts before and after; of one that
        is removed or archived by its id. Raises NotFoundError, AmbiguousError."""
        from remem.reading import versions

        return await self._read(versions.page_history, node, check_page(budget, cursor))

    # --- writing -----------------------------------------------------------------------------------------------------

    async def rollback(self, snapshot: int, scope: str = "notes", *, dry_run: bool = False) -> RollbackReport:
        """Takes a part of the store back to what it was at a snapshot, as a new snapshot; links are resolved again, and
        edges that calls made come back with their nodes. Rolling that back restores exactly what there was.

        `scope` is "notes" (everything but memories), "all", the name of a root, a document (id or source), a node with
        all below it, or a memory. Compile leaves the documents concerned, until their files change. `dry_run` changes
        nothing and tells what would be.
        Raises NotFoundError, AmbiguousError, InvalidInputError; RefusedError where a text was purged that it needs,
        ConflictError where another document or memory has taken a place.
        """
        from remem.writing import rollback

        check_flag("dry_run", dry_run)
        await self._sweep_due()
        try:
            report = await self.storage.write_alone(rollback.roll_back, snapshot, scope, dry_run, read_clock())
        except rollback.DryRunError as dry:
            return replace(dry.report, dry_run=True, snapshot=None)
        await self._settle_mentions()
        self._note_work()
        return report

    async def purge(self, *, snapshot: int | None = None, node: str | None = None) -> PurgeReport:
        """Removes texts from the history for good, free pages and log included: those that no snapshot after `snapshot`
        holds, or the former texts of a node and of all that is or was below it (of one that is gone, all of it; an
        archived memory is deleted first). What is there now stays. Makes no snapshot; the history says "(purged)", and
        a rollback that needs such a text is refused. The whole file is written anew: other processes may go on, but
        while one of them reads, old bytes stay (`complete` is false then, after `[storage] busy_timeout`).

        Raises NotFoundError, AmbiguousError, InvalidInputError; StoreFullError where there is no room for that.
        """
        from remem.storage.purging import rewrite_file
        from remem.writing import purge

        purge.check_target(snapshot, node)
        await self._sweep_due()
        done = await self.storage.write_alone(purge.purge_texts, snapshot, node, read_clock(), self.uses)
        await self._settle_mentions()
        try:
            complete = await self.storage.run_outside(rewrite_file, self.settings.storage.busy_timeout)
        except StoreFullError as full:
            raise StoreFullError(NO_ROOM, path=self.storage.path) from full
        return records.PurgeReport(done.texts, done.changes, complete, CLEAN if complete else HELD)
