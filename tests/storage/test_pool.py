"""What reads and writes promise: transactions, groups, cancelling, closing."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
import pytest

from remem.errors import NotFoundError, StoreBusyError, StoreError
from remem.storage import sqlite
from remem.storage.pool import Store
from remem.storage.sqlite import Connection
from tests.guard import HANG_SECONDS, guard_hang

T = TypeVar("T")

LONG = 3600.0

COUNT_FOREVER = """
WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1000000000)
SELECT max(number) FROM numbers
"""
INSERT_FOREVER = """
INSERT INTO meta (key, value)
WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1000000000)
SELECT 'endless ' || number, '' FROM numbers
"""


def put(connection: Connection, key: str, value: str = "") -> str:
    connection.execute("INSERT INTO meta (key, value) VALUES (:key, :value)", {"key": key, "value": value})
    return key


def count(connection: Connection, prefix: str = "") -> int:
    row = connection.execute("SELECT count(*) FROM meta WHERE key GLOB :like", {"like": prefix + "*"}).fetchone()
    return int(row[0])


def use_store(path: Path, work: Callable[[Store], Coroutine[Any, Any, T]], **options: Any) -> T:
    async def main() -> T:
        async with await Store.open(path / "memory.db", **options) as store:
            return await work(store)

    return asyncio.run(main())


def connect(path: Path) -> Any:
    return sqlite.choose().connect(str(path), isolation_level=None, timeout=0.01, check_same_thread=False)


async def cancel_running(awaitable: Coroutine[Any, Any, object], started: threading.Event) -> None:
    """Cancels a call once its function runs, and waits until it has ended."""
    task = asyncio.ensure_future(awaitable)
    assert await asyncio.to_thread(started.wait, HANG_SECONDS)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# --- transactions -----------------------------------------------------------------------------------------------------


def test_a_write_returns_what_its_function_returns_and_reads_see_it(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        assert await store.write(put, "a", value="1") == "a"
        assert await store.read(count, "a") == 1
        assert await store.write_alone(put, "b") == "b"
        assert await store.read(count, prefix="b") == 1

    use_store(tmp_path, work)


def test_a_write_that_raises_leaves_nothing_behind(tmp_path: Path) -> None:
    def put_and_fail(connection: Connection) -> None:
        put(connection, "half")
        raise NotFoundError("There is no such node.", id="x")

    async def work(store: Store) -> int:
        for write in (store.write, store.write_alone):
            with pytest.raises(NotFoundError) as caught:
                await write(put_and_fail)
            assert caught.value.facts == {"id": "x"}
        return await store.read(count, "half")

    assert use_store(tmp_path, work) == 0


def test_any_exception_of_a_function_reaches_the_caller(tmp_path: Path) -> None:
    def fail(connection: Connection) -> None:
        raise ZeroDivisionError

    async def work(store: Store) -> None:
        for call in (store.read, store.write, store.write_alone, store.run_outside):
            with pytest.raises(ZeroDivisionError):
                await call(fail)

    use_store(tmp_path, work)


def test_errors_of_sqlite_come_as_errors_of_the_store_with_their_cause(tmp_path: Path) -> None:
    def misspell(connection: Connection) -> None:
        connection.execute("SELCT 1")

    async def work(store: Store) -> None:
        await store.write(put, "a")
        with pytest.raises(StoreError, match="breaks a rule") as caught:
            await store.write(put, "a")
        assert isinstance(caught.value.__cause__, sqlite.IntegrityError)
        for call in (store.read, store.write):
            with pytest.raises(StoreError) as caught:
                await call(misspell)
            assert isinstance(caught.value.__cause__, sqlite.Error)

    use_store(tmp_path, work)


def test_a_read_cannot_write(tmp_path: Path) -> None:
    async def work(store: Store) -> int:
        with pytest.raises(StoreError):
            await store.read(put, "a")
        return await store.read(count, "a")

    assert use_store(tmp_path, work) == 0


def test_a_read_sees_one_state_though_others_write(tmp_path: Path) -> None:
    def count_twice(connection: Connection, first: threading.Event, second: threading.Event) -> tuple[int, int]:
        before = count(connection, "a")
        first.set()
        second.wait(HANG_SECONDS)
        return before, count(connection, "a")

    async def work(store: Store) -> tuple[int, int]:
        first, second = threading.Event(), threading.Event()
        reading = asyncio.ensure_future(store.read(count_twice, first, second))
        await asyncio.to_thread(first.wait, HANG_SECONDS)
        await store.write(put, "a")
        second.set()
        return await reading

    assert use_store(tmp_path, work) == (0, 0)


def test_a_function_that_ends_the_transaction_is_told_so(tmp_path: Path) -> None:
    def commit(connection: Connection) -> None:
        connection.execute("COMMIT")

    async def work(store: Store) -> str:
        with pytest.raises(StoreError, match="ended the transaction"):
            await store.write(commit)
        return await store.write(put, "a")

    assert use_store(tmp_path, work) == "a"


def test_outside_of_transactions_a_store_can_be_packed(tmp_path: Path) -> None:
    def vacuum(connection: Connection) -> bool:
        connection.execute("VACUUM")
        return connection.in_transaction

    async def work(store: Store) -> bool:
        return await store.run_outside(vacuum)

    assert use_store(tmp_path, work) is False


# --- groups -----------------------------------------------------------------------------------------------------------


def hold(connection: Connection, running: threading.Event, release: threading.Event) -> None:
    running.set()
    release.wait(HANG_SECONDS)


async def write_together(store: Store, calls: Sequence[Callable[[], Coroutine[Any, Any, object]]]) -> list[object]:
    """What writes give that were queued while the writer was busy with another."""
    running, release = threading.Event(), threading.Event()
    holding = asyncio.ensure_future(store.write_alone(hold, running, release))
    await asyncio.to_thread(running.wait, HANG_SECONDS)
    tasks = [asyncio.ensure_future(call()) for call in calls]
    await asyncio.sleep(0)
    release.set()
    await holding
    return list(await asyncio.gather(*tasks, return_exceptions=True))


def test_writes_that_wait_together_share_a_commit_and_calls_alone_take_their_own(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        log = tmp_path / "memory.db-wal"
        await store.write(put, "first")
        counts = [len(list(iterate_commits(log)))]
        for write, key in ((store.write, "grouped"), (store.write_alone, "alone")):
            calls = [partial(write, put, f"{key} {i}") for i in range(5)]
            assert await write_together(store, calls) == [f"{key} {i}" for i in range(5)]
            counts.append(len(list(iterate_commits(log))))
        assert (counts[1] - counts[0], counts[2] - counts[1]) == (1, 5)

    use_store(tmp_path, work)


def iterate_commits(log: Path) -> Iterator[int]:
    """The commit frames of a write-ahead log: those that carry the size of the database in pages."""
    content = log.read_bytes()
    page_size = int.from_bytes(content[8:12], "big")
    for offset in range(32, len(content), page_size + 24):
        if pages := int.from_bytes(content[offset + 4 : offset + 8], "big"):
            yield pages


def test_a_call_alone_runs_in_no_savepoint_in_which_each_statement_would_cost_more_than_the_one_before(
    tmp_path: Path,
) -> None:
    def leave_savepoint(connection: Connection) -> bool:
        try:
            connection.execute("RELEASE unit")
        except sqlite.OperationalError:
            return False
        return True

    async def work(store: Store) -> None:
        assert not await store.write_alone(leave_savepoint)
        assert await store.write_alone(put, "next") == "next"

    use_store(tmp_path, work)


def test_one_failing_write_of_a_group_rolls_back_only_itself(tmp_path: Path) -> None:
    def put_and_fail(connection: Connection, key: str) -> None:
        put(connection, key)
        put(connection, key)

    async def work(store: Store) -> int:
        calls = [partial(store.write, put_and_fail if i == 3 else put, f"g{i}") for i in range(8)]
        results = await write_together(store, calls)
        assert isinstance(results[3], StoreError)
        assert [result for i, result in enumerate(results) if i != 3] == [f"g{i}" for i in range(8) if i != 3]
        return await store.read(count, "g")

    assert use_store(tmp_path, work) == 7


def test_a_group_that_sqlite_drops_is_written_without_the_one_at_fault(tmp_path: Path) -> None:
    def limit_pages(connection: Connection) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 2}")

    async def work(store: Store) -> int:
        await store.run_outside(limit_pages)
        calls = [partial(store.write, put, f"g{i}", "x" * (1_000_000 if i == 3 else 1)) for i in range(8)]
        results = await write_together(store, calls)
        assert isinstance(results[3], StoreError)
        assert [result for i, result in enumerate(results) if i != 3] == [f"g{i}" for i in range(8) if i != 3]
        return await store.read(count, "g")

    assert use_store(tmp_path, work) == 7


def test_a_cancelled_write_of_a_group_takes_no_other_with_it(tmp_path: Path) -> None:
    def put_forever(connection: Connection, started: threading.Event) -> None:
        started.set()
        connection.execute(INSERT_FOREVER)

    async def work(store: Store) -> int:
        started = threading.Event()
        running, release = threading.Event(), threading.Event()
        holding = asyncio.ensure_future(store.write_alone(hold, running, release))
        await asyncio.to_thread(running.wait, HANG_SECONDS)
        before = [asyncio.ensure_future(store.write(put, f"before{i}")) for i in range(5)]
        endless = asyncio.ensure_future(store.write(put_forever, started))
        after = [asyncio.ensure_future(store.write(put, f"after{i}")) for i in range(5)]
        await asyncio.sleep(0)
        release.set()
        await asyncio.to_thread(started.wait, HANG_SECONDS)
        endless.cancel()
        results = await asyncio.gather(holding, *before, endless, *after, return_exceptions=True)
        assert isinstance(results[6], asyncio.CancelledError)
        assert await store.read(count, "endless") == 0
        return await store.read(count, "before") + await store.read(count, "after")

    assert use_store(tmp_path, work) == 10


def test_twenty_writes_at_once_in_each_of_two_open_stores_are_all_kept(tmp_path: Path) -> None:
    async def work(store: Store) -> int:
        async with await Store.open(tmp_path / "memory.db") as other:
            await asyncio.gather(*(s.write(put, f"{s is store} {i}") for s in (store, other) for i in range(20)))
            return await other.read(count, "True") + await store.read(count, "False")

    assert use_store(tmp_path, work) == 40


# --- cancelling -------------------------------------------------------------------------------------------------------


def run_forever(connection: Connection, statement: str, started: threading.Event) -> None:
    started.set()
    connection.execute(statement).fetchall()


def put_one_by_one(connection: Connection, started: threading.Event) -> None:
    for number in range(10**9):
        put(connection, f"endless {number}")
        if number == 1000:
            started.set()


def test_a_cancelled_read_is_interrupted(tmp_path: Path) -> None:
    async def work(store: Store) -> int:
        started = threading.Event()
        await cancel_running(store.read(run_forever, COUNT_FOREVER, started), started)
        return await store.read(count, "version")

    with guard_hang("a read that was cancelled"):
        assert use_store(tmp_path, work, readers=1) == 1


@pytest.mark.parametrize("way", ["write", "write_alone"])
@pytest.mark.parametrize("statement", [COUNT_FOREVER, INSERT_FOREVER, None])
def test_a_cancelled_write_is_rolled_back_and_the_next_can_go_on(
    tmp_path: Path, way: str, statement: str | None
) -> None:
    async def work(store: Store) -> int:
        write, started = getattr(store, way), threading.Event()
        call = write(run_forever, statement, started) if statement else write(put_one_by_one, started)
        await cancel_running(call, started)
        assert await write(put, "next") == "next"
        return await store.read(count, "endless")

    with guard_hang("a write that was cancelled"):
        assert use_store(tmp_path, work) == 0


def test_a_call_that_is_cancelled_while_it_waits_never_runs(tmp_path: Path) -> None:
    async def work(store: Store) -> int:
        running, release = threading.Event(), threading.Event()
        holding = asyncio.ensure_future(store.write_alone(hold, running, release))
        await asyncio.to_thread(running.wait, HANG_SECONDS)
        waiting = asyncio.ensure_future(store.write(put, "late"))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert not holding.done()
        release.set()
        await holding
        await store.write(put, "next")
        return await store.read(count, "late")

    assert use_store(tmp_path, work) == 0


def test_a_write_that_is_cancelled_while_another_process_has_the_lock_ends_at_once(tmp_path: Path) -> None:
    async def work(store: Store) -> int:
        other = connect(tmp_path / "memory.db")
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.ensure_future(store.write(put, "late"))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waiting, 0.05)
        other.execute("ROLLBACK")
        other.close()
        await store.write(put, "next")
        return await store.read(count, "late")

    with guard_hang("a write that was cancelled"):
        assert use_store(tmp_path, work, busy_timeout=LONG) == 0


# --- other processes --------------------------------------------------------------------------------------------------


def test_a_lock_that_is_held_too_long_is_told_after_the_timeout(tmp_path: Path) -> None:
    async def work(store: Store) -> int:
        other = connect(tmp_path / "memory.db")
        other.execute("BEGIN IMMEDIATE")
        async with await Store.open(tmp_path / "memory.db", busy_timeout=LONG) as patient:
            waiting = asyncio.ensure_future(patient.write(put, "late"))
            results = await asyncio.gather(*(store.write(put, f"a{i}") for i in range(5)), return_exceptions=True)
            assert [type(result) for result in results] == [StoreBusyError] * 5
            assert await store.read(count, "version") == 1
            assert not waiting.done()
            other.execute("COMMIT")
            other.close()
            assert await waiting == "late"
        await store.write(put, "b")
        return await store.read(count, "a")

    with guard_hang("a write that waits for the lock"):
        assert use_store(tmp_path, work, busy_timeout=0.1) == 0


def test_the_data_version_tells_of_every_commit(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        first = await store.data_version()
        assert await store.data_version() == first
        other = connect(tmp_path / "memory.db")
        put(other, "a")
        other.close()
        second = await store.data_version()
        assert second != first
        await store.write(put, "b")
        assert await store.data_version() != second

    use_store(tmp_path, work)


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_gone_is_noticed_by_the_next_write(tmp_path: Path, replaced: bool) -> None:
    async def work(store: Store) -> None:
        await store.write(put, "a")
        path = tmp_path / "memory.db"
        os.rename(path, tmp_path / "elsewhere.db")
        if replaced:
            path.touch()
        for _ in range(2):
            with pytest.raises(StoreError, match="deleted or replaced"):
                await store.write(put, "lost")
        with pytest.raises(StoreError):
            await store.read(count)
        os.replace(tmp_path / "elsewhere.db", path)
        await store.write(put, "back")
        assert (await store.read(count, "lost"), await store.read(count, "a")) == (0, 1)

    use_store(tmp_path, work)


# --- threads, readers, closing ----------------------------------------------------------------------------------------


def list_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.endswith("(_connection_worker_thread)")}


def count_threads(before: set[threading.Thread]) -> int:
    """The threads that have come since; those of earlier tests may still be about to end."""
    return len(list_threads() - before)


async def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(int(1000 * HANG_SECONDS)):
        if condition():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("what was waited for has not come")


def test_many_calls_at_once_use_few_threads_and_files(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        before = list_threads()
        assert await store.read(count, "version") == 1
        assert count_threads(before) == 1
        assert set(await asyncio.gather(*(store.read(count, "version") for _ in range(300)))) == {1}
        await asyncio.gather(*(store.write(put, f"a{i}") for i in range(300)))
        assert count_threads(before) == 3

    use_store(tmp_path, work, readers=3)


def test_reads_run_side_by_side(tmp_path: Path) -> None:
    def meet(connection: Connection, barrier: threading.Barrier) -> int:
        return barrier.wait(HANG_SECONDS)

    async def work(store: Store) -> list[int]:
        barrier = threading.Barrier(3)
        return sorted(await asyncio.gather(*(store.read(meet, barrier) for _ in range(3))))

    assert use_store(tmp_path, work, readers=3) == [0, 1, 2]


def test_closing_ends_the_calls_that_wait_and_all_threads(tmp_path: Path) -> None:
    async def main() -> None:
        before = list_threads()
        store = await Store.open(tmp_path / "memory.db")
        await store.read(count)
        writes = [asyncio.ensure_future(store.write(put, f"a{i}")) for i in range(20)]
        await asyncio.sleep(0)
        await asyncio.gather(store.close(), store.close())
        await store.close()
        assert await asyncio.gather(*writes) == [f"a{i}" for i in range(20)]
        await wait_until(lambda: count_threads(before) == 0)
        for call in (store.read(count), store.write(put, "b"), store.data_version()):
            with pytest.raises(StoreError, match="has been closed"):
                await call

    asyncio.run(main())
    assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]


def test_a_cancelled_close_closes_all_the_same(tmp_path: Path) -> None:
    async def main() -> None:
        before = list_threads()
        store = await Store.open(tmp_path / "memory.db")
        closing = asyncio.ensure_future(store.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.gather(closing, return_exceptions=True)
        await wait_until(lambda: count_threads(before) == 0)

    asyncio.run(main())


def test_a_cancelled_or_failed_open_leaves_no_thread_and_holds_no_file(tmp_path: Path) -> None:
    async def main() -> None:
        before = list_threads()
        for delay in (0, 1, 2):
            opening = asyncio.ensure_future(Store.open(tmp_path / "memory.db"))
            for _ in range(delay):
                await asyncio.sleep(0)
            opening.cancel()
            await asyncio.gather(opening, return_exceptions=True)
        (tmp_path / "notes.md").write_text("no database " * 99, encoding="utf-8")
        with pytest.raises(StoreError):
            await Store.open(tmp_path / "notes.md")
        await wait_until(lambda: count_threads(before) == 0)

    asyncio.run(main())
    assert not list(tmp_path.glob("*-wal"))


def test_a_store_can_be_used_from_one_event_loop_after_the_other(tmp_path: Path) -> None:
    store = asyncio.run(Store.open(tmp_path / "memory.db"))
    assert asyncio.run(store.write(put, "a")) == "a"
    assert asyncio.run(store.read(count, "a")) == 1
    asyncio.run(store.close())


def test_a_loop_that_is_closed_in_the_middle_of_calls_harms_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = asyncio.run(Store.open(tmp_path / "memory.db"))
    loop, release = asyncio.new_event_loop(), threading.Event()
    calls = (store.read(count), store.write(hold, threading.Event(), release), store.write(put, "a"))
    tasks = [loop.create_task(call) for call in calls]
    loop.run_until_complete(asyncio.sleep(0))
    for task in tasks:
        # That they are never finished is what is tested; asyncio would complain of it.
        task._log_destroy_pending = False  # type: ignore[attr-defined]
    loop.close()
    release.set()
    assert asyncio.run(store.write(put, "b")) == "b"
    asyncio.run(store.close())
    assert capfd.readouterr().err == ""


def test_the_private_names_of_aiosqlite_that_are_used_are_there() -> None:
    connection = aiosqlite.Connection(lambda: sqlite.choose().connect(":memory:"), 64)
    assert isinstance(connection._thread, threading.Thread)
    done = threading.Event()
    connection._tx.put_nowait((None, done.set))
    connection._thread.daemon = True
    connection._thread.start()
    assert done.wait(HANG_SECONDS)
    connection.stop()
    connection._thread.join(HANG_SECONDS)
    assert not connection._thread.is_alive()
