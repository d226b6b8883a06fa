"""Relations: the manual edges. Makes and removes them, keeps those aside whose ends are gone, and brings them back."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from remem.errors import InvalidInputError, NotFoundError
from remem.graph.resolve import Catalog, Hint, Place, hint_keys, resolve
from remem.ingest.labels import block_label
from remem.keys import strict_key
from remem.reading.catalog import load_catalog
from remem.records import MANUAL, MICRO, RELATIONSHIP_TYPES, EdgeRow, NodeRow, RelationRow
from remem.storage import documents as document_rows
from remem.storage import edges as edge_rows
from remem.storage import mention_work
from remem.storage import nodes as node_rows
from remem.storage import relations as relation_rows

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Target:
    """What a call says of the target: an id (exactly that node), or a label, or a source and a label."""

    id: str = ""
    label: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Related:
    """What `relate` did: the relation as stored, and whether it stands as an edge or waits."""

    row: RelationRow
    created: bool


def relate(connection: Connection, source: NodeRow, target: Target, type: str, weight: float, now: int) -> Related:
    """Makes a manual edge, or updates it: same source, type, and same target or same pending hint.

    Raises NotFoundError for an id that no node has. A label that resolves to nothing is kept pending.
    """
    wanted = _draft(connection, source, target, RELATIONSHIP_TYPES.index(type), round(weight * MICRO), now)
    standing = _find_same(connection, wanted)
    if standing is None:
        row = wanted._replace(key=relation_rows.insert_relation(connection, wanted))
    else:
        row = wanted._replace(key=standing.key, created_at=standing.created_at)
        relation_rows.update_relations(connection, [row])
    derive_manual_edges(connection, [source.key])
    return Related(row, standing is None)


def unrelate(connection: Connection, source: NodeRow, target: NodeRow, type: str | None) -> int:
    """Removes the manual edges from one node to another; returns how many relations went."""
    code = None if type is None else RELATIONSHIP_TYPES.index(type)
    rows = relation_rows.load_relations_from(connection, [source.key])
    gone = [row.key for row in rows if row.target == target.key and code in (None, row.type)]
    relation_rows.delete_relations(connection, gone)
    derive_manual_edges(connection, [source.key])
    return len(gone)


def unrelate_label(connection: Connection, source: int, target: Target, type: str | None, *, alive: bool) -> int:
    """Removes the relations that leave a node (`alive` or gone) and were asked for with this label, or this id, and
    those that were made to a node of it and wait; returns how many went."""
    code = None if type is None else RELATIONSHIP_TYPES.index(type)
    rows = relation_rows.load_relations_from(connection, [source])
    # What was made to a node and stands is named by that node.
    named = [row for row in rows if not (alive and row.id and row.target is not None)]
    gone = [row.key for row in named if _was_asked_for(row, target) and code in (None, row.type)]
    relation_rows.delete_relations(connection, gone)
    derive_manual_edges(connection, [source])
    return len(gone)


def _was_asked_for(row: RelationRow, target: Target) -> bool:
    if target.id:
        return row.id == target.id
    same_place = not target.source or strict_key(row.place) == strict_key(target.source)
    return strict_key(row.label) == strict_key(target.label) and same_place


def _draft(connection: Connection, source: NodeRow, target: Target, type: int, weight: int, now: int) -> RelationRow:
    row = RelationRow(0, source.key, type, weight, None, target.id, "", target.source, target.label, "", None, now, now)
    if target.id:
        node = node_rows.find_node(connection, target.id)
        if node is None:
            raise NotFoundError(f"not found: {target.id}. Give the id of a node, or a label", id=target.id)
        root, place = _place_of(connection, node)
        label = node.label or block_label(node.kind, node.content)
        row = row._replace(target=node.key, root=root, place=place, label=label)
    keys = hint_keys(_hint(row))
    row = row._replace(name_key=keys.name_key, source_key=keys.source_key)
    return row if target.id else _find_other(connection, row)


def _find_other(connection: Connection, row: RelationRow) -> RelationRow:
    found = _find_targets(connection, [row])[0]
    if found.target == row.source:
        message = "the label leads to the node itself, which cannot be related to itself"
        raise InvalidInputError(message, field="target_label")
    return found


def _place_of(connection: Connection, node: NodeRow) -> tuple[str, str]:
    document = document_rows.find_document(connection, node.document)
    if document is None:
        return "", ""
    root = next(root.name for root in document_rows.load_roots(connection) if root.key == document.root)
    return root, document.source


def _find_same(connection: Connection, wanted: RelationRow) -> RelationRow | None:
    """The relation that says the same, else one to the same target. What leads there only until its heading, or the
    node of its id, is there is another one."""
    rows = [
        row
        for row in relation_rows.load_relations_from(connection, [wanted.source])
        if (row.type, row.target, row.partial) == (wanted.type, wanted.target, wanted.partial)
    ]
    same = next((row for row in rows if _same_hint(row, wanted)), None)
    if same is not None or wanted.target is None or wanted.partial:
        return same
    refs = node_rows.find_refs(connection, {row.id for row in rows if row.id})
    return next((row for row in rows if not row.id or (row.id in refs and refs[row.id].node == row.target)), None)


def _same_hint(a: RelationRow, b: RelationRow) -> bool:
    return (a.id, strict_key(a.label), strict_key(a.place)) == (b.id, strict_key(b.label), strict_key(b.place))


def _hint(row: RelationRow) -> Hint:
    label, _, anchor = row.label.partition("#")
    return Hint(label.strip(), anchor.strip(), row.place, row.id)


def _find_targets(connection: Connection, rows: Sequence[RelationRow]) -> list[RelationRow]:
    """The relations with where they lead now: by id to exactly that node, then by source and label, then by label."""
    places = _source_places(connection, rows)
    asked = [(_hint(row), places[row.source]) for row in rows]
    catalog = load_catalog(connection, asked)
    return [_find_target(row, hint, place, catalog) for row, (hint, place) in zip(rows, asked, strict=True)]


def _find_target(row: RelationRow, hint: Hint, place: Place, catalog: Catalog) -> RelationRow:
    if hint.id in catalog.ids:
        return row._replace(target=catalog.ids[hint.id].node, partial=0, ambiguous=0)
    found = resolve(hint, place, catalog)
    target = found.target if found.state in ("edge", "partial") else None
    return row._replace(target=target, partial=int(found.state == "partial"), ambiguous=int(found.ambiguous))


def _source_places(connection: Connection, rows: Iterable[RelationRow]) -> dict[int, Place]:
    """The place that each relation's source looks from; a source that is gone looks from nowhere."""
    keys = {row.source for row in rows}
    sources = node_rows.load_places(connection, keys)
    nowhere = Place(None, "", 0)
    return {key: sources.get(key, nowhere) for key in keys}


