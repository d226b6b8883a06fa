"""Documents: writes parsed files over what the store holds of them, in one transaction: who is who, the rows, names,
links, relations, history. This is the one way by which compiled nodes change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from remem.ids import text_hash
from remem.ingest.diff import match_documents
from remem.ingest.equality import is_telling
from remem.ingest.revival import revive
from remem.keys import name_key, strict_key
from remem.records import Matching, NewDocument, NodeRow, NodeShift, OldDocument, OldNode, RemovedNode
from remem.storage import documents as document_rows
from remem.storage import links as link_rows
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows
from remem.storage import versions
from remem.storage.names import NameRow
from remem.writing import history, naming
from remem.writing.drafts import Draft, Identity, NewFile, OldTree, make_document, make_ids, make_rows
from remem.writing.linking import Concern, link_documents
from remem.writing.mentions import owe_mentions
from remem.writing.passages import write_passages
from remem.writing.relations import settle_relations

if TYPE_CHECKING:
    from sqlite3 import Connection

MANY_DOCUMENTS = 20
"""From so many known documents on, the disappearance of more than half of them is taken for an accident."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What to write: parsed files of one root, and documents whose files are gone.

    `known` counts the documents that the compiled part of the root had; `open_id` is the unfinished snapshot that this
    belongs to, `finished` False keeps it open. `absorbed` are documents that this root took over from another one: what
    they say is unchanged, their place is not.
    """

    root: int
    root_name: str
    files: Sequence[NewFile]
    vanished: Sequence[str]
    known: int
    message: str
    now: int
    prune: bool = False
    open_id: int | None = None
    finished: bool = True
    absorbed: frozenset[int] = frozenset()


@dataclass(slots=True)
class Outcome:
    """What was written: nodes by fate, files by fate, documents that were kept though their files are gone."""

    changes: history.Changes = field(default_factory=history.Changes)
    snapshot: int | None = None
    files_added: int = 0
    files_changed: int = 0
    files_removed: int = 0
    kept: tuple[str, ...] = ()


def write_batch(connection: Connection, batch: Batch) -> Outcome:
    """Writes a batch. Must run inside a write transaction."""
    old = load_old_trees(connection, batch)
    kept: tuple[str, ...] = ()
    matching = _match(batch, old)
    lost = _lost_sources(batch, old, matching)
    if lost and not batch.prune and batch.known >= MANY_DOCUMENTS and 2 * len(lost) > batch.known:
        kept = lost
        old = [tree for tree in old if tree.document.source not in set(kept)]
        matching = _match(batch, old)
    drafts = _make_drafts(connection, batch, old, matching)
    changes = history.compare_trees(_old_history(batch, old), _new_history(batch, drafts))
    _write_rows(connection, old, drafts, changes)
    write_passages(connection, old, drafts)
    concern = _write_names(connection, batch, old, drafts, changes)
    rewritten = [row.key for tree in old for row in tree.nodes]
    link_documents(connection, drafts, batch.root_name, rewritten, concern, batch.now)
    ids = _ids_of(drafts, set(changes.added))
    settle_relations(connection, concern.gone, changes.added, concern.keys, ids, concern.outlines)
    owe_mentions(connection, _list_texts(batch, old, drafts), concern.keys)
    snapshot = history.save_changes(
        connection, changes, batch.message, batch.now, finished=batch.finished, open_id=batch.open_id
    )
    return _outcome(changes, snapshot, old, drafts, kept)


def _list_texts(batch: Batch, old: Sequence[OldTree], drafts: Sequence[Draft]) -> set[int]:
    """The documents whose text or place changed, came or went."""
    return {*(tree.document.node for tree in old), *(draft.document.node for draft in drafts), *batch.absorbed}


def _outcome(
    changes: history.Changes,
    snapshot: int | None,
    old: Sequence[OldTree],
    drafts: Sequence[Draft],
    kept: tuple[str, ...],
) -> Outcome:
    carried = sum(1 for draft in drafts if draft.old)
    return Outcome(changes, snapshot, len(drafts) - carried, carried, len(old) - carried, kept)


# --- who is who ------------------------------------------------------------------------------------------------------


def load_old_trees(connection: Connection, batch: Batch) -> list[OldTree]:
    """The documents of the batch as the store holds them, vanished ones included, by source."""
    known = document_rows.load_documents(connection, batch.root)
    sources = {file.source for file in batch.files} | set(batch.vanished)
    rows = [known[source] for source in sorted(sources) if source in known]
    keys = [row.node for row in rows]
    trees = node_rows.load_trees(connection, keys)
    tags = node_rows.load_tags(connection, keys)
    return [OldTree(row, trees[row.node], _tags_of(trees[row.node], tags)) for row in rows]


def _tags_of(nodes: Sequence[NodeRow], tags: Mapping[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    return {row.key: tags[row.key] for row in nodes if row.key in tags} if tags else {}


def _match(batch: Batch, old: Sequence[OldTree]) -> Matching:
    new = _new_documents(batch)
    return match_documents([_old_document(batch, tree) for tree in old], new)


def _new_documents(batch: Batch) -> list[NewDocument]:
    return [NewDocument(file.source, file.hash, file.parsed) for file in batch.files]


def _old_document(batch: Batch, tree: OldTree) -> OldDocument:
    rows = tree.nodes
    first = rows[0].key
    indices = {row.key: index for index, row in enumerate(rows)}
    nodes = [
        OldNode(row.key, row.kind, row.label or "", row.content, indices.get(row.parent or 0, -1), row.last, row.piece)
        for row in rows
    ]
    document = tree.document
    return OldDocument(first, batch.root_name, document.source, rows[0].label or "", document.hash, nodes)


def _lost_sources(batch: Batch, old: Sequence[OldTree], matching: Matching) -> tuple[str, ...]:
    """Sources whose file is gone and that no new file continues."""
    carried = set(matching.documents.values())
    vanished = set(batch.vanished)
    return tuple(
        tree.document.source
        for index, tree in enumerate(old)
        if index not in carried and tree.document.source in vanished
    )


def _revive(connection: Connection, batch: Batch, matching: Matching) -> tuple[Matching, dict[int, str]]:
    """The matching with what was removed earlier and is back, and the ids of the removed nodes in question by key."""
    if not versions.has_removed(connection):
        return matching, {}
    hashes = {
        text_hash(node.content)
        for file, keys in zip(batch.files, matching.nodes, strict=True)
        for node, key in zip(file.parsed.nodes, keys, strict=True)
        if key is None and is_telling(node.content)
    }
    sources = [file.source for file in batch.files]
    documents = [keys[0] for keys in matching.nodes if keys and keys[0] is not None]
    rows = versions.load_removed(connection, batch.root_name, sources, documents, hashes)
    removed = [
        RemovedNode(
            row.key, row.kind, row.label or "", row.content, row.piece, row.document, row.parent, row.position,
            row.root, row.source, row.path,
        )
        for row in rows
    ]  # fmt: skip
    matching = revive(_new_documents(batch), matching, removed, batch.root_name)
    return matching, {row.key: row.id for row in rows}


def _make_drafts(connection: Connection, batch: Batch, old: Sequence[OldTree], matching: Matching) -> list[Draft]:
    matching, revived = _revive(connection, batch, matching)
    ids = {row.key: row.id for tree in old for row in tree.nodes} | revived
    identities = _identify(matching.nodes, ids, node_rows.last_key(connection) + 1)
    made = make_ids(batch.root_name, batch.files, identities, partial(_find_used, connection))
    drafts = []
    for index, (file, known, names) in enumerate(zip(batch.files, identities, made, strict=True)):
        keys = [identity.key for identity in known]
        former = matching.documents.get(index)
        tree = None if former is None else old[former]
        drafts.append(Draft(file, make_document(file, batch.root, keys), make_rows(file, keys, names), tree))
    return drafts


def _find_used(connection: Connection, ids: Iterable[str]) -> set[str]:
    return node_rows.find_used_ids(connection, ids) if node_rows.last_key(connection) else set()


def _identify(matched: Sequence[Sequence[int | None]], ids: Mapping[int, str], next_key: int) -> list[list[Identity]]:
    identities: list[list[Identity]] = []
    for keys in matched:
        known: list[Identity] = []
        for key in keys:
            if key is None:
                known.append(Identity(next_key, None))
                next_key += 1
            else:
                known.append(Identity(key, ids[key]))
        identities.append(known)
    return identities


def _old_history(batch: Batch, old: Sequence[OldTree]) -> list[history.Tree]:
    return [history.Tree(tree.nodes, tree.tags, batch.root_name, tree.document.source) for tree in old]


def _new_history(batch: Batch, drafts: Sequence[Draft]) -> list[history.Tree]:
    return [history.Tree(draft.nodes, sorted_tags(draft), batch.root_name, draft.document.source) for draft in drafts]


def sorted_tags(draft: Draft) -> dict[int, tuple[str, ...]]:
    """The tags of a draft's nodes as the store will return them: one for each key, by key."""
    tags = {}
    for key, written in draft.node_tags().items():
        by_key = {strict_key(tag): tag for tag in written}
        tags[key] = tuple(by_key[name] for name in sorted(by_key))
    return tags


