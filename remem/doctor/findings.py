"""What the doctor lists beside faults: links that wait, are in doubt or use an earlier name, each with what may be
meant; work that was interrupted. None of it breaks an invariant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from remem.reading.pending import list_pending
from remem.records import Finding, PendingEdge
from remem.rendering.lines import show_count
from remem.storage import versions, waiting
from remem.storage.sqlite import vectors_problem
from remem.storage.waiting import DoubtfulLink

if TYPE_CHECKING:
    from sqlite3 import Connection

SHOWN = 20
"""So many links of a kind are listed; the rest is counted."""

LOOKED_AT = 500
"""For so many waiting links it is looked up what they may mean."""


def list_findings(connection: Connection) -> Iterator[Finding]:
    """Reads only."""
    if any(not snapshot.finished for snapshot in versions.load_snapshots(connection)):
        yield Finding("history", False, "a large compile was interrupted; compile again, or run `remem doctor --fix`")
    yield from _list_waiting(connection)
    doubtful = waiting.load_doubtful_links(connection)
    yield from _cut("ambiguous", [_tell_doubt(link) for link in doubtful if link.ambiguous])
    yield from _cut("stale", [_tell_former(link) for link in doubtful if link.stale])
    problem = vectors_problem()
    if problem:
        yield Finding("vectors", False, problem)


def _list_waiting(connection: Connection) -> Iterator[Finding]:
    count = len(waiting.load_pending_links(connection)) + len(waiting.load_pending_relations(connection))
    if not count:
        return
    told = show_count(count, "link waits for its", "links wait for their")
    yield Finding("pending", False, f"{told} target; `remem pending` lists them")
    offered = [edge for edge in list_pending(connection, limit=LOOKED_AT) if edge.suggestions]
    yield from _cut("broken", [_tell_waiting(edge) for edge in offered])


def _cut(check: str, findings: list[Finding]) -> Iterator[Finding]:
    yield from findings[:SHOWN]
    if len(findings) > SHOWN:
        yield Finding(check, False, f"{len(findings) - SHOWN} more of them")


def _tell_waiting(edge: PendingEdge) -> Finding:
    written = _write(edge.label, edge.anchor if edge.origin == "parsed" else "", edge.path or edge.source_id)
    close = " or ".join(f"{label} {id}" for id, label in edge.suggestions)
    return Finding("broken", False, f"{written} leads nowhere; perhaps {close} is meant. It stands in", edge.source_id)


def _tell_doubt(link: DoubtfulLink) -> Finding:
    remedy = f"a path, or id={link.target_id}, says which"
    message = f"{_write_link(link)} could mean several nodes; it leads to {_name(link)}; {remedy}. It stands in"
    return Finding("ambiguous", False, message, link.source_id)


def _tell_former(link: DoubtfulLink) -> Finding:
    remedy = f"; write [[{link.target_label}]]" if link.target_label else ""
    message = f"{_write_link(link)} uses an earlier name of {_name(link)}{remedy}. It stands in"
    return Finding("stale", False, message, link.source_id)


def _write_link(link: DoubtfulLink) -> str:
    return _write(link.label, link.anchor, link.path or link.source_id)


def _write(label: str, anchor: str, place: str) -> str:
    return f"[[{label}{'#' + anchor if anchor else ''}]] in {place}"


def _name(link: DoubtfulLink) -> str:
    return f"{link.target_label} {link.target_id}" if link.target_label else link.target_id
