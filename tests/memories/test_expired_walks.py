"""The graph in memory is blind to what has expired from the instant on, before anything was swept."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from sqlite3 import Connection
from typing import Any

import pytest

from remem import Remem
from remem.errors import NotFoundError
from remem.graph import service
from remem.graph.memory.snapshot import Snapshot
from remem.graph.memory.walker import GraphMemory, Walker
from remem.reading.expiry import hide_expired
from remem.records import Related, TraversalRequest
from tests.memories.helpers import turn
from tests.usage.clock import Clock

COUNT = 12
SHORT = tuple(f"m{number}" for number in range(1, COUNT, 3))


async def fill_web(remem: Remem, seed: int) -> None:
    """Memories, a third of them short-term, and relations of few weights between any of them."""
    random = Random(seed)
    for number in range(COUNT):
        await remem.store(f"memory {number}", id=f"m{number}", ttl=60 if f"m{number}" in SHORT else None)
    for _ in range(3 * COUNT):
        a, b = random.sample(range(COUNT), 2)
        await remem.relate(f"m{a}", f"m{b}", weight=random.choice([0.5, 1, 2]))


def list_requests(connection: Connection) -> Iterator[TraversalRequest]:
    """Requests from all memories that are not short-term."""
    rows: list[Any] = connection.execute("SELECT key, id FROM nodes ORDER BY key").fetchall()
    shapes: Any = list(itertools.product(("both", "out", "in"), (1, 2, 5), ("sum", "strength"), ("section", "node")))
    for key in [key for key, id in rows if id not in SHORT]:
        for direction, depth, rank, scope in shapes:
            yield TraversalRequest(key, direction, depth, rank=rank, scope=scope)


@pytest.mark.parametrize("seed", range(2))
def test_no_walk_of_either_engine_passes_what_has_expired(seed: int, path: Path, clock: Clock) -> None:
    memory = GraphMemory()

    def walk(connection: Connection, remem: Remem, hides: bool) -> list[Sequence[Related]]:
        assert hide_expired(connection, clock.now, remem.uses) == hides
        answers: list[Sequence[Related]] = []
        for request in list_requests(connection):
            walker = Walker(memory, patient=True)
            answers.append(walker.walk(connection, request).tell_all())
            assert not walker.missed
            assert answers[-1] == service.walk(connection, request).tell_all(), request
        return answers

    async def run() -> None:
        async with Remem.open(path) as remem:
            await fill_web(remem, seed)
            memory.put(await remem.storage.read(Snapshot))
            alive = await remem.storage.read(walk, remem, False)
            turn(clock, 60)
            hidden = await remem.storage.read(walk, remem, True)
            await remem.expire()
            swept = await remem.storage.read(walk, remem, False)
            assert hidden == swept != alive

    asyncio.run(run())


def test_no_walk_in_memory_begins_or_ends_at_what_has_expired(path: Path, clock: Clock) -> None:
    memory = GraphMemory()

    def walk(connection: Connection, keys: dict[str, int], uses: Any) -> None:
        assert hide_expired(connection, clock.now, uses)
        walker = Walker(memory, patient=True)
        for depth in (1, 5):
            with pytest.raises(NotFoundError):
                walker.walk(connection, TraversalRequest(keys["m1"], depth=depth)).tell_all()
        assert walker.find_path(connection, keys["m0"], keys["m1"], "sum") is None
        assert walker.find_path(connection, keys["m0"], keys["m2"], "sum") is None
        reached, shares = walker.spread(connection, {keys["m0"]: 1.0})
        assert keys["m1"] not in reached.tolist() and shares.sum() > 0

    async def run() -> None:
        async with Remem.open(path) as remem:
            for number in range(3):
                await remem.store(f"memory {number}", id=f"m{number}", ttl=60 if number == 1 else None)
            await remem.relate("m0", "m1")
            await remem.relate("m1", "m2")
            keys = await remem.storage.read(lambda c: dict(c.execute("SELECT id, key FROM nodes").fetchall()))
            memory.put(await remem.storage.read(Snapshot))
            turn(clock, 60)
            await remem.storage.read(walk, keys, remem.uses)

    asyncio.run(run())


def test_pictures_and_figures_are_at_the_instant_those_after_the_sweep(path: Path, clock: Clock) -> None:
    async def run() -> None:
        async with Remem.open(path) as remem:
            await fill_web(remem, 5)
            alive = await remem.graph_figures()
            turn(clock, 60)
            remem.storage.read_only = True
            before = await remem.neighbourhood(["m0"], depth=2), await remem.graph_figures()
            remem.storage.read_only = False
            assert (await remem.expire()).archived == len(SHORT)
            after = await remem.neighbourhood(["m0"], depth=2), await remem.graph_figures()
            assert before == after
            assert before[1].nodes == alive.nodes - len(SHORT) and before[1].edges < alive.edges
            assert not {node.id for node in before[0].nodes} & set(SHORT)

    asyncio.run(run())
