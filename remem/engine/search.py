"""The calls of class `Remem` that find: search and recall. It knows no SQL, no face."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from remem import records
from remem.checks import check_flag, check_int
from remem.clock import read_clock
from remem.engine.work import WorkCalls
from remem.errors import EmbedderError
from remem.limits import DEFAULT_SPREAD, MIN_BUDGET, MOST_RECALLED
from remem.reading.cursors import check_page
from remem.usage.held import Walks

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.embedding.base import Vector
    from remem.engine.queries import QueryEmbedder
    from remem.graph.memory.walker import Walker
    from remem.records import Heat, Recall, SearchPage, SearchRequest
    from remem.search.service import Tools

LEAST_SHARE = 0.001
"""What arrives at a node counts from this share of the most on."""


class SearchCalls(WorkCalls):
    """What `Remem` does to find things. All methods raise subclasses of `remem.errors.RememError`."""

    @cached_property
    def _walks(self) -> Walks:
        return Walks()

    @cached_property
    def _queries(self) -> QueryEmbedder:
        from remem.engine.queries import QueryEmbedder  # a search by words alone does not pay for it

        return QueryEmbedder(self.settings.embedding)

    async def search(
        self, query: str | None, mode: str = "hybrid", limit: int = 10, offset: int = 0, budget: int | None = None,
        cursor: str | None = None, *, spread: float = DEFAULT_SPREAD, kinds: Sequence[str] | None = None,
        tags: Sequence[str] | None = None, sources: Sequence[str] | None = None, roots: Sequence[str] | None = None,
        memory_type: str | None = None, importance_min: float | None = None, importance_max: float | None = None,
        created_after: int | None = None, created_before: int | None = None, related_to: str | None = None,
        explain: bool = False, touch: bool = True,
    ) -> SearchPage:  # fmt: skip
        """The sections and memories that answer best, each by its best passage.

        `mode` is hybrid (words and meaning, spread over the graph by `spread`, 0 to 1), keyword or semantic.
        `related_to` is a node that the walk over the graph begins at as well. No query is an error; the `notes` of the
        answer say what was not searched. Of several `tags` all must hold; times are in milliseconds, and notes pass no
        filter of time or memory_type. Hits become a little warmer, unless `touch` is false.
        Raises InvalidInputError, NotFoundError; EmbedderError in mode semantic where the query cannot be embedded.
        """
        from remem.reading import answers
        from remem.search import service

        request = service.check_request(
            query, mode, limit, offset, kinds, tags, sources, roots, explain=explain, spread=spread,
            memory_type=memory_type, importance_min=importance_min, importance_max=importance_max,
            created_after=created_after, created_before=created_before, related_to=related_to,
        )  # fmt: skip
        page, is_use = check_page(budget, cursor), check_flag("touch", touch)
        if request.mode == "keyword":
            found, keys = await self._read(answers.page_search, request, page, service.search, self.shown)
        else:
            tools = await self._prepare_tools(request, begins=cursor is None and not offset)

            def read(connection: Connection, walker: Walker) -> tuple[SearchPage, list[int]]:
                return answers.page_search(connection, request, page, tools(walker).search, self.shown)

            found, keys = await self._walk(read)
        self.usage.note_listed(keys if is_use else ())
        return found

    async def recall(
        self, query: str | None, budget: int = 1500, cursor: str | None = None, *,
        spread: float = DEFAULT_SPREAD, kinds: Sequence[str] | None = None,
        tags: Sequence[str] | None = None, sources: Sequence[str] | None = None, roots: Sequence[str] | None = None,
        memory_type: str | None = None, importance_min: float | None = None, importance_max: float | None = None,
        created_after: int | None = None, created_before: int | None = None, related_to: str | None = None,
        touch: bool = True,
    ) -> Recall:  # fmt: skip
        """The context for a query in at most `budget` tokens (60 to 100 000): the best hits and what they are most
        strongly linked to, whole sections, no text twice, each with where it stands and why it is there; what was
        left out, and the `cursor` that goes on with that: nothing is told twice, and of a text that was cut the rest
        comes first. `spread` and filters are those of `search`. Raises InvalidInputError (for a cursor of another
        request, too), NotFoundError."""
        from remem.reading import recalls
        from remem.search import service

        budget, is_use = check_int("budget", budget, MIN_BUDGET, MOST_RECALLED), check_flag("touch", touch)
        page = check_page(None, cursor)
        request = service.check_request(
            query, kinds=kinds, tags=tags, sources=sources, roots=roots, spread=spread,
            memory_type=memory_type, importance_min=importance_min, importance_max=importance_max,
            created_after=created_after, created_before=created_before, related_to=related_to,
        )  # fmt: skip
        tools = await self._prepare_tools(request, begins=cursor is None)

        def read(connection: Connection, walker: Walker) -> tuple[Recall, list[int]]:
            bound = tools(walker)
            tell = partial(service.recall, search=bound.search, find_ways=bound.find_ways)
            return recalls.page_recall(connection, request, page, budget, tell, self.shown)

        found, keys = await self._walk(read)
        self.usage.note_listed(keys if is_use else ())
        return found

    async def _prepare_tools(self, request: SearchRequest, *, begins: bool = True) -> Callable[[Walker], Tools]:
        """What gives a search its tools, with a walker; the query is embedded by now."""
        from remem.reading.find import get_node
        from remem.search.service import Tools

        vector, problem = await self._embed_query(request)
        asked = replace(request, offset=0, limit=1, explain=False)
        heats = self._walks.find(asked, self._read_warmth, begins=begins).read
        memory, share = self.vectors, self.settings.search.dense_share

        def bind(walker: Walker) -> Tools:
            def spread(connection: Connection, seeds: Mapping[int, float]) -> Mapping[int, float]:
                keys, shares = walker.spread(connection, seeds)
                felt = shares > LEAST_SHARE * shares.max(initial=0.0)
                return dict(zip(keys[felt].tolist(), shares[felt].tolist(), strict=True))

            def find_station(connection: Connection, node: str) -> int:
                return get_node(connection, node, "related_to").station

            find_ways = partial(walker.walk, texts=False)
            return Tools(
                vector, memory.search, spread, find_ways, find_station, heats, read_clock(), share, problem
            )  # fmt: skip

        return bind

    def _read_warmth(self, connection: Connection, keys: Iterable[int]) -> Mapping[int, Heat]:
        """The heats of the nodes that callers have read themselves. Being listed by a search does not count for the
        next one: what was found once would rise by that alone."""
        rows = self.usage.read_usage(connection, keys)
        return self.usage.read_heats(connection, [key for key, row in rows.items() if row.accesses])

    async def _embed_query(self, request: SearchRequest) -> tuple[Vector | None, str]:
        """The vector of a query, and why it has none ("": it is empty, or nothing is embedded). Raises EmbedderError in
        mode semantic."""
        from remem.storage import embedded

        fixed = await self.storage.read(lambda c: embedded.find_fixed(c) if embedded.has_vectors(c) else None)
        if fixed is None or not request.query.strip():
            return None, ""
        try:
            vector = await self._queries.embed(self.embedder, fixed, request.query)
        except EmbedderError as error:
            if request.mode == "semantic":
                raise
            return None, error.message
        if not isinstance(vector, records.Refusal):
            return vector, ""
        if vector.retry and request.mode == "semantic":
            raise EmbedderError(vector.reason, model=fixed.fingerprint, endpoint=None)
        return None, vector.reason
