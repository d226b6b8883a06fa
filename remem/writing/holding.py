"""Holding: what a batch makes of files whose documents calls have changed. The file wins over what a call wrote, and
that is reported; what a call has forgotten stays away while its own text in the file is the same.

A held file is remembered as the list of its nodes (`HeldNode`), so that the file as it is now is compared with the file
as it was, and every node is known again whatever calls have made of the document meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import orjson

from remem.ids import text_hash
from remem.ingest.labels import block_label
from remem.ingest.parse import parse_source
from remem.ingest.render import render_parsed
from remem.ingest.splice import Splice, remove_nodes
from remem.records import (
    Diagnostic,
    HeldNode,
    HeldRow,
    KeyedNode,
    Matching,
    NodeRow,
    OldDocument,
    OldNode,
    ParsedNode,
)
from remem.storage import held as held_rows
from remem.storage import versions
from remem.storage.states import load_texts
from remem.writing.closed import settle_links
from remem.writing.drafts import Batch, Draft, NewFile, OldTree
from remem.writing.naming import stem_of
from remem.writing.standing import MARKED, find_front, find_title, find_title_heading

if TYPE_CHECKING:
    from sqlite3 import Connection

CONFLICT = "conflict"
_GONE = "\x00"
"""Begins what stands for a text that is nowhere kept any more: nothing in a file is like it."""


def pack_tree(nodes: Iterable[HeldNode]) -> str:
    """The nodes of a held file, for its row."""
    return orjson.dumps([tuple(node) for node in nodes]).decode()


def unpack_tree(row: HeldRow) -> list[HeldNode] | None:
    """The nodes of a held file; None where they are not known."""
    return None if row.tree is None else [HeldNode(*node) for node in orjson.loads(row.tree)]


def describe_rows(rows: Sequence[NodeRow]) -> list[HeldNode]:
    """A document's nodes as those of its file."""
    places = {row.key: index for index, row in enumerate(rows)}
    return [
        HeldNode(
            row.key, row.kind, text_hash(row.content).hex(), -1 if row.parent is None else places[row.parent], row.last,
            row.piece,
        )
        for row in rows
    ]  # fmt: skip


