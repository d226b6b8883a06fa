"""The store as it was at a snapshot: its index, a node to read. Edges and temperatures have no past: edges are left
out, temperatures are those of now."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from remem.errors import NotFoundError, RefusedError
from remem.ingest.tokens import count_tokens
from remem.reading.cursors import mark_request, read_cursor, write_cursor
from remem.reading.expiry import Uses
from remem.reading.memories import tell_memory
from remem.reading.pages import Listing, make_page, take_items
from remem.reading.states import (
    MOST_SNAPSHOTS,
    DocumentState,
    find_node_state,
    get_snapshot,
    load_documents_at,
    load_span,
    load_states,
    resolve_texts,
)
from remem.reading.text import read_header, render_section
from remem.reading.tree import EMPTY
from remem.reading.versions import find_past_key, make_label
from remem.reading.views import page_view
from remem.records import (
    DEFAULT_IMPORTANCE,
    LONG_TERM,
    Crumb,
    Heat,
    LayoutNode,
    Memory,
    MemoryRow,
    Node,
    NodeRow,
    NodeState,
    NodeView,
    Page,
    PageRequest,
    TreeLine,
)
from remem.rendering.tree import Branch, render_line
from remem.storage import memories as memory_rows
from remem.storage import states as state_rows
from remem.usage.temperature import Thermometer

if TYPE_CHECKING:
    from sqlite3 import Connection


class PastNode(NamedTuple):
    """A node as it was: its state and text, what stood around it in the file, how deep it lay in its document, and how
    many nodes below it there were."""

    key: int
    id: str
    state: NodeState
    text: str
    place: LayoutNode
    depth: int
    below: int

    @property
    def label(self) -> str:
        """The label that it had."""
        return make_label(self.state, self.text)


class PastDocument(NamedTuple):
    """A document as it was, with its nodes in pre-order."""

    document: DocumentState
    nodes: list[PastNode]

    def find_subtree(self, key: int) -> list[PastNode]:
        """A node and all below it. The key must be that of one of the nodes."""
        position = next(index for index, node in enumerate(self.nodes) if node.key == key)
        return self.nodes[position : position + self.nodes[position].below + 1]


# --- documents --------------------------------------------------------------------------------------------------------


def load_past_documents(connection: Connection, documents: Collection[int], snapshot: int) -> list[PastDocument]:
    """Documents as they were at a snapshot at which they were there, by root, source and id.

    Raises RefusedError where something of them was purged.
    """
    found = load_documents_at(connection, documents, snapshot).values()
    keys = [node.key for document in found for node in document.layout.nodes]
    states = load_states(connection, dict.fromkeys(keys, "living"), snapshot)
    texts = resolve_texts(connection, states)
    ids = state_rows.load_ids(connection, keys)
    for key in keys:
        if key not in ids or states[key].presence != "living":
            raise RefusedError(
                f"the history of snapshot {snapshot} is damaged; the doctor says where", snapshot=snapshot
            )
        if texts[key] is None:
            message = f"the text that {ids.get(key, key)} had at snapshot {snapshot} was purged from the history"
            raise RefusedError(message, snapshot=snapshot, id=ids.get(key, ""))
    past = [PastDocument(document, _place_nodes(document, states, texts, ids)) for document in found]
    return sorted(past, key=lambda one: (one.document.root, one.document.source, ids[one.document.key]))


def _place_nodes(
    document: DocumentState, states: dict[int, NodeState], texts: dict[int, str | None], ids: dict[int, str]
) -> list[PastNode]:
    nodes = document.layout.nodes
    depths: dict[int | None, int] = {}
    below = dict.fromkeys((node.key for node in nodes), 0)
    for node in nodes:
        depths[node.key] = depths.get(node.parent, -1) + 1
    for node in reversed(nodes):
        if node.parent in below:
            below[node.parent] += below[node.key] + 1
    return [
        PastNode(
            node.key, ids[node.key], states[node.key], texts[node.key] or "", node, depths[node.key], below[node.key]
        )
        for node in nodes
    ]  # fmt: skip


def list_documents_at(connection: Connection, snapshot: int) -> set[int]:
    """The documents that were there at a snapshot, those of memories and entities among them."""
    documents = state_rows.list_documents(connection)
    span = load_span(connection, snapshot, MOST_SNAPSHOTS)
    for key, old in span.old.items():
        documents.discard(key)
        if old.presence == "living" and old.document == key:
            documents.add(key)
    return documents


# --- the index --------------------------------------------------------------------------------------------------------


def read_past_tree(
    connection: Connection,
    node: object,
    depth: int,
    blocks: bool,
    request: PageRequest,
    thermometer: Thermometer,
    as_of: object,
) -> Page[TreeLine]:
    """A page of the index as it was at a snapshot, in the order of the documents. Raises as `read_tree`, NotFoundError
    for a node or snapshot that there was not, RefusedError where something of it was purged."""
    snapshot = get_snapshot(connection, "as_of", as_of)
    mark = mark_request("tree as of", snapshot, node, depth, blocks)
    skipped = 0 if request.cursor is None else read_cursor(mark, request.cursor, 1)[0]
    if node is None:
        past = load_past_documents(connection, list_documents_at(connection, snapshot), snapshot)
        spots = [(one, spot) for one in past for spot in _list_spots(one.nodes, depth, blocks)]
    else:
        one, key = get_past_node(connection, node, snapshot)
        spots = [(one, spot) for spot in _list_spots(one.find_subtree(key), depth, blocks)]
    shown = take_items(spots, skipped, request.budget)
    heats = thermometer(connection, [spot.node.key for _, spot in shown])
    totals = _sum_tokens({one.document.key: one for one, _ in shown}.values())
    items = [_tell_line(one, spot, heats.get(spot.node.key, Heat()), totals) for one, spot in shown]

    def follow(number: int) -> str:
        return write_cursor(mark, (skipped + number + 1,))

    listing = Listing(items, max(len(spots) - skipped, 0), len(spots), _render_line, follow, EMPTY)
    return make_page(listing, request.budget)


class _Spot(NamedTuple):
    """A line of the index: the node, what it lies in, its depth there, how many nodes below it are not shown."""

    node: PastNode
    parent: str | None
    level: int
    hidden: int


def _render_line(line: TreeLine) -> str:
    return render_line(Branch(line, line.hidden))


def _list_spots(nodes: Sequence[PastNode], depth: int, blocks: bool) -> list[_Spot]:
    """The lines of a node and what lay below it."""
    ids = {node.key: node.id for node in nodes}
    top = nodes[0].depth
    return [
        _Spot(
            node, ids.get(node.place.parent or 0), node.depth - top, node.below if node.depth - top == depth else 0
        )
        for node in nodes
        if node.depth - top <= depth and (blocks or node.depth == top or node.state.kind == "heading")
    ]  # fmt: skip


def _tell_line(past: PastDocument, spot: _Spot, heat: Heat, totals: Mapping[int, int]) -> TreeLine:
    node, document = spot.node, past.document
    return TreeLine(
        node.id, node.state.kind, node.label, document.root, document.source, spot.parent, spot.level,
        count_tokens(node.text), spot.hidden, *heat, totals[node.key],
    )  # fmt: skip


def _sum_tokens(documents: Iterable[PastDocument]) -> dict[int, int]:
    """The tokens of the nodes of documents, each with all that lay below it, by key."""
    totals: dict[int, int] = {}
    for past in documents:
        sums = [0, *accumulate(count_tokens(node.text) for node in past.nodes)]
        totals |= {node.key: sums[at + node.below + 1] - sums[at] for at, node in enumerate(past.nodes)}
    return totals


# --- one node ---------------------------------------------------------------------------------------------------------


def get_past_node(connection: Connection, reference: object, snapshot: int) -> tuple[PastDocument, int]:
    """The document that a node was in, and its key. Raises NotFoundError where it was not there at the snapshot."""
    key = find_past_key(connection, reference)
    state = find_node_state(connection, key, snapshot)
    if state.presence != "living" or state.document is None:
        what = "was archived" if state.presence == "archived" else "was not there"
        raise NotFoundError(
            f"{reference} {what} at snapshot {snapshot}; its history tells when it was", id=str(reference)
        )
    (past,) = load_past_documents(connection, [state.document], snapshot)
    return past, key


def read_past_view(
    connection: Connection, reference: object, depth: int, request: PageRequest, thermometer: Thermometer, as_of: object
) -> Page[NodeView]:
    """A page of a node as it was at a snapshot. Raises as `read_past_tree`."""
    snapshot = get_snapshot(connection, "as_of", as_of)
    past, key = get_past_node(connection, reference, snapshot)
    nodes = past.find_subtree(key)
    heats = thermometer(connection, [node.key for node in nodes])
    spots, totals = _list_spots(nodes, depth, True), _sum_tokens([past])
    lines = [_tell_line(past, spot, heats.get(spot.node.key, Heat()), totals) for spot in spots]
    position = past.document.places[key]
    above = [node for start, node in enumerate(past.nodes[:position]) if position <= start + node.below]
    crumbs = tuple(Crumb(node.id, node.label) for node in above)
    shown = _make_node(past, nodes[0], position, crumbs, heats.get(key, Heat()))
    text = _find_header(past, position) + _render(past, nodes)
    view = NodeView(shown, crumbs, text, tuple(lines[1:]), (), total_tokens=lines[0].total_tokens)
    return page_view(view, depth, request)


def _find_header(past: PastDocument, position: int) -> str:
    """The header of a split table, for a later piece of it."""
    node = past.nodes[position]
    if node.state.kind != "table" or not node.place.piece:
        return ""
    before = (one for one in reversed(past.nodes[:position]) if one.place.parent == node.place.parent)
    return next((read_header(one.text) for one in before if not one.place.piece), "")


def _make_node(past: PastDocument, node: PastNode, position: int, crumbs: Sequence[Crumb], heat: Heat) -> Node:
    document = past.document
    return Node(
        node.id, node.state.kind, node.label, node.text, document.root, document.source,
        crumbs[-1].id if crumbs else None, position, len(crumbs), count_tokens(node.text), node.state.tags, *heat,
    )  # fmt: skip


def _render(past: PastDocument, nodes: Sequence[PastNode]) -> str:
    """The text of a node as it was, with all below it."""
    tail = past.document.layout.tail if nodes[0].state.kind == "document" else ""
    return render_section(map(make_past_row, nodes), tail)


def make_past_row(node: PastNode) -> NodeRow:
    """A node as it was, as a row of which the text can be rendered."""
    place, state = node.place, node.state
    return NodeRow(
        node.key, node.id, state.kind, state.document or 0, place.parent, 0, 0, node.key, place.piece, 0, state.label,
        node.text, place.gap, place.prefix,
    )  # fmt: skip


def read_past_memory(connection: Connection, reference: object, as_of: object, now: int, uses: Uses) -> Memory:
    """A memory, or a node of a note with the fields of one, with the text and tags that it had at a snapshot; the other
    fields are those of now. Raises as `read_past_tree`."""
    snapshot = get_snapshot(connection, "as_of", as_of)
    past, key = get_past_node(connection, reference, snapshot)
    nodes = past.find_subtree(key)
    first = nodes[0]
    row = memory_rows.load_memories(connection, [key]).get(key)
    use = uses.read(connection, [key])[key]
    text = first.text if first.state.kind == "memory" else _render(past, nodes)
    node = make_past_row(first)._replace(content=text, label=first.label, tokens=count_tokens(text))
    seen, changed = memory_rows.load_seen(connection, key)
    blank = MemoryRow(
        key, first.id, LONG_TERM, DEFAULT_IMPORTANCE, past.document.source, "{}", "[]", b"", seen, changed
    )  # fmt: skip
    told = tell_memory(row or blank, node, first.state.tags, use, now, uses.half_life)
    return replace(told, kind=first.state.kind, root=past.document.root)
