"""History: turns old and new trees into changes, removed nodes and the state hash, and makes the snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

import orjson

from remem.ids import path_hash, text_hash
from remem.matching.diff import find_moves
from remem.records import ChangeRow, DocumentRow, LayoutRow, NodeRow, RemovedRow, Snapshot
from remem.storage import layouts, versions
from remem.versioning.layouts import pack_layout

if TYPE_CHECKING:
    from sqlite3 import Connection

_STATE_BYTES = 16
_MODULUS = 1 << (8 * _STATE_BYTES)

Tags = Mapping[int, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Tree:
    """One document's nodes in pre-order with their tags, and where the document stands. `archived`: it is a memory that
    a call has archived. `document` is the row of one that a file owns: the old trees of a change must have it."""

    nodes: Sequence[NodeRow]
    tags: Tags
    root: str = ""
    source: str = ""
    archived: bool = False
    document: DocumentRow | None = None


@dataclass(slots=True)
class Changes:
    """What a write changed: keys by fate, the rows for the store, and by how much the state hash moved."""

    added: list[int] = field(default_factory=list)
    modified: list[int] = field(default_factory=list)
    moved: list[int] = field(default_factory=list)
    removed: list[NodeRow] = field(default_factory=list)
    rows: list[ChangeRow] = field(default_factory=list)
    contents: dict[bytes, str] = field(default_factory=dict)
    graves: list[RemovedRow] = field(default_factory=list)
    layouts: list[LayoutRow] = field(default_factory=list)
    state: int = 0

    def __bool__(self) -> bool:
        return bool(self.added or self.modified or self.moved or self.removed)


def tree_digest(tree: Tree) -> int:
    """A number for the state of one document: ids, order, nesting, kinds, labels, contents, tags of its nodes."""
    ids = {row.key: row.id for row in tree.nodes}
    parts: list[str] = []
    tags = tree.tags
    for row in tree.nodes:
        parts += (row.id, ids.get(row.parent or 0, ""), row.kind, row.label or "", row.content)
        if row.key in tags:
            parts.append("\x01".join(tags[row.key]))
    if tree.archived:
        parts.append("\x02archived")
    digest = blake2b("\x00".join(parts).encode("utf-8", "surrogatepass"), digest_size=_STATE_BYTES).digest()
    return int.from_bytes(digest, "big")


def add_states(state: int, difference: int) -> int:
    """A state hash (or a difference of two) moved on by a difference of digests."""
    return (state + difference) % _MODULUS


def previous_siblings(nodes: Sequence[NodeRow]) -> dict[int, int | None]:
    """The key of each node's previous sibling, by key."""
    last_child: dict[int | None, int] = {}
    previous: dict[int, int | None] = {}
    for row in nodes:
        previous[row.key] = last_child.get(row.parent)
        last_child[row.parent] = row.key
    return previous


def is_section(row: NodeRow, rows: Mapping[int, NodeRow]) -> bool:
    """Whether the node is a heading that opens a section (one inside a list or a quote opens none)."""
    parent = rows.get(row.parent or 0)
    return row.kind == "heading" and parent is not None and parent.kind in ("document", "heading")


def row_paths(nodes: Sequence[NodeRow]) -> dict[int, tuple[str, ...]]:
    """For each node the labels of the section headings above it, by key."""
    rows = {row.key: row for row in nodes}
    paths: dict[int, tuple[str, ...]] = {}
    below: dict[int | None, tuple[str, ...]] = {}
    for row in nodes:
        path = below.get(row.parent, ())
        paths[row.key] = path
        below[row.key] = (*path, row.label or "") if is_section(row, rows) else path
    return paths


def compare_trees(old: Sequence[Tree], new: Sequence[Tree]) -> Changes:
    """What changed between the old trees of some documents and the new ones, over all of them together."""
    changes = Changes()
    _compare_states(changes, old, new)
    before = {row.key: (row, tree) for tree in old for row in tree.nodes}
    if not before:
        changes.added = [row.key for tree in new for row in tree.nodes]
        return changes
    old_rows = {key: row for key, (row, _) in before.items()}
    shifted = _find_shifted(old_rows, new)
    kept: set[int] = set()
    for tree in new:
        for row in tree.nodes:
            if row.key not in before:
                changes.added.append(row.key)
                continue
            kept.add(row.key)
            was, was_in = before[row.key]
            if _says_other(was, row) or was_in.tags.get(row.key, ()) != tree.tags.get(row.key, ()):
                changes.modified.append(row.key)
            elif row.key in shifted:
                changes.moved.append(row.key)
    changes.removed = [row for key, row in old_rows.items() if key not in kept]
    _describe(changes, old)
    return changes


def _compare_states(changes: Changes, old: Sequence[Tree], new: Sequence[Tree]) -> None:
    """Moves the state hash, and keeps the layouts of documents that are not what, or where, they were."""
    digests = [tree_digest(tree) for tree in new]
    places = [(tree.nodes[0].key, tree.root, tree.source) for tree in new]
    after = {key: (digest, *place) for digest, (key, *place) in zip(digests, places, strict=True)}
    changes.state = sum(digests)
    for tree in old:
        digest = tree_digest(tree)
        changes.state -= digest
        if tree.document is not None and after.get(tree.document.node) != (digest, tree.root, tree.source):
            changes.layouts.append(pack_layout(tree.root, tree.document, tree.nodes))
    changes.state %= _MODULUS


