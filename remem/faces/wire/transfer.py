"""What became of backups, restored stores, migrations and imports, as JSON shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.faces.wire.values import Json, pick_fields

if TYPE_CHECKING:
    from remem.records import Backup, ImportReport, MigrationState, Restored

_backup_fields = pick_fields("path", "bytes")
_restored_fields = pick_fields("path", "bytes", "kept")
_migration_fields = pick_fields("path", "version", "newest", "done", "backup")
_import_fields = pick_fields("form", "stored", "updated", "unchanged", "documents", "edges", "waiting")
_problem_fields = pick_fields("line", "message")


def show_backup(made: Backup) -> Json:
    """`{path, bytes}` of a copy that was made."""
    return _backup_fields(made)


def show_restored(restored: Restored) -> Json:
    """`{path, bytes, kept}`: `kept` is where the former file lies, null where there was none."""
    return _restored_fields(restored)


def show_migration(state: MigrationState) -> Json:
    """A store's version, that of this Remem, and the steps that are, or were, missing."""
    return {**_migration_fields(state), "missing": list(state.missing)}


def show_import(report: ImportReport) -> Json:
    """What an import did; `problems` are lines that could not be taken in."""
    return {**_import_fields(report), "problems": [_problem_fields(problem) for problem in report.problems]}
