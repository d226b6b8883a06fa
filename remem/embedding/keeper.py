"""Keeps the embedder of an open store: chosen when first needed, its warning given once, the vectors of the latest
queries at hand. Stores nothing."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from remem.embedding.aside import run_aside
from remem.embedding.base import Embedder
from remem.embedding.choose import choose_embedder
from remem.errors import ConfigError, EmbedderError
from remem.records import EmbedderOptions, Examined, Fixed, NoEmbedder, Refusal

if TYPE_CHECKING:
    from remem.embedding.base import Vector

MOST_QUERIES = 1000
TRIAL_CONNECT, TRIAL_READ = 2.0, 5.0
"""Seconds that a trial of an endpoint may take."""

_TRIED = ("openai", "ollama", "folder")

_log = logging.getLogger(__name__)


class EmbedderKeeper:
    """The embedder that the settings name, or one that is given. Used in one event loop; what takes long runs beside
    it."""

    def __init__(self, options: EmbedderOptions, embedder: Embedder | NoEmbedder | None = None) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._embedder: Embedder | NoEmbedder | None = embedder
        self._queries: OrderedDict[str, Vector] = OrderedDict()
        self._warned = ""

    @property
    def name(self) -> str:
        """The model's name, "" where there is none or it was not needed yet."""
        return "" if self._embedder is None or isinstance(self._embedder, NoEmbedder) else self._embedder.name

    @property
    def is_missing(self) -> bool:
        """Whether it is known that there is no embedder."""
        return isinstance(self._embedder, NoEmbedder)

    def stop(self) -> None:
        """Has requests that would be sent again give up."""
        self._stopped.set()

    async def get(self) -> Embedder | NoEmbedder:
        """The embedder, or why there is none. Raises ConfigError where the settings contradict themselves."""
        if self._embedder is None:
            self._embedder = await run_aside(self._choose)
        return self._embedder

    async def _require(self) -> Embedder:
        embedder = await self.get()
        if isinstance(embedder, NoEmbedder):
            raise EmbedderError(embedder.reason, model=None, endpoint=None)
        return embedder

    async def fix(self) -> Fixed:
        """The embedder's fingerprint and width. Raises EmbedderError where there is none or it does not answer."""
        embedder = await self._require()
        return await run_aside(lambda: Fixed(embedder.fingerprint, embedder.dimensions))

    async def examine(self) -> Examined:
        """Whether the embedder that the settings name works here and now: its files are checked and, of a service or a
        model folder, one text is embedded, with one attempt of a few seconds. Never raises an EmbedderError."""
        try:
            found = self._embedder
            if found is None or isinstance(found, NoEmbedder) or self._is_remote:
                found = await run_aside(choose_embedder, self._shorten(), self._stopped.wait)
            if isinstance(found, NoEmbedder):
                return Examined(None, "" if self._options.provider == "none" else found.reason)
            return await run_aside(_try_out, found, trial=self._options.provider in _TRIED)
        except (ConfigError, EmbedderError) as error:
            return Examined(None, error.message)

    @property
    def _is_remote(self) -> bool:
        return self._options.provider in ("openai", "ollama")

    def _shorten(self) -> EmbedderOptions:
        options = self._options
        connect, read = min(options.connect_timeout, TRIAL_CONNECT), min(options.read_timeout, TRIAL_READ)
        return replace(options, retries=0, connect_timeout=connect, read_timeout=read)

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """A vector or refusal for each text. Raises EmbedderError."""
        embedder = await self._require()
        return await run_aside(embedder.embed_passages, texts)

    async def embed_query(self, text: str) -> Vector | Refusal:
        """The vector of a query, or why it has none. Raises EmbedderError."""
        if text in self._queries:
            self._queries.move_to_end(text)
            return self._queries[text]
        embedder = await self._require()
        (vector,) = await run_aside(embedder.embed_queries, [text])
        if not isinstance(vector, Refusal):
            self._queries[text] = vector
            if len(self._queries) > MOST_QUERIES:
                self._queries.popitem(last=False)
        return vector

    def warn(self, reason: str) -> None:
        """Tells the log why nothing is embedded, once for each reason."""
        if reason != self._warned:
            _log.warning("vectors are not used: %s", reason)
            self._warned = reason

    def _choose(self) -> Embedder | NoEmbedder:
        with self._lock:
            return self._embedder or choose_embedder(self._options, self._stopped.wait)


def _try_out(embedder: Embedder, *, trial: bool) -> Examined:
    """What an embedder is, and what is wrong with it."""
    fixed = Fixed(embedder.fingerprint, embedder.dimensions)
    result = embedder.embed_queries(["trial"])[0] if trial else None
    return Examined(fixed, result.reason if isinstance(result, Refusal) else "")
