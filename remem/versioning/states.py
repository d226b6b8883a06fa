"""States: what a row of the history says of a node before and after its snapshot. Pure."""

from __future__ import annotations

from typing import Final

import orjson

from remem.records import PURGED, ChangeRow, NodeState, Presence

ABSENT: Final = NodeState("absent")

# What a node was before a snapshot that has a row of that kind; living where nothing is said.
_BEFORE: dict[str, Presence] = {
    "add": "absent",
    "restore": "absent",
    "unarchive": "archived",
    "discard": "archived",
    "amend": "archived",
}
_AFTER: dict[str, Presence] = {
    "rem": "absent",
    "discard": "absent",
    "archive": "archived",
    "amend": "archived",
    "restore": "archived",
}


def find_presence(op: str) -> Presence:
    """Whether a node is there after a change of that kind."""
    return _AFTER.get(op, "living")


def state_before(row: ChangeRow) -> NodeState:
    """What the node was before the snapshot of the row."""
    presence = _BEFORE.get(row.op, "living")
    if presence == "absent":
        return ABSENT
    tags = tuple(orjson.loads(row.tags)) if row.tags else ()
    return NodeState(presence, row.kind or "", row.label, row.content, None, row.parent, row.document, tags)


def is_purged(state: NodeState) -> bool:
    """Whether the text was purged."""
    return state.content == PURGED


def says_same(one: NodeState, other: NodeState) -> bool:
    """Whether two states of a living node say the same: kind, label, text and tags. The hashes must be known."""
    return (one.kind, one.label, one.content, one.tags) == (other.kind, other.label, other.content, other.tags)
