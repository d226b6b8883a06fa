"""Revising: writes a document that a call changed, under one snapshot, and holds its file, so that the next compile
knows of it. What the document is to be is decided by whoever calls. The file itself is never written."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from remem.errors import ConflictError
from remem.ingest.labels import label_row
from remem.ingest.splice import Splice
from remem.reading import find
from remem.reading.text import render_document
from remem.records import ChangedNode, Edited, HeldNode, HeldRow, NodeRow, ParsedDocument, RootRow
from remem.storage import documents as document_rows
from remem.storage import held as held_rows
from remem.storage import nodes as node_rows
from remem.writing.closed import settle_links
from remem.writing.documents import Outcome, write_batch
from remem.writing.drafts import Batch
from remem.writing.holding import describe_rows, pack_tree, unpack_tree
from remem.writing.standing import Standing, load_standing, make_file

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Spot:
    """A node of a note, with the document that it lies in as that stands, its place there, and the root."""

    row: NodeRow
    index: int
    standing: Standing
    root: RootRow


def find_spot(connection: Connection, node: NodeRow) -> Spot:
    """Where a node of a note lies. Raises ConflictError for an entity, which lies in no note."""
    document = document_rows.find_document(connection, node.document)
    if document is None:
        raise ConflictError(f"{node.id} is an {node.kind}: it holds no text of its own", id=node.id)
    root = next(root for root in document_rows.load_roots(connection) if root.key == document.root)
    return Spot(node, node.position, load_standing(connection, document), root)


def find_target(connection: Connection, reference: object) -> NodeRow:
    """The living node that a call names. Raises NotFoundError, AmbiguousError, InvalidInputError."""
    return find.get_node(connection, reference)


def revise(
    connection: Connection,
    spot: Spot,
    after: Splice,
    message: str,
    now: int,
    *,
    forgotten: Set[int] = frozenset(),
    top: ParsedDocument | None = None,
) -> Outcome:
    """Writes the document of a spot as it is to be, and holds its file. `forgotten` are the keys of nodes that are to
    stay away; `top` as in `make_file`. Where nothing changes, nothing is held."""
    standing = spot.standing
    file = make_file(standing, after, top)
    before = render_document(standing.old.nodes, standing.document.tail)
    file = replace(file, parsed=settle_links(file.parsed, before, file.settings))
    batch = Batch(spot.root.key, spot.root.name, [file], (), 0, message, now, prune=True)
    outcome = write_batch(connection, batch)
    if outcome.changes:
        living = {item.key for item in after.nodes if item.key is not None}
        _hold(connection, standing, forgotten, living.union(outcome.changes.added))
    return outcome


def remove_document(connection: Connection, spot: Spot, message: str, now: int) -> Outcome:
    """Takes a whole document out, and holds its file so that it stays away."""
    document = spot.standing.document
    batch = Batch(spot.root.key, spot.root.name, (), (document.source,), 1, message, now, prune=True)
    outcome = write_batch(connection, batch)
    _hold(connection, spot.standing, {document.node}, set())
    return outcome


def _hold(connection: Connection, standing: Standing, forgotten: Set[int], living: Set[int]) -> None:
    document = standing.document
    row = held_rows.load_held(connection, document.root, [document.source]).get(document.source)
    nodes = (unpack_tree(row) if row else None) or describe_rows(standing.old.nodes)
    kept = HeldRow(
        document.root, document.source, row.hash if row else document.hash,
        pack_tree(_mark(node, forgotten, living) for node in nodes),
        document.size, document.mtime, document.inode, document.seen_at,
    )  # fmt: skip
    held_rows.save_held(connection, [kept])


def _mark(node: HeldNode, forgotten: Set[int], living: Set[int]) -> HeldNode:
    away = node.key in forgotten or bool(node.forgotten and node.key not in living)
    return node._replace(forgotten=int(away))


# --- what was done ----------------------------------------------------------------------------------------------------


def tell_edit(connection: Connection, spot: Spot, index: int, outcome: Outcome) -> Edited:
    """What a call did to a document; `index` is the place of the node that holds its text now."""
    document, changes = spot.standing.document, outcome.changes
    by_key = node_rows.load_nodes(connection, [*changes.added, *changes.modified, *changes.moved])
    main = find_at(connection, spot, index)
    return Edited(
        id=main.id,
        kind=main.kind,
        label=label_row(main),
        root=spot.root.name,
        source=document.source,
        snapshot=outcome.snapshot,
        added=tell_nodes(by_key[key] for key in changes.added),
        modified=tell_nodes(by_key[key] for key in changes.modified),
        moved=tell_nodes(by_key[key] for key in changes.moved),
        removed=tell_nodes(changes.removed),
    )


def find_at(connection: Connection, spot: Spot, index: int) -> NodeRow:
    """The node at a place of the document as it is now."""
    place = spot.standing.old.nodes[0]._replace(position=index, last=index)
    return node_rows.load_subtree(connection, place)[0]


def tell_nodes(rows: Iterable[NodeRow]) -> tuple[ChangedNode, ...]:
    """Nodes in the shape in which calls tell them."""
    return tuple(ChangedNode(row.id, row.kind, label_row(row)) for row in rows)