# --- rows ------------------------------------------------------------------------------------------------------------


def _write_rows(
    connection: Connection, old: Sequence[OldTree], drafts: Sequence[Draft], changes: history.Changes
) -> None:
    before = {row.key: row for tree in old for row in tree.nodes}
    node_rows.delete_nodes(connection, [row.key for row in changes.removed])
    fresh = [row for draft in drafts for row in draft.nodes if row.key not in before]
    kept = [(before[row.key], row) for draft in drafts for row in draft.nodes if row.key in before]
    node_rows.insert_nodes(connection, fresh)
    node_rows.update_nodes(connection, [new for was, new in kept if was != new and not _only_shifted(was, new)])
    node_rows.shift_nodes(
        connection,
        [NodeShift(new.key, new.position, new.last) for was, new in kept if was != new and _only_shifted(was, new)],
    )
    document_rows.delete_documents(connection, [tree.document.node for tree in old])
    document_rows.save_documents(connection, [draft.document for draft in drafts])
    _write_tags(connection, old, drafts)
    _write_diagnostics(connection, drafts)


def _only_shifted(old: NodeRow, new: NodeRow) -> bool:
    return old._replace(position=new.position, last=new.last) == new


def _write_tags(connection: Connection, old: Sequence[OldTree], drafts: Sequence[Draft]) -> None:
    stale = {key for tree in old for key in tree.tags}
    rows = [(key, strict_key(tag), tag) for draft in drafts for key, tags in sorted_tags(draft).items() for tag in tags]
    if stale or rows:
        node_rows.replace_tags(connection, stale, rows)


