"""Search by words alone: ranks passages by BM25, filters, shows the best of each section. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from remem.records import SearchAnswer, Searched, SearchRequest
from remem.search.fusion import Fused
from remem.search.query import parse_query
from remem.search.service.coverage import explain_shortness
from remem.search.service.hits import Found, show_hits
from remem.search.service.requests import resolve_filters
from remem.storage import passages as passage_rows
from remem.storage.passages import Filters, PassagePlace

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A section by its best passage, with the BM25 of that."""

    place: PassagePlace
    bm25: float


def search(connection: Connection, request: SearchRequest) -> tuple[SearchAnswer, list[int]]:
    """The sections that answer best, one hit each, by descending score, then root, source and place; and the keys of
    the ranking up to the last of them, those shown before left out.

    Time grows with the number of passages that match, and a little with `offset + limit`.
    """
    query = parse_query(request.query)
    if not query.expression:
        return answer_nothing(connection, request, query.notes)
    notes: list[str] = []
    filters, missing = resolve_filters(connection, request)
    found, is_whole = _rank_sections(connection, query.expression, filters, request.wanted)
    fresh = [item for item in found if item.place.section not in request.shown]
    ranked = fresh[: request.offset + request.limit]
    page = ranked[request.offset :]
    total = len(found) if is_whole else passage_rows.count_sections(connection, query.expression, filters)
    searched = None
    if len(page) < request.limit:
        searched = Searched(*passage_rows.count_searched(connection, filters))
        notes += explain_shortness(connection, query, request, total, searched)
    best = found[0].bm25 if found else 0.0
    hits = show_hits(connection, query, [_tell(item, best) for item in page], request)
    notes += [*query.notes, *missing]
    answer = SearchAnswer(hits, total, "keyword", searched, tuple(notes), len(found) - len(fresh))
    return answer, [item.place.section for item in ranked]


def _tell(item: _Ranked, best: float) -> Found:
    score = item.bm25 / best if best > 0 else 1.0
    return Found(item.place, score, Fused(score, score, None, item.bm25, None), text=score)


def answer_nothing(
    connection: Connection, request: SearchRequest, notes: Sequence[str]
) -> tuple[SearchAnswer, list[int]]:
    """The answer to a query that looks for nothing."""
    filters, missing = resolve_filters(connection, request)
    searched = Searched(*passage_rows.count_searched(connection, filters))
    return SearchAnswer((), 0, "keyword", searched, (*notes, *missing)), []


# --- ranking ----------------------------------------------------------------------------------------------------------


def _rank_sections(
    connection: Connection, expression: str, filters: Filters, wanted: int
) -> tuple[list[_Ranked], bool]:
    """At least the first `wanted` sections in their final order, and whether these are all.

    Passages come in no order among equals and several to a section, so more are taken until none that is left out could
    stand among the first.
    """
    limit = wanted + wanted // 2 + 5
    while True:
        ranked = passage_rows.rank_passages(connection, expression, filters, limit)
        is_whole = len(ranked) < limit
        places = passage_rows.load_places(connection, [key for key, _ in ranked])
        found = _order_sections([_Ranked(places[key], score) for key, score in ranked if key in places])
        if is_whole or (len(found) > wanted and found[wanted - 1].bm25 > ranked[-1][1]):
            return found, is_whole
        limit *= 4


def _order_sections(found: Iterable[_Ranked]) -> list[_Ranked]:
    best: dict[int, _Ranked] = {}
    ordered = sorted(
        found, key=lambda f: (-f.bm25, f.place.root, f.place.source, f.place.document, f.place.first, f.place.key)
    )
    for item in ordered:
        best.setdefault(item.place.section, item)
    return list(best.values())
