"""Says which migrations a store lacks, and takes them. How each is taken is `migrate`'s."""

from __future__ import annotations

import os
from contextlib import closing
from glob import escape, glob

from remem.records import MigrationState
from remem.storage import migrate
from remem.storage.connection import open_writer
from remem.storage.faults import mapped_errors
from remem.storage.place import check_place

BUSY_SECONDS = 5.0


def migrate_store(path: str, *, dry_run: bool = False) -> MigrationState:
    """Brings a store to the newest version; with `dry_run` it stays as it is, and so does one that is new already.

    Raises NotFoundError, StoreNewerError, StoreBusyError, StoreError.
    """
    full = check_place(path, create=False)
    with mapped_errors(full):
        version = migrate.inspect(full)
    steps = migrate.list_migrations(None)
    newest = steps[-1].number
    missing = tuple(step.path.name for step in steps[version:]) if version else ()
    state = MigrationState(full, version, newest, missing)
    if dry_run or not missing:
        return state
    before = _list_backups(full)
    with closing(open_writer(full, "full", BUSY_SECONDS)):
        pass
    made = sorted(_list_backups(full) - before)
    return MigrationState(full, version, newest, missing, True, made[0] if made else None)


def _list_backups(path: str) -> set[str]:
    found = glob(f"{escape(path)}.backup-v*")
    return {name for name in found if os.path.isfile(name) and not name.endswith(".partial")}
