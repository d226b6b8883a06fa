"""The calls of class `Remem` on stores as files: copied, put back, brought up to date. It knows no SQL and no face."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from typing import TYPE_CHECKING

from remem.checks import check_flag, check_path
from remem.engine.work import WorkCalls
from remem.storage.threads import run_stoppable

if TYPE_CHECKING:
    from remem.records import Backup, MigrationState, Restored


class TransferCalls(WorkCalls):
    """How stores are copied, restored and migrated. All methods raise subclasses of `remem.errors.RememError`."""

    async def backup(self, path: str | os.PathLike[str], *, force: bool = False) -> Backup:
        """Copies the store to the file `path` as it is at one instant; calls go on meanwhile, in every process. An
        earlier copy of this store is replaced, another store only with `force`.

        Raises RefusedError for the store itself, for another store and for a file that is no store, StoreError and its
        subclasses.
        """
        from remem.storage.backup import back_up

        target, force = check_path("path", path), check_flag("force", force)
        await self.usage.flush()
        # Of a copy that is given up nothing stays.
        return await run_stoppable(partial(back_up, self.storage.path, target, force=force))

    @staticmethod
    async def restore(path: str | os.PathLike[str], backup: str | os.PathLike[str]) -> Restored:
        """Puts a copy of the store `backup` in the place of the store at `path`, which nobody may have open; the former
        file is kept beside it (`kept`).

        Raises NotFoundError, StoreBusyError while any process has the store open, RefusedError where both are one file,
        StoreCorruptError for a damaged backup, StoreNewerError, StoreError. Then the store is as it was.
        """
        from remem.storage.backup import restore

        files = [check_path("path", given) for given in (path, backup)]
        return await asyncio.to_thread(restore, *files)

    @staticmethod
    async def migrate(path: str | os.PathLike[str], *, dry_run: bool = False) -> MigrationState:
        """Brings the store at `path` to the version of this Remem, as opening it would; where it holds data, a copy is
        made beside it first. With `dry_run` it only says what is missing.

        Raises NotFoundError, StoreNewerError, StoreBusyError, StoreError.
        """
        from remem.storage.upgrade import migrate_store

        given = check_path("path", path)
        return await asyncio.to_thread(partial(migrate_store, given, dry_run=dry_run))
