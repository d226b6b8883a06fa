"""Any sequence of calls leaves what a plain model of it says, in a healthy store."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import ConflictError, NotFoundError
from tests.memories.helpers import count_snapshots, list_found, list_ids, turn
from tests.usage.clock import Clock

STEPS = 40
CONTENTS = ("alpha one", "beta two", "gamma three", "delta four")
SOURCES = ("", "chat")


@dataclass
class Fact:
    """A memory as the model knows it; `expires` None: never."""

    id: str
    content: str
    source: str
    tags: set[str]
    ttl: int | None = None
    expires: int | None = None
    reads: int = 0
    archived: str = ""


@dataclass
class Model:
    """What a store holds, by rules as simple as can be."""

    facts: dict[str, Fact] = field(default_factory=dict)
    snapshots: int = 0

    def sweep(self, now: int) -> None:
        for fact in self.facts.values():
            if not fact.archived and fact.expires is not None and fact.expires <= now:
                if fact.reads >= 3:
                    fact.ttl = fact.expires = None
                else:
                    fact.archived = "expiry"

    def find_same(self, content: str, source: str) -> Fact | None:
        same = [fact for fact in self.facts.values() if (fact.content, fact.source) == (content, source)]
        return next((fact for fact in same if not fact.archived), same[-1] if len(same) == 1 else None)

    def list_living(self) -> set[str]:
        return {fact.id for fact in self.facts.values() if not fact.archived}


class Player:
    """Makes the same random calls on a store and on a model."""

    def __init__(self, remem: RememSync, clock: Clock, chance: Random) -> None:
        self.remem, self.clock, self.chance = remem, clock, chance
        self.model = Model()

    def play(self) -> str:
        names = ("store", "store", "update", "forget", "delete", "unarchive", "promote", "read", "read", "read", "wait")
        name = self.chance.choice(names)
        self.model.sweep(self.clock.now)
        getattr(self, name)()
        return name

    def pick(self) -> Fact | None:
        facts = list(self.model.facts.values())
        return self.chance.choice(facts) if facts else None

    def store(self) -> None:
        content, source = self.chance.choice(CONTENTS), self.chance.choice(SOURCES)
        tags, ttl = {self.chance.choice("xyz")}, self.chance.choice((None, 5, 50))
        known = self.model.find_same(content, source)
        memory = self.remem.store(content, source=source, tags=sorted(tags), ttl=ttl)
        assert memory.existing == (known is not None)
        fact = known or Fact(memory.id, content, source, set(), ttl, reads=0)
        assert memory.id == fact.id
        if fact.archived or not tags <= fact.tags:
            self.model.snapshots += 1
        if known and (known.ttl is None or ttl is None):
            fact.ttl = None
        else:
            fact.ttl = ttl or fact.ttl
        fact.expires = None if fact.ttl is None else self.clock.now + fact.ttl * 1000
        fact.tags |= tags
        fact.archived = ""
        self.model.facts[fact.id] = fact

    def update(self) -> None:
        fact, content = self.pick(), self.chance.choice(CONTENTS)
        if fact is None:
            return
        rivals = [
            other
            for other in self.model.facts.values()
            if other is not fact and not other.archived and (other.content, other.source) == (content, fact.source)
        ]
        try:
            self.remem.update(fact.id, content=content)
        except NotFoundError:
            assert fact.archived
        except ConflictError:
            assert rivals
        else:
            assert not rivals and not fact.archived
            self.model.snapshots += fact.content != content
            fact.content = content

    def forget(self) -> None:
        if (fact := self.pick()) is None:
            return
        try:
            self.remem.forget(fact.id)
        except NotFoundError:
            assert fact.archived
        else:
            assert not fact.archived
            fact.archived = "call"
            self.model.snapshots += 1

    def delete(self) -> None:
        if (fact := self.pick()) is None or self.chance.random() < 0.5:
            return
        self.remem.forget(fact.id, hard=True)
        del self.model.facts[fact.id]
        self.model.snapshots += 1

    def unarchive(self) -> None:
        if (fact := self.pick()) is None:
            return
        same = self.model.find_same(fact.content, fact.source)
        try:
            self.remem.unarchive(fact.id)
        except ConflictError:
            assert same is not None and same is not fact
        else:
            if fact.archived:
                self.model.snapshots += 1
                fact.archived = ""
                fact.expires = None if fact.ttl is None else self.clock.now + fact.ttl * 1000

    def promote(self) -> None:
        if (fact := self.pick()) is not None and not fact.archived:
            self.remem.promote(fact.id)
            fact.ttl = fact.expires = None

    def read(self) -> None:
        if (fact := self.pick()) is None:
            return
        try:
            self.remem.get(fact.id)
        except NotFoundError:
            assert fact.archived
        else:
            assert not fact.archived
            fact.reads += 1

    def wait(self) -> None:
        turn(self.clock, self.chance.choice((1, 6, 60)))


@pytest.mark.parametrize("seed", range(6))
def test_a_store_is_what_a_model_of_its_calls_says(seed: int, path: Path, clock: Clock) -> None:
    with Remem.open_sync(path) as remem:
        player = Player(remem, clock, Random(seed))
        names = []
        for step in range(STEPS):
            names.append(player.play())
            check(remem, player.model, path, clock, names)
            if step % 10 == 9:
                assert [finding for finding in remem.doctor().findings if finding.fault] == [], names


def check(remem: RememSync, model: Model, path: Path, clock: Clock, names: list[str]) -> None:
    model.sweep(clock.now)
    assert set(list_ids(remem)) == model.list_living(), names
    assert set(list_ids(remem, archived=True)) == model.facts.keys() - model.list_living(), names
    assert count_snapshots(path) == model.snapshots, names
    for memory in remem.memories(200):
        fact = model.facts[memory.id]
        assert (memory.content, set(memory.tags), memory.access_count) == (fact.content, fact.tags, fact.reads), names
        assert memory.expires_at == fact.expires, names
    for content in CONTENTS:
        wanted = {fact.id for fact in model.facts.values() if not fact.archived and fact.content == content}
        assert set(list_found(remem, content.split()[0])) >= wanted, names
    assert time.time_ns() == clock.now * 1_000_000
