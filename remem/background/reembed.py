"""Reembedding: puts the store on another embedder. Embeds nothing itself: all vectors are owed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.records import Fixed
from remem.storage import jobs as job_rows
from remem.storage import vectors

if TYPE_CHECKING:
    from sqlite3 import Connection


def replace_embedder(connection: Connection, fixed: Fixed) -> None:
    """Drops all vectors and owes those of the same texts, and of all memories, to the new embedder."""
    job_rows.queue_embedded(connection)
    vectors.fix_embedder(connection, fixed)
    job_rows.queue_missing(connection, notes=0)
    job_rows.retry_all(connection)
