"""What a call costs does not grow with the store: counted in steps of SQLite's machine, so that no clock decides."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from remem import Remem

if TYPE_CHECKING:
    from sqlite3 import Connection

SMALL, LARGE = 80, 320
STEPS = 10
"""Steps are counted in tens."""
SLACK = 60
"""Tens by which calls may differ for other reasons: how deep a tree of pages is, what work waits at that moment."""


class Counter:
    """Counts the steps of an open store."""

    def __init__(self, remem: Remem) -> None:
        self.steps = 0
        self._remem = remem

    async def count(self, call: Callable[[], Awaitable[object]]) -> int:
        """The steps, in tens, of a call that begins when no other work is left."""
        await self._remem.settle()
        await self._remem.storage.read(self._listen)
        await self._remem.storage.run_outside(self._listen)
        self.steps = 0
        await call()
        return self.steps

    def _listen(self, connection: Connection) -> None:
        connection.set_progress_handler(self._step, STEPS)

    def _step(self) -> int:
        self.steps += 1
        return 0


def write_notes(folder: Path, count: int) -> None:
    """Notes of two sections in a ring, each with a link that waits and a tag of a few."""
    folder.mkdir(parents=True)
    for number in range(count):
        text = (
            f"# Note {number}\n\nThe harbor word{number} is quiet, see [[Note {(number + 1) % count}]]"
            f" and [[Missing {number}]].\n\n## Part {number}\n\nA ferry waits in slot{number}. #tag{number}\n\n- item"
        )
        (folder / f"n{number:05}.md").write_text(text, encoding="utf-8")


async def measure(place: Path, count: int) -> dict[str, int]:
    """The steps of each kind of call on a store of so many notes."""
    write_notes(place / "notes", count)
    async with Remem.open(place / "notes.db") as remem:
        remem.storage._max_readers = 1  # so that every read is counted
        await remem.compile(place / "notes")
        facts = [(await remem.store(f"Fact {n}: boat{n} sails to port{n}")).id for n in range(count // 8)]
        notes = [(await remem.show(f"Note {number}", budget=60)).items[0].node.id for number in (30, 40)]
        one, two = notes
        await remem.settle()
        await remem.graph.build()
        await remem.related(one, depth=2)
        counter = Counter(remem)
        calls: dict[str, Callable[[], Awaitable[object]]] = {
            "get": lambda: remem.get(one),
            "show": lambda: remem.show(one, budget=500),
            "show by name": lambda: remem.show("Note 33"),
            "tree": lambda: remem.tree(one, budget=500),
            "related": lambda: remem.related(one, depth=2, budget=500),
            "path": lambda: remem.path(one, two),
            "connections": lambda: remem.connections(node=one),
            "history": lambda: remem.history(one),
            "search": lambda: remem.search("word30 slot30", mode="keyword", limit=1, tags=["tag30"]),
            "relate": lambda: remem.relate(one, two),
            "relate to what waits": lambda: remem.relate(one, target_label="Nowhere at all"),
            "unrelate": lambda: remem.unrelate(one, two),
            "store": lambda: remem.store("Cranes stand on the northern quay", source="talk"),
            "store the same": lambda: remem.store("Fact 3: boat3 sails to port3"),
            "update": lambda: remem.update(facts[4], content="Boat four is repaired"),
            "forget": lambda: remem.forget(facts[5]),
            "unarchive": lambda: remem.unarchive(facts[5]),
            "pin": lambda: remem.pin(two),
            "write": lambda: remem.write("A boat came in.", parent=two),
        }
        return {name: await counter.count(call) for name, call in calls.items()}


@pytest.fixture(scope="module")
def costs(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, int], dict[str, int]]:
    place = tmp_path_factory.mktemp("growth")
    return asyncio.run(measure(place / "small", SMALL)), asyncio.run(measure(place / "large", LARGE))


NAMES = (
    "get", "show", "show by name", "tree", "related", "path", "connections", "history", "search", "relate",
    "relate to what waits", "unrelate", "store", "store the same", "update", "forget", "unarchive", "pin", "write",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_call_costs_the_same_in_a_store_four_times_as_large(
    costs: tuple[dict[str, int], dict[str, int]], name: str
) -> None:
    small, large = costs
    assert set(small) == set(NAMES)
    assert large[name] <= 1.3 * small[name] + SLACK
