"""The doctor: checks every invariant of a store, and rebuilds what follows from the nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial
from typing import TYPE_CHECKING

from remem.doctor.documents import check_document, is_current, load_stored, parse_again
from remem.doctor.held import check_held, repair_held
from remem.doctor.history import check_history, repair_history
from remem.doctor.memories import check_memories, repair_memories
from remem.doctor.mentions import check_mentions, repair_mentions
from remem.doctor.passages import check_passages, repair_passages
from remem.doctor.vectors import check_duplicates, check_embedder, check_threshold, check_vectors, repair_vectors
from remem.records import DoctorReport, DocumentRow, Examined, Finding, LinkRow
from remem.storage import checking, outline, versions, waiting
from remem.storage import documents as document_rows
from remem.storage import held as held_rows
from remem.storage import links as link_rows
from remem.storage import nodes as node_rows
from remem.storage import relations as relation_rows
from remem.storage.passages import clear_texts
from remem.storage.sqlite import vectors_problem
from remem.writing import history, lifecycle, linking, relations
from remem.writing.documents import write_batch
from remem.writing.drafts import Batch

if TYPE_CHECKING:
    from sqlite3 import Connection

SHOWN = 20
"""So many findings of one rule are listed; the rest is counted."""
CHUNK = 20_000
"""So many links are resolved at a time."""
REPAIR_CHUNK = 500
"""So many documents are rebuilt at a time."""


def check_store(connection: Connection, threshold: float, found: Examined | None = None) -> DoctorReport:
    """Checks everything. Reads only; time is that of compiling the texts again, without the files. `threshold` is the
    similarity from which texts are linked by discovery, `found` the embedder that was tried (None: none was)."""
    checks: tuple[Callable[[Connection], Iterator[Finding]], ...] = (
        _check_pages,
        _check_rules,
        _check_documents,
        check_held,
        check_memories,
        _check_targets,
        _check_parsed_edges,
        _check_manual_edges,
        check_passages,
        check_mentions,
        check_vectors,
        partial(check_embedder, found=found),
        partial(check_threshold, threshold=threshold, found=found),
        check_duplicates,
        _check_state,
        check_history,
        _list_findings,
    )
    findings = [finding for check in checks for finding in check(connection)]
    return DoctorReport(tuple(findings), len(checks) + len(checking.RULES) - 1)


def repair_store(
    connection: Connection, now: int, threshold: float, found: Examined | None = None
) -> DoctorReport:  # fmt: skip
    """Rebuilds all that follows from the nodes and from the relations, ends unfinished snapshots, and checks again."""
    before = check_store(connection, threshold, found)
    checking.delete_orphans(connection)
    repair_held(connection)
    clear_texts(connection)  # a damaged index could not be written to
    for root in document_rows.load_roots(connection):
        documents = list(document_rows.load_documents(connection, root.key).values())
        current = [document for document in documents if is_current(document)]
        for start in range(0, len(current), REPAIR_CHUNK):
            _rebuild(connection, root.key, root.name, current[start : start + REPAIR_CHUNK], now)
    repair_memories(connection, now)
    _rebuild_edges(connection, now)
    repair_passages(connection)
    repair_mentions(connection, now)
    repair_vectors(connection)
    versions.finish_snapshots(connection)
    _repair_state(connection)
    repair_history(connection)
    after = check_store(connection, threshold, found)
    faults = [sum(finding.fault for finding in report.findings) for report in (before, after)]
    return DoctorReport(after.findings, after.checks, max(0, faults[0] - faults[1]))


# --- checks ----------------------------------------------------------------------------------------------------------


def _check_pages(connection: Connection) -> Iterator[Finding]:
    for problem in checking.check_pages(connection):
        yield Finding("file", True, f"SQLite finds the file damaged: {problem}; restore a backup")


def _check_rules(connection: Connection) -> Iterator[Finding]:
    for check, wrong, statement in checking.RULES:
        found = checking.find_breaches(connection, statement)
        for place in found[:SHOWN]:
            yield Finding(check, True, f"{wrong}: {place}")
        if len(found) > SHOWN:
            yield Finding(check, True, f"{wrong}: {len(found) - SHOWN} more")


def _check_documents(connection: Connection) -> Iterator[Finding]:
    for root in document_rows.load_roots(connection):
        held = held_rows.find_held(connection, root.key)
        for source, document in document_rows.load_documents(connection, root.key).items():
            stored = load_stored(connection, root.name, document, source in held)
            if not is_current(document) and not stored.held:
                message = f"{root.name}/{source} was parsed by another version of Remem; compile it again"
                yield Finding("documents", False, message)
            elif stored.nodes:
                yield from check_document(connection, stored)


def _check_targets(connection: Connection) -> Iterator[Finding]:
    keys = checking.load_link_keys(connection)
    for start in range(0, len(keys), CHUNK):
        rows, resolved = _resolve_again(connection, keys[start : start + CHUNK])
        for have, want in zip(rows, resolved, strict=True):
            if have != want:
                yield Finding("links", True, f"the link [[{have.label}]] leads elsewhere by the rules of resolution")


def _resolve_again(connection: Connection, keys: Sequence[int]) -> tuple[list[LinkRow], list[LinkRow]]:
    places = link_rows.load_places(connection, keys)
    rows = [row for row in link_rows.load_links(connection, keys) if row.key in places]
    return rows, linking.resolve_links(connection, [(row, places[row.key]) for row in rows])


def _check_parsed_edges(connection: Connection) -> Iterator[Finding]:
    links = link_rows.load_links(connection, checking.load_link_keys(connection))
    wanted = {edge[:7] for edge in linking.group_edges(links, 0).values()}
    stored = {row[:7] for row in checking.load_edges_of(connection, linking.PARSED)}
    yield from _compare_edges("parsed", stored, wanted)


def _check_manual_edges(connection: Connection) -> Iterator[Finding]:
    rows = relation_rows.load_all_relations(connection)
    ends = {row.source for row in rows} | {row.target for row in rows if row.target is not None}
    living = node_rows.load_spans(connection, ends).keys()
    wanted = {tuple(edge) for edge in relations.group_edges(rows, living).values()}
    stored = set(checking.load_edges_of(connection, relations.MANUAL))
    yield from _compare_edges("manual", stored, wanted)


def _compare_edges(origin: str, stored: Set[tuple[int, ...]], wanted: Set[tuple[int, ...]]) -> Iterator[Finding]:
    if stored - wanted:
        yield Finding("edges", True, f"{len(stored - wanted)} {origin} edges do not follow from what was written")
    if wanted - stored:
        yield Finding("edges", True, f"{len(wanted - stored)} {origin} edges are missing")


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


def _list_findings(connection: Connection) -> Iterator[Finding]:
    if any(not snapshot.finished for snapshot in versions.load_snapshots(connection)):
        yield Finding("history", False, "a large compile was interrupted; compile again, or run doctor --fix")
    waits = len(waiting.load_pending_links(connection)) + len(waiting.load_pending_relations(connection))
    if waits:
        yield Finding("pending", False, f"{waits} links wait for their target; `remem pending` lists them")
    for link in waiting.load_doubtful_links(connection):
        written = f"[[{link.label}{'#' + link.anchor if link.anchor else ''}]] in {link.path or link.source_id}"
        target = f"{link.target_label} {link.target_id}" if link.target_label else link.target_id
        if link.ambiguous:
            message = f"{written} could mean several nodes; it leads to {target}. It stands in"
            yield Finding("ambiguous", False, message, link.source_id)
        if link.stale:
            yield Finding("stale", False, f"{written} uses an earlier name of {target}. It stands in", link.source_id)
    problem = vectors_problem()
    if problem:
        yield Finding("vectors", False, problem)


# --- repair ----------------------------------------------------------------------------------------------------------


def _rebuild(connection: Connection, root: int, name: str, documents: Sequence[DocumentRow], now: int) -> None:
    held = held_rows.find_held(connection, root)
    stored = [load_stored(connection, name, document, document.source in held) for document in documents]
    files = [parse_again(connection, found) for found in stored if found.nodes]
    batch = Batch(root, name, files, (), len(files), "repair", now, prune=True)
    write_batch(connection, batch)


def _rebuild_edges(connection: Connection, now: int) -> None:
    keys = checking.load_link_keys(connection)
    for start in range(0, len(keys), CHUNK):
        rows, resolved = _resolve_again(connection, keys[start : start + CHUNK])
        changed = [want for have, want in zip(rows, resolved, strict=True) if have != want]
        linking.save_targets(connection, changed)
    sources = {row[0] for row in checking.load_edges_of(connection, linking.PARSED)}
    nodes = {row.node for row in link_rows.load_links(connection, keys)}
    linking.derive_edges(connection, (), nodes, sources, now)
    waiting_sources = {row.source for row in relation_rows.load_all_relations(connection)}
    manual = {row[0] for row in checking.load_edges_of(connection, relations.MANUAL)}
    relations.derive_manual_edges(connection, waiting_sources | manual)


def _repair_state(connection: Connection) -> None:
    newest = versions.find_newest_snapshot(connection)
    state = _state_hash(connection)
    if newest and newest.state_hash != state:
        versions.update_snapshot(connection, newest.id, state, True)
