"""What nodes and documents were at a snapshot, put together from the history and from what stands now. Changes nothing;
what changed between two snapshots is `net`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import orjson

from remem.checks import check_int
from remem.errors import NotFoundError, RefusedError
from remem.ids import text_hash
from remem.ingest.memories import read_memory
from remem.reading.nodes import order_tags
from remem.records import (
    PURGED,
    ChangeRow,
    DocumentRow,
    Layout,
    LayoutNode,
    LayoutRow,
    NodeRow,
    NodeState,
    Presence,
)
from remem.storage import documents as document_rows
from remem.storage import layouts as layout_rows
from remem.storage import nodes as node_rows
from remem.storage import states as state_rows
from remem.storage import versions
from remem.versioning.layouts import unpack_layout
from remem.versioning.states import ABSENT, find_presence, state_before

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_SNAPSHOTS = (1 << 63) - 1
SINGLE_KINDS = ("memory", "entity")


class DocumentState(NamedTuple):
    """A document as it was at a snapshot: its place, its file, its nodes in pre-order. A memory or entity is one of one
    node, with an empty root, source and format."""

    key: int
    root: str
    source: str
    format: str
    hash: bytes
    settings: str
    layout: Layout

    @property
    def places(self) -> dict[int, int]:
        """The position of each node, by key."""
        return {node.key: position for position, node in enumerate(self.layout.nodes)}


# --- snapshots --------------------------------------------------------------------------------------------------------


def find_newest(connection: Connection) -> int:
    """The number of the newest snapshot, 0 for the empty store."""
    newest = versions.find_newest_snapshot(connection)
    return 0 if newest is None else newest.id


def get_snapshot(connection: Connection, field: str, value: object) -> int:
    """The number of a snapshot that there is, 0 being the empty store. Raises InvalidInputError for what is no number
    or below 0, NotFoundError."""
    id = check_int(field, value, 0, MOST_SNAPSHOTS)
    newest = find_newest(connection)
    if id > newest:
        known = f"the newest is {newest}" if newest else "there is none yet"
        raise NotFoundError(f"there is no snapshot {id}; {known}", snapshot=id)
    return id


# --- nodes ------------------------------------------------------------------------------------------------------------


def load_present_states(connection: Connection, nodes: Collection[int]) -> dict[int, NodeState]:
    """What nodes are now; what has merely expired lives. Those that are gone are left out."""
    tags = node_rows.load_node_tags(connection, nodes)
    found = {
        row.key: NodeState(
            "living", row.kind, row.label, text_hash(row.content), row.content, row.parent, row.document,
            tags.get(row.key, ()),
        )
        for row in state_rows.load_present(connection, nodes).values()
    }  # fmt: skip
    for key, row in state_rows.load_archived(connection, [key for key in nodes if key not in found]).items():
        text = state_rows.load_texts(connection, [row.content]).get(row.content)
        own = order_tags([*orjson.loads(row.tags), *(read_memory(text).tags if text is not None else ())])
        presence: Presence = "archived" if row.archived_by == "call" else "living"
        found[key] = NodeState(presence, row.kind, row.label, row.content, text, None, key, own)
    return found


def load_states(connection: Connection, nodes: Mapping[int, Presence], snapshot: int) -> dict[int, NodeState]:
    """What nodes were at a snapshot at which they were there, or not, as is said."""
    there = [key for key, presence in nodes.items() if presence != "absent"]
    rows = state_rows.load_next_changes(connection, there, snapshot)
    found = {key: state_before(row) for key, row in rows.items()}
    found |= load_present_states(connection, [key for key in there if key not in rows])
    return {key: found.get(key, ABSENT) if presence != "absent" else ABSENT for key, presence in nodes.items()}


def find_node_state(connection: Connection, node: int, snapshot: int) -> NodeState:
    """What one node was at a snapshot. In time proportional to its own history."""
    presence: Presence = "absent"
    for row in state_rows.load_node_changes(connection, node, find_newest(connection)):
        if row.snapshot > snapshot:
            return state_before(row)
        presence = find_presence(row.op)
    return load_states(connection, {node: presence}, snapshot)[node]


def resolve_texts(
    connection: Connection, states: Mapping[int, NodeState], node: int | None = None
) -> dict[int, str | None]:
    """The texts of states, by node (or, for several states of one `node`, by whatever they are numbered by); None for
    what was purged."""
    wanted = {state.content for state in states.values() if state.text is None and state.content}
    kept = state_rows.load_texts(connection, wanted - {PURGED})
    texts: dict[int, str | None] = {}
    for key, state in states.items():
        texts[key] = state.text if state.text is not None else kept.get(state.content or PURGED)
    missing = [key for key, text in texts.items() if text is None and states[key].content not in (None, PURGED)]
    # What only moved says what it says now: no text of it was kept.
    standing = state_rows.load_present(connection, missing if node is None else [node]) if missing else {}
    now = {text_hash(row.content): row.content for row in standing.values()}
    return texts | {key: now.get(states[key].content or PURGED) for key in missing}


# --- documents --------------------------------------------------------------------------------------------------------


def load_documents_at(connection: Connection, documents: Collection[int], snapshot: int) -> dict[int, DocumentState]:
    """The documents as they were at a snapshot at which they were there, by key.

    Raises RefusedError where the layout of one was purged, or was never known.
    """
    if snapshot < layout_rows.find_first_known(connection):
        raise RefusedError(
            f"snapshot {snapshot} was made by an earlier version of Remem, which kept less of documents",
            snapshot=snapshot,
        )
    found = find_documents_at(connection, documents, snapshot)
    for key in documents:
        if key not in found:
            message = f"a document of snapshot {snapshot} was purged from the history; later snapshots can be read"
            raise RefusedError(message, snapshot=snapshot, key=key)
    return found


def find_documents_at(connection: Connection, documents: Collection[int], snapshot: int) -> dict[int, DocumentState]:
    """The same without those whose layout was purged or never known."""
    if snapshot < layout_rows.find_first_known(connection):
        return {}
    rows = layout_rows.load_layouts(connection, documents, snapshot)
    found = load_present_documents(connection, [key for key in documents if key not in rows])
    return found | {key: _read_layout(row, row.nodes) for key, row in rows.items() if row.nodes is not None}


def _read_layout(row: LayoutRow, nodes: bytes) -> DocumentState:
    return DocumentState(
        row.document, row.root, row.source, row.format, row.hash, row.settings, unpack_layout(nodes)
    )  # fmt: skip


def load_present_documents(connection: Connection, documents: Collection[int]) -> dict[int, DocumentState]:
    """The documents as they stand, memories and entities (be they there or not) among them."""
    rows = document_rows.load_document_rows(connection, documents)
    roots = {root.key: root.name for root in document_rows.load_roots(connection)} if rows else {}
    trees = node_rows.load_trees(connection, rows)
    found = {key: describe_document(roots[row.root], row, trees.get(key, [])) for key, row in rows.items()}
    return found | {key: _describe_single(key) for key in documents if key not in rows}


def describe_document(root: str, row: DocumentRow, nodes: Iterable[NodeRow]) -> DocumentState:
    """A document of its row and nodes."""
    places = tuple(
        LayoutNode(node.key, node.parent, node.piece, node.gap, node.prefix, node.station == node.key) for node in nodes
    )
    layout = Layout(places, row.title_heading, row.tail)
    return DocumentState(row.node, root, row.source, row.format, row.hash, row.settings, layout)


def _describe_single(key: int) -> DocumentState:
    return DocumentState(key, "", "", "", b"", "", Layout((LayoutNode(key, None, 0, "", None),), None, ""))


# --- spans of snapshots -----------------------------------------------------------------------------------------------


class Span(NamedTuple):
    """The nodes that have changes after the snapshot `after` up to `until`, as they were at either."""

    after: int
    until: int
    old: dict[int, NodeState]
    new: dict[int, NodeState]


def load_span(connection: Connection, after: int, until: int) -> Span:
    """What the nodes were that changed in between. In time proportional to the changes."""
    first: dict[int, ChangeRow] = {}
    presence: dict[int, Presence] = {}
    for row in state_rows.load_changes(connection, after, until):
        first.setdefault(row.node, row)
        presence[row.node] = find_presence(row.op)
    old = {key: state_before(row) for key, row in first.items()}
    return Span(after, until, old, load_states(connection, presence, until))
