"""The history in the doctor: going back from what there is now, snapshot by snapshot, must give the state hash of each.
Where a text was purged, nothing before can be checked. What was lost cannot be made again: a repair remembers up to
where the history is damaged."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from remem.doctor.guard import run_check
from remem.reading.states import (
    DocumentState,
    find_newest,
    load_present_documents,
    load_present_states,
    resolve_texts,
)
from remem.records import Finding, Layout, LayoutNode, LayoutRow, NodeRow, NodeState
from remem.rendering.lines import show_count
from remem.storage import layouts as layout_rows
from remem.storage import states as state_rows
from remem.storage import versions
from remem.versioning.layouts import unpack_layout
from remem.versioning.states import ABSENT, find_presence, is_purged, state_before
from remem.writing.history import Tree, add_states, tree_digest

if TYPE_CHECKING:
    from sqlite3 import Connection

WRONG = "the state of snapshot {id} is not what the history makes of it"
DAMAGED = "the history up to snapshot {id} was damaged once: it may not tell every state before"
STRANGE = "{changes} of snapshot {id} led to something else than what came after"


class _PurgedError(Exception):
    """A text that would be needed is gone for good."""


def check_history(connection: Connection) -> Iterator[Finding]:
    """Compares the state hash of each snapshot with what the changes and layouts after it make of what there is now. In
    time proportional to the whole history."""
    snapshots = versions.load_snapshots(connection)
    hashes = {snapshot.id: int.from_bytes(snapshot.state_hash, "big") for snapshot in snapshots} | {0: 0}
    damaged = layout_rows.find_damaged(connection)
    if damaged:
        yield Finding("history", False, DAMAGED.format(id=damaged))
    walk, first = _Walk(connection), max(layout_rows.find_first_known(connection), damaged)
    for snapshot in reversed(snapshots):
        if snapshot.id <= first or snapshot.parent not in hashes:
            return
        try:
            moved = walk.step_back(snapshot.id)
        except _PurgedError:
            return
        if add_states(hashes[snapshot.id], moved) != hashes[snapshot.parent]:
            yield Finding("history", True, WRONG.format(id=snapshot.parent))
        if walk.strange:
            changes = show_count(len(walk.strange), "change")
            yield Finding("history", True, STRANGE.format(id=snapshot.id, changes=changes))
            walk.strange.clear()


def repair_history(connection: Connection) -> None:
    """Remembers that the history up to now is damaged, where it is."""
    versions.purge_missing(connection)
    if any(finding.fault for finding in run_check(check_history, connection)):
        layout_rows.mark_damaged(connection, find_newest(connection))


class _Walk:
    """What nodes and documents were at the snapshot that was reached; what is not known to have been otherwise is as it
    is now. `strange` are nodes that a change should have left there, or not, and did not."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.states: dict[int, NodeState] = {}
        self.layouts: dict[int, Layout] = {}
        self.strange: list[int] = []

    def step_back(self, snapshot: int) -> int:
        """Goes to the state before a snapshot; by how much the state hash moves."""
        rows = state_rows.load_changes(self.connection, snapshot - 1, snapshot)
        self._learn([row.node for row in rows])
        self.strange += [row.node for row in rows if self.states[row.node].presence != find_presence(row.op)]
        former = {row.document: row for row in layout_rows.load_layouts_at(self.connection, snapshot)}
        documents = {self.states[row.node].document for row in rows} | {row.document for row in rows} | former.keys()
        keys = {key for key in documents if key is not None}
        after = self._sum(keys)
        self.states.update({row.node: state_before(row) for row in rows})
        self.layouts.update({key: _unpack(row) for key, row in former.items()})
        return self._sum(keys) - after

    def _learn(self, nodes: Collection[int]) -> None:
        unknown = [node for node in nodes if node not in self.states]
        present = load_present_states(self.connection, unknown)
        self.states.update({node: present.get(node, ABSENT) for node in unknown})

    def _sum(self, documents: Collection[int]) -> int:
        """The digests of those of the documents that are there."""
        self._learn(documents)
        there = [key for key in documents if self.states[key].presence != "absent"]
        missing = [key for key in there if key not in self.layouts]
        self.layouts.update(
            {key: _layout(one) for key, one in load_present_documents(self.connection, missing).items()}
        )
        self._learn({node.key for key in there for node in self.layouts[key].nodes})
        return sum(tree_digest(self._make_tree(key)) for key in there)

    def _make_tree(self, document: int) -> Tree:
        places = self.layouts[document].nodes
        states = {node.key: self.states[node.key] for node in places}
        texts = resolve_texts(self.connection, states)
        ids = state_rows.load_ids(self.connection, states)
        if any(is_purged(state) for state in states.values()):
            raise _PurgedError
        rows = [
            _make_row(node, ids.get(node.key, ""), states[node.key], texts[node.key] or "", document) for node in places
        ]
        tags = {key: state.tags for key, state in states.items() if state.tags}
        return Tree(rows, tags, archived=states[document].presence == "archived")


def _unpack(row: LayoutRow) -> Layout:
    if row.nodes is None:
        raise _PurgedError
    return unpack_layout(row.nodes)


def _layout(document: DocumentState) -> Layout:
    return document.layout


def _make_row(node: LayoutNode, id: str, state: NodeState, text: str, document: int) -> NodeRow:
    return NodeRow(
        node.key,
        id,
        state.kind,
        document,
        node.parent,
        0,
        0,
        0,
        node.piece,
        0,
        state.label,
        text,
        node.gap,
        node.prefix,
    )
