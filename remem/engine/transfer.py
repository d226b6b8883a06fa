"""The calls of class `Remem` on what leaves the store and comes into it: backups, restored stores, imports. It knows no
SQL and no face."""

from __future__ import annotations

import asyncio
import os
import threading
from functools import partial
from typing import TYPE_CHECKING

from remem.checks import check_path
from remem.engine.work import WorkCalls

if TYPE_CHECKING:
    from remem.records import Backup, MigrationState, Restored

LONGEST_PATH = 4096


class TransferCalls(WorkCalls):
    """How stores are copied and filled. All methods raise subclasses of `remem.errors.RememError`."""

    async def backup(self, path: str | os.PathLike[str]) -> Backup:
        """Copies the store to the file `path` as it is at one instant; calls go on meanwhile, in every process. A store
        of that name is replaced.

        Raises RefusedError for the store itself and for a file that is no store, StoreError and its subclasses.
        """
        from remem.storage.backup import back_up

        target = check_path("path", path, longest=LONGEST_PATH)
        await self.usage.flush()
        stopped = threading.Event()
        work = asyncio.ensure_future(asyncio.to_thread(back_up, self.storage.path, target, stopped.is_set))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            stopped.set()  # the copy is given up, and what there is of it removed
            await asyncio.wait([work])
            work.exception()
            raise

    @staticmethod
    async def restore(path: str | os.PathLike[str], backup: str | os.PathLike[str]) -> Restored:
        """Puts a copy of the store `backup` in the place of the store at `path`, which nobody may have open; the former
        file is kept beside it (`kept`).

        Raises NotFoundError, StoreBusyError while any process has the store open, RefusedError where both are one file,
        StoreCorruptError for a damaged backup, StoreNewerError, StoreError. Then the store is as it was.
        """
        from remem.storage.backup import restore

        files = [check_path("path", given, longest=LONGEST_PATH) for given in (path, backup)]
        return await asyncio.to_thread(restore, *files)

    @staticmethod
    async def migrate(path: str | os.PathLike[str], *, dry_run: bool = False) -> MigrationState:
        """Brings the store at `path` to the version of this Remem, as opening it would; where it holds data, a copy is
        made beside it first. With `dry_run` it only says what is missing.

        Raises NotFoundError, StoreNewerError, StoreBusyError, StoreError.
        """
        from remem.storage.upgrade import migrate_store

        given = check_path("path", path, longest=LONGEST_PATH)
        return await asyncio.to_thread(partial(migrate_store, given, dry_run=dry_run))
