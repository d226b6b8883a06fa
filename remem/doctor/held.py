"""Held files in the doctor: what the store remembers of documents that calls have changed, and of summaries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import orjson

from remem.records import Finding, HeldRow
from remem.storage import documents as document_rows
from remem.storage import held as held_rows
from remem.storage import summaries as summary_rows
from remem.writing.holding import unpack_tree
from remem.writing.kept import is_kept

if TYPE_CHECKING:
    from sqlite3 import Connection


def check_held(connection: Connection) -> Iterator[Finding]:
    """Files that are held in no root, and what cannot be read of a file."""
    roots = {root.key: root.name for root in document_rows.load_roots(connection)}
    for row in held_rows.load_all_held(connection):
        if row.root not in roots:
            yield Finding("held", True, f"{row.source} is held in a root that is gone")
        elif not _is_readable(row):
            place = f"{roots[row.root]}/{row.source}"
            yield Finding("held", True, f"what the file {place} was when a call changed its document cannot be read")
    for node in _list_unreadable(connection):
        yield Finding("summaries", True, f"what a summary kept of the text before it cannot be read, key {node}")


def repair_held(connection: Connection) -> None:
    """Forgets files that are held in no root, and what cannot be read. Must run inside a write transaction."""
    held_rows.release_lost(connection)
    rows = [row for row in held_rows.load_all_held(connection) if not _is_readable(row)]
    held_rows.save_held(connection, [row._replace(tree=None) for row in rows])
    summary_rows.delete_summaries(connection, _list_unreadable(connection))


def _list_unreadable(connection: Connection) -> list[int]:
    """The nodes of summaries whose links are none."""
    return [row.node for row in summary_rows.load_every_summary(connection) if not is_kept(row.links)]


def _is_readable(row: HeldRow) -> bool:
    """Whether the tree of a file is one: a document first, all others below an earlier node."""
    try:
        nodes = unpack_tree(row)
        if nodes is None:
            return True
        below = enumerate(nodes[1:], 1)
        shaped = all(-1 < node.parent < place and place <= node.last < len(nodes) for place, node in below)
        return shaped and nodes[0].parent == -1 and all(len(bytes.fromhex(node.hash)) == 16 for node in nodes)
    except (orjson.JSONDecodeError, TypeError, ValueError, IndexError):
        return False
