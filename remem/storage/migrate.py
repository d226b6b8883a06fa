"""Makes a store out of an empty file and brings older files up to date. Refuses what it does not know, untouched."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from remem.clock import read_clock
from remem.datafiles import find_data
from remem.errors import StoreCorruptError, StoreError, StoreNewerError
from remem.storage import meta, sqlite
from remem.storage.place import make_private, make_uri, sync_file, sync_folder
from remem.storage.programs import check_programs
from remem.storage.sqlite import Connection

APPLICATION_ID = 0x52454D4D
"""Stands in the header of every store ("REMM")."""

SELECT_STATE = """
SELECT (SELECT application_id FROM pragma_application_id),
       (SELECT user_version FROM pragma_user_version),
       EXISTS (SELECT 1 FROM sqlite_schema)
"""
HAS_DATA = """
SELECT EXISTS (SELECT 1 FROM nodes)
    OR EXISTS (SELECT 1 FROM roots)
    OR EXISTS (SELECT 1 FROM relations)
    OR EXISTS (SELECT 1 FROM snapshots)
"""
TRUNCATE_LOG = "PRAGMA wal_checkpoint(TRUNCATE)"

_HEADER_SIZE = 100
_NAME = re.compile(r"(\d{4})_\w+\.sql")
_COMMENT = re.compile(r"--[^\n]*")


class Migration(NamedTuple):
    """One step from the version before to `number`."""

    number: int
    path: Path


def inspect(path: str) -> int:
    """The version of the store at `path`, 0 where it is empty or missing. Leaves every byte as it is.

    Raises StoreNewerError for the store of a newer Remem, StoreError for another program's database and for triggers or
    views that are none of Remem's. For a file that is no database SQLite's own error passes.
    """
    size = os.path.getsize(path) if os.path.exists(path) else 0
    if size == 0:
        return 0
    if size < _HEADER_SIZE:
        # SQLite itself takes a file of one byte for an empty one.
        raise StoreCorruptError(f"store {path}: it is not an SQLite database. Choose another path.", path=path)
    # Through SQLite and not by reading the header: closing a file that this process has open elsewhere drops its locks.
    connection = sqlite.choose().connect(make_uri(path, **read_options(path)), uri=True, isolation_level=None)
    try:
        version = _check_state(connection, path, get_newest())
        if version:
            check_programs(connection, path, list_own_files(version))
        return version
    finally:
        connection.close()


def read_options(path: str) -> dict[str, str | int]:
    """How to open a store so that nothing beside it is made: as it stands, or with the log that is there."""
    log = path + "-wal"
    if os.path.exists(log) and os.path.getsize(log):
        return {"mode": "ro"}
    return {"mode": "ro", "immutable": 1}


def prepare(connection: Connection, path: str, *, folder: Path | None = None) -> None:
    """Brings the file behind an open connection to the newest version, in one transaction.

    An empty file gets `schema.sql`. An older one that holds data is first copied to `<path>.backup-v<version>-<time>`,
    then gets each missing migration; its foreign keys must not be enforced yet. Two processes may do this at once.
    `folder` holds `schema.sql` and `migrations` (None: those of the package). Raises StoreError and its subclasses;
    then the file is as it was.
    """
    newest = list_migrations(folder)[-1].number
    if _check_state(connection, path, newest) == newest:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _check_state(connection, path, newest)
        if version == 0:
            _create(connection, newest, folder)
        elif version < newest:
            _upgrade(connection, path, version, folder)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    # The version now stands in the file itself: whoever opens it can judge it without its log.
    connection.execute(TRUNCATE_LOG).fetchall()


def get_newest() -> int:
    """The version of the stores that this Remem makes."""
    return list_migrations(None)[-1].number


@cache
def list_migrations(folder: Path | None) -> tuple[Migration, ...]:
    """All migrations in their order. Raises StoreError where one is missing."""
    base = folder / "migrations" if folder else find_data("migrations")
    matches = ((_NAME.fullmatch(path.name), path) for path in sorted(base.iterdir()))
    found = tuple(Migration(int(match[1]), path) for match, path in matches if match)
    if not found or [step.number for step in found] != list(range(1, len(found) + 1)):
        raise StoreError("this installation of Remem lacks some of its migrations. Install the package again.")
    return found


def list_own_files(version: int) -> tuple[Path, ...]:
    """The files that say what stores of a version are made of."""
    if version == get_newest():
        return (find_data("schema.sql"),)
    return tuple(step.path for step in list_migrations(None))


def split_statements(script: str) -> Iterator[str]:
    """The statements of an SQL script, each of which ends at the end of a line."""
    is_complete = sqlite.choose().complete_statement
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if is_complete(statement):
            yield statement
            statement = ""
    if _COMMENT.sub("", statement).strip():
        raise StoreError("a schema file of this installation is cut off. Install the package again.")


def _check_state(connection: Connection, path: str, newest: int) -> int:
    application, version, filled = connection.execute(SELECT_STATE).fetchone()
    if application == 0 and version == 0 and not filled:
        return 0
    if application != APPLICATION_ID:
        raise StoreError(
            f"store {path}: it is the database of another program and was left untouched. Choose another path.",
            path=path,
        )
    if version > newest:
        raise StoreNewerError(
            f"store {path}: it was written by a newer Remem (version {version}, this one knows {newest}) "
            "and was left untouched. Install a newer Remem.",
            path=path,
            version=version,
            newest=newest,
        )
    if version < 1:
        raise StoreCorruptError(f"store {path}: its version is lost. Restore a backup.", path=path)
    return int(version)


def _create(connection: Connection, newest: int, folder: Path | None) -> None:
    schema = folder / "schema.sql" if folder else find_data("schema.sql")
    _run_script(connection, schema)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    meta.save_value(connection, "created_at", str(read_clock()))
    _set_version(connection, newest)


def _upgrade(connection: Connection, path: str, version: int, folder: Path | None) -> None:
    if connection.execute(HAS_DATA).fetchone()[0]:
        _back_up(path, version)
    for step in list_migrations(folder)[version:]:
        try:
            _run_script(connection, step.path)
            broken = connection.execute("PRAGMA foreign_key_check").fetchone()
        except sqlite.Error as error:
            raise _migration_error(path, step, str(error)) from error
        if broken is not None:
            raise _migration_error(path, step, f"rows of {broken[0]} would lose what they refer to")
        _set_version(connection, step.number)


def _migration_error(path: str, step: Migration, reason: str) -> StoreError:
    return StoreError(
        f"store {path}: {step.path.name} failed and the file is as it was ({reason}). "
        "Run `remem doctor` with the version of Remem that wrote it.",
        path=path,
        migration=step.number,
    )


def _set_version(connection: Connection, version: int) -> None:
    connection.execute(f"PRAGMA user_version = {version:d}")
    meta.save_value(connection, "version", str(version))


def _run_script(connection: Connection, path: Path) -> None:
    for statement in split_statements(path.read_text(encoding="utf-8")):
        connection.execute(statement)


def _back_up(path: str, version: int) -> str:
    """Copies the store while this process holds its write lock, so that the copy is what is migrated."""
    base = f"{path}.backup-v{version}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    partial = base + ".partial"
    module = sqlite.choose()
    source = module.connect(make_uri(path, mode="ro"), uri=True)
    try:
        make_private(partial)
        target = module.connect(partial)
        try:
            source.backup(target)
        finally:
            target.close()
        shutil.copymode(path, partial)  # who may not read the store may not read its copy
        sync_file(partial)
        os.replace(partial, base)
    finally:
        source.close()
        with suppress(OSError):  # what there is of it where the disk is full
            os.unlink(partial)
    sync_folder(base)
    return base
