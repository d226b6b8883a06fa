"""Keeps the passages and their full-text index in step with the documents, within the transaction that changes these.
Only passages whose text changed are indexed again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING

from remem.records import Passage, PassageRow
from remem.search.passages import make_passages
from remem.search.scripts import index_text
from remem.storage import passages as passage_rows
from remem.writing.drafts import Draft, OldTree

if TYPE_CHECKING:
    from sqlite3 import Connection


def write_passages(connection: Connection, old: Sequence[OldTree], drafts: Sequence[Draft]) -> None:
    """Gives the documents of a batch the passages that follow from their nodes; those that are gone lose theirs."""
    replace_passages(connection, [tree.document.node for tree in old], [draft_passages(draft) for draft in drafts])


def draft_passages(draft: Draft) -> list[Passage]:
    """The passages of a document as it is to be."""
    document = draft.document
    return make_passages(draft.nodes, draft.node_tags(), document.source, document.title_heading)


def replace_passages(connection: Connection, former: Sequence[int], wanted: Iterable[Sequence[Passage]]) -> None:
    """Gives documents these passages. `former` are the keys of all documents that may have passages now: what is not
    wanted there goes. A passage whose text stays keeps its key."""
    standing: dict[int, list[PassageRow]] = {}
    for row in passage_rows.load_passages(connection, former) if former else ():
        standing.setdefault(row.document, []).append(row)
    keys = count(passage_rows.last_passage(connection) + 1)
    added: list[tuple[int, Passage]] = []
    moved: list[PassageRow] = []
    gone: list[int] = []
    for passages in wanted:
        stored = standing.pop(passages[0].document, []) if passages else []
        kept = _match_texts(stored, passages)
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
