"""Documents: writes parsed files over what the store holds of them, in one transaction: who is who, the rows, names,
links, relations, history. This is the one way by which compiled nodes change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from remem.keys import name_key, strict_key
from remem.records import Diagnostic, Matching, NodeRow, NodeShift
from remem.storage import discovery, jobs
from remem.storage import documents as document_rows
from remem.storage import links as link_rows
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows
from remem.storage.names import NameRow
from remem.writing import history, naming
from remem.writing.drafts import Batch, Draft, OldTree
from remem.writing.holding import Holding, open_holding
from remem.writing.identity import load_old_trees, lost_sources, make_drafts, match_batch
from remem.writing.kept import forget_lost
from remem.writing.linking import Concern, link_documents
from remem.writing.mentions import owe_mentions
from remem.writing.passages import write_passages
from remem.writing.relations import settle_relations

if TYPE_CHECKING:
    from sqlite3 import Connection

MANY_DOCUMENTS = 20
"""From so many known documents on, the disappearance of more than half of them is taken for an accident."""


@dataclass(slots=True)
class Outcome:
    """What was written: nodes by fate, files by fate, documents that were kept though their files are gone, what calls
    had changed and gave way to files."""

    changes: history.Changes = field(default_factory=history.Changes)
    snapshot: int | None = None
    files_added: int = 0
    files_changed: int = 0
    files_removed: int = 0
    kept: tuple[str, ...] = ()
    conflicts: tuple[Diagnostic, ...] = ()


def write_batch(connection: Connection, batch: Batch) -> Outcome:
    """Writes a batch. Must run inside a write transaction."""
    old = load_old_trees(connection, batch)
    holding = open_holding(connection, batch, old)
    old, matching, stayed = _match_old(batch, old, holding)
    kept = tuple(source for source in stayed if source not in batch.elsewhere)
    drafts = make_drafts(connection, batch, old, holding, matching)
    changes = history.compare_trees(_old_history(batch, old), _new_history(batch, drafts))
    write_drafts(connection, {batch.root: batch.root_name}, old, drafts, changes, batch.now, batch.absorbed)
    forget_lost(connection, drafts, {*changes.added, *changes.modified})
    snapshot = history.save_changes(
        connection, changes, batch.message, batch.now, finished=batch.finished, open_id=batch.open_id
    )
    conflicts = holding.settle(connection, old, drafts, stayed)
    return replace(_outcome(changes, snapshot, old, drafts, kept), conflicts=conflicts)


def _match_old(batch: Batch, old: list[OldTree], holding: Holding) -> tuple[list[OldTree], Matching, tuple[str, ...]]:
    """The old documents that change, who is who, and the sources of those that are left as they are though their files
    are gone: where too many are, and outside of the compiled part where nothing continues them."""
    stayed: tuple[str, ...] = ()
    while True:
        matching = match_batch(batch, old, holding)
        lost = lost_sources(batch, old, matching)
        others = tuple(source for source in lost if source in batch.elsewhere)
        count = len(lost) - len(others)
        is_accident = not batch.prune and batch.known >= MANY_DOCUMENTS and 2 * count > batch.known
        left = lost if is_accident else others
        if not left:
            return old, matching, stayed
        stayed += left
        leaving = set(left)
        old = [tree for tree in old if tree.document.source not in leaving]


def write_drafts(
    connection: Connection,
    roots: Mapping[int, str],
    old: Sequence[OldTree],
    drafts: Sequence[Draft],
    changes: history.Changes,
    now: int,
    absorbed: frozenset[int] = frozenset(),
) -> None:
    """Writes drafts in the place of old trees, with all that follows from them but the snapshot. `roots` are the names
    of the roots that the drafts lie in, by key; `changes` are those between the two."""
    _write_rows(connection, old, drafts, changes)
    write_passages(connection, old, drafts)
    concern = _write_names(connection, absorbed, old, drafts, changes)
    rewritten = [row.key for tree in old for row in tree.nodes]
    link_documents(connection, drafts, roots, rewritten, concern, now)
    ids = _ids_of(drafts, set(changes.added))
    # What relations find depends on where their source stands: files that have other names now count as well.
    back = [*changes.added, *changes.moved, *_list_renamed(drafts, absorbed)]
    settle_relations(connection, concern.gone, back, concern.keys, ids, concern.outlines)
    # The documents whose text or place changed, came or went.
    texts = {*(tree.document.node for tree in old), *(draft.document.node for draft in drafts), *absorbed}
    owe_mentions(connection, texts, concern.keys)


def _list_renamed(drafts: Sequence[Draft], absorbed: frozenset[int]) -> list[int]:
    """The nodes (keys) of documents that stand at another place than before."""
    renamed = (draft for draft in drafts if draft.is_renamed or (draft.old and draft.document.node in absorbed))
    return [row.key for draft in renamed for row in draft.nodes]


def _outcome(
    changes: history.Changes,
    snapshot: int | None,
    old: Sequence[OldTree],
    drafts: Sequence[Draft],
    kept: tuple[str, ...],
) -> Outcome:
    carried = sum(1 for draft in drafts if draft.old)
    return Outcome(changes, snapshot, len(drafts) - carried, carried, len(old) - carried, kept)


# --- history ---------------------------------------------------------------------------------------------------------


def _old_history(batch: Batch, old: Sequence[OldTree]) -> list[history.Tree]:
    return [
        history.Tree(tree.nodes, tree.tags, batch.root_name, tree.document.source, document=tree.document)
        for tree in old
    ]


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
    _settle_sections(connection, kept)
    _write_tags(connection, old, drafts)
    _write_diagnostics(connection, drafts)


def _settle_sections(connection: Connection, kept: Sequence[tuple[NodeRow, NodeRow]]) -> None:
    """Only what is a section is like others: kept nodes (as they were, as they are) that are none any more lose their
    discovered edges. What is one now, and what gained or lost the text of one, owes its discovery."""
    closed = [(was, new) for was, new in kept if was.station == was.key and new.station != new.key]
    opened = [(was, new) for was, new in kept if was.station != was.key and new.station == new.key]
    if closed:
        discovery.delete_discovered(connection, [new.key for _, new in closed])
    if (closed or opened) and jobs.is_scope(connection, "all"):
        sections = {station for was, new in (*closed, *opened) for station in (was.station, new.station)}
        living = node_rows.load_spans(connection, sections - {new.key for _, new in closed})
        jobs.queue_jobs(connection, jobs.DISCOVER, living)


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
    connection: Connection,
    absorbed: frozenset[int],
    old: Sequence[OldTree],
    drafts: Sequence[Draft],
    changes: history.Changes,
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
    _absorb(connection, absorbed, concern)
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


def _absorb(connection: Connection, absorbed: frozenset[int], concern: Concern) -> None:
    if absorbed:
        concern.keys |= {name.key for name in name_rows.load_names(connection, absorbed)}
        concern.moved |= absorbed
