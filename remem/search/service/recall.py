"""Recall: the context for a query. The best hits and what they are most strongly linked to, whole sections, no text
twice. Reads only; the search and the walk are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import orjson

from remem.ingest.labels import block_label
from remem.ingest.render import render
from remem.ingest.tokens import count_tokens
from remem.keys import strict_key
from remem.records import Crumb, NodeRow, Recall, RecallItem, Related, SearchAnswer, SearchHit, TraversalRequest
from remem.rendering.recall import pack_recall
from remem.search.service.requests import resolve_filters
from remem.storage import nodes as node_rows
from remem.storage import passages as passage_rows

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.records import SearchRequest

MOST_HITS = 30
ROOTS = 5
"""The links of so many of the best hits are followed."""
LINKS = 3
"""So many of each."""
LINK_SHARE = 0.5
"""What a link is worth: this share of the hit's score, times its own strength."""
WHOLE_SHARE = 3
"""A section with all below it goes in whole up to this part of the budget; of a longer one only its own text."""


class _Candidate(NamedTuple):
    """A section (key) that may go in."""

    score: float
    section: int
    reason: str


def recall(
    connection: Connection,
    request: SearchRequest,
    budget: int,
    search: Callable[[Connection, SearchRequest], tuple[SearchAnswer, list[int]]],
    find_ways: Callable[[Connection, TraversalRequest], Sequence[Related]],
) -> tuple[Recall, list[int]]:
    """The context for a query in at most `budget` tokens, and the keys of the sections in it."""
    answer, keys = search(connection, request)
    hits = dict(zip(keys, answer.hits, strict=True))
    candidates = [_Candidate(hit.score, key, _tell_reason(hit)) for key, hit in hits.items()]
    passing = _make_filter(connection, request)
    for key, hit in list(hits.items())[:ROOTS]:
        candidates += [linked for linked in _follow(connection, key, hit, find_ways) if passing(linked.section)]
    best: dict[int, _Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: (-c.score, c.section)):
        best.setdefault(candidate.section, candidate)
    items = _load_items(connection, list(best.values()), budget)
    packed = pack_recall([item for _, item in items], budget, answer.notes)
    shown = {item.id for item in packed.items}
    return packed, [key for key, item in items if item.id in shown]


def _tell_reason(hit: SearchHit) -> str:
    return hit.reason or f"found by its text ({hit.score:.2f})"


def _make_filter(connection: Connection, request: SearchRequest) -> Callable[[int], bool]:
    """Whether a section passes the filters by one of its passages."""
    filters, _ = resolve_filters(connection, request)
    if filters == passage_rows.NO_FILTERS:
        return lambda section: True
    passing = set(passage_rows.list_passing(connection, filters))
    return lambda section: any(
        key in passing for key in passage_rows.load_of_sections(connection, [section]).get(section, ())
    )


def _follow(
    connection: Connection,
    key: int,
    hit: SearchHit,
    find_ways: Callable[[Connection, TraversalRequest], Sequence[Related]],
) -> list[_Candidate]:
    """What a hit is most strongly linked to."""
    ways = find_ways(connection, TraversalRequest(key, depth=1, rank="strength", limit=LINKS))
    refs = node_rows.find_refs(connection, [way.node.id for way in ways])
    found = []
    for way in ways:
        step = way.path[-1]
        arrow = f"-{step.relationship_type}->" if step.direction == "out" else f"<-{step.relationship_type}-"
        reason = f"linked: {hit.label} {arrow} this"
        found.append(_Candidate(hit.score * LINK_SHARE * way.score, refs[way.node.id][0], reason))
    return found


# --- texts ------------------------------------------------------------------------------------------------------------


def _load_items(connection: Connection, candidates: Sequence[_Candidate], budget: int) -> list[tuple[int, RecallItem]]:
    """The candidates with their texts, in their order; what lies in one that comes before is left out, and what says
    the same."""
    rows = node_rows.load_nodes(connection, [candidate.section for candidate in candidates])
    places = node_rows.load_places(connection, list(rows))
    crumbs = passage_rows.load_breadcrumbs(connection, list(rows))
    taken: set[int] = set()
    texts: set[str] = set()
    items = []
    for candidate in candidates:
        row = rows.get(candidate.section)
        nodes = [] if row is None else _choose_nodes(connection, row, budget, taken)
        text = _render(nodes)
        if row is None or not text or strict_key(text) in texts:
            continue
        taken |= {node.key for node in nodes}
        texts.add(strict_key(text))
        root, source, _ = places[row.key]
        trail = tuple(Crumb(id, label) for id, label in crumbs.get(row.key, ()))
        items.append(
            (
                row.key,
                RecallItem(
                    row.id, row.kind, _show_label(row), root or "", source, trail, round(candidate.score, 6),
                    candidate.reason, text, count_tokens(text),
                ),
            )
        )  # fmt: skip
    return items


def _show_label(row: NodeRow) -> str:
    return row.label if row.label is not None else block_label(row.kind, row.content)


def _choose_nodes(connection: Connection, row: NodeRow, budget: int, taken: set[int]) -> list[NodeRow]:
    """The nodes of a section: with all below it where that is not too long, else its own; those that are told already
    are left out."""
    nodes = node_rows.load_subtree(connection, row)
    if sum(node.tokens for node in nodes) > budget // WHOLE_SHARE:
        nodes = [node for node in nodes if node.station == row.key]
    return [node for node in nodes if node.key not in taken]


def _render(nodes: Iterable[NodeRow]) -> str:
    """The texts of nodes in order, with what the file has between them."""
    parts = (
        ("\n\n" if node.gap is None else node.gap, node.content, orjson.loads(node.prefix) if node.prefix else ())
        for node in nodes
        if node.content
    )
    return render(parts, "").strip()
