"""Recall: the context for a query. The best hits and what they are most strongly linked to, whole sections, no text
twice. Reads only; the search and the walk are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.ingest.tokens import count_tokens
from remem.records import Crumb, Recall, RecallItem, Related, SearchAnswer, SearchHit, TraversalRequest
from remem.rendering.recall import RecallPage
from remem.search.service.requests import resolve_filters
from remem.search.service.telling import Teller, Telling
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
LEAST_SHARE = 0.05
"""What scores less than this share of the best does not go in, whatever room there is."""


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
    best = _list_candidates(connection, request, dict(zip(keys, answer.hits, strict=True)), find_ways)
    strong = [candidate for candidate in best if candidate.score >= LEAST_SHARE * best[0].score]
    page, shown, left = RecallPage(budget), list[int](), list[Telling]()
    teller = Teller(connection, [candidate.section for candidate in strong], budget // WHOLE_SHARE)
    for candidate in strong:
        telling = teller.prepare(candidate.section)
        if telling is None:
            continue
        if telling.text and page.add(_make_item(candidate, telling), first=not shown and not left) is not None:
            teller.note(telling)
            shown.append(candidate.section)
        else:
            left.append(telling)
    names = [Crumb(telling.row.id, telling.label) for telling in left if teller.is_new(telling)]
    weak = max(answer.total, len(best)) - len(strong)
    return page.finish(names, _list_notes(answer, weak, is_empty=not shown)), shown


def _list_candidates(
    connection: Connection,
    request: SearchRequest,
    hits: Mapping[int, SearchHit],
    find_ways: Callable[[Connection, TraversalRequest], Sequence[Related]],
) -> list[_Candidate]:
    """The hits and what the best of them are linked to, each section once, by descending score."""
    candidates = [_Candidate(hit.score, key, _tell_reason(hit, hits.values())) for key, hit in hits.items()]
    passing = _make_filter(connection, request)
    for key, hit in list(hits.items())[:ROOTS]:
        candidates += [linked for linked in _follow(connection, key, hit, find_ways) if passing(linked.section)]
    best: dict[int, _Candidate] = {}
    for candidate in sorted(candidates, key=lambda c: (-c.score, c.section)):
        best.setdefault(candidate.section, candidate)
    return list(best.values())


def _tell_reason(hit: SearchHit, hits: Iterable[SearchHit]) -> str:
    """Why a hit is there. Memories are named by their ids: what they say stands in the context itself."""
    reason = hit.reason or f"found by its text ({hit.score:.2f})"
    for other in hits:
        if other.kind == "memory" and other.id in reason:
            reason = reason.replace(f"{other.label} ({other.id})", other.id)
    return reason


def _list_notes(answer: SearchAnswer, weak: int, *, is_empty: bool) -> list[str]:
    """What was not searched, and what was not worth telling."""
    notes = list(answer.notes)
    if weak > 0:
        hits = "1 hit" if weak == 1 else f"{weak} hits"
        notes.append(f"{hits} of less than {LEAST_SHARE:.0%} of the best score left out")
    if is_empty and answer.searched is not None:
        notes.append(f"searched {answer.searched.passages} passages of {answer.searched.nodes} nodes")
    return notes


def _make_item(candidate: _Candidate, telling: Telling) -> RecallItem:
    row, text = telling.row, telling.text
    return RecallItem(
        row.id, row.kind, telling.label, telling.root, telling.source, telling.breadcrumb, round(candidate.score, 6),
        candidate.reason, text, count_tokens(text),
    )  # fmt: skip


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
    name = hit.id if hit.kind == "memory" else f"{hit.label} ({hit.id})"
    found = []
    for way in ways:
        step = way.path[-1]
        arrow = f"-{step.relationship_type}->" if step.direction == "out" else f"<-{step.relationship_type}-"
        reason = f"linked: {name} {arrow} this"
        found.append(_Candidate(hit.score * LINK_SHARE * way.score, refs[way.node.id][0], reason))
    return found
