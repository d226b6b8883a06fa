"""The worker: does the work owed (`jobs`) while a store is open, as the one process that holds the claim. It knows
when, `embed` and `discover` know how."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from remem.background import discover, embed
from remem.background.discover import DiscoveryRules
from remem.clock import read_clock
from remem.embedding.keeper import EmbedderKeeper
from remem.embedding.memory import VectorMemory
from remem.errors import EmbedderError, RememError
from remem.records import Fixed, NoEmbedder, WorkState
from remem.storage import embedded, vectors, versions
from remem.storage import jobs as job_rows
from remem.storage.owners import make_owner
from remem.storage.pool import Store
from remem.storage.sqlite import vectors_problem
from remem.storage.tasks import load_paused
from remem.storage.work_state import find_problem, read_work, save_problem

if TYPE_CHECKING:
    from sqlite3 import Connection

CLAIM_SPAN = 60_000
"""Milliseconds that a claim holds without being renewed."""
HEARTBEAT = 20.0
PAUSE = 2.0
SWEEP = 300.0
"""Seconds between two sweeps for work that was missed."""
CHORE_REST, LONGEST_REST = 5, 2.0
"""How many times as long as a chore took it rests then, and how many seconds at most: while many write, it leaves them
most of the time."""
MANY_WRITES, EMBED_REST = 100, 2
"""While others write so often in a second, embedding rests after each step, so many times as long as it took."""
LULL = 0.1
"""Seconds without a write after which they have ended."""
PAUSED = "paused by a call"
SWEEPING = "sweep"
"""The name under which it may be paused."""
SWEEP_NOTES = 10.0
"""The same at least, where notes are embedded and have changed."""
POLL, LONGEST_POLL = 0.05, 0.5
"""Seconds between two looks of who waits for the work, growing while another process does it."""
MOST_FAILURES = 3
"""So many steps in a row may fail before who waits for the work is told."""

_log = logging.getLogger(__name__)


class Worker:
    """The owner of one open store's background work. Used in one event loop; `stop` before the store closes."""

    def __init__(
        self, store: Store, keeper: EmbedderKeeper, memory: VectorMemory, rules: DiscoveryRules, *,
        notes: int | None = 0, chore: Callable[[], Awaitable[None]] | None = None,
    ) -> None:  # fmt: skip
        """So many passages of `notes` are embedded too (None: all). `chore` is other work that is looked after each
        time."""
        self.problem = ""
        self.rules = rules
        self.notes = notes
        self._store = store
        self._keeper = keeper
        self._chore = chore
        self._memory = memory
        self.owner = make_owner()
        self._task: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._stepped = asyncio.Event()
        self._active = self._may_hold = False
        self._failures = 0
        self._swept: float | None = None
        self._rests_until = 0.0
        self._is_resting = False
        self._awaited = 0
        self._hurry = asyncio.Event()
        self._seen: int | None = None
        self._told: str | None = None

    def start(self) -> None:
        """Begins to look for work."""
        if self._task is None and not self._store.read_only:
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
        with suppress(RememError):
            await self._release()

    async def settle(self, progress: Callable[[WorkState], None] | None = None) -> WorkState:
        """Waits until nothing is owed but what failed and is tried again later, or until it is known that nothing can
        be done. `progress` is called with the state now and then."""
        if self.notes != 0 and not self._store.read_only:
            await self.sweep()
        self.problem = ""
        pause = POLL
        with self._hurrying():
            while True:
                self._stepped.clear()
                state = await self.read_state()
                if progress is not None:
                    progress(state)
                ended = self._task is None or self._task.done()
                if state.embed + state.discover <= state.waiting or state.problem or ended:
                    return replace(state, active=False)
                await _wait_for(self._stepped, pause)
                pause = min(LONGEST_POLL, 1.2 * pause)

    @contextlib.contextmanager
    def _hurrying(self) -> Iterator[None]:
        """Has the worker go on without rest while somebody waits for it."""
        self._awaited += 1
        self._hurry.set()
        self._wake.set()
        try:
            yield
        finally:
            self._awaited -= 1
            if not self._awaited:
                self._hurry.clear()

    async def read_state(self) -> WorkState:
        """What is owed, and what is the matter."""
        problem = self.problem or vectors_problem() or ""
        return await self._store.read(read_work, read_clock(), self.owner, problem)

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
            self._stepped.set()
            if self._told != self.problem and (self.problem or self._told):
                with suppress(RememError):
                    await self._tell_problem()
            if not busy:
                # Another process may have the embedder that is missing here, or more luck.
                with suppress(RememError):
                    await self._release()
                await _wait_for(self._wake, self._rests_until - time.monotonic() if self._is_resting else PAUSE)
                self._wake.clear()

    def _note_failure(self, reason: str) -> None:
        _log.warning("background work failed: %s", reason)
        self._failures += 1
        if self._failures >= MOST_FAILURES:
            self.problem = f"the background work fails: {reason}"

    async def _tell_problem(self) -> None:
        """Has the file say what keeps this process from the work, for those that ask another one."""
        problem = self.problem
        await self._store.write(save_problem, problem)
        self._told = problem

    async def _work(self) -> bool:
        """One step; false where there is nothing to do for this process."""
        await self._do_chore()
        if vectors_problem() is not None:
            return False
        paused = await self._store.read(load_paused)
        if not await self._sweep_owed(paused) and not await self._store.read(self._is_owed, paused):
            return False
        self._may_hold = True  # whatever becomes of the next call, which may be cancelled after it was done
        self._active = await self._store.write(
            job_rows.claim_work, job_rows.VECTORS, self.owner, read_clock(), CLAIM_SPAN
        )
        if not self._active:
            return False
        async with self._beat():
            if job_rows.EMBED not in paused and await self._embed_some():
                return True
            if job_rows.DISCOVER not in paused and await self._discover_some():
                return True
            if await self._store.read(embedded.has_free):
                await self._store.write(vectors.save_chunks, ())
        return False

    async def _do_chore(self) -> None:
        began = time.monotonic()
        self._is_resting = began < self._rests_until
        if self._chore is not None and not self._is_resting:
            await self._chore()
            ended = time.monotonic()
            self._rests_until = ended + min(CHORE_REST * (ended - began), LONGEST_REST)

    async def _embed_some(self) -> bool:
        if not await self._is_fit():
            return False
        began, written = time.monotonic(), self._store.writes
        did = await embed.embed_some(self._store, self._keeper, read_clock(), self.rules.scope)
        took = time.monotonic() - began
        if did and self._store.writes - written > MANY_WRITES * took:
            await self._rest(min(EMBED_REST * took, LONGEST_REST))
        return did

    async def _rest(self, seconds: float) -> None:
        """Rests so long at most, while others go on writing and nobody waits."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._hurry.is_set():
            written = self._store.writes
            await _wait_for(self._hurry, min(LULL, left))
            if self._store.writes == written:
                return

    async def _discover_some(self) -> bool:
        return await self._store.write(discover.discover_some, self._memory, self.rules, read_clock()) > 0

    async def _sweep_owed(self, paused: Collection[str]) -> bool:
        """Owes what was missed, now and then; whether it was time."""
        if SWEEPING in paused:
            return False
        if self._swept is None and self.notes == 0 and await self._store.read(job_rows.is_scope, self.rules.scope):
            self._swept = time.monotonic()
            return False
        since = SWEEP if self._swept is None else time.monotonic() - self._swept
        if since < SWEEP and (self.notes == 0 or since < SWEEP_NOTES or not await self._store.read(self._has_changed)):
            return False
        await self.sweep()
        return True

    def _is_owed(self, connection: Connection, paused: Collection[str]) -> bool:
        counts = job_rows.count_jobs(connection, read_clock())
        due = [kind for kind, (owed, waiting) in counts.items() if owed > waiting]
        resting = sorted(kind for kind in due if kind in paused)
        if resting:
            self.problem = f"{' and '.join(resting)}: {PAUSED}"
        elif self.problem.endswith(PAUSED):
            self.problem = ""
        return len(due) > len(resting) or embedded.has_free(connection)

    def _has_changed(self, connection: Connection) -> bool:
        newest = versions.find_newest_snapshot(connection)
        return newest is not None and newest.id != self._seen

    async def sweep(self) -> None:
        """Owes what was missed."""

        def owe(connection: Connection) -> int | None:
            job_rows.queue_scope(connection, self.rules.scope)
            job_rows.queue_missing(connection, notes=self.notes)
            newest = versions.find_newest_snapshot(connection)
            return None if newest is None else newest.id

        self._seen = await self._store.write(owe)
        self._swept = time.monotonic()

    async def _release(self) -> None:
        self._active = False
        if self._may_hold:
            await self._store.write(job_rows.release_work, job_rows.VECTORS, self.owner)
            self._may_hold = False

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
        stored, self._told = await self._store.read(lambda c: (embedded.find_fixed(c), find_problem(c)))
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
                    await self._store.write(job_rows.claim_work, job_rows.VECTORS, self.owner, read_clock(), CLAIM_SPAN)

        task = asyncio.create_task(renew())
        try:
            yield
        finally:
            task.cancel()


async def _wait_for(event: asyncio.Event, seconds: float) -> None:
    # Not wait_for: in Python 3.11 that may swallow a cancel that comes just after the wake-up.
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def explain_misfit(stored: Fixed, fixed: Fixed) -> str:
    """Why vectors of one embedder cannot be used with another."""
    return (
        f"the vectors of this store are of {stored.fingerprint}, the settings name {fixed.fingerprint}; "
        "run `remem reembed` to have them made anew, or set the former embedder again"
    )


def _fix_first(connection: Connection, fixed: Fixed) -> None:
    if embedded.find_fixed(connection) is None:
        vectors.fix_embedder(connection, fixed)


def _is_embedding_owed(connection: Connection) -> bool:
    return bool(job_rows.load_due(connection, job_rows.EMBED, read_clock(), 1))