@dataclass(slots=True)
class Holding:
    """What is held of the files of a batch. `documents` are the files as they were, by source; in these a node whose
    key lives elsewhere by now, or is no more, has a negative one. `ids` are those of nodes that are gone and may
    return."""

    root: int
    rows: Mapping[str, HeldRow] = field(default_factory=dict)
    documents: dict[str, OldDocument] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    _absent: list[str] = field(default_factory=list)
    _known: dict[int, HeldNode] = field(default_factory=dict)
    _away: set[int] = field(default_factory=set)
    _trees: dict[str, list[HeldNode]] = field(default_factory=dict)
    _left: dict[int, tuple[NewFile, dict[int, HeldNode]]] = field(default_factory=dict)

    def list_absent(self) -> list[OldDocument]:
        """The held files that have no document now, as they were."""
        return [self.documents[source] for source in self._absent]

    # --- opening -----------------------------------------------------------------------------------------------------

    def add(self, connection: Connection, root_name: str, row: HeldRow, tree: OldTree | None) -> None:
        """Takes in a held file and its document."""
        nodes = unpack_tree(row)
        if nodes is None:
            return
        living = {} if tree is None else {node.key: node for node in tree.nodes}
        keys = self._choose_keys(connection, nodes, living)
        self._trees[row.source] = nodes
        # A document that was forgotten is back when its file says something else, but for what was forgotten before.
        self._away.update(k for k, n in zip(keys[1:], nodes[1:], strict=True) if n.forgotten and k not in living)
        texts = [_find_text(connection, node, living.get(node.key)) for node in nodes]
        title = (tree.nodes[0].label if tree else None) or stem_of(row.source)
        olds = [
            OldNode(
                key, node.kind, _label(node, text, living.get(key), title), text, node.parent, node.last, node.piece
            )
            for key, node, text in zip(keys, nodes, texts, strict=True)
        ]
        self.documents[row.source] = OldDocument(keys[0], root_name, row.source, title, row.hash, olds)
        if tree is None:
            self._absent.append(row.source)

    def _choose_keys(
        self, connection: Connection, nodes: Sequence[HeldNode], living: Mapping[int, NodeRow]
    ) -> list[int]:
        self.ids |= versions.find_removed_ids(connection, [node.key for node in nodes if node.key not in living])
        keys = []
        for node in nodes:
            usable = (node.key in living or node.key in self.ids) and node.key not in self._known
            key = node.key if usable else -1 - len(self._known)
            self._known[key] = node
            keys.append(key)
        return keys

    def match_written(self, files: Sequence[NewFile], old: Sequence[OldTree], matching: Matching) -> Matching:
        """The matching with what a call had written and the file says by now: it is the node that the call wrote."""
        nodes = list(matching.nodes)
        for index, former in matching.documents.items():
            if former < len(old) and old[former].document.source in self.documents:
                nodes[index] = _match_texts(files[index], nodes[index], old[former])
        return Matching(matching.documents, nodes)

    # --- what was forgotten ------------------------------------------------------------------------------------------

    def drop_forgotten(
        self, files: Sequence[NewFile], matched: Sequence[Sequence[int | None]]
    ) -> tuple[Sequence[NewFile], list[list[int | None]]]:
        """The files without what was forgotten and says the same, and the keys of what is left."""
        kept: list[NewFile] = []
        keys: list[list[int | None]] = []
        for index, (file, known) in enumerate(zip(files, matched, strict=True)):
            gone = {} if file.keys is not None else self._find_forgotten(file, known)
            own: list[int | None] = [key if key is None or key > 0 else None for key in known]
            if gone:
                self._left[index] = (file, gone)
                file, own = _cut(file, own, gone.keys())
            kept.append(file)
            keys.append(own)
        return kept, keys

    def _find_forgotten(self, file: NewFile, known: Sequence[int | None]) -> dict[int, HeldNode]:
        if self._away.isdisjoint(key for key in known if key is not None):
            return {}
        return {
            index: self._known[key]._replace(key=max(key, 0))
            for index, (node, key) in enumerate(zip(file.parsed.nodes, known, strict=True))
            if key is not None and key in self._away and _says(node, self._known[key])
        }

    # --- settling ----------------------------------------------------------------------------------------------------

    def settle(
        self, connection: Connection, old: Sequence[OldTree], drafts: Sequence[Draft], kept: Sequence[str]
    ) -> tuple[Diagnostic, ...]:
        """Holds the files of which something stays away, releases all others; what gave way to a file."""
        if not self.rows:
            return ()
        conflicts = self._list_conflicts(old, drafts)
        present = {draft.document.source for draft in drafts}
        lost = self.rows.keys() - present - set(kept) - set(self._absent)
        gone = [self.rows[source] for source in sorted(lost) if self._is_away(source, old, drafts)]
        held_rows.release(connection, self.root, lost.union(d.document.source for d in drafts if d.file.keys is None))
        held_rows.save_held(connection, [row._replace(hash=b"", size=-1) for row in gone])
        held_rows.save_held(
            connection, [self._hold_rest(drafts[index], file, away) for index, (file, away) in self._left.items()]
        )
        return tuple(conflicts)

    def _is_away(self, source: str, old: Sequence[OldTree], drafts: Sequence[Draft]) -> bool:
        """Whether something of a file that is gone, and that none continues, is to stay away when the file is back."""
        node = next(tree.document.node for tree in old if tree.document.source == source)
        continued = any(draft.document.node == node for draft in drafts)
        return not continued and any(node.forgotten for node in self._trees.get(source, ()))

    def _hold_rest(self, draft: Draft, file: NewFile, away: Mapping[int, HeldNode]) -> HeldRow:
        keys = iter(row.key for row in draft.nodes)
        nodes = [
            HeldNode(
                away[index].key if index in away else next(keys),
                node.kind, text_hash(node.content).hex(), node.parent, node.last, node.piece, int(index in away),
            )
            for index, node in enumerate(file.parsed.nodes)
        ]  # fmt: skip
        stat = file.stat
        return HeldRow(
            self.root, file.source, file.hash, pack_tree(nodes), stat.size, stat.mtime, stat.inode, file.seen_at
        )

    def _list_conflicts(self, old: Sequence[OldTree], drafts: Sequence[Draft]) -> list[Diagnostic]:
        """What calls had written into documents and gave way to files."""
        given = {draft.document.node for draft in drafts if draft.file.keys is not None}
        held = [tree for tree in old if tree.document.source in self.rows and tree.document.node not in given]
        texts = {node.key: node.content for draft in drafts for node in draft.nodes} if held else {}
        conflicts: list[Diagnostic] = []
        for tree in held:
            draft = next((draft for draft in drafts if draft.old is tree), None)
            place = tree.document.source if draft is None else draft.document.source
            lines = _list_lines(tree, draft)
            changed = [node for node in self._find_changed(tree) if texts.get(node.key) != node.content]
            if tree.document.source in self._trees:
                found = [(lines[node.key], _tell(node)) for node in changed]
            else:
                found = [(1, _ROLLED_BACK)] if changed else []
            conflicts += [Diagnostic(place, line, CONFLICT, message) for line, message in found]
        return conflicts

    def _find_changed(self, tree: OldTree) -> list[NodeRow]:
        """The nodes of a held document that say what the file did not; all, where it is not known what it said."""
        was = {node.key: node.hash for node in self._trees.get(tree.document.source, ())}
        return [node for node in tree.nodes if was.get(node.key) != text_hash(node.content).hex()]


