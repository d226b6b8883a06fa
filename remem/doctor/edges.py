"""Links, relations and edges in the doctor: does each link lead where the rules say, and do the edges of each origin
follow from what was written? Mentioned ones: `mentions`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from remem.background.discover import RELATED_TO
from remem.records import (
    DISCOVERED,
    MANUAL,
    MICRO,
    PARSED,
    EdgeRow,
    Finding,
    LinkRow,
    RelationRow,
)
from remem.rendering.lines import show_count
from remem.storage import checking, jobs
from remem.storage import edges as edge_rows
from remem.storage import links as link_rows
from remem.storage import nodes as node_rows
from remem.storage import relations as relation_rows
from remem.writing import linking, relations

if TYPE_CHECKING:
    from sqlite3 import Connection

CHUNK = 20_000
"""So many links are resolved at a time."""


def check_targets(connection: Connection) -> Iterator[Finding]:
    """Resolves all links again."""
    keys = checking.load_link_keys(connection)
    for start in range(0, len(keys), CHUNK):
        rows, resolved = _resolve_again(connection, keys[start : start + CHUNK])
        for have, want in zip(rows, resolved, strict=True):
            if have != want:
                yield Finding("links", True, f"the link [[{have.label}]] leads elsewhere by the rules of resolution")


def check_parsed_edges(connection: Connection) -> Iterator[Finding]:
    """Compares the parsed edges with the links."""
    links = link_rows.load_links(connection, checking.load_link_keys(connection))
    wanted = {edge[:7] for edge in linking.group_edges(links, 0).values()}
    stored = {row[:7] for row in checking.load_edges_of(connection, PARSED)}
    yield from _compare_edges("parsed", stored, wanted)


def check_relations(connection: Connection) -> Iterator[Finding]:
    """Compares the keys of relations with what was asked for, and looks again for the targets of those that wait."""
    for row in _list_misled(connection):
        yield Finding("relations", True, f"a relation to {row.label or row.id} is not found by what it says, or waits")


def check_manual_edges(connection: Connection) -> Iterator[Finding]:
    """Compares the manual edges with the relations."""
    rows = relation_rows.load_all_relations(connection)
    ends = {row.source for row in rows} | {row.target for row in rows if row.target is not None}
    living = node_rows.load_spans(connection, ends).keys()
    wanted = {tuple(edge) for edge in relations.group_edges(rows, living).values()}
    stored = set(checking.load_edges_of(connection, MANUAL))
    yield from _compare_edges("manual", stored, wanted)


def check_discovered_edges(connection: Connection) -> Iterator[Finding]:
    """Whether discovered edges have the shape that discovery gives them: what they follow from is known to it alone."""
    misshapen = _list_misshapen(connection)
    if misshapen:
        told = show_count(len(misshapen), "discovered edge is", "discovered edges are")
        yield Finding("edges", True, f"{told} none that discovery makes")


def repair_edges(connection: Connection, now: int) -> None:
    """Has every link lead where the rules say, and makes parsed and manual edges anew; discovered ones that cannot be
    are left to discovery. Must run inside a write transaction."""
    keys = checking.load_link_keys(connection)
    for start in range(0, len(keys), CHUNK):
        rows, resolved = _resolve_again(connection, keys[start : start + CHUNK])
        changed = [want for have, want in zip(rows, resolved, strict=True) if have != want]
        linking.save_targets(connection, changed)
    sources = {row[0] for row in checking.load_edges_of(connection, PARSED)}
    nodes = {row.node for row in link_rows.load_links(connection, keys)}
    linking.derive_edges(connection, (), nodes, sources, now)
    relation_rows.update_relations(connection, _list_misled(connection))
    waiting_sources = {row.source for row in relation_rows.load_all_relations(connection)}
    manual = {row[0] for row in checking.load_edges_of(connection, MANUAL)}
    relations.derive_manual_edges(connection, waiting_sources | manual)
    misshapen = _list_misshapen(connection)
    edge_rows.delete_edges(connection, [edge[:4] for edge in misshapen])
    sections = node_rows.load_spans(connection, {edge.source for edge in misshapen})
    jobs.queue_jobs(connection, jobs.DISCOVER, sections)


def _resolve_again(connection: Connection, keys: Sequence[int]) -> tuple[list[LinkRow], list[LinkRow]]:
    places = link_rows.load_places(connection, keys)
    rows = [row for row in link_rows.load_links(connection, keys) if row.key in places]
    return rows, linking.resolve_links(connection, [(row, places[row.key]) for row in rows])


def _list_misled(connection: Connection) -> list[RelationRow]:
    """The relations that are not as they should be, as they should be."""
    rows = relation_rows.load_all_relations(connection)
    keyed = [relations.key_relation(row) for row in rows]
    hopeful = {row.key: row for row in relations.find_waiting_targets(connection, keyed)}
    wanted = [hopeful.get(row.key, row) for row in keyed]
    return [want for have, want in zip(rows, wanted, strict=True) if have != want]


def _list_misshapen(connection: Connection) -> list[EdgeRow]:
    edges = [EdgeRow._make(row) for row in checking.load_edges_of(connection, DISCOVERED)]
    kinds = checking.load_section_kinds(connection, {end for edge in edges for end in edge[:2]})
    return [edge for edge in edges if not _is_shaped(edge) or not {*edge[:2]} <= kinds.keys()]


def _is_shaped(edge: EdgeRow) -> bool:
    return (
        edge.source != edge.target
        and edge.type == RELATED_TO
        and 0 <= edge.weight <= MICRO
        and (edge.links, edge.ambiguous) == (1, 0)
    )


def _compare_edges(origin: str, stored: Set[tuple[int, ...]], wanted: Set[tuple[int, ...]]) -> Iterator[Finding]:
    if stored - wanted:
        told = show_count(len(stored - wanted), f"{origin} edge does", f"{origin} edges do")
        yield Finding("edges", True, f"{told} not follow from what was written")
    if wanted - stored:
        told = show_count(len(wanted - stored), f"{origin} edge is", f"{origin} edges are")
        yield Finding("edges", True, f"{told} missing")