def key_relation(row: RelationRow) -> RelationRow:
    """A relation under the name keys that follow from what it says."""
    keys = hint_keys(_hint(row))
    return row._replace(name_key=keys.name_key, source_key=keys.source_key)


def find_waiting_targets(connection: Connection, rows: Iterable[RelationRow]) -> list[RelationRow]:
    """Those of the relations that look for a target, with what they find now."""
    waiting = _list_waiting(connection, rows)
    found = _find_targets(connection, waiting) if waiting else []
    return [_turn_back(row) for row in found]


def _list_waiting(connection: Connection, rows: Iterable[RelationRow]) -> list[RelationRow]:
    """Those of the relations that wait, and those that lead to a stand-in while the node that they were made to lives.
    Any other whose target lives keeps it, whatever it is."""
    rows = list(rows)
    refs = node_rows.find_refs(connection, {row.id for row in rows if row.id})
    return [
        row for row in rows if row.target is None or row.partial or (row.id in refs and row.target != refs[row.id].node)
    ]


def _turn_back(row: RelationRow) -> RelationRow:
    """A node is never related to itself: where the label leads back, the relation waits on."""
    return row._replace(target=None, partial=0) if row.target == row.source else row


def settle_relations(
    connection: Connection,
    gone: Sequence[int],
    back: Sequence[int],
    keys: set[str],
    ids: Iterable[str],
    outlines: Iterable[int] = (),
) -> None:
    """Follows a change of nodes: relations that led to nodes that are gone look for another target, waiting ones look
    again where a name or id they hope for, or a heading of the document they lead to (`outlines`), has changed, those
    that lead to a stand-in where the node of their id is back, and those whose source is back, or stands elsewhere, do
    so too and stand as edges again. Edges of any origin at nodes that are gone are taken away."""
    if gone:
        edge_rows.delete_edges_of(connection, gone)
        mention_work.owe_edges_to(connection, gone)
    if not relation_rows.has_relations(connection):
        return
    lost = [row._replace(target=None, partial=0) for row in relation_rows.load_relations_to(connection, gone)]
    waiting = relation_rows.load_waiting_relations(connection, keys)
    waiting += relation_rows.load_partial_relations(connection, outlines)
    # What a relation finds depends on where its source stands: one that waits looks again when that goes or comes.
    touched = relation_rows.load_relations_from(connection, [*gone, *back])
    waiting += _list_waiting(connection, [*touched, *relation_rows.load_relations_by_ids(connection, ids)])
    rows = list({row.key: row for row in [*waiting, *lost]}.values())
    found = _find_targets(connection, rows) if rows else []
    moved = [_turn_back(row) for row in found]
    relation_rows.update_relations(connection, moved)
    derive_manual_edges(connection, {row.source for row in (*moved, *touched)})


def derive_manual_edges(connection: Connection, sources: Iterable[int]) -> None:
    """Brings the manual edges that leave the nodes to what the relations say."""
    sources = set(sources)
    rows = relation_rows.load_relations_from(connection, sources)
    ends = {row.source for row in rows} | {row.target for row in rows if row.target is not None}
    wanted = group_edges(rows, node_rows.load_spans(connection, ends).keys())
    standing = {(e.source, e.target, e.type): e for e in edge_rows.load_edges_from(connection, sources, MANUAL)}
    # An edge that is saved over another keeps when that was made, which here is another relation's time.
    gone = [key for key, edge in standing.items() if key not in wanted or wanted[key].created_at != edge.created_at]
    edge_rows.delete_edges(connection, [(*key, MANUAL) for key in gone])
    edge_rows.save_edges(connection, [edge for key, edge in wanted.items() if standing.get(key) != edge])


def group_edges(rows: Iterable[RelationRow], living: Container[int]) -> dict[tuple[int, int, int], EdgeRow]:
    """The manual edges that the relations make between living nodes, by source, target and type: the latest decides,
    and one that still waits for its heading only where no other does."""
    edges: dict[tuple[int, int, int], EdgeRow] = {}
    for row in sorted(rows, key=lambda row: (-row.partial, row.updated_at, row.key)):
        if row.target is not None and row.source in living and row.target in living:
            key = (row.source, row.target, row.type)
            edges[key] = EdgeRow(*key, MANUAL, row.weight, 1, row.ambiguous, row.created_at, row.updated_at)
    return edges
