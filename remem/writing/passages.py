"""Keeps the passages and their full-text index in step with the documents, within the transaction that changes these.
Only passages whose text changed are indexed again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from remem.records import Passage, PassageRow
from remem.search.passages import make_passages
from remem.search.scripts import index_text
from remem.storage import passages as passage_rows
from remem.writing.drafts import Draft, OldTree

if TYPE_CHECKING:
    from sqlite3 import Connection

Alike: TypeAlias = Callable[[PassageRow, Passage], bool]


def write_passages(connection: Connection, old: Sequence[OldTree], drafts: Sequence[Draft]) -> None:
    """Gives the documents of a batch the passages that follow from their nodes; those that are gone lose theirs."""
    former = {tree.document.node: tree for tree in old}
    later = {draft.document.node: draft for draft in drafts}

    def reads_alike(row: PassageRow, new: Passage) -> bool:
        was, now = former[row.document], later[new.document]
        before = _read_blocks(was, row.section, row.first, row.last)
        return before == _read_blocks(now, new.section, new.first, new.last)

    replace_passages(connection, list(former), [draft_passages(draft) for draft in drafts], reads_alike)


def draft_passages(draft: Draft) -> list[Passage]:
    """The passages of a document as it is to be."""
    document = draft.document
    return make_passages(draft.nodes, draft.node_tags(), document.source, document.title_heading)


def replace_passages(
    connection: Connection,
    former: Sequence[int],
    wanted: Iterable[Sequence[Passage]],
    reads_alike: Alike = lambda _row, _passage: True,
) -> None:
    """Gives documents these passages. `former` are the keys of all documents that may have passages now: what is not
    wanted there goes. A passage whose text stays keeps its key, unless `reads_alike` says that it is embedded as
    another though it is indexed as the same."""
    standing: dict[int, list[PassageRow]] = {}
    for row in passage_rows.load_passages(connection, former) if former else ():
        standing.setdefault(row.document, []).append(row)
    keys = count(passage_rows.last_passage(connection) + 1)
    added: list[tuple[int, Passage]] = []
    moved: list[PassageRow] = []
    gone: list[int] = []
    for passages in wanted:
        stored = standing.pop(passages[0].document, []) if passages else []
        pairing = zip(_match_texts(stored, passages), passages, strict=True)
        kept = [row if row and reads_alike(row, new) else None for row, new in pairing]
        gone += {row.key for row in stored}.difference(row.key for row in kept if row)
        added += [(next(keys), new) for new, row in zip(passages, kept, strict=True) if row is None]
        pairs = [(make_row(row.key, new), row) for new, row in zip(passages, kept, strict=True) if row]
        moved += [new for new, row in pairs if new != row]
    gone += [row.key for rows in standing.values() for row in rows]
    if gone:
        passage_rows.delete_passages(connection, gone)
    if moved:
        passage_rows.update_passages(connection, moved)
    passage_rows.insert_passages(connection, [make_row(key, new) for key, new in added])
    index_passages(connection, added)


def index_passages(connection: Connection, passages: Iterable[tuple[int, Passage]]) -> None:
    """Indexes the texts of (key, passage)."""
    passage_rows.insert_texts(connection, ((key, *fold_passage(passage)) for key, passage in passages))


def fold_passage(passage: Passage) -> tuple[str, str, str, str, str]:
    """The text as it is indexed: content, label, breadcrumb, tags, context."""
    content, label, breadcrumb, tags, context = map(index_text, passage.text)
    return content, label, breadcrumb, tags, context


def make_row(key: int, passage: Passage) -> PassageRow:
    """The row of a passage."""
    return PassageRow(key, *passage[:6])


def _read_blocks(tree: OldTree | Draft, section: int, first: int, last: int) -> tuple[str, ...]:
    """What the embedded text of a passage has beyond the indexed one: where its blocks part, how its escapes are
    written, what is title and what is heading."""
    titles, nodes = (section, tree.document.title_heading), tree.nodes
    blocks = (row.content for row in nodes[first : last + 1] if row.kind != "heading" or row.key not in titles)
    # A damaged document may have no nodes.
    return *(row.label or "" for row in nodes[:1]), *blocks


def _match_texts(stored: Sequence[PassageRow], passages: Sequence[Passage]) -> list[PassageRow | None]:
    """For each passage the stored row of the same text, of the same section first."""
    left = list(stored)
    kept: list[PassageRow | None] = [None] * len(passages)
    for same_section in (True, False):
        rows: dict[tuple[int, int], list[PassageRow]] = {}
        for row in reversed(left):
            rows.setdefault((row.section if same_section else 0, row.hash), []).append(row)
        for index, new in enumerate(passages):
            if kept[index] is None and (found := rows.get((new.section if same_section else 0, new.hash))):
                kept[index] = found.pop()
        used = {row.key for row in kept if row}
        left = [row for row in left if row.key not in used]
    return kept
