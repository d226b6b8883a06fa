"""The version trail as JSON shapes: snapshots, changes, differences, the history of a node, what a rollback or purge
did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from remem.faces.wire.values import FATES, Json, pick_fields, show_time

if TYPE_CHECKING:
    from remem.records import HistoryEntry, NodeChange, NodeDiff, PurgeReport, RollbackReport, SnapshotLine

_NODE = ("op", "id", "kind", "label", "root", "source")
_snapshot_fields = pick_fields("id", "parent", "message", "state_hash", *FATES, "finished")
_change_fields = pick_fields(*_NODE, "content")
_told_fields = pick_fields(*_NODE, "archived")
_diff_fields = pick_fields(*_NODE, "before", "after", "diff", "purged")
_entry_fields = pick_fields("snapshot", "message", "op", "detail", "label", "before", "after", "purged")
_rollback_fields = pick_fields("to", "scope", "snapshot", "dry_run", *FATES)
_renamed_fields = pick_fields("id", "label", "was", "now")
_purge_fields = pick_fields("texts", "changes", "complete", "message")


def show_snapshots(lines: Sequence[SnapshotLine]) -> Json:
    """`{snapshots}`: each with how many nodes it added, modified, moved and removed."""
    return {"snapshots": [{**_snapshot_fields(line), "created_at": show_time(line.created_at)} for line in lines]}


def show_change(change: NodeChange) -> Json:
    """A node that changed; `content` is what it says now, null where that was purged."""
    return _change_fields(change)


def show_delta(changes: Sequence[NodeChange]) -> Json:
    """`{changes}`: one for each node that changed, net."""
    return {"changes": [show_change(change) for change in changes]}


def show_diff(changes: Sequence[NodeDiff]) -> Json:
    """`{changes}`: the same with `before`, `after` (null: it was not there, or was purged) and the unified `diff`."""
    return {"changes": [_diff_fields(change) for change in changes]}


def show_history(entries: Sequence[HistoryEntry]) -> Json:
    """`{history}`: the changes of one node, each with its snapshot, time and texts."""
    return {
        "history": [
            {**_entry_fields(entry), "tags": list(entry.tags), "created_at": show_time(entry.created_at)}
            for entry in entries
        ]
    }


def show_rollback(report: RollbackReport) -> Json:
    """What a rollback changed, or would change; `snapshot` is null where no node did. `renamed` are the documents that
    stand elsewhere now, `held` the files that no compile takes in until they change."""
    changes = [_told_fields(change) for change in report.changes]  # which nodes, not what they say
    renamed = [_renamed_fields(one) for one in report.renamed]
    return {**_rollback_fields(report), "changes": changes, "renamed": renamed, "held": list(report.held)}


def show_purge(report: PurgeReport) -> Json:
    """What a purge removed; `complete` is false where it is to be run again."""
    return _purge_fields(report)
