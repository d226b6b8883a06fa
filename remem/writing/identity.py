"""Identity: which nodes the files of a batch hold: those that the store has, those that it had, and new ones. Reads the
store, writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from remem.ids import text_hash
from remem.matching.diff import match_documents
from remem.matching.equality import is_telling
from remem.matching.revival import revive
from remem.matching.undoing import open_undoing
from remem.records import Matching, NewDocument, NodeRow, OldDocument, OldNode, RemovedRow
from remem.storage import documents as document_rows
from remem.storage import nodes as node_rows
from remem.storage import versions
from remem.writing.drafts import Batch, Draft, Identity, NewFile, OldTree, make_document, make_ids, make_rows
from remem.writing.holding import Holding

if TYPE_CHECKING:
    from sqlite3 import Connection


def load_old_trees(connection: Connection, batch: Batch) -> list[OldTree]:
    """The documents of the batch as the store holds them, vanished ones included, by source."""
    sources = {file.source for file in batch.files}.union(batch.vanished, batch.elsewhere)
    rows = document_rows.load_documents_at(connection, batch.root, sources)
    keys = [row.node for row in rows]
    trees = node_rows.load_trees(connection, keys)
    tags = node_rows.load_tags(connection, keys)
    return [OldTree(row, trees[row.node], _tags_of(trees[row.node], tags)) for row in rows]


def _tags_of(nodes: Sequence[NodeRow], tags: Mapping[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    return {row.key: tags[row.key] for row in nodes if row.key in tags} if tags else {}


def match_batch(batch: Batch, old: Sequence[OldTree], holding: Holding) -> Matching:
    """Which old node each new one continues: as given, or by what they say. A held file is compared with what it was,
    whatever calls made of its document; indices of documents behind the end of `old` are of such that are absent."""
    given = [index for index, file in enumerate(batch.files) if file.keys is not None]
    if not given:
        return match_documents(_old_documents(batch, old, holding), _new_documents(batch.files))
    places = {tree.document.node: index for index, tree in enumerate(old)}
    documents: dict[int, int] = {}
    nodes: list[list[int | None]] = [[] for _ in batch.files]
    for index in given:
        nodes[index] = list(batch.files[index].keys or ())
        if (former := places.get(nodes[index][0] or 0)) is not None:
            documents[index] = former
    taken = set(documents.values())
    before = [index for index in range(len(old)) if index not in taken]
    after = [index for index, file in enumerate(batch.files) if file.keys is None]
    rest = match_documents(
        _old_documents(batch, [old[index] for index in before], holding),
        _new_documents([batch.files[index] for index in after]),
    )
    behind = len(old) - len(before)
    for new, former in rest.documents.items():
        documents[after[new]] = before[former] if former < len(before) else former + behind
    for new, keys in enumerate(rest.nodes):
        nodes[after[new]] = keys
    return Matching(documents, nodes)


def _old_documents(batch: Batch, old: Sequence[OldTree], holding: Holding) -> list[OldDocument]:
    """The old documents: held ones as their files were; behind them the held ones that are absent."""
    found = [holding.documents.get(tree.document.source) or _old_document(batch, tree) for tree in old]
    return [*found, *holding.list_absent()]


def _new_documents(files: Sequence[NewFile]) -> list[NewDocument]:
    return [NewDocument(file.source, file.hash, file.parsed) for file in files]


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


def lost_sources(batch: Batch, old: Sequence[OldTree], matching: Matching) -> tuple[str, ...]:
    """Sources whose file is gone and that no new file continues."""
    carried = set(matching.documents.values())
    vanished = {*batch.vanished, *batch.elsewhere}
    return tuple(
        tree.document.source
        for index, tree in enumerate(old)
        if index not in carried and tree.document.source in vanished
    )


def _revive(
    connection: Connection, batch: Batch, old: Sequence[OldTree], holding: Holding, matching: Matching
) -> tuple[Matching, dict[int, str]]:
    """The matching with what was undone or removed earlier and is back, and the ids of the removed nodes in question by
    key."""
    new, removed = _new_documents(batch.files), _load_removed(connection, batch, matching)
    before = [_list_continued(batch, old, holding, matching, index) for index in range(len(new))]
    undoing = open_undoing(new, before, matching)
    if changed := undoing.list_changed():
        matching = undoing.restore(versions.load_said(connection, changed), removed)
    if removed:
        matching = revive(new, matching, removed, batch.root_name)
    return matching, {row.key: row.id for row in removed}


def _load_removed(connection: Connection, batch: Batch, matching: Matching) -> list[RemovedRow]:
    if not versions.has_removed(connection):
        return []
    hashes = {
        text_hash(node.content)
        for file, keys in zip(batch.files, matching.nodes, strict=True)
        for node, key in zip(file.parsed.nodes, keys, strict=True)
        if key is None and is_telling(node.content)
    }
    sources = [file.source for file in batch.files]
    documents = [keys[0] for keys in matching.nodes if keys and keys[0] is not None]
    return versions.load_removed(connection, batch.root_name, sources, documents, hashes)


def _list_continued(
    batch: Batch, old: Sequence[OldTree], holding: Holding, matching: Matching, index: int
) -> Sequence[NodeRow]:
    """The nodes of the document that a file continues; none where keys are given, or calls have changed it."""
    former = matching.documents.get(index)
    if former is None or former >= len(old) or batch.files[index].keys is not None:
        return ()
    tree = old[former]
    return () if tree.document.source in holding.documents else tree.nodes


def make_drafts(
    connection: Connection, batch: Batch, old: Sequence[OldTree], holding: Holding, matching: Matching
) -> list[Draft]:
    """The documents as they are to be, without what calls have forgotten."""
    matching = holding.match_written(batch.files, old, matching)
    matching, revived = _revive(connection, batch, old, holding, matching)
    files, matched = holding.drop_forgotten(batch.files, matching.nodes)
    ids = {row.key: row.id for tree in old for row in tree.nodes} | holding.ids | revived
    identities = _identify(matched, ids, node_rows.last_key(connection) + 1)
    made = make_ids(batch.root_name, files, identities, partial(_find_used, connection))
    drafts = []
    for index, (file, known, names) in enumerate(zip(files, identities, made, strict=True)):
        keys = [identity.key for identity in known]
        former = matching.documents.get(index)
        tree = None if former is None or former >= len(old) else old[former]
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