def _write_diagnostics(connection: Connection, drafts: Sequence[Draft]) -> None:
    rows = [
        (draft.document.node, found.line, found.code, found.message)
        for draft in drafts
        for found in draft.file.diagnostics
    ]
    document_rows.replace_diagnostics(connection, [draft.document.node for draft in drafts], rows)


# --- names -----------------------------------------------------------------------------------------------------------


def _write_names(
    connection: Connection, batch: Batch, old: Sequence[OldTree], drafts: Sequence[Draft], changes: history.Changes
) -> Concern:
    """Brings the names up to date; returns which links that concerns."""
    before = {row.key for tree in old for row in tree.nodes}
    standing = name_rows.load_node_names(connection, before)
    stored = _stored_names(standing, old)
    concern = Concern(gone=[row.key for row in changes.removed])
    present: list[NameRow] = []
    for draft in drafts:
        was = stored.pop(draft.old.document.node, []) if draft.old else []
        new = _ordered(naming.document_names(draft.file.parsed, draft.nodes), draft.nodes)
        present += new
        concern.keys |= naming.changed_keys(was, new, _has_moved(draft))
        if _has_other_outline(draft, was, new, before):
            concern.outlines.add(draft.document.node)
    for names in stored.values():
        concern.keys |= {name.key for name in names}
    earlier = _earlier_names(old, drafts)
    concern.keys |= {name.key for name in earlier} | _moved_earlier(standing, old, drafts)
    if link_rows.last_link(connection):
        concern.keys |= _keys_of_comers(connection, changes)
        concern.ids = [*_ids_of(drafts, set(changes.added)), *(row.id for row in changes.removed)]
        concern.keys |= {name_key(id) for id in concern.ids}
    _absorb(connection, batch, concern)
    _replace_names(connection, standing, present, earlier)
    return concern


