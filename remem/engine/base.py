"""What all calls of class `Remem` stand on: the open store, its clock, and the veil over all reads, which hides what
has expired from the instant on. It knows no SQL and no face."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from remem.clock import DAY, read_clock
from remem.errors import StoreError
from remem.storage.watch import PROBE

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.graph.memory.keeper import GraphKeeper, Veil
    from remem.graph.memory.walker import Walker
    from remem.reading.expiry import Uses
    from remem.reading.passed import ShownNodes
    from remem.redaction.redactor import Redactor
    from remem.settings import Settings
    from remem.storage.pool import Store
    from remem.usage.service import UsageRecorder
    from remem.writing.guard import Guard
    from remem.writing.sweeper import Sweeper

P = ParamSpec("P")
T = TypeVar("T")

LONG_TEXT = 20_000
"""Texts of more characters are parsed on a thread, so that other calls go on meanwhile."""


class _ExpiredError(Exception):
    """A read has met something that is to be swept first. No caller ever sees it."""


async def run_near(check: Callable[[], T], content: object) -> T:
    """What a check gives: at once, or from a thread where the text is long."""
    if isinstance(content, str) and len(content) > LONG_TEXT:
        return await asyncio.to_thread(check)
    return check()


class StoreCalls:
    """What the calls share."""

    def __init__(self, settings: Settings, *, serving: bool = False) -> None:
        """`serving`: the store stays open for callers that come and go, so work for later calls pays."""
        self.settings = settings
        self.serving = serving
        self._store: Store | None = None
        self._usage: UsageRecorder | None = None
        self._graph: GraphKeeper | None = None
        self._sweeper: Sweeper | None = None
        self._guard: Guard | None = None

    @property
    def redactor(self) -> Redactor | None:
        """What takes secrets out of texts, None where nothing does. Raises ConfigError for a pattern of no use."""
        rules = self.settings.redaction
        if not rules.enabled:
            return None
        from remem.redaction.redactor import make_redactor

        return make_redactor(rules.kinds, rules.patterns)

    @property
    def graph(self) -> GraphKeeper:
        """The graph in memory, from the first walk on. Raises StoreError where the store is not open."""
        if self._graph is None:
            from remem.graph.memory.keeper import GraphKeeper  # loads numpy, which most calls do not need

            self._graph = GraphKeeper(self.storage)
        return self._graph

    @property
    def storage(self) -> Store:
        """The open store. Raises StoreError where it is not open."""
        if self._store is None:
            raise self.closed_error()
        return self._store

    @property
    def usage(self) -> UsageRecorder:
        """How the nodes of the open store are used. Raises StoreError where it is not open."""
        if self._usage is None:
            raise self.closed_error()
        return self._usage

    @staticmethod
    def closed_error() -> StoreError:
        """What a call on a store that is not open raises."""
        return StoreError("the store is not open: use `with Remem.open_sync(path)` or `async with Remem.open(path)`")

    @property
    def uses(self) -> Uses:
        """How the use of nodes is read."""
        from remem.reading.expiry import Uses

        self.usage.expand()
        return Uses(self.usage.read_usage, self.usage.half_life)

    @cached_property
    def shown(self) -> ShownNodes:
        """What pages of rankings have shown."""
        from remem.reading.passed import ShownNodes

        return ShownNodes()

    @property
    def sweeper(self) -> Sweeper:
        """What sweeps the open store."""
        if self._sweeper is None:
            from remem.writing.sweeper import Sweeper

            lifecycle = self.settings.lifecycle
            keep = round(lifecycle.remove_archived_days * DAY) if lifecycle.remove_archived else None
            self._sweeper = Sweeper(self.storage, read_clock, self.uses, keep)
        return self._sweeper

    async def _read(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `function(connection, ...)` gives in one read transaction, in which nothing that has expired is seen."""
        return await self._look(lambda veil: self.storage.read(veil(function), *args, **kwargs))

    async def _walk(self, function: Callable[[Connection, Walker], T]) -> T:
        """The same of `function(connection, walker)` with the graph in memory."""
        return await self._look(lambda veil: self.graph.read(veil(function)))

    async def _look(self, read: Callable[[Veil], Awaitable[T]]) -> T:
        """What a reading call gives that wraps its functions by `veil`. Where something has expired, it is swept first,
        so that links to it have found another target; where that cannot be done now, it is hidden at least."""
        try:
            return await read(partial(self._veil, strict=True))
        except _ExpiredError:
            await self.sweeper.hurry()
        return await read(self._veil)

    def _veil(self, function: Callable[..., T], strict: bool = False) -> Callable[..., T]:
        """The function, with what has expired hidden from the connection that it reads. With `strict`, it raises
        _ExpiredError where there is anything to be swept."""
        from remem.reading.expiry import hide_expired

        uses, probe = self.uses, PROBE.get()

        def read(connection: Connection, /, *args: Any, **kwargs: Any) -> T:
            if hide_expired(connection, read_clock(), uses) and strict:
                raise _ExpiredError
            if probe is not None:
                probe.note_mark(connection)
            return function(connection, *args, **kwargs)

        return read

    async def _write(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `function(connection, ...)` gives in a write transaction that has archived first what has expired."""
        from remem.writing.lifecycle import sweep_memories

        uses = self.uses

        def write(connection: Connection) -> T:
            sweep_memories(connection, read_clock(), uses, None)
            return function(connection, *args, **kwargs)

        return await self.storage.write(write)

    async def _load_guard(self) -> Guard:
        """What takes secrets out of what calls give."""
        if self._guard is None:
            from remem.storage import salts
            from remem.writing.guard import Guard

            redactor = self.redactor
            salt = None if redactor is None else await self.storage.read(salts.find_salt)
            if redactor is not None and salt is None:
                salt = await self.storage.write(salts.make_salt)
            self._guard = Guard(redactor, salt or b"")
        return self._guard

    async def _sweep_due(self) -> None:
        """Archives what has expired, where there is anything: before what takes its own transactions."""
        self.usage.expand()
        await self.sweeper.sweep_due()

    async def _close_memories(self) -> None:
        sweeper, self._sweeper = self._sweeper, None
        self._guard = None
        if sweeper is not None:
            await sweeper.close()
