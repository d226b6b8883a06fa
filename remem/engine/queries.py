"""Vectors of queries: each is asked for once, for a short while, and for a moment after a failure not at all. It embeds
no stored text and finds nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from remem import records
from remem.background.worker import explain_misfit
from remem.errors import EmbedderError, RememError

if TYPE_CHECKING:
    from remem.embedding.base import Vector
    from remem.embedding.keeper import EmbedderKeeper
    from remem.records import Fixed, Refusal
    from remem.settings import EmbeddingSettings

SERVICES = ("openai", "ollama")
LIMIT = 3.0
"""Seconds that a query may take."""
LONGEST_REQUEST = 2.5
"""The same for one request to a service."""
FIRST_LIMIT = 10.0
"""The same for a model that runs here and has to be loaded first, perhaps from a slow disk."""
PAUSE = 15.0
"""Seconds after a failure in which no query waits; then one tries, and the others go on without."""
LONGEST_QUERY = 20_000
"""So many characters of a query are embedded."""


class NoVectors(NamedTuple):
    """Why an embedder is none for this store: not a failure, so nothing is put off."""

    reason: str


class QueryEmbedder:
    """Embeds the queries of one open store, used in one event loop. A service is asked by a client of its own, without
    retries: whoever searches waits, whoever stores does not."""

    def __init__(self, settings: EmbeddingSettings, read_clock: Callable[[], float] = time.monotonic) -> None:
        self._options = settings.make_options()
        self._read_clock = read_clock
        self._client: EmbedderKeeper | None = None
        self._problem = ""
        self._resume = 0.0

    async def embed(self, keeper: EmbedderKeeper, fixed: Fixed, text: str) -> Vector | Refusal:
        """The vector of a query, or why it has none, by the embedder of the store (`fixed`). Raises EmbedderError where
        there is none, where it fails, and at once for a moment after it failed."""
        self._check_pause()
        client = self._choose(keeper)
        limit = LIMIT if client is not keeper or keeper.name else FIRST_LIMIT
        try:
            async with asyncio.timeout(limit):
                vector = await self._ask(client, fixed, text)
        except TimeoutError:
            raise self._fail(f"the embedder gave no vector of the query within {limit:g} s", keeper) from None
        except EmbedderError as error:
            raise self._fail(error.message, keeper) from None
        except RememError:
            raise
        except Exception as error:
            # What a model or a library raises must not end a search; its text may hold content.
            raise self._fail(f"the embedder failed ({type(error).__name__})", keeper) from None
        self._problem = ""
        if isinstance(vector, NoVectors):
            keeper.warn(vector.reason)
            raise self._make_error(vector.reason)
        return vector

    async def _ask(self, client: EmbedderKeeper, fixed: Fixed, text: str) -> Vector | Refusal | NoVectors:
        found = await client.get()
        if isinstance(found, records.NoEmbedder):
            return NoVectors(found.reason)
        wanted = await client.fix()
        if wanted != fixed:
            return NoVectors(explain_misfit(fixed, wanted))
        return await client.embed_query(text[:LONGEST_QUERY])

    def _choose(self, keeper: EmbedderKeeper) -> EmbedderKeeper:
        """The client for queries: for a service one of its own, else what embeds the texts."""
        if self._options.provider not in SERVICES or keeper.is_missing:
            return keeper
        if self._client is None:
            from remem.embedding.keeper import EmbedderKeeper

            options = self._options
            connect, read = min(options.connect_timeout, LONGEST_REQUEST), min(options.read_timeout, LONGEST_REQUEST)
            self._client = EmbedderKeeper(replace(options, retries=0, connect_timeout=connect, read_timeout=read))
        return self._client

    def _check_pause(self) -> None:
        """Raises EmbedderError in the pause after a failure. Who comes first after it tries, and renews it for the
        others."""
        if not self._problem:
            return
        left = self._resume - self._read_clock()
        if left > 0:
            raise self._make_error(f"{self._problem}; it is asked again in {max(left, 1):.0f} s")
        self._resume = self._read_clock() + PAUSE

    def _fail(self, problem: str, keeper: EmbedderKeeper) -> EmbedderError:
        """The error to be raised; the pause begins, and the log is told once for each outage."""
        if not self._problem:
            keeper.warn(problem)
        self._problem, self._resume = problem, self._read_clock() + PAUSE
        return self._make_error(problem)

    def _make_error(self, problem: str) -> EmbedderError:
        options = self._options
        return EmbedderError(problem, model=options.model or options.provider, endpoint=options.url or None)
