"""The graph of an open store: SQL answers first, a build in the background takes over, every write shows at once, and
closing ends what runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from remem.engine import Remem
from remem.errors import InvalidInputError, NotFoundError, StoreError
from remem.graph import service
from remem.graph.memory import walker
from remem.graph.memory.keeper import GraphKeeper
from remem.graph.memory.snapshot import Snapshot
from remem.records import Related, TraversalRequest
from remem.storage.nodes import find_node
from remem.storage.pool import Store
from tests.graph.store import World, open_store, write_world
from tests.guard import HANG_SECONDS


def write_notes(folder: Path, random: Random, notes: int = 12) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(notes):
        lines = [f"# Note {number}"]
        for part in range(random.randint(1, 3)):
            targets = [random.randrange(notes) for _ in range(random.randint(0, 3))]
            links = " ".join(f"[[Note {target}]] [[Note {target}#Part {part}]]" for target in targets)
            lines += [f"## Part {part}", f"Text {random.random()}. {links}"]
        (folder / f"Note {number}.md").write_text("\n\n".join(lines) + "\n", encoding="utf-8")


async def ask_sql(remem: Remem, anchor: str, **more: object) -> Sequence[Related]:
    def read(connection: object) -> Sequence[Related]:
        row = find_node(connection, anchor)  # type: ignore[arg-type]
        assert row is not None
        request = TraversalRequest(row.key, **more)  # type: ignore[arg-type]
        return service.walk(connection, request, remem.usage.read_heats).tell_all()  # type: ignore[arg-type]

    return await remem.storage.read(read)


async def wait_for_snapshot(remem: Remem) -> None:
    async with asyncio.timeout(HANG_SECONDS):
        while remem.graph.memory.snapshot is None:
            await remem.roots()


def test_answers_are_those_of_sql_through_any_sequence_of_writes(tmp_path: Path) -> None:
    async def run() -> None:
        random, folder = Random(3), tmp_path / "notes"
        async with Remem.open(tmp_path / "a.db") as remem:
            write_notes(folder, random)
            await remem.compile(folder)
            await remem.graph.build()
            first = remem.graph.memory.snapshot
            for step in range(24):
                ids = [line.id for line in await remem.tree(depth=9)]
                source, target = random.sample(ids, 2)
                if step % 4 == 0:
                    name = f"Note {random.randrange(14)}"
                    (folder / f"{name}.md").write_text(f"# {name}\n\n[[Note {step % 7}]]\n\n## Part 1\n\nNew {step}.\n")
                    await remem.compile(folder)
                elif step % 9 == 5:
                    await remem.drop("notes")
                    await remem.compile(folder)
                elif step % 4 == 3 and (made := await remem.relate(source, target, weight=3)).target_id:
                    await remem.unrelate(made.source_id, made.target_id)
                else:
                    await remem.relate(
                        source, target, type=random.choice(("supports", "part_of")), weight=random.random()
                    )
                anchor = random.choice([line.id for line in await remem.tree(depth=9)])
                for more in ({"depth": 5}, {"depth": 2, "direction": "in"}, {"depth": 3, "rank": "strength"}):
                    found = await remem.related(anchor, **more, limit=10_000, touch=False)
                    assert list(found) == await ask_sql(remem, anchor, **more, limit=None)
            assert remem.graph.memory.snapshot is first

    asyncio.run(run())


def test_the_first_walk_is_answered_before_there_is_a_snapshot_and_has_one_built(tmp_path: Path) -> None:
    async def run() -> None:
        async with Remem.open(tmp_path / "a.db") as remem:
            write_notes(tmp_path / "notes", Random(1))
            await remem.compile(tmp_path / "notes")
            found = await remem.related("Note 1", depth=2, touch=False)
            assert remem.graph.memory.snapshot is None
            await wait_for_snapshot(remem)
            assert await remem.related("Note 1", depth=2, touch=False) == found

    asyncio.run(run())


def test_a_deep_walk_waits_for_the_snapshot(tmp_path: Path) -> None:
    async def run() -> None:
        async with Remem.open(tmp_path / "a.db") as remem:
            write_notes(tmp_path / "notes", Random(1))
            await remem.compile(tmp_path / "notes")
            await remem.related("Note 1", depth=5)
            assert remem.graph.memory.snapshot is not None

    asyncio.run(run())


def test_writes_of_another_store_on_the_file_show_in_the_next_call(tmp_path: Path) -> None:
    async def run() -> None:
        async with Remem.open(tmp_path / "a.db") as remem, Remem.open(tmp_path / "a.db") as other:
            write_notes(tmp_path / "notes", Random(1))
            await remem.compile(tmp_path / "notes")
            await other.graph.build()
            ids = [line.id for line in await remem.tree(depth=0)]
            await remem.relate(ids[0], ids[1], weight=77)
            found = await other.related(ids[0], depth=3)
            assert max(item.direct.weight for item in found if item.direct) == 77
            await remem.drop("notes")
            with pytest.raises(NotFoundError):
                await other.related(ids[0])

    asyncio.run(run())


def test_closing_ends_a_build_that_is_under_way(tmp_path: Path) -> None:
    async def run() -> None:
        store = await Store.open(tmp_path / "a.db")
        keeper = GraphKeeper(store)
        world = World()
        for number in range(2000):
            world.add(f"m{number}", "memory")
        await store.write_alone(write_world, world)
        build = asyncio.create_task(keeper.build())
        await asyncio.sleep(0)
        await keeper.close()
        await build
        assert keeper.memory.snapshot is None
        await keeper.build()
        assert keeper.memory.snapshot is None
        await keeper.close()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        await store.close()

    asyncio.run(run())


def test_a_build_that_fails_leaves_the_answers_to_sql(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: Snapshot, connection: object, scopes: object) -> None:
        raise StoreError("no memory")

    async def run() -> None:
        async with Remem.open(tmp_path / "a.db") as remem:
            write_notes(tmp_path / "notes", Random(1))
            await remem.compile(tmp_path / "notes")
            found = await remem.related("Note 1", depth=5, touch=False)
            monkeypatch.setattr(Snapshot, "__init__", fail)
            remem.graph.memory.put(None)
            assert await remem.related("Note 1", depth=5, touch=False) == found
            assert "could not be read into memory" in caplog.text

    asyncio.run(run())


def test_bad_requests_are_refused_without_waiting_for_a_build(tmp_path: Path) -> None:
    async def run() -> None:
        async with Remem.open(tmp_path / "a.db") as remem:
            write_notes(tmp_path / "notes", Random(1))
            await remem.compile(tmp_path / "notes")
            bad: list[dict[str, object]] = [
                {"depth": 6},
                {"depth": "2"},
                {"limit": 0},
                {"weight_min": float("nan")},
                {"types": ["links"]},
                {"direction": "up"},
                {"rank": "best"},
                {"scope": "book"},
            ]
            for built in (False, True):
                for more in bad:
                    with pytest.raises(InvalidInputError) as caught:
                        await remem.related("Note 1", **more)  # type: ignore[arg-type]
                    assert caught.value.facts["field"] in more
                assert (remem.graph.memory.snapshot is not None) == built
                await remem.graph.build()

    asyncio.run(run())


def test_a_scope_that_large_graphs_lack_is_built_with_the_next_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with Remem.open(tmp_path / "a.db") as remem:
            write_notes(tmp_path / "notes", Random(1))
            await remem.compile(tmp_path / "notes")
            await remem.graph.build()
            monkeypatch.setattr(walker, "QUICK_EDGES", 0)
            first, anchor = remem.graph.memory.snapshot, (await remem.tree(depth=0))[0].id
            found = await remem.related(anchor, depth=2, scope="document", touch=False)
            await remem.graph.build()
            second = remem.graph.memory.snapshot
            assert second is not None
            assert second is not first
            assert set(second.tables) == {"section", "document"}
            assert await remem.related(anchor, depth=2, scope="document", touch=False) == found
            assert remem.graph.memory.snapshot is second

    asyncio.run(run())


def test_a_call_that_sees_an_earlier_state_than_the_snapshot_has_nothing_built_for_it() -> None:
    world = World()
    a, b = world.add("a", "memory"), world.add("b", "memory")
    world.join(a, b)
    connection = open_store(world)
    memory = walker.GraphMemory()
    memory.put(Snapshot(connection))
    connection.execute("SAVEPOINT later")
    connection.execute("DELETE FROM edges")
    assert walker.Walker(memory, patient=True).walk(connection, TraversalRequest(a.key, depth=3)).tell_all() == []
    connection.execute("ROLLBACK TO later")
    deep = walker.Walker(memory, patient=True)
    assert deep.walk(connection, TraversalRequest(a.key, depth=3)).tell_all() == []
    assert (deep.waits, deep.missed) == (True, False)
    shallow = walker.Walker(memory, patient=True)
    assert [item.node.id for item in shallow.walk(connection, TraversalRequest(a.key)).tell_all()] == ["b"]
    assert (shallow.waits, shallow.missed) == (False, False)