def _has_other_outline(draft: Draft, was: Sequence[NameRow], new: Sequence[NameRow], before: Set[int]) -> bool:
    """Whether links that lead into the document may have to lead elsewhere. A new document matters where it took nodes
    of others in."""
    if draft.old is None:
        return any(row.key in before for row in draft.nodes)
    return naming.outline_of(draft.old.nodes, was) != naming.outline_of(draft.nodes, new)


def _moved_earlier(standing: Iterable[NameRow], old: Sequence[OldTree], drafts: Sequence[Draft]) -> set[str]:
    earlier = [name for name in standing if name.kind in naming.EARLIER_KINDS]
    was = [naming.Nodes(tree.document, tree.nodes) for tree in old]
    return naming.moved_keys(earlier, was, [naming.Nodes(draft.document, draft.nodes) for draft in drafts])


def _replace_names(
    connection: Connection, standing: Iterable[NameRow], present: Sequence[NameRow], earlier: Sequence[NameRow]
) -> None:
    wanted = set(present)
    gone = [name for name in standing if name.kind not in naming.EARLIER_KINDS and name not in wanted]
    name_rows.delete_names(connection, gone)
    name_rows.insert_names(connection, [*present, *earlier])


def _ordered(names: Iterable[NameRow], rows: Sequence[NodeRow]) -> list[NameRow]:
    order = {row.key: row.position for row in rows}
    return sorted(names, key=lambda name: (order[name.node], name.kind, name.key, name.text))


def _stored_names(standing: Iterable[NameRow], old: Sequence[OldTree]) -> dict[int, list[NameRow]]:
    """The present names (not the earlier ones) by the key of the document in which they stood."""
    owner = {row.key: tree for tree in old for row in tree.nodes}
    names: dict[int, list[NameRow]] = {tree.document.node: [] for tree in old}
    for name in standing:
        if name.kind not in naming.EARLIER_KINDS:
            names[owner[name.node].document.node].append(name)
    return {tree.document.node: _ordered(names[tree.document.node], tree.nodes) for tree in old}


def _has_moved(draft: Draft) -> bool:
    old, new = draft.old, draft.document
    if old is None:
        return False
    return (old.document.root, old.document.source, old.document.title_heading) != (
        new.root,
        new.source,
        new.title_heading,
    )


def _earlier_names(old: Sequence[OldTree], drafts: Sequence[Draft]) -> list[NameRow]:
    before = {row.key: (row, tree.document) for tree in old for row in tree.nodes}
    names: list[NameRow] = []
    for draft in drafts if before else ():
        pairs = [(before[row.key][0], row) for row in draft.nodes if row.key in before]
        names += naming.earlier_names(_old_source(draft), draft.document.source, pairs)
    return names


def _old_source(draft: Draft) -> str:
    return draft.old.document.source if draft.old else draft.document.source


def _keys_of_comers(connection: Connection, changes: history.Changes) -> set[str]:
    """Keys of the earlier names of nodes that came back or went."""
    nodes = [*changes.added, *(row.key for row in changes.removed)]
    return {name.key for name in name_rows.load_node_names(connection, nodes) if name.kind in naming.EARLIER_KINDS}


def _ids_of(drafts: Sequence[Draft], keys: set[int]) -> list[str]:
    return [row.id for draft in drafts for row in draft.nodes if row.key in keys]


def _absorb(connection: Connection, batch: Batch, concern: Concern) -> None:
    if batch.absorbed:
        concern.keys |= {name.key for name in name_rows.load_names(connection, batch.absorbed)}
        concern.moved |= batch.absorbed
