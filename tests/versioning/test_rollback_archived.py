"""Rollbacks of what is out of sight: archived memories that come, go or say something else are told of."""

from __future__ import annotations

import json

import pytest

from remem.engine.sync import RememSync
from remem.faces import wire
from remem.faces.cli.rollback import list_changes, tell_rollback
from remem.records import RollbackReport


def _tell(report: RollbackReport) -> tuple[object, ...]:
    changes = [(change.op, change.id, change.label, change.archived) for change in report.changes]
    return changes, report.added, report.modified, report.moved, report.removed


def _hash(remem: RememSync) -> str:
    return remem.snapshots(limit=1)[0].state_hash


@pytest.mark.parametrize("scope", ["o", "all"])
def test_a_rollback_tells_of_archived_memories_that_go_and_come_back(remem: RememSync, scope: str) -> None:
    remem.store("first", id="m")
    remem.store("# Other\n\ny", id="o")
    remem.delete("o")
    archived = _hash(remem)
    for report in (remem.rollback(1, scope, dry_run=True), remem.rollback(1, scope)):
        assert _tell(report) == ([("rem", "o", "Other", True)], 0, 0, 0, 1)
        assert next(iter(tell_rollback(report))).split(": ")[-1].startswith("1 removed")
        assert list(list_changes(report)) == ["rem   Other  memory o  archived"]
    for report in (remem.rollback(3, scope, dry_run=True), remem.rollback(3, scope)):
        assert _tell(report) == ([("add", "o", "Other", True)], 1, 0, 0, 0)
        assert '"archived": true' in json.dumps(wire.show_rollback(report))
    assert _hash(remem) == archived and remem.get("o", archived=True).content == "# Other\n\ny"
    assert _tell(remem.rollback(2, scope)) == ([("add", "o", "Other", False)], 1, 0, 0, 0)
    assert _tell(remem.rollback(3, scope)) == ([("rem", "o", "Other", False)], 0, 0, 0, 1)


def test_a_rollback_tells_of_an_archived_memory_that_says_what_it_said(remem: RememSync) -> None:
    remem.store("one", id="m")
    remem.delete("m")
    remem.unarchive("m")
    remem.update("m", content="two")
    remem.delete("m")
    report = remem.rollback(2, "m")
    assert _tell(report) == ([("mod", "m", "one", True)], 0, 1, 0, 0)
    assert remem.get("m", archived=True).content == "one"
    assert remem.rollback(2, "m").snapshot is None


def test_what_is_served_has_not_changed_for_a_delta(remem: RememSync) -> None:
    remem.store("one", id="m")
    remem.delete("m")
    remem.delete("m", hard=True)
    assert (len(remem.delta(2)), len(remem.diff(2, 3))) == (0, 0)