_ROLLED_BACK = (
    "the file changed after a call had changed its document: the file won. What the document said before is in the "
    "history"
)


def open_holding(connection: Connection, batch: Batch, old: Sequence[OldTree]) -> Holding:
    """What is held of the files of a batch; nothing where calls write, and where no call ever wrote."""
    if not batch.compiled:
        return Holding(batch.root)
    sources = {*(file.source for file in batch.files), *batch.vanished, *batch.elsewhere}
    rows = held_rows.load_held(connection, batch.root, sources)
    holding = Holding(batch.root, rows)
    trees = {tree.document.source: tree for tree in old}
    given = {file.keys[0] for file in batch.files if file.keys}
    for source, row in rows.items():
        tree = trees.get(source)
        if tree is None or tree.document.node not in given:
            holding.add(connection, batch.root_name, row, tree)
    return holding


def _says(node: ParsedNode, held: HeldNode) -> bool:
    return node.kind == held.kind and text_hash(node.content).hex() == held.hash


def _find_text(connection: Connection, node: HeldNode, living: NodeRow | None) -> str:
    """The text that a node has in the file."""
    if living is not None and text_hash(living.content).hex() == node.hash:
        return living.content
    if node.kind == "document":
        return ""
    hash = bytes.fromhex(node.hash)
    return load_texts(connection, [hash]).get(hash, _GONE + node.hash)


def _label(node: HeldNode, text: str, living: NodeRow | None, title: str) -> str:
    if node.kind == "document":
        return title
    if node.kind != "heading":
        return ""
    if living is not None and living.content == text:
        return living.label or ""
    parsed = parse_source("", text, "markdown").nodes
    return parsed[1].label if len(parsed) > 1 else ""


def _match_texts(file: NewFile, known: Sequence[int | None], tree: OldTree) -> list[int | None]:
    used = set(known)
    free: dict[tuple[str, str], list[int]] = {}
    for row in reversed(tree.nodes):
        if row.key not in used:
            free.setdefault((row.kind, row.content), []).append(row.key)
    keys = list(known)
    for index, (node, key) in enumerate(zip(file.parsed.nodes, known, strict=True)):
        if key is None and (same := free.get((node.kind, node.content))):
            keys[index] = same.pop()
    return keys


def _cut(file: NewFile, keys: Sequence[int | None], gone: Set[int]) -> tuple[NewFile, list[int | None]]:
    """A file without some of its nodes."""
    parsed = file.parsed
    whole = [KeyedNode(node, key) for node, key in zip(parsed.nodes, keys, strict=True)]
    after = remove_nodes(Splice(whole, parsed.tail), gone)
    nodes = [item.node for item in after.nodes]
    title = parsed.title_heading
    if parsed.format in MARKED:
        title = find_title_heading(nodes)
        nodes[0] = nodes[0]._replace(label=find_title(nodes, file.source))
    elif title is not None:
        title = None if title in gone else title - sum(index < title for index in gone)
    cut = replace(parsed, nodes=tuple(nodes), tail=after.tail, title_heading=title)
    if not gone.isdisjoint(range(1, find_front(parsed.nodes))):
        cut = replace(cut, nodes=(nodes[0]._replace(tags=()), *nodes[1:]), aliases=())
    cut = settle_links(cut, render_parsed(parsed), file.settings)
    return replace(file, parsed=cut), [item.key for item in after.nodes]


def _list_lines(tree: OldTree, draft: Draft | None) -> dict[int, int]:
    """For each node of a document the line on which it stands in the file now; for one that does not, that of the
    nearest before it, the first line where there is none."""
    rows = () if draft is None else zip(draft.nodes, draft.file.parsed.nodes, strict=True)
    known = {row.key: node.line for row, node in rows}
    lines: dict[int, int] = {}
    line = 1
    for node in tree.nodes:
        line = lines[node.key] = max(known.get(node.key, line), 1)
    return lines


def _tell(node: NodeRow) -> str:
    label = node.label or block_label(node.kind, node.content)
    return (
        f"the file changed after a call had changed {node.id} ({label}): the file won. The text of the call is in the "
        "history of the node"
    )
