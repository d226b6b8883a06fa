"""Gathers the uses of nodes and writes them behind; pins nodes. A read never waits for it."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from remem.clock import DAY
from remem.errors import StoreError
from remem.ingest.labels import label_row
from remem.records import START_TEMPERATURE, Boost, Heat, NodeRow, NodeUsage, UsageRow
from remem.storage import usage as usage_rows
from remem.storage.watch import PROBE
from remem.usage.followed import Followed
from remem.usage.ledger import Ledger
from remem.usage.temperature import FETCH_GAIN, LIST_GAIN, pin, read_heat, warm

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.storage.pool import Store

WRITE_SECONDS = 2.0
"""So long a use waits at most until it is written."""
WRITE_BOOSTS = 5000
"""So many uses (like ones of a node within a second count once) are written without waiting."""
MANY_NODES = 2000
"""From so many on, the nodes that were used are read as a whole instead of each node by itself."""
Group: TypeAlias = tuple[tuple[int, ...], float, int]
"""Nodes (keys) that are used together, the gain of each, 1 where they are read themselves."""
FAREWELL_SECONDS = 2.0
"""So long a close waits for another process that writes."""


class UsageRecorder:
    """The uses of one open store. Owned by whoever opened the store, and closed before it.

    `clock` gives milliseconds since 1970. Its task runs only while uses wait. A store that can only be read is left
    alone; uses that cannot be written are tried again.
    """

    def __init__(
        self, store: Store, half_life_days: float, clock: Callable[[], int], *, wait: float = WRITE_SECONDS
    ) -> None:
        self.half_life = half_life_days * DAY
        self._store = store
        self._clock = clock
        self._wait = wait
        self._ledger = Ledger()
        self._writing = asyncio.Lock()
        self._urged = asyncio.Event()
        self._closed = False
        self._task: asyncio.Task[None] | None = None
        self._followed = Followed(self.half_life)
        self._groups: dict[Group, int] = {}

    def note_fetched(self, keys: Iterable[int]) -> None:
        """Nodes (keys) that a caller has read."""
        self._tell(list(keys), FETCH_GAIN, 1)

    def note_listed(self, keys: Iterable[int]) -> None:
        """Nodes (keys) that a caller was shown among others: search hits, relations that surfaced."""
        self._tell(list(keys), LIST_GAIN, 0)

    def _tell(self, keys: Sequence[int], gain: float, fetched: int) -> None:
        probe = PROBE.get()
        if probe is not None:
            probe.note_use(keys, gain, fetched)
        self.note(keys, gain, fetched)

    @property
    def epoch(self) -> int:
        """Grows when the usage of nodes has changed in another way than by uses: something was pinned or unpinned."""
        return self._followed.epoch

    def find_followed(self, keys: Sequence[int]) -> list[UsageRow] | None:
        """The usage of the nodes now, where all were followed lately. Without a look into the store."""
        self.expand()
        return self._followed.find(keys)

    async def read_now(self, keys: Sequence[int]) -> list[UsageRow]:
        """The usage of the nodes now, in their order. Raises StoreError."""
        self.expand()
        rows, _ = await self._store.read(self._read_exactly, keys)
        return list(rows.values())

    async def follow(self, keys: Sequence[int]) -> list[UsageRow]:
        """The usage of the nodes now, which is followed for a while: own uses count at once, those of other processes
        and what else was written at the latest two seconds later."""
        self.expand()
        with self._followed.reading() as epoch:
            wanted = list({*keys, *self._followed.list_aging()})
            rows, sequence = await self._store.read(self._read_exactly, wanted)
            found = self._followed.adopt(rows, sequence, epoch)
            return [found[key] for key in keys]

    def _read_exactly(self, connection: Connection, keys: Sequence[int]) -> tuple[dict[int, UsageRow], int]:
        now = self._clock()
        rows = usage_rows.load_usage(connection, keys, START_TEMPERATURE, now)
        missing, sequence = self._ledger.find_missing_at(rows)
        for node, boosts in missing.items():
            rows[node] = warm(rows[node], boosts, now, self.half_life)
        return {key: rows[key] for key in keys}, sequence

    def forget_followed(self) -> None:
        """What was followed has changed in another way than by uses."""
        self._followed.clear()

    def read_usage(self, connection: Connection, keys: Iterable[int]) -> dict[int, UsageRow]:
        """The usage of the nodes now, by key, with the uses that were not written yet."""
        now = self._clock()
        rows = usage_rows.load_usage(connection, keys, START_TEMPERATURE, now)
        for node, boosts in self._ledger.find_missing(rows).items():
            rows[node] = warm(rows[node], boosts, now, self.half_life)
        return rows

    def read_heats(self, connection: Connection, keys: Iterable[int]) -> dict[int, Heat]:
        """The heats of the nodes now, by key, with the uses that were not written yet. A `Thermometer`."""
        now = self._clock()
        ordered = sorted(keys)
        heats: dict[int, Heat] = {}
        if len(ordered) < MANY_NODES:
            rows = usage_rows.load_usage(connection, ordered, START_TEMPERATURE, now)
        else:
            heats = _read_untouched(connection, ordered, now, self.half_life)
            rows = usage_rows.load_usage(connection, heats.keys() & self._ledger.nodes(), START_TEMPERATURE, now)
            used = usage_rows.load_used_between(connection, ordered[0], ordered[-1])
            rows.update((row.node, row) for row in used if row.node in heats)
        for node, boosts in self._ledger.find_missing(rows).items():
            rows[node] = warm(rows[node], boosts, now, self.half_life)
        heats.update((node, read_heat(row, now, self.half_life)) for node, row in rows.items())
        return heats

    async def flush(self) -> None:
        """Writes what waits. Where that fails it goes on waiting."""
        async with self._writing:
            self.expand()
            now = self._clock()
            boosts = self._ledger.take(now)
            if not boosts:
                return
            try:
                await self._store.write(save_boosts, boosts, now, self.half_life)
            except StoreError:
                self._ledger.put_back()
            except asyncio.CancelledError:
                self._ledger.put_back()
                raise

    async def close(self) -> None:
        """Ends the task and writes what waits, for `FAREWELL_SECONDS` at most. May be called again."""
        self._closed = True
        self._urged.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_SECONDS):
                if self._task is not None:
                    await self._task
                await self.flush()

    def note_again(self, uses: tuple[Group, ...]) -> None:
        """Groups of nodes that are used as before. They are only counted; `expand` notes what they mean."""
        if self._closed or self._store.read_only:
            return
        for group in uses:
            self._groups[group] = self._groups.get(group, 0) + 1
        if self._task is None or self._task.done():
            self._begin()

    def expand(self) -> None:
        """Notes the uses that were only counted. Before whatever reads how nodes are used, in the event loop."""
        if self._groups:
            groups, self._groups = self._groups, {}
            now = self._clock()
            for (keys, gain, fetched), count in groups.items():
                self._note(keys, now, gain, fetched, count)

    def _note(self, keys: Sequence[int], now: int, gain: float, fetched: int, count: int) -> None:
        before = self._ledger.note(keys, now, gain, fetched, count)
        self._followed.warm([Boost(key, now, gain, fetched, count) for key in keys], before)

    def note(self, keys: Sequence[int], gain: float, fetched: int) -> None:
        """Nodes (keys) whose use adds `gain`; `fetched` 1 where they were read themselves, 0 where listed."""
        if self._closed or self._store.read_only or not keys:
            return
        self._note(keys, self._clock(), gain, fetched, 1)
        if self._ledger.count >= WRITE_BOOSTS:
            self._urged.set()
        if self._task is None or self._task.done():
            self._begin()

    def _begin(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._write_behind(), name="remem usage")

    async def _write_behind(self) -> None:
        while (self._ledger.count or self._groups) and not self._closed:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._wait):
                    await self._urged.wait()
            self._urged.clear()
            await self.flush()


def _read_untouched(connection: Connection, ordered: Sequence[int], now: int, half_life: float) -> dict[int, Heat]:
    """The heats that the nodes (keys in order) would have if nobody had used them. Linear in the snapshots they came
    with, but for filling the result."""
    heats: dict[int, Heat] = {}
    start = 0
    for last, at in usage_rows.load_arrivals_between(connection, ordered[0], ordered[-1]):
        end = bisect_right(ordered, last, start)
        heats.update(dict.fromkeys(ordered[start:end], read_heat(UsageRow(0, START_TEMPERATURE, at), now, half_life)))
        start = end
    heats.update(dict.fromkeys(ordered[start:], Heat()))
    return heats


def save_boosts(connection: Connection, boosts: Mapping[int, Sequence[Boost]], now: int, half_life: float) -> None:
    """Writes uses, by node. Must run inside a write transaction, so that no other process comes in between."""
    rows = usage_rows.load_usage(connection, boosts, START_TEMPERATURE, now)
    usage_rows.save_usage(connection, [warm(rows[node], found, now, half_life) for node, found in boosts.items()])


def pin_node(connection: Connection, node: NodeRow, pinned: bool, now: int, half_life: float) -> NodeUsage:
    """Pins or unpins a node and tells its usage. Where nothing changes, nothing is written."""
    (row,) = usage_rows.load_usage(connection, [node.key], START_TEMPERATURE, now).values()
    if bool(row.pinned) != pinned:
        row = pin(row, pinned, now, half_life)
        usage_rows.save_usage(connection, [row])
    return _tell_usage(node, row, read_heat(row, now, half_life))


def _tell_usage(node: NodeRow, row: UsageRow, heat: Heat) -> NodeUsage:
    return NodeUsage(node.id, node.kind, label_row(node), heat.temperature, heat.pinned, row.accesses, row.accessed_at)
