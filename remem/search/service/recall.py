"""Recall: the context for a query. The best hits and what they are most strongly linked to, whole sections, no text
twice. Reads only; the search and the walk are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from remem.ingest.tokens import count_tokens
from remem.records import Crumb, Recall, RecallItem, RecallPlace, SearchAnswer, SearchHit, TraversalRequest
from remem.rendering.lines import NO_MORE, NOTHING, show_count, show_searched
from remem.rendering.recall import CUT, RecallPage
from remem.search.service.requests import resolve_filters
from remem.search.service.telling import Teller, Telling
from remem.search.service.ways import FindWays
from remem.storage import passages as passage_rows

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.records import SearchRequest

Search: TypeAlias = "Callable[[Connection, SearchRequest], tuple[SearchAnswer, list[int]]]"
"""Gives an answer and the keys of its hits."""
Join: TypeAlias = "Callable[[Sequence[int]], frozenset[int]]"
"""Gives the sections that were told before, of a ranking."""
Write: TypeAlias = "Callable[[RecallPlace], str]"
"""Gives the cursor of a place."""

FRESH_HITS = 30
"""So many hits are looked at that were not told before."""
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


class _Ranking(NamedTuple):
    """The sections that may go in, by descending score; whether others as good may come after them; what the search
    said; how many hits are not worth telling."""

    strong: list[_Candidate]
    goes_on: bool
    answer: SearchAnswer
    weak: int


def recall(
    connection: Connection, request: SearchRequest, budget: int, start: RecallPlace, join: Join, write: Write,
    search: Search, find_ways: FindWays,
) -> tuple[Recall, list[int]]:  # fmt: skip
    """A page of the context for a query, in at most `budget` tokens, and the keys of the sections on it."""
    start = replace(start, whole=start.whole or budget // WHOLE_SHARE)
    size = FRESH_HITS + max(len(start.told), start.first)
    while True:
        ranking = _rank_sections(connection, request, size, search, find_ways)
        start = replace(start, told=join([candidate.section for candidate in ranking.strong]))
        page = _Packing(connection, ranking.strong, budget, start)
        if page.shown or not ranking.goes_on:
            return page.finish(ranking, write), page.shown
        size *= 2


class _Packing:
    """A page that goes on from a place: what went in, what did not fit, and where the next one goes on."""

    def __init__(self, connection: Connection, strong: Sequence[_Candidate], budget: int, start: RecallPlace) -> None:
        self.shown: list[int] = []
        self._start = start
        self._page = RecallPage(budget)
        self._left: list[Telling] = []
        self._cut: RecallPlace | None = None
        sections = [candidate.section for candidate in strong]
        self._teller = Teller(connection, [*sections, *(start.told.difference(sections))], start.whole)
        for section in (*filter(start.told.__contains__, sections), *sorted(start.told.difference(sections))):
            if (telling := self._teller.prepare(section)) is not None:
                self._teller.note(telling)
        # What was cut comes first, with the rest of its text.
        for candidate in sorted(strong, key=lambda candidate: candidate.section != start.section):
            if candidate.section not in start.told:
                self._take(candidate)

    @property
    def _is_waiting(self) -> bool:
        """Whether something that has a text was left out."""
        return any(telling.text for telling in self._left)

    def _take(self, candidate: _Candidate) -> None:
        telling = self._teller.prepare(candidate.section)
        if telling is None:
            return
        first = not self.shown and not self._is_waiting
        told = self._find_told(candidate.section, telling.text)
        item = self._page.add(_make_item(candidate, telling, told), first=first) if telling.text else None
        if item is None:
            self._left.append(telling)
            return
        self._teller.note(telling)
        self.shown.append(candidate.section)
        if item.truncated:
            told += len(item.text) - len(CUT)
            self._cut = RecallPlace(section=candidate.section, text=told, state=_digest(telling.text))

    def _find_told(self, section: int, text: str) -> int:
        """How many characters of a section's text were told on the page before."""
        start = self._start
        return start.text if section == start.section and start.state == _digest(text) else 0

    def finish(self, ranking: _Ranking, write: Write) -> Recall:
        """The page, with what was left out and the cursor that goes on."""
        left = [telling for telling in self._left if self._teller.is_new(telling)]
        cursor = None
        if self.shown and (self._cut is not None or ranking.goes_on or any(telling.text for telling in left)):
            told = self._start.told.union(self.shown)
            place = self._cut or RecallPlace()
            cursor = write(replace(place, whole=self._start.whole, told=told.difference((place.section,))))
        names = [Crumb(telling.row.id, telling.label) for telling in left]
        begins = self._start.section == 0 and not self._start.told
        notes = _list_notes(ranking, is_empty=not self.shown and begins)
        return self._page.finish(names, notes, cursor, NOTHING if begins else NO_MORE)


def _digest(text: str) -> int:
    """What tells that a text is not as it was: 12 bits, never 0."""
    return 1 + int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=2).digest(), "big") % 4095


def _rank_sections(
    connection: Connection, request: SearchRequest, size: int, search: Search, find_ways: FindWays
) -> _Ranking:
    """The best `size` hits and what they are linked to, as far as they are worth telling."""
    answer, keys = search(connection, replace(request, limit=size + 1))
    hits = dict(zip(keys[:size], answer.hits[:size], strict=True))
    best = _list_candidates(connection, request, hits, find_ways)
    least = LEAST_SHARE * best[0].score if best else 0.0
    strong = [candidate for candidate in best if candidate.score >= least]
    goes_on = len(answer.hits) > size and answer.hits[size].score >= least
    weak = 0 if goes_on else max(answer.total, len(best)) - len(strong)
    return _Ranking(strong, goes_on, answer, weak)


def _list_candidates(
    connection: Connection,
    request: SearchRequest,
    hits: Mapping[int, SearchHit],
    find_ways: FindWays,
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


def _list_notes(ranking: _Ranking, *, is_empty: bool) -> list[str]:
    """What was not searched, and what was not worth telling."""
    answer, notes = ranking.answer, list(ranking.answer.notes)
    if ranking.weak > 0:
        notes.append(f"{show_count(ranking.weak, 'hit')} of less than {LEAST_SHARE:.0%} of the best score left out")
    if is_empty and answer.searched is not None:
        notes.append(show_searched(answer.searched))
    return notes


def _make_item(candidate: _Candidate, telling: Telling, told: int) -> RecallItem:
    """An item of what is left of a text after so many characters."""
    row, text = telling.row, telling.text[told:]
    return RecallItem(
        row.id, row.kind, telling.label, telling.root, telling.source, telling.breadcrumb, round(candidate.score, 6),
        candidate.reason, text, count_tokens(text), continued=told > 0,
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
    section: int,
    hit: SearchHit,
    find_ways: FindWays,
) -> list[_Candidate]:
    """What a hit is most strongly linked to."""
    ways = find_ways(connection, TraversalRequest(section, depth=1, rank="strength", limit=LINKS))
    name = hit.id if hit.kind == "memory" else f"{hit.label} ({hit.id})"
    found = []
    for key, way in zip(ways.keys, ways, strict=True):
        step = way.path[-1]
        arrow = f"-{step.relationship_type}->" if step.direction == "out" else f"<-{step.relationship_type}-"
        reason = f"linked: {name} {arrow} this"
        found.append(_Candidate(hit.score * LINK_SHARE * way.score, key, reason))
    return found
