"""Drop: takes a root and all its documents out of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.errors import NotFoundError
from remem.records import DropReport
from remem.storage import documents as document_rows
from remem.storage import held as held_rows
from remem.writing.documents import write_batch
from remem.writing.drafts import Batch

if TYPE_CHECKING:
    from sqlite3 import Connection


def drop_root(connection: Connection, name: str, now: int) -> DropReport:
    """Removes a root, its documents and their edges; links to them wait again. The files on disk are not touched.

    Raises NotFoundError for an unknown root.
    """
    roots = {root.name: root for root in document_rows.load_roots(connection)}
    if name not in roots:
        known = ", ".join(sorted(roots)) or "none"
        raise NotFoundError(f"there is no root {name}; known roots: {known}", root=name)
    key = roots[name].key
    sources = tuple(document_rows.load_documents(connection, key))
    batch = Batch(
        root=key,
        root_name=name,
        files=(),
        vanished=sources,
        known=len(sources),
        message=f"drop {name}",
        now=now,
        prune=True,
    )
    outcome = write_batch(connection, batch)
    held_rows.release_root(connection, key)
    document_rows.delete_root(connection, key)
    return DropReport(name, len(sources), len(outcome.changes.removed), outcome.snapshot)
