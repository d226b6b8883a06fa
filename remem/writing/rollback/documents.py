"""Documents rolled back: chooses what each is to be, drafts it, and writes it over what stands. Makes no snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from remem.ingest.splice import widen_tail
from remem.reading.past import PastDocument, load_past_documents
from remem.records import DocumentRow, NodeRow, Renamed
from remem.storage import documents as document_rows
from remem.storage import nodes as node_rows
from remem.writing import history
from remem.writing.documents import sorted_tags, write_drafts
from remem.writing.drafts import Draft, OldTree
from remem.writing.rollback.drafts import (
    FileState,
    Wanted,
    WantedDocument,
    draft_document,
    order_strictly,
    want_past,
    want_row,
)
from remem.writing.rollback.places import Places, Spot, find_spot, settle_spots
from remem.writing.rollback.seams import list_followed, mend_seams

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """What becomes of documents: `wanted` are nodes in pre-order by document, None: it is to be gone. `past` are those
    that go back whole, to their place and to just what they were; others stay where they are."""

    wanted: dict[int, Sequence[Wanted] | None] = field(default_factory=dict)
    past: dict[int, PastDocument] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WrittenDocuments:
    """What writing them changed, which of them went to other places, and the files that they stand against now, as
    root/source."""

    changes: history.Changes
    renamed: tuple[Renamed, ...] = ()
    held: tuple[str, ...] = ()


def load_trees(connection: Connection, documents: Set[int]) -> dict[int, OldTree]:
    """Those of the documents that are there, as they stand, by key."""
    rows = document_rows.load_document_rows(connection, documents)
    trees, tags = node_rows.load_trees(connection, rows), node_rows.load_tags(connection, rows)
    return {
        key: OldTree(row, trees[key], {node.key: tags[node.key] for node in trees[key] if node.key in tags})
        for key, row in rows.items()
    }


def plan_whole(connection: Connection, documents: Set[int], living: Set[int], snapshot: int) -> DocumentPlan:
    """The documents as they were at a snapshot at which those in `living` were there. What a document takes from
    another one, which is none of these, that one loses."""
    past = {one.document.key: one for one in load_past_documents(connection, documents & living, snapshot)}
    plan = DocumentPlan(past=past)
    plan.wanted.update(dict.fromkeys(documents - living))
    plan.wanted.update({key: [want_past(node) for node in one.nodes] for key, one in past.items()})
    give_up(connection, plan, documents)
    return plan


def give_up(connection: Connection, plan: DocumentPlan, documents: Set[int]) -> None:
    """Has other documents lose what those of the plan take from them."""
    taken = {node.key for nodes in plan.wanted.values() for node in nodes or ()}
    standing = node_rows.load_spans(connection, taken)
    others = {span.document for span in standing.values()} - documents
    for key, tree in load_trees(connection, others).items():
        rest = remove_wanted([want_row(row, tree.tags) for row in tree.nodes], taken)
        plan.wanted[key] = mend_seams(rest, list_followed(row.key for row in tree.nodes))


def remove_wanted(nodes: Sequence[Wanted], gone: Set[int]) -> list[Wanted]:
    """The nodes without some; what lay in these lies in what they lay in."""
    parents = {node.key: node.parent for node in nodes}

    def lift(parent: int | None) -> int | None:
        while parent is not None and parent in gone:
            parent = parents[parent]
        return parent

    return [node._replace(parent=lift(node.parent)) for node in nodes if node.key not in gone]


def write_documents(connection: Connection, plan: DocumentPlan, places: Places, now: int) -> WrittenDocuments:
    """Writes what is planned, where it is not as it stands. Raises ConflictError for a place that is taken,
    RefusedError where a root is not known any more."""
    present = load_trees(connection, plan.wanted.keys())
    changed = {
        key
        for key, nodes in plan.wanted.items()
        if not (_is_there(present.get(key), nodes) and _is_at_place(plan.past.get(key), present.get(key), places))
    }
    old = [present[key] for key in sorted(changed & present.keys())]
    spots = _choose_spots(connection, plan, changed, present, places)
    files = {key: places.find_file(spot, _find_at(spot, old)) for key, spot in spots.items()}
    drafts = [
        draft_document(
            connection, _want_document(plan, key, spots[key], files[key], present.get(key)), present.get(key),
            exact=key in plan.past,
        )
        for key in sorted(spots)
    ]  # fmt: skip
    standing = {draft.document.node for draft in drafts if _stands(draft, present.get(draft.document.node))}
    drafts = [draft for draft in drafts if draft.document.node not in standing]
    old = [tree for tree in old if tree.document.node not in standing]
    names = {root.key: root.name for root in places.roots.values()}
    changes = history.compare_trees(
        [history.Tree(t.nodes, t.tags, names[t.document.root], t.document.source, document=t.document) for t in old],
        [history.Tree(d.nodes, sorted_tags(d), names[d.document.root], d.document.source) for d in drafts],
    )
    write_drafts(connection, names, old, drafts, changes, now)
    return WrittenDocuments(changes, _list_renamed(names, drafts), _hold(places, names, old, drafts, files))


def _is_there(tree: OldTree | None, wanted: Sequence[Wanted] | None) -> bool:
    """Whether a document says already what it is to say."""
    if tree is None or wanted is None:
        return tree is None and wanted is None
    return [_describe(row, tree.tags) for row in tree.nodes] == [_say(node) for node in wanted]


def _is_at_place(past: PastDocument | None, tree: OldTree | None, places: Places) -> bool:
    """Whether a document stands where it is to stand."""
    if past is None or tree is None:
        return True
    was = past.document
    return places.choose_spot(was.root, was.source, tree.document) == find_spot(tree.document)


def _stands(draft: Draft, tree: OldTree | None) -> bool:
    """Whether a draft says what stands there already: its document could not return to its place, nor to its title."""
    if tree is None or find_spot(tree.document) != find_spot(draft.document):
        return False
    tags = sorted_tags(draft)
    return [_describe(row, tree.tags) for row in tree.nodes] == [_describe(row, tags) for row in draft.nodes]


def _describe(row: NodeRow, tags: Mapping[int, tuple[str, ...]]) -> tuple[object, ...]:
    return row.key, row.parent, row.kind, row.label, row.content, tags.get(row.key, ())


def _say(node: Wanted) -> tuple[object, ...]:
    return node.key, node.parent, node.kind, node.label, node.content, order_strictly(node.tags)


def _choose_spots(
    connection: Connection, plan: DocumentPlan, changed: Set[int], present: Mapping[int, OldTree], places: Places
) -> dict[int, Spot]:
    rows = {key: present[key].document for key in changed if key in present}
    spots = {}
    for key in sorted(changed):
        row = rows.get(key)
        if plan.wanted[key] is None:
            continue
        if key in plan.past:
            document = plan.past[key].document
            spots[key] = places.choose_spot(document.root, document.source, row)
        elif row is not None:
            spots[key] = find_spot(row)
    return settle_spots(connection, spots, rows, places.roots.values())


def _find_at(spot: Spot, trees: Sequence[OldTree]) -> DocumentRow | None:
    rows = (tree.document for tree in trees)
    return next((row for row in rows if find_spot(row) == spot), None)


def _want_document(
    plan: DocumentPlan, key: int, spot: Spot, file: FileState, present: OldTree | None
) -> WantedDocument:
    nodes = plan.wanted[key] or ()
    if key in plan.past:
        was = plan.past[key].document
        return WantedDocument(
            *spot, was.format, was.settings, was.layout.title, was.layout.tail, nodes, file, was.source
        )  # fmt: skip
    if present is None:
        raise AssertionError("a document that does not go back whole is there")
    row = present.document
    same_end = bool(nodes) and nodes[-1].key == present.nodes[-1].key
    tail = row.tail if same_end else widen_tail(row.tail)
    return WantedDocument(*spot, row.format, row.settings, row.title_heading, tail, nodes, file, row.source)


def _list_renamed(names: Mapping[int, str], drafts: Sequence[Draft]) -> tuple[Renamed, ...]:
    pairs = [(draft, draft.old.document) for draft in drafts if draft.old is not None and draft.is_renamed]
    renamed = [
        Renamed(
            draft.nodes[0].id, draft.nodes[0].label or "", _name_place(names, was), _name_place(names, draft.document)
        )
        for draft, was in pairs
    ]  # fmt: skip
    return tuple(sorted(renamed, key=lambda one: one.now))


def _name_place(names: Mapping[int, str], spot: Spot | DocumentRow) -> str:
    return f"{names[spot.root]}/{spot.source}"


def _hold(
    places: Places,
    names: Mapping[int, str],
    old: Sequence[OldTree],
    drafts: Sequence[Draft],
    files: Mapping[int, FileState],
) -> tuple[str, ...]:
    """Holds the files of the documents that changed, and of those that are gone or stand elsewhere now."""
    before = {find_spot(tree.document): tree for tree in old}
    held: dict[Spot, FileState] = {spot: places.find_file(spot, tree.document) for spot, tree in before.items()} | {
        find_spot(draft.document): files[draft.document.node] for draft in drafts
    }
    back = {row.key for draft in drafts for row in draft.nodes}
    for spot, file in held.items():
        places.hold(spot, file, before.get(spot), back)
    return tuple(sorted(_name_place(names, spot) for spot in held))
