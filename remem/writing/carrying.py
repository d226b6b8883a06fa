"""Carrying: held files that a compile finds unchanged keep their documents as they stand, under another name or another
parser too. Must run inside the transaction of the compile, before its batch is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from remem.records import DocumentRow, FileStat, HeldRow
from remem.storage import documents as document_rows
from remem.storage import held as held_rows
from remem.writing.drafts import NewFile
from remem.writing.planning import Plan
from remem.writing.standing import load_standing, restore_file

if TYPE_CHECKING:
    from sqlite3 import Connection


def carry_held(
    connection: Connection,
    root: int,
    plan: Plan,
    files: Sequence[NewFile],
    untouched: Mapping[str, FileStat],
    seen_at: int,
) -> list[NewFile]:
    """The files to be written: those that were read, with the documents that stand in their place where the same file
    was held under another source; and those of `untouched` held files that must be written anew as they stand."""
    rows = held_rows.load_held(connection, root)
    if not rows:
        return list(files)
    documents = {row.source: row for row in document_rows.load_documents_at(connection, root, rows)}
    again = _see_again(connection, root, plan, documents, untouched, seen_at)
    missing = {rows[s].hash: rows[s] for s in reversed(plan.list_missing()) if s in rows and rows[s].hash}
    carried: list[NewFile] = []
    for file in files:
        is_new = file.source not in plan.known.documents and file.source not in rows and file.stat.size > 0
        row = missing.pop(file.hash, None) if is_new else None
        if row is None:
            carried.append(file)
            continue
        _move_hold(connection, row, file)
        if row.source in documents:
            standing = load_standing(connection, documents[row.source])
            carried.append(restore_file(standing, file.source, file.stat, file.seen_at, file.settings))
    return [*again, *carried]


def _see_again(
    connection: Connection,
    root: int,
    plan: Plan,
    documents: Mapping[str, DocumentRow],
    untouched: Mapping[str, FileStat],
    seen_at: int,
) -> list[NewFile]:
    """Notes that held files were read; the documents to be written anew: parsed under other settings, or moved."""
    again: list[NewFile] = []
    touched: list[tuple[int, FileStat]] = []
    for source, stat in untouched.items():
        document, known = documents.get(source), plan.known.documents.get(source)
        if document is None:
            continue
        if document.settings == plan.fingerprint and known is not None and known.source == source:
            touched.append((document.node, stat))
        else:
            again.append(restore_file(load_standing(connection, document), source, stat, seen_at, plan.fingerprint))
    document_rows.touch_documents(connection, touched, seen_at)
    held_rows.touch_held(connection, root, untouched, seen_at)
    return again


def _move_hold(connection: Connection, row: HeldRow, file: NewFile) -> None:
    held_rows.release(connection, row.root, [row.source])
    stat = file.stat
    moved = row._replace(source=file.source, size=stat.size, mtime=stat.mtime, inode=stat.inode, seen_at=file.seen_at)
    held_rows.save_held(connection, [moved])
