"""What changed between two snapshots, net: one entry for each node that is there at either and says something else, or
stands elsewhere; nothing for what came and went."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from remem.matching.diff import find_moves
from remem.reading.states import (
    DocumentState,
    Span,
    find_documents_at,
    load_present_documents,
    load_span,
    load_states,
)
from remem.records import ChangeKind, NodeState
from remem.versioning.states import says_same

if TYPE_CHECKING:
    from sqlite3 import Connection


class NetChange(NamedTuple):
    """A node that changed: `old` and `new` are what it was and is, `root` and `source` where it stands, or stood.
    `archived`: it was there at neither snapshot; an archived memory came, went, or says something else."""

    key: int
    op: ChangeKind
    old: NodeState
    new: NodeState
    root: str
    source: str

    @property
    def archived(self) -> bool:
        return "living" not in (self.old.presence, self.new.presence)


class _Trees(NamedTuple):
    """The documents of the nodes in question at one of the two snapshots: the parent and the place of each node."""

    documents: Mapping[int, DocumentState]
    parents: dict[int, int | None]
    order: dict[int, tuple[int, int]]


def list_net_changes(connection: Connection, after: int, until: int, *, archived: bool = False) -> list[NetChange]:
    """The net changes from a snapshot to a later one, by document and place: what is gone stands where it was. With
    `archived` those of archived memories, too. In time proportional to the changes and the documents that have any."""
    span = load_span(connection, after, until)
    before = _load_trees(connection, span.old, after)
    behind = _load_trees(connection, span.new, until)
    ops = _compare(span, before, behind) | (_compare_archived(span) if archived else {})
    others = [key for key in ops if key not in span.new]
    if others:
        states = load_states(connection, dict.fromkeys(others, "living"), until)
        span = Span(after, until, span.old | states, span.new | states)
    changes = [_tell(key, op, span, before, behind) for key, op in ops.items()]
    places = {change.key: _find_place(change.key, change.op, before, behind) for change in changes}
    return sorted(changes, key=lambda change: (places[change.key], change.key))


def _load_trees(connection: Connection, states: Mapping[int, NodeState], snapshot: int) -> _Trees:
    keys = list_documents(states.values())
    documents = find_documents_at(connection, keys, snapshot)
    unknown = load_present_documents(connection, keys - documents.keys())
    parents = {node.key: node.parent for document in documents.values() for node in document.layout.nodes}
    order = {
        node.key: (document.key, position)
        for document in documents.values()
        for position, node in enumerate(document.layout.nodes)
    }
    return _Trees({**unknown, **documents}, parents, order)


def _compare(span: Span, before: _Trees, behind: _Trees) -> dict[int, ChangeKind]:
    ops: dict[int, ChangeKind] = {}
    kept = set()
    for key, new in span.new.items():
        old = span.old[key]
        was, is_there = old.presence == "living", new.presence == "living"
        if was and is_there:
            kept.add(key)
            if not says_same(old, new):
                ops[key] = "mod"
        elif was or is_there:
            ops[key] = "rem" if was else "add"
    for key in _find_shifted(before, behind) if kept else ():
        ops.setdefault(key, "move")
    return ops


def _compare_archived(span: Span) -> dict[int, ChangeKind]:
    """What became of memories that were not there before and are not there now."""
    ops: dict[int, ChangeKind] = {}
    for key, new in span.new.items():
        old = span.old[key]
        was, is_kept = old.presence == "archived", new.presence == "archived"
        if was and is_kept and not says_same(old, new):
            ops[key] = "mod"
        elif "living" not in (old.presence, new.presence) and was != is_kept:
            ops[key] = "rem" if was else "add"
    return ops


def _find_shifted(before: _Trees, behind: _Trees) -> set[int]:
    """Nodes with another parent, or another place among the siblings that were kept with them."""
    shifted: set[int] = set()
    families: dict[int, list[int]] = {}
    for key, parent in behind.parents.items():
        if parent is None or key not in before.parents:
            continue
        if before.parents[key] != parent:
            shifted.add(key)
        else:
            families.setdefault(parent, []).append(key)
    for siblings in families.values():
        former = sorted(siblings, key=before.order.__getitem__)
        if former != siblings:
            shifted |= find_moves(former, siblings)
    return shifted


def _tell(key: int, op: ChangeKind, span: Span, before: _Trees, behind: _Trees) -> NetChange:
    old, new = span.old[key], span.new[key]
    state, trees = (old, before) if op == "rem" else (new, behind)
    document = trees.documents.get(state.document or 0)
    root, source = ("", "") if document is None else (document.root, document.source)
    return NetChange(key, op, old, new, root, source)


def _find_place(key: int, op: str, before: _Trees, behind: _Trees) -> tuple[int, int]:
    return (before if op == "rem" else behind).order.get(key, (key, 0))


def list_documents(states: Collection[NodeState]) -> set[int]:
    """The documents that living nodes stand in."""
    return {state.document for state in states if state.presence == "living" and state.document is not None}
