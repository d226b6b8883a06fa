"""The worker: does the work owed (`jobs`) while a store is open, as the one process that holds the claim. It knows
when, `embed` and `discover` know how."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

from remem.background import discover, embed
from remem.background.discover import DiscoveryRules
from remem.embedding.keeper import EmbedderKeeper
from remem.embedding.memory import VectorMemory
from remem.errors import EmbedderError, RememError
from remem.records import Fixed, NoEmbedder, WorkState
from remem.storage import jobs as job_rows
from remem.storage import vectors
from remem.storage.pool import Store
from remem.storage.sqlite import vectors_problem

if TYPE_CHECKING:
    from sqlite3 import Connection

CLAIM = "vectors"
CLAIM_SPAN = 60_000
"""Milliseconds that a claim holds without being renewed."""
HEARTBEAT = 20.0
PAUSE = 2.0
SWEEP = 300.0
"""Seconds between two sweeps for work that was missed."""
POLL = 0.05
MOST_FAILURES = 3
"""So many steps in a row may fail before who waits for the work is told."""

_log = logging.getLogger(__name__)


class Worker:
    """The owner of one open store's background work. Used in one event loop; `stop` before the store closes."""

    def __init__(
        self, store: Store, keeper: EmbedderKeeper, memory: VectorMemory, rules: DiscoveryRules, *, notes: bool = False,
        chore: Callable[[], Awaitable[None]] | None = None,
    ) -> None:  # fmt: skip
        """`notes`: passages of notes are embedded too. `chore` is other work that is looked after each time."""
        self.problem = ""
        self.rules = rules
        self.notes = notes
        self._store = store
        self._keeper = keeper
        self._chore = chore
        self._memory = memory
        self._owner = uuid4().hex
        self._task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._active = False
        self._failures = 0
        self._swept: float | None = None

    def start(self) -> None:
        """Begins to look for work."""
        if self._task is None and not self._store.read_only and vectors_problem() is None:
            self._task = asyncio.create_task(self._run())

    def kick(self) -> None:
        """Has the worker look for work now."""
        self._wake.set()

    async def stop(self) -> None:
        """Ends the work; what is under way is owed still. May be called again."""
        self._keeper.stop()
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        if self._active:
            with suppress(RememError):
                await self._store.write(job_rows.release_work, CLAIM, self._owner)
            self._active = False

    async def settle(self, progress: Callable[[WorkState], None] | None = None) -> WorkState:
        """Waits until nothing is owed but what failed and is tried again later, or until it is known that nothing can
        be done. `progress` is called with the state now and then."""
        self._wake.set()
        self.problem = ""
        while True:
            state = await self.read_state()
            if progress is not None:
                progress(state)
            ended = self._task is None or self._task.done()
            if state.embed + state.discover <= state.waiting or self.problem or ended:
                return replace(state, active=False, problem=self.problem or state.problem)
            await asyncio.sleep(POLL)

    async def read_state(self) -> WorkState:
        """What is owed, and what is the matter."""
        problem = self.problem or vectors_problem() or ""

        def read(connection: Connection) -> WorkState:
            owed = job_rows.count_jobs(connection, _now())
            embed, discover = owed.get(job_rows.EMBED, (0, 0)), owed.get(job_rows.DISCOVER, (0, 0))
            fixed = vectors.find_fixed(connection)
            return WorkState(
                embed[0], discover[0], embed[1] + discover[1], vectors.count_embedded(connection), self._active,
                fixed.fingerprint if fixed else "", problem,
            )  # fmt: skip

        return await self._store.read(read)

    # --- the loop -----------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            busy = False
            try:
                busy = await self._work()
                self._failures = 0
            except EmbedderError as error:
                self._complain(error.message)
            except RememError as error:
                self._note_failure(error.message)
            except Exception as error:
                # What a model or a library raises must not end the work for good; its text may hold content.
                self._note_failure(type(error).__name__)
            if not busy:
                # Another process may have the embedder that is missing here, or more luck.
                with suppress(RememError):
                    await self._release()
                await self._rest(PAUSE)

    def _note_failure(self, reason: str) -> None:
        _log.warning("background work failed: %s", reason)
        self._failures += 1
        if self._failures >= MOST_FAILURES:
            self.problem = f"the background work fails: {reason}"

    async def _rest(self, seconds: float) -> None:
        # Not wait_for: in Python 3.11 that may swallow a cancel that comes just after the wake-up.
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        self._wake.clear()

    async def _work(self) -> bool:
        """One step; false where there is nothing to do for this process."""
        if self._chore is not None:
            await self._chore()
        if not await self._sweep_owed() and not await self._store.read(_is_owed):
            return False
        self._active = await self._store.write(job_rows.claim_work, CLAIM, self._owner, _now(), CLAIM_SPAN)
        if not self._active:
            return False
        async with self._beat():
            if await self._is_fit() and await embed.embed_some(self._store, self._keeper, _now(), self.rules.scope):
                return True
            if await self._store.write(discover.discover_some, self._memory, self.rules, _now()):
                return True
            if await self._store.read(vectors.has_free):
                await self._store.write(vectors.save_chunks, ())
        return False

    async def _sweep_owed(self) -> bool:
        """Owes what was missed, now and then; whether it was time."""
        now = time.monotonic()
        if self._swept is not None and now - self._swept < SWEEP:
            return False
        first, self._swept = self._swept is None, now
        if first and not self.notes:
            return False
        await self._store.write(lambda connection: job_rows.queue_missing(connection, notes=self.notes))
        return True

    async def _release(self) -> None:
        if self._active:
            self._active = False
            await self._store.write(job_rows.release_work, CLAIM, self._owner)

    async def _is_fit(self) -> bool:
        """Whether texts can be embedded here: there is an embedder, and it is that of the store. The first one is
        fixed."""
        if not await self._store.read(_is_embedding_owed):
            return False
        found = await self._keeper.get()
        if isinstance(found, NoEmbedder):
            self._complain(found.reason)
            return False
        fixed = await self._keeper.fix()
        stored = await self._store.read(vectors.find_fixed)
        if stored is None:
            await self._store.write(_fix_first, fixed)
        elif stored != fixed:
            self._complain(explain_misfit(stored, fixed))
            return False
        self.problem = ""
        return True

    def _complain(self, reason: str) -> None:
        self.problem = reason
        self._keeper.warn(reason)

    @contextlib.asynccontextmanager
    async def _beat(self) -> AsyncIterator[None]:
        """Keeps the claim while a long step is under way."""

        async def renew() -> None:
            while True:
                await asyncio.sleep(HEARTBEAT)
                with suppress(RememError):
                    await self._store.write(job_rows.claim_work, CLAIM, self._owner, _now(), CLAIM_SPAN)

        task = asyncio.create_task(renew())
        try:
            yield
        finally:
            task.cancel()


def explain_misfit(stored: Fixed, fixed: Fixed) -> str:
    """Why vectors of one embedder cannot be used with another."""
    return (
        f"the vectors of this store are of {stored.fingerprint}, the settings name {fixed.fingerprint}; "
        "run `remem reembed` to have them made anew, or set the former embedder again"
    )


def _fix_first(connection: Connection, fixed: Fixed) -> None:
    if vectors.find_fixed(connection) is None:
        vectors.fix_embedder(connection, fixed)


def _is_owed(connection: Connection) -> bool:
    now = _now()
    due = any(owed > waiting for owed, waiting in job_rows.count_jobs(connection, now).values())
    return due or vectors.has_free(connection)


def _is_embedding_owed(connection: Connection) -> bool:
    return bool(job_rows.load_due(connection, job_rows.EMBED, _now(), 1))


def _now() -> int:
    return time.time_ns() // 1_000_000
