"""Uses are written behind: never in a read, in batches, at the close; lost only where nothing can be written."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from remem.records import Heat
from remem.storage.pool import Store
from remem.storage.sqlite import Connection
from remem.usage.service import MANY_NODES, WRITE_BOOSTS, UsageRecorder
from tests.guard import HANG_SECONDS
from tests.usage.clock import Clock, look

LONG = 3600.0
COUNT = "SELECT count(*) FROM usage"
ROWS = "SELECT node, temperature, at, accesses, accessed_at, pinned FROM usage ORDER BY node"


def record(path: Path, work: Callable[[Store, UsageRecorder], Awaitable[None]], wait: float = LONG) -> None:
    """Runs something with an open store and its recorder, and closes both."""

    async def run() -> None:
        async with asyncio.timeout(HANG_SECONDS):
            store = await Store.open(path)
            recorder = UsageRecorder(store, 7.0, Clock(), wait=wait)
            try:
                await work(store, recorder)
            finally:
                await recorder.close()
                await store.close()

    asyncio.run(run())


async def read_heats(store: Store, recorder: UsageRecorder, *keys: int) -> list[Heat]:
    found = await store.read(recorder.read_heats, keys)
    return [found[key] for key in keys]


async def wait_for_task() -> None:
    """Until the task that writes behind has come to its end by itself."""
    (task,) = asyncio.all_tasks() - {asyncio.current_task()}
    await task


def test_a_use_is_visible_at_once_and_not_written_yet(tmp_path: Path) -> None:
    async def work(store: Store, recorder: UsageRecorder) -> None:
        recorder.note_fetched([1])
        recorder.note_listed([2])
        assert await read_heats(store, recorder, 1, 2, 3) == [(0.575, False), (0.525, False), (0.5, False)]
        assert look(store.path, COUNT) == [(0,)]

    record(tmp_path / "m.db", work)


def test_what_waits_is_written_at_the_close_and_the_task_ends(tmp_path: Path) -> None:
    async def work(store: Store, recorder: UsageRecorder) -> None:
        recorder.note_fetched([1, 1, 2])
        assert len(asyncio.all_tasks()) == 2
        await recorder.close()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        recorder.note_fetched([1])  # nor does it wait: the next close writes nothing

    record(tmp_path / "m.db", work)
    assert [row[0::3] for row in look(tmp_path / "m.db", ROWS)] == [(1, 2), (2, 1)]


def test_what_waits_is_written_after_a_while_and_the_task_ends_until_the_next_use(tmp_path: Path) -> None:
    async def work(store: Store, recorder: UsageRecorder) -> None:
        for count in (1, 2):
            recorder.note_fetched([count])
            await wait_for_task()
            assert look(store.path, COUNT) == [(count,)]

    record(tmp_path / "m.db", work, wait=0.0)


def test_many_uses_are_written_without_waiting(tmp_path: Path) -> None:
    async def work(store: Store, recorder: UsageRecorder) -> None:
        recorder.note_listed(range(1, WRITE_BOOSTS))
        await read_heats(store, recorder, 1)
        assert look(store.path, COUNT) == [(0,)]
        recorder.note_listed([1, WRITE_BOOSTS])  # like uses of one node within a second are put together
        await wait_for_task()
        assert look(store.path, COUNT) == [(WRITE_BOOSTS,)]

    record(tmp_path / "m.db", work)


def test_a_node_is_as_warm_before_its_uses_are_written_as_after(tmp_path: Path) -> None:
    async def work(store: Store, recorder: UsageRecorder) -> None:
        recorder.note_fetched([1, 1, 2])
        before = await read_heats(store, recorder, 1, 2, 3)
        await recorder.flush()
        assert await read_heats(store, recorder, 1, 2, 3) == before
        recorder.note_fetched([1])
        assert (await read_heats(store, recorder, 1))[0].temperature > before[0].temperature

    record(tmp_path / "m.db", work)


def test_many_nodes_read_at_once_are_as_warm_as_each_by_itself(tmp_path: Path) -> None:
    keys = range(1, MANY_NODES + 2)

    async def work(store: Store, recorder: UsageRecorder) -> None:
        recorder.note_fetched(random.Random(5).sample(keys, 300))
        await recorder.flush()
        recorder.note_fetched(random.Random(6).sample(keys, 300))
        await store.write(lambda c: c.execute("INSERT INTO arrivals (last, at) VALUES (700, 1), (1500, 1799000000000)"))
        found = await store.read(recorder.read_heats, keys)
        halves = [await store.read(recorder.read_heats, keys[start::2]) for start in (0, 1)]
        assert dict(sorted(found.items())) == dict(sorted((halves[0] | halves[1]).items()))
        assert len({heat.temperature for heat in found.values()}) > 6

    record(tmp_path / "m.db", work)


def test_a_read_only_store_is_left_alone(tmp_path: Path) -> None:
    async def work(store: Store, recorder: UsageRecorder) -> None:
        store.read_only = True
        recorder.note_fetched([1])
        assert await read_heats(store, recorder, 1) == [(0.5, False)]

    record(tmp_path / "m.db", work)


def test_uses_that_another_process_keeps_from_being_written_wait_on(tmp_path: Path) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()

        def flush_meanwhile(connection: Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            asyncio.run_coroutine_threadsafe(recorder.flush(), loop).result()

        async with (
            asyncio.timeout(HANG_SECONDS),
            await Store.open(tmp_path / "m.db", busy_timeout=0.0) as store,
            await Store.open(tmp_path / "m.db") as other,
        ):
            recorder = UsageRecorder(store, 7.0, Clock(), wait=LONG)
            recorder.note_fetched([1])
            await other.run_outside(flush_meanwhile)
            assert look(tmp_path / "m.db", COUNT) == [(0,)]
            await recorder.close()

    asyncio.run(run())
    assert look(tmp_path / "m.db", COUNT) == [(1,)]


uses = st.lists(
    st.tuples(st.integers(0, 5000), st.integers(0, 2), st.integers(1, 4), st.booleans(), st.booleans()), max_size=40
)


@settings(max_examples=25)
@given(uses)
def test_several_processes_warm_nodes_as_one_would(moves: list[tuple[int, int, int, bool, bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [asyncio.run(play(Path(folder) / f"{count}.db", moves, count)) for count in (3, 1)]
    assert [row[:1] + row[2:] for row in rows[0]] == [row[:1] + row[2:] for row in rows[1]]
    assert [row[1] for row in rows[0]] == approx([row[1] for row in rows[1]], abs=1e-4)


async def play(path: Path, moves: list[tuple[int, int, int, bool, bool]], count: int) -> list[tuple[object, ...]]:
    """What stands in the store after uses (milliseconds later, process, node, fetched, flush) by some processes."""
    clock = Clock()
    async with AsyncExitStack() as stack:
        recorders = []
        for _ in range(count):
            store = await stack.enter_async_context(await Store.open(path, synchronous="normal"))
            recorders.append(UsageRecorder(store, 7.0, clock, wait=LONG))
            stack.push_async_callback(recorders[-1].close)
        await store.write(lambda c: c.execute("INSERT INTO arrivals (last, at) VALUES (9, :at)", {"at": clock.now}))
        for later, process, node, fetched, flush in moves:
            clock.now += later
            own = recorders[process % count]
            (own.note_fetched if fetched else own.note_listed)([node])
            if flush:
                await own.flush()
    return look(path, ROWS)
