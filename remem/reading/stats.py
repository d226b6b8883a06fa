"""Figures of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.records import Stats
from remem.storage import documents as document_rows
from remem.storage import jobs, outline, versions
from remem.storage.sqlite import vectors_problem

if TYPE_CHECKING:
    from sqlite3 import Connection


def read_stats(connection: Connection, path: str) -> Stats:
    """The figures. Linear in the number of nodes, edges and links."""
    from remem.storage import vectors  # loads numpy, which most calls do not need

    kinds = outline.count_kinds(connection)
    states = outline.count_link_states(connection)
    waiting, tags, diagnostics = outline.count_rest(connection)
    passages, pinned, archived = outline.count_held(connection)
    newest = versions.find_newest_snapshot(connection)
    return Stats(
        path=path,
        bytes=outline.count_bytes(connection),
        schema_version=outline.get_schema_version(connection),
        roots=len(document_rows.load_roots(connection)),
        documents=sum(count for kind, count, _ in kinds if kind == "document"),
        nodes=sum(count for _, count, _ in kinds),
        tokens=sum(tokens for _, _, tokens in kinds),
        kinds=tuple(kinds),
        edges=tuple(outline.count_edges(connection)),
        links=tuple((state, count) for state, count, _, _ in states),
        pending=waiting + sum(count for state, count, _, _ in states if state in ("pending", "partial", "missing")),
        ambiguous=sum(found for _, _, found, _ in states),
        stale=sum(found for _, _, _, found in states),
        tags=tags,
        diagnostics=diagnostics,
        snapshots=newest.id if newest else 0,
        vectors=vectors_problem() is None,
        passages=passages,
        pinned=pinned,
        archived=archived,
        embedded=vectors.count_embedded(connection),
        owed=sum(owed for owed, _ in jobs.count_jobs(connection, 0).values()),
        embedder=vectors.find_name(connection),
    )
