"""Search by words and meaning, spread over the graph. Reads only; the query's vector, the walk and the heats are
given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from remem.records import (
    DEFAULT_IMPORTANCE,
    Heat,
    Neighbour,
    SearchAnswer,
    Searched,
    SearchQuery,
    SearchRequest,
)
from remem.search.fusion import DENSE_SHARE, DENSE_TOP, Fused, fuse_scores, weigh_use
from remem.search.query import parse_query
from remem.search.service.coverage import explain_gaps, explain_shortness, explain_vectors
from remem.search.service.hits import Found, show_hits
from remem.search.service.requests import resolve_filters
from remem.search.service.ways import FindWays, Origins, explain_arrival
from remem.search.spreading import blend_scores, pick_seeds
from remem.storage import memories as memory_rows
from remem.storage import passages as passage_rows
from remem.storage.embedded import find_embedded
from remem.storage.passages import NO_FILTERS, Filters
from remem.usage.temperature import Thermometer

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.embedding.base import Vector

LEAST_WORDS = 200
"""So many passages found by words are ranked, at least."""
MOST_REACHED = 200
"""Sections reached by the walk that may become hits."""
LEAST_ACTIVATION = 0.02
"""What gets less than this share of the most does not become a hit by that alone."""

FindNear: TypeAlias = "Callable[[Connection, Vector, int, Sequence[int] | None], list[Neighbour]]"
"""Finds the passages nearest to a vector, among those given (`embedding.memory`)."""
Spread: TypeAlias = "Callable[[Connection, Mapping[int, float]], Mapping[int, float]]"
"""What arrives at which section, from seeds."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a search by meaning needs beside the store: the query's vector (None: none), the search for near ones, the
    walk over the graph, the ways from a node, the station (key) of a node given by id or label, temperatures, the
    instant (milliseconds), the share of meaning in a score (0 to 1), and why the query has no vector ("": nothing is
    embedded)."""

    vector: Vector | None
    find_near: FindNear
    spread: Spread
    find_ways: FindWays
    find_station: Callable[[Connection, str], int]
    thermometer: Thermometer
    now: int
    dense_share: float = DENSE_SHARE
    problem: str = ""

    def search(self, connection: Connection, request: SearchRequest) -> tuple[SearchAnswer, list[int]]:
        """`search_by_meaning`. Raises NotFoundError and AmbiguousError for `related_to`."""
        return search_by_meaning(connection, request, self)


def search_by_meaning(connection: Connection, request: SearchRequest, tools: Tools) -> tuple[SearchAnswer, list[int]]:
    """The sections that answer best, one hit each; and the keys of the ranking up to the last of them, those shown
    before left out. In mode "semantic" by cosine alone; else words and meaning fused, and spread over the graph.
    Raises NotFoundError, AmbiguousError."""
    query = parse_query(request.query)
    filters, missing = resolve_filters(connection, request)
    parts = _find_parts(connection, request, query, filters, tools)
    found = _weigh_sections(connection, request, parts, tools)
    if request.mode == "hybrid" and request.spread > 0:
        found = _spread(connection, request, found, filters, tools)
    found = sorted((item for item in found if item.score > 0), key=_order)
    total = len(found)
    if query.expression and request.mode == "hybrid" and len(parts) >= LEAST_WORDS:
        total = max(total, passage_rows.count_sections(connection, query.expression, filters))
    fresh = [item for item in found if item.place.section not in request.shown]
    ranked = fresh[: request.offset + request.limit]
    page = _say_how(connection, request, found, ranked[request.offset :], tools)
    notes, searched = _say_what(connection, request, query, filters, tools, total)
    is_worded = request.mode == "hybrid" or not request.query.strip()
    notes += [*query.notes, *missing] if is_worded else missing
    mode = "keyword" if tools.vector is None and request.mode == "hybrid" else request.mode
    hits = show_hits(connection, query, page, request)
    answer = SearchAnswer(hits, total, mode, searched, tuple(notes), len(found) - len(fresh))
    return answer, [item.place.section for item in ranked]


def _order(item: Found) -> tuple[float, float, str, str, int, int, int]:
    place = item.place
    return -item.score, -item.parts.bm25, place.root, place.source, place.document, place.first, place.key


# --- text -------------------------------------------------------------------------------------------------------------


def _find_parts(
    connection: Connection, request: SearchRequest, query: SearchQuery, filters: Filters, tools: Tools
) -> dict[int, Fused]:
    """The scores of passages by words, by meaning, or both."""
    near: dict[int, float] = {}
    if tools.vector is not None:
        passing = None if filters == NO_FILTERS else passage_rows.list_passing(connection, filters)
        k = DENSE_TOP if request.mode == "hybrid" else _widen(DENSE_TOP, request.wanted)
        near = {found.key: found.similarity for found in tools.find_near(connection, tools.vector, k, passing)}
    if request.mode == "semantic":
        return {key: Fused(max(0.0, cosine), 0.0, max(0.0, cosine), 0.0, cosine) for key, cosine in near.items()}
    words: dict[int, float] = {}
    if query.expression:
        limit = _widen(LEAST_WORDS, request.wanted)
        words = dict(passage_rows.rank_passages(connection, query.expression, filters, limit))
    embedded = find_embedded(connection, words) if near else ()
    return fuse_scores(words, near, embedded, tools.dense_share)


def _widen(least: int, sections: int) -> int:
    """How many passages are ranked for so many sections: most pages of a walk share one number, since with what is
    ranked scores change a little."""
    passages = least
    while passages < 3 * sections:
        passages *= 4
    return passages


def _weigh_sections(
    connection: Connection, request: SearchRequest, parts: Mapping[int, Fused], tools: Tools
) -> list[Found]:
    """Each section by its best passage, with the factors of its use."""
    places = passage_rows.load_places(connection, parts)
    best: dict[int, int] = {}
    for key, place in places.items():
        held = best.get(place.section)
        if held is None or (-parts[key].score, place.first) < (-parts[held].score, places[held].first):
            best[place.section] = key
    if request.mode == "semantic":
        return [Found(places[key], parts[key].score, parts[key], 1.0, parts[key].score) for key in best.values()]
    factors = _load_factors(connection, list(best), tools.thermometer)
    texts = {section: parts[key].score * factors[section] for section, key in best.items()}
    top = max(texts.values(), default=0.0) or 1.0
    return [
        Found(places[key], texts[section] / top, parts[key], factors[section], texts[section] / top)
        for section, key in best.items()
    ]


def _load_factors(connection: Connection, sections: Sequence[int], thermometer: Thermometer) -> dict[int, float]:
    rows = memory_rows.load_memories(connection, sections)
    heats = thermometer(connection, sections)
    factors = {}
    for section in sections:
        importance = rows[section].importance if section in rows else DEFAULT_IMPORTANCE
        factors[section] = weigh_use(importance, heats.get(section, Heat()).temperature)
    return factors


# --- the graph --------------------------------------------------------------------------------------------------------


def _spread(
    connection: Connection,
    request: SearchRequest,
    found: Sequence[Found],
    filters: Filters,
    tools: Tools,
) -> list[Found]:
    """The hits with what arrives at them from the best of them, and what else is reached."""
    texts = {item.place.section: item.text for item in found}
    related = None if request.related_to is None else tools.find_station(connection, request.related_to)
    seeds = pick_seeds(texts, related)
    arrived = tools.spread(connection, seeds) if seeds else {}
    most = max((arrived.get(section, 0.0) for section in texts), default=0.0) or max(arrived.values(), default=0.0)
    if not most:
        return list(found)
    least = LEAST_ACTIVATION * most
    reached = [(-share, section) for section, share in arrived.items() if share >= least and section not in texts]
    new = [section for _, section in sorted(reached)[: 3 * MOST_REACHED]]
    added = _load_reached(connection, new, filters)
    everything = [*found, *added[:MOST_REACHED]]
    activation = {item.place.section: arrived.get(item.place.section, 0.0) for item in everything}
    scores = blend_scores(texts, activation, request.spread)
    top = max(activation.values()) or 1.0
    return [
        replace(item, score=min(1.0, scores[item.place.section]), activation=activation[item.place.section] / top)
        for item in everything
    ]


def _load_reached(connection: Connection, sections: Sequence[int], filters: Filters) -> list[Found]:
    """Sections as hits by the first of their passages that passes the filters, in their order."""
    passages = passage_rows.load_of_sections(connection, sections)
    passing = None if filters == NO_FILTERS else set(passage_rows.list_passing(connection, filters))
    first: dict[int, int] = {}
    for section in sections:
        keys = [key for key in passages.get(section, ()) if passing is None or key in passing]
        if keys:
            first[section] = keys[0]
    places = passage_rows.load_places(connection, first.values())
    nothing = Fused(0.0, 0.0, None, 0.0, None)
    return [Found(places[key], 0.0, nothing) for key in first.values() if key in places]


# --- what is said of it -----------------------------------------------------------------------------------------------


def _say_what(
    connection: Connection, request: SearchRequest, query: SearchQuery, filters: Filters, tools: Tools, total: int
) -> tuple[list[str], Searched | None]:
    """What is said of an answer beside its hits; how much was searched where it is short."""
    is_searched = tools.vector is not None
    notes, owed = explain_vectors(connection, request, searched=is_searched, problem=tools.problem, now=tools.now)
    if total >= request.wanted:
        return notes, None
    searched = Searched(*passage_rows.count_searched(connection, filters))
    notes += explain_gaps(connection, searched, owed) if is_searched else []
    return notes + explain_shortness(connection, query, request, total, searched), searched


def _say_how(
    connection: Connection, request: SearchRequest, found: Sequence[Found], page: list[Found], tools: Tools
) -> list[Found]:
    """The page of an answer, its hits with the way they came by where they owe their place to the graph: more arrived
    there than the text is worth (each against the most), or the text alone would not bring it so far up."""
    texts = sorted((item.text for item in found), reverse=True)
    least = texts[request.wanted - 1] if len(texts) >= request.wanted else 0.0
    owing = [item for item in page if item.activation > 0 and (item.activation > item.text or item.text < least)]
    if not owing:
        return page
    related = None if request.related_to is None else tools.find_station(connection, request.related_to)
    origins = Origins(connection, found, related)
    told = {
        item.place.section: explain_arrival(connection, item, origins, tools.find_ways)
        for item in owing
        if item.place.section != related
    }
    return [
        replace(item, reason=told[item.place.section][0], via=told[item.place.section][1])
        if item.place.section in told
        else item
        for item in page
    ]
