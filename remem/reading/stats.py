"""Figures of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.reading.duplicates import group_alike
from remem.records import Stats
from remem.storage import documents as document_rows
from remem.storage import figures, versions
from remem.storage.sqlite import vectors_problem
from remem.storage.work_state import read_work

if TYPE_CHECKING:
    from sqlite3 import Connection


def read_stats(connection: Connection, path: str, now: int, owner: str, problem: str) -> Stats:
    """The figures at an instant (milliseconds). Linear in the number of nodes, edges and links. `owner` is the claimant
    that asks, "" for none; `problem` is what keeps it from the background work, "" where it knows of nothing."""
    work = read_work(connection, now, owner, problem or vectors_problem())
    kinds = figures.count_kinds(connection)
    states = figures.count_link_states(connection)
    waiting, tags, diagnostics = figures.count_rest(connection)
    passages, pinned, archived = figures.count_held(connection)
    newest = versions.find_newest_snapshot(connection)
    return Stats(
        path=path,
        bytes=figures.count_bytes(connection),
        schema_version=figures.get_schema_version(connection),
        roots=len(document_rows.load_roots(connection)),
        documents=sum(count for kind, count, _ in kinds if kind == "document"),
        nodes=sum(count for _, count, _ in kinds),
        tokens=sum(tokens for _, _, tokens in kinds),
        kinds=tuple(kinds),
        edges=tuple(figures.count_edges(connection)),
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
        embedded=work.embedded,
        owed=work.embed + work.discover,
        embedder=work.embedder,
        owed_embed=work.embed,
        owed_discover=work.discover,
        owed_mentions=work.mentions,
        waiting=work.waiting,
        worker=work.worker,
        problem=work.problem,
        near_duplicates=len(group_alike(connection)),
    )