def _says_other(old: NodeRow, new: NodeRow) -> bool:
    return old.content != new.content or old.kind != new.kind or old.label != new.label


def _find_shifted(old: Mapping[int, NodeRow], new: Sequence[Tree]) -> set[int]:
    """Kept nodes that have another parent, or another place among the siblings that were kept with them."""
    shifted: set[int] = set()
    families: dict[int, list[int]] = {}
    for tree in new:
        for row in tree.nodes:
            was = old.get(row.key)
            if was is None or row.parent is None:
                continue
            if was.parent != row.parent:
                shifted.add(row.key)
            else:
                families.setdefault(row.parent, []).append(row.key)
    for siblings in families.values():
        former = sorted(siblings, key=lambda key: old[key].position)
        if former != siblings:
            shifted |= find_moves(former, siblings)
    return shifted


def _describe(changes: Changes, old: Sequence[Tree]) -> None:
    touched = {*changes.modified, *changes.moved, *(row.key for row in changes.removed)}
    gone = {row.key for row in changes.removed}
    modified = set(changes.modified)
    for tree in old:
        if touched.isdisjoint(row.key for row in tree.nodes):
            continue
        previous = previous_siblings(tree.nodes)
        paths = row_paths(tree.nodes)
        for row in tree.nodes:
            if row.key not in touched:
                continue
            content = text_hash(row.content)
            op = "rem" if row.key in gone else "mod" if row.key in modified else "move"
            if op != "move":
                changes.contents[content] = row.content
            changes.rows.append(_change(row, op, content, previous[row.key], tree.tags.get(row.key, ())))
            if op == "rem":
                changes.graves.append(_grave(row, content, tree, paths[row.key]))


def _change(row: NodeRow, op: str, content: bytes, previous: int | None, tags: tuple[str, ...]) -> ChangeRow:
    kept = orjson.dumps(tags).decode() if tags else None
    return ChangeRow(0, row.key, op, row.kind, row.label, content, row.parent, previous, row.document, kept)


def _grave(row: NodeRow, content: bytes, tree: Tree, path: tuple[str, ...]) -> RemovedRow:
    return RemovedRow(
        row.key, row.id, row.kind, row.label, content, row.piece, row.document, row.parent, row.position,
        tree.root, tree.source, path_hash(path), 0,
    )  # fmt: skip


def make_grave(tree: Tree, snapshot: int) -> RemovedRow:
    """What is remembered of the one node of a document that is gone."""
    (row,) = tree.nodes
    return _grave(row, text_hash(row.content), tree, ())._replace(snapshot=snapshot)


def save_changes(
    connection: Connection,
    changes: Changes,
    message: str,
    now: int,
    *,
    finished: bool = True,
    open_id: int | None = None,
) -> int | None:
    """Writes the history of a change under a new snapshot, or under the unfinished one `open_id` if it is still the
    newest; an unfinished one of somebody else ends here. Returns the snapshot's id, None where nothing changed and none
    was open: then documents have changed their places at most, which counts as part of the newest snapshot."""
    newest = versions.find_newest_snapshot(connection)
    appends = newest is not None and newest.id == open_id and not newest.finished
    if not changes and not appends:
        if newest is not None:
            _save_layouts(connection, changes, newest.id)
        return None
    before = int.from_bytes(newest.state_hash, "big") if newest else 0
    state = ((before + changes.state) % _MODULUS).to_bytes(_STATE_BYTES, "big")
    if appends and newest is not None:
        id = newest.id
        versions.update_snapshot(connection, id, state, finished)
    else:
        if newest and not newest.finished:
            versions.finish_snapshots(connection)  # its hash is not touched: nodes since then arrive with this one
        id, parent = (newest.id + 1, newest.id) if newest else (1, 0)
        versions.insert_snapshot(connection, Snapshot(id, parent, now, message, state, finished))
    _save_rows(connection, changes, id)
    return id


def find_open(connection: Connection) -> int | None:
    """The newest snapshot, if it is unfinished."""
    newest = versions.find_newest_snapshot(connection)
    return newest.id if newest and not newest.finished else None


def _save_rows(connection: Connection, changes: Changes, snapshot: int) -> None:
    # First the revived leave the graves, so that additions of one snapshot see removals of the same one.
    versions.delete_removed(connection, changes.added)
    versions.insert_additions(connection, snapshot, changes.added)
    versions.insert_changes(connection, [row._replace(snapshot=snapshot) for row in changes.rows])
    if changes.removed:
        versions.delete_additions(connection, snapshot, [row.key for row in changes.removed])
    versions.keep_contents(connection, changes.contents.items())
    versions.insert_removed(connection, [row._replace(snapshot=snapshot) for row in changes.graves])
    _save_layouts(connection, changes, snapshot)


def _save_layouts(connection: Connection, changes: Changes, snapshot: int) -> None:
    layouts.insert_layouts(connection, [row._replace(snapshot=snapshot) for row in changes.layouts])


def sum_digests(trees: Iterable[Tree]) -> bytes:
    """The state hash of a whole store, from its trees."""
    return (sum(map(tree_digest, trees)) % _MODULUS).to_bytes(_STATE_BYTES, "big")
