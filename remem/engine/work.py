"""The calls of class `Remem` on work owed: the embedder, vectors, discovery, mentions. It knows no SQL and no face."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from remem import records
from remem.checks import check_weight
from remem.engine.base import StoreCalls
from remem.errors import EmbedderError

if TYPE_CHECKING:
    from remem.background.worker import Worker
    from remem.embedding.keeper import EmbedderKeeper
    from remem.embedding.memory import VectorMemory
    from remem.records import DuplicateGroup, Examined, WorkState
    from remem.writing.mentions import MentionOptions

FIRST_LOOK = 1.0
"""Seconds until an open store is looked through for work owed."""
SOON = 0.05
"""The same after a write."""
MOST_NOTES = 5000
"""Passages of notes that a server embeds by itself."""


class WorkCalls(StoreCalls):
    """What `Remem` does behind the calls. All methods raise subclasses of `remem.errors.RememError`."""

    _keeper: EmbedderKeeper | None = None
    _vectors: VectorMemory | None = None
    _worker: Worker | None = None
    _later: asyncio.TimerHandle | None = None

    @property
    def embedder(self) -> EmbedderKeeper:
        """The embedder that the settings name, chosen when first needed."""
        if self._keeper is None:
            from remem.embedding.keeper import EmbedderKeeper
            from remem.storage.sqlite import vectors_problem

            problem = vectors_problem()  # without sqlite-vec no embedder is of use
            missing = None if problem is None else records.NoEmbedder(problem)
            self._keeper = EmbedderKeeper(self.settings.embedding.make_options(), missing)
        return self._keeper

    @property
    def vectors(self) -> VectorMemory:
        """The vectors in memory, from the first search on."""
        if self._vectors is None:
            from remem.embedding.memory import VectorMemory

            self._vectors = VectorMemory()
        return self._vectors

    @property
    def worker(self) -> Worker:
        """What does the work owed while the store is open."""
        if self._worker is None:
            from remem.background.discover import DiscoveryRules
            from remem.background.worker import Worker

            given = self.settings.connections
            rules = DiscoveryRules(
                given.auto_discovery_threshold,
                given.auto_discovery_top_k,
                given.auto_discovery_max_degree,
                given.scope,
            )
            wanted = self.settings.embedding.notes
            notes = None if wanted is True else MOST_NOTES if wanted == "auto" and self.serving else 0
            self._worker = Worker(self.storage, self.embedder, self.vectors, rules, notes=notes, chore=self._do_chores)
            self._worker.start()
        return self._worker

    async def settle(self, progress: Callable[[WorkState], None] | None = None) -> WorkState:
        """Waits until the work owed is done: mentions, vectors, discovery. What failed and is tried again later, or
        cannot be done here, is left; the state that comes back says so. `progress` is called with the state."""
        await self._settle_mentions()
        return await self.worker.settle(progress)

    async def work(self) -> WorkState:
        """What is owed, and what the background work is at."""
        return await self.worker.read_state()

    async def embed(self, *, progress: Callable[[WorkState], None] | None = None) -> WorkState:
        """Embeds all memories and all passages of notes that have no vectors yet, once; what failed is tried again.
        Raises EmbedderError where there is no embedder, or it is not that of the store."""
        from remem.storage import jobs

        await self.embedder.fix()
        await self.storage.write(jobs.queue_all)
        return self._check_work(await self.settle(progress))

    async def reembed(self, *, progress: Callable[[WorkState], None] | None = None) -> WorkState:
        """Makes all vectors anew with the embedder of the settings, and discovers again. Search goes on by words
        meanwhile. Raises EmbedderError."""
        from remem.background.reembed import replace_embedder

        fixed = await self.embedder.fix()
        await self.storage.write_alone(replace_embedder, fixed)
        return self._check_work(await self.settle(progress))

    async def _examine_embedder(self) -> Examined | None:
        """The embedder that the settings name as it works here and now; None where vectors cannot be used at all."""
        from remem.storage.sqlite import vectors_problem

        return await self.embedder.examine() if vectors_problem() is None else None

    def _check_work(self, state: WorkState) -> WorkState:
        if state.problem:
            raise EmbedderError(state.problem, model=None, endpoint=None)
        return state

    async def near_duplicates(self, threshold: float = 0.95) -> list[DuplicateGroup]:
        """Groups of memories that say nearly the same: pairs of at least the `threshold`'s cosine (0 to 1), of all with
        all. Raises InvalidInputError; EmbedderError where vectors cannot be used."""
        from remem.background.discover import find_duplicates
        from remem.storage.sqlite import vectors_problem

        least, problem = check_weight("threshold", threshold, 1.0), vectors_problem()
        if problem is not None:
            raise EmbedderError(problem, model=None, endpoint=None)
        return await self._read(find_duplicates, least)

    def _start_work(self, seconds: float = FIRST_LOOK) -> None:
        """Has the worker begin in a moment: a short call never pays for it. Calls that come ever again put it off no
        further."""
        loop = asyncio.get_running_loop()
        if self._later is not None:
            if self._later.when() <= loop.time() + seconds:
                return
            self._later.cancel()
        self._later = loop.call_later(seconds, lambda: self.worker.kick())

    def _note_work(self) -> None:
        if self._worker is not None:
            self._worker.kick()
        else:
            self._start_work(SOON)

    async def _close_work(self) -> None:
        if self._later is not None:
            self._later.cancel()
            self._later = None
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.stop()
        self._vectors = self._keeper = None

    async def _do_chores(self) -> None:
        """What is looked after now and then: memories whose time has come, and mentions."""
        from remem.storage.tasks import load_paused

        if "expire" not in await self.storage.read(load_paused):
            await self._sweep_due()
        await self._settle_mentions()

    async def _settle_mentions(self) -> None:
        """Waits until what texts mention is brought up to date."""
        from remem.writing.mentions import settle_mentions

        await settle_mentions(self.storage, self._mention_options)

    @property
    def _mention_options(self) -> MentionOptions:
        from remem.writing.mentions import MentionOptions

        connections = self.settings.connections
        return MentionOptions(connections.mentions, connections.mention_max_texts)
