"""Weights of discovered edges in the doctor: each is how alike the vectors of the two texts are. It finds those that
are not and puts them right; which texts are joined is left to discovery."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.background.discover import compare_texts, stack_vectors, weigh
from remem.records import DISCOVERED, MICRO, EdgeRow, Finding
from remem.rendering.lines import show_count
from remem.storage import checking, discovery, embedded
from remem.storage import edges as edge_rows
from remem.storage import memories as memory_rows
from remem.storage.sqlite import vectors_problem

if TYPE_CHECKING:
    from sqlite3 import Connection

CHUNK = 2000
"""So many edges are looked at at a time."""
TOLERANCE = 1000
"""So far, in millionths, a weight may be from the similarity: earlier ones were made from numbers of 16 bits."""


class Altered(NamedTuple):
    """A discovered edge that has another weight than `weight`, which its texts give it. `certain`: no text of the two
    may have changed unseen since, as that of a section may while notes are not embedded any more."""

    edge: EdgeRow
    weight: int
    certain: bool


def check_alike(connection: Connection) -> Iterator[Finding]:
    """Compares the weights of discovered edges with the vectors of what they join, where these are those of the texts.
    Nothing where vectors cannot be used here."""
    altered = list_altered(connection)
    wrong = sum(found.certain for found in altered)
    if wrong:
        told = show_count(wrong, "discovered edge has", "discovered edges have")
        yield Finding("edges", True, f"{told} another weight than the likeness of the two texts")
    if len(altered) > wrong:
        told = show_count(len(altered) - wrong, "discovered edge of sections has", "discovered edges of sections have")
        yield Finding("edges", False, f"{told} the weight of an earlier text; `remem doctor --fix` puts that right")


def repair_alike(connection: Connection, threshold: float, now: int) -> None:
    """Gives these edges the weight of their texts; those below the threshold go. Must run inside a write
    transaction."""
    altered = list_altered(connection)
    least = weigh(threshold)
    edge_rows.delete_edges(connection, [found.edge[:4] for found in altered if found.weight < least])
    kept = [found.edge._replace(weight=found.weight, updated_at=now) for found in altered if found.weight >= least]
    edge_rows.save_edges(connection, kept)


def list_altered(connection: Connection) -> list[Altered]:
    """The discovered edges whose weight is not that of their texts. Linear in the edges."""
    if vectors_problem() is not None or embedded.find_fixed(connection) is None:
        return []
    edges = [EdgeRow._make(row) for row in checking.load_edges_of(connection, DISCOVERED)]
    found: list[Altered] = []
    for start in range(0, len(edges), CHUNK):
        found += _list_altered_of(connection, edges[start : start + CHUNK])
    return found


def _list_altered_of(connection: Connection, edges: Sequence[EdgeRow]) -> list[Altered]:
    ends = {end for edge in edges for end in edge[:2]}
    settled = ends - discovery.find_unsettled(connection, ends)
    rows = stack_vectors(connection, discovery.load_vector_keys(connection, settled))
    memories = memory_rows.keep_memories(connection, ends)
    found = []
    for edge in edges:
        one, other = rows.get(edge.source), rows.get(edge.target)
        if one is None or other is None or not one.size or not other.size or not 0 <= edge.weight <= MICRO:
            continue
        weight = weigh(compare_texts(one, other))
        if abs(weight - edge.weight) > TOLERANCE:
            found.append(Altered(edge, weight, {edge.source, edge.target} <= memories))
    return found
