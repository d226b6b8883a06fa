"""The edges of mentions: derives them from the uses of names, keeps those away that a call removed. Which names a text
uses, and what they name, stands in the store already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from remem.graph.mentions import weigh
from remem.records import MENTIONED, RELATIONSHIP_TYPES, EdgeRow, NodeRow
from remem.storage import documents as document_rows
from remem.storage import edges as edge_rows
from remem.storage import mention_work
from remem.storage import mentions as mention_rows
from remem.storage import nodes as node_rows
from remem.storage.mentions import DocumentEdge, MentionUse, Refusal

if TYPE_CHECKING:
    from sqlite3 import Connection

REFERENCES = RELATIONSHIP_TYPES.index("references")
_HASH_BYTES = 16


@dataclass(slots=True)
class Derived:
    """The mentioned edges of some documents by source and target: weights as they should be and as they are; and the
    refusals that no longer hold."""

    wanted: dict[tuple[int, int], int] = field(default_factory=dict)
    standing: dict[tuple[int, int], int] = field(default_factory=dict)
    void: list[Refusal] = field(default_factory=list)


def settle_edges(connection: Connection, now: int) -> None:
    """Follows what calls did to other edges: no mention stands beside an authored edge."""
    documents = mention_work.load_documents_owed(connection, mention_work.EDGES)
    if documents:
        save_edges(connection, documents, (), now)
        mention_work.delete_work(connection, mention_work.EDGES, documents)


def save_edges(connection: Connection, documents: Iterable[int], targets: Iterable[int], now: int) -> None:
    """Brings the mentioned edges of the documents up to date, and the weights of all that lead to the targets."""
    counts = mention_rows.count_texts(connection, targets)
    weights = [(target, weigh(texts)) for target, texts in sorted(counts.items())]
    mention_rows.update_weights(connection, weights, now)
    derived = derive_edges(connection, documents)
    gone = [(*ends, REFERENCES, MENTIONED) for ends in derived.standing.keys() - derived.wanted.keys()]
    edge_rows.delete_edges(connection, gone)
    fresh = [
        EdgeRow(*ends, REFERENCES, MENTIONED, weight, 1, 0, now, now)
        for ends, weight in derived.wanted.items()
        if derived.standing.get(ends) != weight
    ]
    edge_rows.save_edges(connection, fresh)
    mention_rows.delete_refusals(connection, derived.void)


def derive_edges(connection: Connection, documents: Iterable[int]) -> Derived:
    """The mentioned edges that follow for these documents, and those that stand."""
    documents = set(documents)
    uses = mention_rows.load_uses(connection, documents)
    edges = mention_rows.load_document_edges(connection, documents)
    derived = Derived()
    derived.standing = {(edge.source, edge.target): edge.weight for edge in edges if edge.origin == MENTIONED}
    authored = _list_authored(connection, edges)
    refused, derived.void = _sort_refusals(connection, documents)
    counts = mention_rows.count_texts(connection, {use.target for use in uses if use.target is not None})
    for (document, target), source in _find_first(connection, uses).items():
        if (document, target) not in authored and (document, target) not in refused:
            derived.wanted[source, target] = weigh(counts[target])
    return derived


def _find_first(connection: Connection, uses: Sequence[MentionUse]) -> dict[tuple[int, int], int]:
    """The first node that names it, by document and target; nodes that are gone name nothing and are not named."""
    ends = {use.node for use in uses} | {use.target for use in uses if use.target is not None}
    positions = mention_rows.load_positions(connection, ends)
    first: dict[tuple[int, int], int] = {}
    for use in sorted(uses, key=lambda use: positions.get(use.node, 0)):
        if use.target is not None and use.node in positions and use.target in positions:
            first.setdefault((use.document, use.target), use.node)
    return first


def _list_authored(connection: Connection, edges: Iterable[DocumentEdge]) -> set[tuple[int, int]]:
    """(document, target) of the authored edges; one that leads to a document leads to its title heading."""
    authored = {(edge.document, edge.target) for edge in edges if edge.origin != MENTIONED}
    titles = document_rows.load_title_headings(connection, {target for _, target in authored})
    return authored | {(document, titles[target]) for document, target in authored if target in titles}


# --- refusals --------------------------------------------------------------------------------------------------------


def refuse(connection: Connection, source: NodeRow, target: NodeRow) -> int:
    """Removes the mention from one node to another (a document stands for its title heading), so that it stays away
    while both texts are as they are; returns how many edges went."""
    titles = document_rows.load_title_headings(connection, [target.key])
    ends = {target.key, titles.get(target.key, target.key)}
    found = [
        edge
        for edge in edge_rows.load_edges_from(connection, [source.key], MENTIONED)
        if edge.target in ends and edge.type == REFERENCES
    ]
    if not found:
        return 0
    hashes = hash_texts(connection, {source.document, target.document})
    for edge in found:
        refusal = Refusal(source.document, edge.target, hashes[source.document], hashes[target.document])
        mention_rows.save_refusal(connection, refusal)
    edge_rows.delete_edges(connection, [edge[:4] for edge in found])
    return len(found)


def hash_texts(connection: Connection, documents: Iterable[int]) -> dict[int, bytes]:
    """A hash of what each of the living documents says."""
    hashes: dict[int, blake2b] = {}
    for document, _, _, kind, content in mention_rows.load_prose(connection, documents):
        hash = hashes.setdefault(document, blake2b(digest_size=_HASH_BYTES))
        hash.update(f"{kind}\x00{content}\x00".encode("utf-8", "surrogatepass"))
    return {document: hash.digest() for document, hash in hashes.items()}


def _sort_refusals(connection: Connection, documents: Iterable[int]) -> tuple[set[tuple[int, int]], list[Refusal]]:
    """The refusals in these documents: (document, target) of those that hold, and those that are void because one of
    the texts changed. Where a text is gone it may come back as it was."""
    refusals = mention_rows.load_refusals(connection, documents)
    if not refusals:
        return set(), []
    spans = node_rows.load_spans(connection, {refusal.target for refusal in refusals})
    owners = {target: span.document for target, span in spans.items()}
    hashes = hash_texts(connection, {refusal.document for refusal in refusals} | set(owners.values()))
    held: set[tuple[int, int]] = set()
    void: list[Refusal] = []
    for refusal in refusals:
        if refusal.target not in owners or refusal.document not in hashes:
            continue
        texts = hashes[refusal.document], hashes[owners[refusal.target]]
        if texts == (refusal.source_text, refusal.target_text):
            held.add((refusal.document, refusal.target))
        else:
            void.append(refusal)
    return held, void
