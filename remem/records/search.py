"""Search: what was asked, the passages that are indexed, the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from remem.records.graph import PathStep
from remem.records.pages import Page
from remem.records.shown import Crumb


class PassageText(NamedTuple):
    """The text of one passage as it is indexed, before folding. `context` is text that helps to find it and is not
    part of it."""

    content: str
    label: str
    breadcrumb: str
    tags: str
    context: str = ""


class Passage(NamedTuple):
    """Consecutive nodes of one document under one section: node keys, positions in the document, tokens, the hash of
    the indexed text (64 bits, signed), the text."""

    document: int
    section: int
    first: int
    last: int
    tokens: int
    hash: int
    text: PassageText


class PassageRow(NamedTuple):
    """A row of `passages`."""

    key: int
    document: int
    section: int
    first: int
    last: int
    tokens: int
    hash: int


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """One thing that a query looks for: folded words that stand next to each other. `prefix`: the last of them is the
    beginning of a word. `words` are as the text has them, without stemming."""

    words: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A query as understood. `expression` is for the full-text index, "" where nothing is to be looked for; `terms` are
    what a hit may show as matched. `notes` say what was left out."""

    expression: str
    terms: tuple[SearchTerm, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A checked search call. `limit` is 1 to 200, `offset` the number of hits to pass over; a filter that is None does
    not apply. `spread` (0 to 1) is the share of the graph in a score, `related_to` a node (key) that the walk begins at
    as well. Times are in milliseconds. Sections (keys) in `shown` rank as all do, and are no hits."""

    query: str
    mode: str = "hybrid"
    limit: int = 10
    offset: int = 0
    kinds: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    roots: tuple[str, ...] | None = None
    explain: bool = False
    spread: float = 0.0
    memory_type: str | None = None
    importance_min: float | None = None
    importance_max: float | None = None
    created_after: int | None = None
    created_before: int | None = None
    related_to: str | None = None
    shown: frozenset[int] = frozenset()

    @property
    def wanted(self) -> int:
        """So many sections of a ranking are enough for the page."""
        return len(self.shown) + self.offset + self.limit


@dataclass(frozen=True, slots=True)
class SearchExplanation:
    """The parts of a score. `bm25` is the text score before it was set against the best (greater is better); `matched`
    and `missed` are the words of the query that the passage and its headings hold, and those they do not.

    `keyword` is BM25 against the best (0 to 1), `cosine` the similarity to the query (None: not embedded, or not among
    the nearest), `semantic` the same between the nearest ones (0 to 1), `use` the factor of importance and temperature,
    `text` what these make, `activation` what arrived by the graph, against the most (0 to 1).
    """

    bm25: float
    matched: tuple[str, ...]
    missed: tuple[str, ...]
    keyword: float = 0.0
    cosine: float | None = None
    semantic: float | None = None
    use: float = 1.0
    text: float = 0.0
    activation: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One section (or document, or memory) that answers, by its best passage.

    `id`, `kind`, `label` are those of the section, `breadcrumb` is what it lies in, outermost first. `score` is 0 to 1,
    against the best of the whole answer. `snippet` is the matching part of the block `block_id` on one line, without
    markup; `spans` are the (start, end) of matched words in it, in characters. `tokens` is the length of the passage.
    A hit that owes its place to the graph says so in `reason`, and `via` is the path from a hit whose text is worth
    more (empty where it stands beside that one, without an edge).
    """

    id: str
    kind: str
    label: str
    root: str
    source: str
    breadcrumb: tuple[Crumb, ...]
    score: float
    snippet: str
    spans: tuple[tuple[int, int], ...]
    block_id: str
    tokens: int
    explanation: SearchExplanation | None = None
    reason: str = ""
    via: tuple[PathStep, ...] = ()


@dataclass(frozen=True, slots=True)
class Searched:
    """What was searched: passages that the filters let through, and all nodes of the store."""

    passages: int
    nodes: int


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The hits in order. `total` counts the sections that match on all pages, `passed` those of them that were shown
    before; `mode` is how it was searched, `notes` say what was not searched and why; `searched` is None where the page
    is full."""

    hits: tuple[SearchHit, ...]
    total: int
    mode: str
    searched: Searched | None = None
    notes: tuple[str, ...] = ()
    passed: int = 0


@dataclass(frozen=True, eq=False)
class SearchPage(Page[SearchHit]):
    """A page of an answer: `total` counts the sections that match, `mode`, `searched` and `notes` are the answer's, and
    `next_offset` where the next page begins (None: there is none)."""

    mode: str
    searched: Searched | None
    notes: tuple[str, ...]
    next_offset: int | None

    @property
    def hits(self) -> tuple[SearchHit, ...]:
        """The hits of this page: its items."""
        return self.items


@dataclass(frozen=True, slots=True)
class RecallItem:
    """One section or memory in a recalled context: where it stands, why it is there, its text. `truncated` says that
    the text was cut (which happens to the first alone), `continued` that its beginning stands on the page before.
    `tokens` is the length of the text."""

    id: str
    kind: str
    label: str
    root: str
    source: str
    breadcrumb: tuple[Crumb, ...]
    score: float
    reason: str
    text: str
    tokens: int
    truncated: bool = False
    continued: bool = False


@dataclass(frozen=True, slots=True)
class RecallPlace:
    """Where a recalled context goes on: after the sections (keys) that were `told`, each whole where it has at most
    `whole` tokens (0: not decided). Of `section`, so many characters of its `text` were told, which had this `state`
    (0: of none). `first`: so many were told, where only that is known."""

    whole: int = 0
    told: frozenset[int] = frozenset()
    first: int = 0
    section: int = 0
    text: int = 0
    state: int = 0


@dataclass(frozen=True, slots=True)
class Recall:
    """A page of the context for a query: the items in order, the text to read (`tokens` at most the budget), what would
    have come next but did not fit, what was not searched, and the `cursor` that goes on (None: all was told)."""

    items: tuple[RecallItem, ...]
    text: str
    tokens: int
    left_out: tuple[Crumb, ...] = ()
    notes: tuple[str, ...] = ()
    cursor: str | None = None

    def __iter__(self) -> Iterator[RecallItem]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)
