"""Rollback: takes the store, or a part of it, back to what it was at a snapshot, as a new snapshot."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from remem.errors import RefusedError, RememError
from remem.reading.net import list_net_changes
from remem.reading.states import find_newest, get_snapshot
from remem.reading.versions import tell_changes
from remem.records import RollbackReport
from remem.storage import layouts as layout_rows
from remem.writing import history
from remem.writing.rollback.documents import WrittenDocuments, plan_whole, write_documents
from remem.writing.rollback.places import Places
from remem.writing.rollback.scope import Scope, find_scope
from remem.writing.rollback.sections import plan_section
from remem.writing.rollback.singles import restore_singles
from remem.writing.singles import Work

if TYPE_CHECKING:
    from sqlite3 import Connection


class DryRunError(RememError):
    """Ends the transaction of a dry run; carries what would have been done."""

    def __init__(self, report: RollbackReport) -> None:
        super().__init__("dry run")
        self.report = report


def roll_back(connection: Connection, to: object, given: object, dry_run: bool, now: int) -> RollbackReport:
    """Takes what the scope means back to a snapshot. Must run inside a write transaction, alone in it where it is a dry
    run, which ends in DryRunError.

    Raises InvalidInputError, NotFoundError for a snapshot or scope that there is not, AmbiguousError, RefusedError
    where something was purged, ConflictError where a place or a text is taken.
    """
    snapshot = get_snapshot(connection, "snapshot", to)
    _check_known(connection, snapshot)
    before = find_newest(connection)
    scope, span = find_scope(connection, given, snapshot)
    written = _write_documents(connection, scope, snapshot, now)
    work = Work(connection, now, written.changes)
    restore_singles(work, {key: span.old[key] for key in scope.singles}, snapshot)
    made = history.save_changes(connection, work.changes, f"rollback {scope.name} to {snapshot}", now)
    report = _report(connection, scope, snapshot, before, made, written)
    if dry_run:
        raise DryRunError(report)
    return report


def _check_known(connection: Connection, snapshot: int) -> None:
    first = layout_rows.find_first_known(connection)
    if snapshot < first:
        raise RefusedError(
            f"snapshot {snapshot} was made by an earlier version of Remem, which kept less; one can return to {first}"
            " and later ones",
            snapshot=snapshot,
        )


def _write_documents(connection: Connection, scope: Scope, snapshot: int, now: int) -> WrittenDocuments:
    if scope.section is not None:
        plan = plan_section(connection, scope.section, snapshot)
    else:
        plan = plan_whole(connection, scope.documents, scope.living, snapshot)
    if not plan.wanted:
        return WrittenDocuments(history.Changes())
    return write_documents(connection, plan, Places(connection, now), now)


def _report(
    connection: Connection, scope: Scope, to: int, before: int, made: int | None, written: WrittenDocuments
) -> RollbackReport:
    net = [] if made is None else list_net_changes(connection, before, made, archived=True)
    changes = tell_changes(connection, net)
    counts = Counter(change.op for change in changes)
    return RollbackReport(
        to, scope.name, made, counts["add"], counts["mod"], counts["move"], counts["rem"], tuple(changes), written.held,
        written.renamed,
    )  # fmt: skip
