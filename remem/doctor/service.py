"""The doctor: checks every invariant of a store, and rebuilds what follows from the nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from remem.doctor import edges
from remem.doctor.alike import check_alike, repair_alike
from remem.doctor.arrivals import check_arrivals, repair_arrivals
from remem.doctor.documents import check_document, is_current, load_stored, mend_rows, parse_again
from remem.doctor.findings import list_findings
from remem.doctor.guard import Check, run_check
from remem.doctor.held import check_held, repair_held
from remem.doctor.history import check_history, repair_history
from remem.doctor.lost import check_lost, repair_lost
from remem.doctor.memories import check_memories, repair_memories
from remem.doctor.mentions import check_mentions, repair_mentions
from remem.doctor.passages import check_passages, repair_passages
from remem.doctor.vectors import check_duplicates, check_embedder, check_threshold, check_vectors, repair_vectors
from remem.records import DoctorReport, DocumentRow, Examined, Finding
from remem.storage import checking, outline, strays, versions
from remem.storage import documents as document_rows
from remem.storage import held as held_rows
from remem.storage import nodes as node_rows
from remem.storage.passages import clear_texts
from remem.writing import history, lifecycle
from remem.writing.documents import write_batch
from remem.writing.drafts import Batch

if TYPE_CHECKING:
    from sqlite3 import Connection

SHOWN = 20
"""So many findings of one rule are listed; the rest is counted."""
RULES = (*checking.RULES, *strays.RULES)
"""What one statement each can see."""
REPAIR_CHUNK = 500
"""So many documents are rebuilt at a time."""


def check_store(connection: Connection, threshold: float, found: Examined | None = None) -> DoctorReport:
    """Checks everything. Reads only; time is that of compiling the texts again, without the files. `threshold` is the
    similarity from which texts are linked by discovery, `found` the embedder that was tried (None: none was)."""
    checks: tuple[Check, ...] = (
        _check_pages,
        _check_rules,
        _check_documents,
        check_lost,
        check_held,
        check_memories,
        edges.check_targets,
        edges.check_parsed_edges,
        edges.check_relations,
        edges.check_manual_edges,
        edges.check_discovered_edges,
        check_alike,
        check_passages,
        check_mentions,
        check_vectors,
        partial(check_embedder, found=found),
        partial(check_threshold, threshold=threshold, found=found),
        check_duplicates,
        _check_state,
        check_history,
        check_arrivals,
        list_findings,
    )
    findings = [finding for check in checks for finding in run_check(check, connection)]
    return DoctorReport(tuple(findings), len(checks) + len(RULES) - 1)


def repair_store(
    connection: Connection, now: int, threshold: float, found: Examined | None = None
) -> DoctorReport:  # fmt: skip
    """Rebuilds all that follows from the nodes and from the relations, ends unfinished snapshots, and checks again."""
    before = check_store(connection, threshold, found)
    told = repair_lost(connection, now)
    checking.delete_orphans(connection)
    strays.delete_strays(connection)
    repair_held(connection)
    trusted = not any(finding.check == "state" for finding in before.findings)
    clear_texts(connection)  # a damaged index could not be written to
    for root in document_rows.load_roots(connection):
        documents = list(document_rows.load_documents(connection, root.key).values())
        current = [document for document in documents if is_current(document)]
        for start in range(0, len(current), REPAIR_CHUNK):
            _rebuild(connection, root.key, root.name, current[start : start + REPAIR_CHUNK], now, trusted)
    repair_memories(connection, now)
    strays.delete_former(connection)
    edges.repair_edges(connection, now)
    repair_passages(connection)
    repair_mentions(connection, now)
    repair_vectors(connection)
    repair_alike(connection, threshold, now)
    versions.finish_snapshots(connection)
    _repair_state(connection)
    repair_history(connection)
    repair_arrivals(connection)
    after = check_store(connection, threshold, found)
    faults = [sum(finding.fault for finding in report.findings) for report in (before, after)]
    return DoctorReport((*after.findings, *told), after.checks, max(0, faults[0] - faults[1]))


# --- checks ----------------------------------------------------------------------------------------------------------


def _check_pages(connection: Connection) -> Iterator[Finding]:
    for problem in checking.check_pages(connection):
        yield Finding("file", True, f"SQLite finds the file damaged: {problem}; restore a backup")


def _check_rules(connection: Connection) -> Iterator[Finding]:
    for check, wrong, statement in RULES:
        found = checking.find_breaches(connection, statement)
        for place in found[:SHOWN]:
            yield Finding(check, True, f"{wrong}: {place}")
        if len(found) > SHOWN:
            yield Finding(check, True, f"{wrong}: {len(found) - SHOWN} more")


def _check_documents(connection: Connection) -> Iterator[Finding]:
    trusted = not any(True for _ in _check_state(connection))
    for root in document_rows.load_roots(connection):
        held = held_rows.find_held(connection, root.key)
        for source, document in document_rows.load_documents(connection, root.key).items():
            stored = load_stored(connection, root.name, document, source in held, trusted)
            if not is_current(document) and not stored.held:
                message = f"{root.name}/{source} was parsed by another version of Remem; compile it again"
                yield Finding("documents", False, message)
            elif stored.nodes:
                yield from check_document(connection, stored)


def _check_state(connection: Connection) -> Iterator[Finding]:
    newest = versions.find_newest_snapshot(connection)
    stored = newest.state_hash if newest else history.sum_digests(())
    if stored != _state_hash(connection):
        yield Finding("state", True, "the state hash of the newest snapshot is not that of the nodes")


def _state_hash(connection: Connection) -> bytes:
    def trees() -> Iterator[history.Tree]:
        for document in outline.iterate_documents(connection):
            nodes = node_rows.load_trees(connection, [document])[document]
            yield history.Tree(nodes, node_rows.load_tags(connection, [document]))
        yield from lifecycle.list_states(connection)

    return history.sum_digests(trees())


# --- repair ----------------------------------------------------------------------------------------------------------


def _rebuild(
    connection: Connection, root: int, name: str, documents: Sequence[DocumentRow], now: int, trusted: bool
) -> None:
    held = held_rows.find_held(connection, root)
    for document in documents:
        found = load_stored(connection, name, document, document.source in held, trusted)
        if found.nodes:
            mend_rows(connection, found)
    rows = document_rows.load_document_rows(connection, [document.node for document in documents])
    stored = [load_stored(connection, name, document, document.source in held, trusted) for document in rows.values()]
    files = [parse_again(connection, found) for found in stored if found.nodes]
    batch = Batch(root, name, files, (), len(files), "repair", now, prune=True)
    write_batch(connection, batch)


def _repair_state(connection: Connection) -> None:
    newest = versions.find_newest_snapshot(connection)
    state = _state_hash(connection)
    if newest and newest.state_hash != state:
        versions.update_snapshot(connection, newest.id, state, True)
