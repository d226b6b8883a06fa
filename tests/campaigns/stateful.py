"""Anything that class Remem can do, in any order, as a state machine: after each step the store is sound, its graph is
that of `fresh(store)`, and both engines of traversal agree. A call that is refused changes nothing.

The long form: `python -m tests.campaigns.stateful --examples 200 --steps 40 --seed 1`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, note, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import RememError
from remem.records import RELATIONSHIP_TYPES, Node
from tests.campaigns.comparing import Follower, FreshStore, list_faults, show_few
from tests.campaigns.files import Clerk
from tests.campaigns.imprint import take_imprint
from tests.usage.clock import Clock
from tests.writing.vaults import make_block, make_line

SEEDS = st.integers(0, 2**20)
ROOTS = ("notes", "other")
MODES = ("strict", "cascade", "reparent")
SECOND = 1 / 86_400
CONFIG = """
[embedding]
provider = "hashing"
notes = true

[connections]
auto_discovery_threshold = 0.6

[compile]
max_node_tokens = {tokens}
"""


class StoreMachine(RuleBasedStateMachine):
    """One store, two folders of notes, and a clock."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.clock = Clock()
        self.patch.setattr(time, "time_ns", lambda: self.clock.now * 1_000_000)
        self.place = TemporaryDirectory()
        self.folder = Path(self.place.name)
        self.path, self.config = self.folder / "store.db", self.folder / "settings.toml"
        self.config.write_text(CONFIG.format(tokens=512), encoding="utf-8")
        self.clerks = {name: Clerk(self.folder / name) for name in ROOTS}
        for clerk in self.clerks.values():
            clerk.folder.mkdir()
        self.pages: dict[tuple[str, str], bytes] = {}
        self.remem = self.open()
        self.follower = Follower(self.path)
        self.rounds = 0
        self.refusals = 0

    def open(self) -> RememSync:
        """The store, opened with the configuration that stands."""
        return Remem.open_sync(self.path, config=self.config)

    def teardown(self) -> None:
        """Closes and removes everything."""
        self.follower.close()
        self.remem.close()
        self.patch.undo()
        self.place.cleanup()

    # --- what is asked of the store ----------------------------------------------------------------------------------

    def nodes(self, kinds: tuple[str, ...] = (), notes: bool = False) -> list[Node]:
        """Nodes that live."""
        nodes = self.remem.export().nodes
        return [node for node in nodes if (not kinds or node.kind in kinds) and (node.root or not notes)]

    def choose(self, chance: Random, nodes: list[Node]) -> str:
        """The id of one of the nodes, or one that nothing has."""
        return chance.choice(nodes).id if nodes and chance.random() < 0.97 else "nothing"

    def choose_memory(self, chance: Random) -> str:
        """The id of a memory that lives or is archived."""
        found = [*self.remem.memories(200), *self.remem.memories(200, archived=True)]
        return chance.choice(found).id if found else "nothing"

    def try_call(self, told: str, call: Callable[[], object]) -> None:
        """Makes a call; one that is refused changes nothing."""
        note(told)
        before = take_imprint(self.path)
        try:
            call()
        except RememError as error:
            note(f"  refused: {error}")
            self.refusals += 1
            assert take_imprint(self.path).tell_changes(before) == set(), (told, error)
        self.check()

    def check(self) -> None:
        """What holds after each step."""
        self.remem.settle()
        faults = list_faults(self.remem)
        assert not faults, show_few(faults)
        self.rounds += 1
        fresh = FreshStore(self.remem, self.path, self.folder / f"fresh{self.rounds}", self.pages)
        differences = fresh.find_differences(self.config) + self.follower.find_differences()
        assert not differences, show_few(differences)

    # --- notes -------------------------------------------------------------------------------------------------------

    @initialize(number=SEEDS)
    def begin(self, number: int) -> None:
        """A few files to begin with."""
        self.edit_files(number, "notes", 4)

    @rule(number=SEEDS, root=st.sampled_from(ROOTS), events=st.integers(1, 4))
    def edit_files(self, number: int, root: str, events: int) -> None:
        """Files are created, edited, renamed, swapped, moved, deleted, and compiled."""
        chance = Random(number)
        told = [self.clerks[root].disturb(chance) for _ in range(events)]
        note(f"{root}: {', '.join(told)}")
        self.compile(root)
        self.check()

    @rule(number=SEEDS)
    def move_file(self, number: int) -> None:
        """A file goes from one root to the other."""
        chance = Random(number)
        start, end = chance.sample(ROOTS, 2)
        files = sorted(path for path in self.clerks[start].folder.rglob("*") if path.is_file())
        if not files:
            return
        path = chance.choice(files)
        target = self.clerks[end].folder / path.name
        note(f"{path.relative_to(self.folder)} to {end}")
        target.unlink(missing_ok=True)
        path.rename(target)
        for root in chance.sample(ROOTS, 2):
            self.compile(root)
        self.check()

    def compile(self, root: str) -> None:
        """Compiles a root; the second time nothing changes."""
        self.remem.compile(self.clerks[root].folder, prune=True)
        again = self.remem.compile(self.clerks[root].folder)
        assert (again.snapshot, again.files_added, again.files_changed, again.files_removed) == (None, 0, 0, 0)
        folder = self.clerks[root].folder
        self.pages = {place: data for place, data in self.pages.items() if place[0] != root}
        for path in folder.rglob("*.html"):
            self.pages[root, path.relative_to(folder).as_posix()] = path.read_bytes()

    @rule(root=st.sampled_from(ROOTS))
    def drop(self, root: str) -> None:
        """A root leaves the store; its files stay."""
        self.try_call(f"drop {root}", lambda: self.remem.drop(root))

    @rule(number=SEEDS)
    def write_note(self, number: int) -> None:
        """A call writes into a note, below it, or instead of it."""
        chance = Random(number)
        payload = "\n\n".join(make_block(chance) for _ in range(chance.randint(1, 3)))
        id = self.choose(chance, self.nodes())
        where: dict[str, Any] = chance.choice(({"anchor": id}, {"anchor": id}, {"parent": id}, {}))
        self.try_call(f"write {where} {payload!r}", lambda: self.remem.write(payload, **where))

    @rule(number=SEEDS)
    def summarise(self, number: int) -> None:
        """A call puts a summary in the place of a section."""
        chance = Random(number)
        id, text = self.choose(chance, self.nodes()), make_line(chance)
        self.try_call(f"summarise {id} {text!r}", lambda: self.remem.summarise(id, text))

    @rule(number=SEEDS, mode=st.sampled_from(MODES))
    def forget_node(self, number: int, mode: str) -> None:
        """A call takes a node out."""
        id = self.choose(Random(number), self.nodes(notes=True))
        self.try_call(f"forget {id} {mode}", lambda: self.remem.forget(id, mode))  # type: ignore[arg-type]

    # --- memories ----------------------------------------------------------------------------------------------------

    @rule(number=SEEDS, ttl=st.sampled_from((None, None, 5, 500)), entities=st.booleans())
    def store(self, number: int, ttl: float | None, entities: bool) -> None:
        """A memory, perhaps with entities."""
        chance = Random(number)
        content = chance.choice(("", "# Costs\n\n", "# River Plan\n\n")) + make_line(chance)
        given: dict[str, Any] = {"tags": chance.choice(([], ["x"])), "source": chance.choice(("", "chat")), "ttl": ttl}
        if entities:
            names = [{"name": chance.choice(("Ada", "Plan", "Costs")), "type": chance.choice(("", "person"))}]
            links = [{"source": "Ada", "target": "Plan"}]
            given["graph_extraction"] = {"entities": names, "relationships": links}
        id = f"m{chance.randrange(8)}"
        self.try_call(f"store {id} {content!r} {given}", lambda: self.remem.store(content, id=id, **given))

    @rule(number=SEEDS)
    def update(self, number: int) -> None:
        """A memory says something else, or lives otherwise."""
        chance = Random(number)
        id = self.choose_memory(chance)
        changes: tuple[dict[str, object], ...] = (
            {"content": make_line(chance)}, {"tags": ["y"]}, {"ttl": 9}, {"source": "chat"}, {"importance": 0.9},
        )  # fmt: skip
        fields = chance.choice(changes)
        self.try_call(f"update {id} {fields}", lambda: self.remem.update(id, **fields))

    @rule(number=SEEDS, what=st.sampled_from(("archive", "remove", "unarchive", "promote", "pin", "unpin", "get")))
    def touch(self, number: int, what: str) -> None:
        """The life of a memory."""
        id = self.choose_memory(Random(number))
        calls: dict[str, Callable[[], object]] = {
            "archive": lambda: self.remem.forget(id),
            "remove": lambda: self.remem.forget(id, hard=True),
            "unarchive": lambda: self.remem.unarchive(id),
            "promote": lambda: self.remem.promote(id),
            "pin": lambda: self.remem.pin(id),
            "unpin": lambda: self.remem.unpin(id),
            "get": lambda: self.remem.get(id),
        }
        self.try_call(f"{what} {id}", calls[what])

    @rule(seconds=st.sampled_from((1, 6, 600)), sweep=st.booleans())
    def turn_clock(self, seconds: float, sweep: bool) -> None:
        """Time goes by."""
        note(f"{seconds} s later")
        self.clock.turn(seconds * SECOND)
        if sweep:
            self.remem.expire()
        self.check()

    # --- edges -------------------------------------------------------------------------------------------------------

    @rule(number=SEEDS, by_label=st.booleans())
    def relate(self, number: int, by_label: bool) -> None:
        """An edge to a node, or to a label that may wait."""
        chance, nodes = Random(number), self.nodes()
        source, target, type = self.choose(chance, nodes), self.choose(chance, nodes), chance.choice(RELATIONSHIP_TYPES)
        weight = chance.choice((0, 0.5, 1, 7))
        if by_label:
            label = chance.choice(("Costs", "Nope", "a#Light", "Ada", "plan.md", "y/z/c"))
            call = lambda: self.remem.relate(source, target_label=label, type=type, weight=weight)  # noqa: E731
            self.try_call(f"relate {source} to the label {label}", call)
        else:
            self.try_call(
                f"relate {source} {target}", lambda: self.remem.relate(source, target, type=type, weight=weight)
            )

    @rule(number=SEEDS, change=st.sampled_from(("unrelate", "disconnect", "reconnect")))
    def change_edge(self, number: int, change: str) -> None:
        """An edge of any origin is removed or altered."""
        chance, edges = Random(number), self.remem.export().edges
        if not edges:
            return
        edge = chance.choice(edges)
        ends, type = (edge.source_id, edge.target_id), edge.relationship_type
        calls: dict[str, Callable[[], object]] = {
            "unrelate": lambda: self.remem.unrelate(*ends, type=type),
            "disconnect": lambda: self.remem.disconnect(*ends),
            "reconnect": lambda: self.remem.reconnect(*ends, type, type="supports", strength=0.3),
        }
        self.try_call(f"{change} {edge.origin} {ends} {type}", calls[change])

    # --- the store ---------------------------------------------------------------------------------------------------

    @rule(number=SEEDS)
    def roll_back(self, number: int) -> None:
        """The store, or a part of it, becomes what it was."""
        chance = Random(number)
        newest = len(self.remem.snapshots(200))
        to = chance.randint(0, newest)
        scope = chance.choice(("notes", "all", "all", "notes/", self.choose(chance, self.nodes())))
        self.try_call(f"rollback {to} {scope}", lambda: self.remem.rollback(to, scope))

    @rule(number=SEEDS)
    def purge(self, number: int) -> None:
        """Old texts go for good."""
        chance = Random(number)
        if chance.random() < 0.5:
            snapshot = chance.randint(0, len(self.remem.snapshots(200)))
            self.try_call(f"purge up to {snapshot}", lambda: self.remem.purge(snapshot=snapshot))
        else:
            id = self.choose(chance, self.nodes())
            self.try_call(f"purge {id}", lambda: self.remem.purge(node=id))

    @rule(tokens=st.sampled_from((512, 512, 64)))
    def reopen(self, tokens: int) -> None:
        """The store is closed and opened again, perhaps with another limit to the size of nodes."""
        note(f"reopen with {tokens}")
        self.remem.close()
        self.config.write_text(CONFIG.format(tokens=tokens), encoding="utf-8")
        self.remem = self.open()
        for root in ROOTS:
            self.compile(root)
        self.check()

    @precondition(lambda self: self.rounds % 3 == 0)
    @rule()
    def fix(self) -> None:
        """The doctor mends a store that is sound: nothing changes."""
        note("fix")
        before = take_imprint(self.path), self.remem.export()
        report = self.remem.doctor(fix=True)
        assert report.healthy and report.fixed == 0
        assert (take_imprint(self.path), self.remem.export()) == before
        self.check()


def play(examples: int, steps: int, number: int | None = None, shrink: bool = False) -> None:
    """Runs the machine; without a number the same way every time. Raises AssertionError for what does not hold."""
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    rules = settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=number is None,
        database=None,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )
    machine = StoreMachine if number is None else seed(number)(StoreMachine)
    run_state_machine_as_test(machine, settings=rules)


def main() -> None:
    """Plays the long form."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shrink", action="store_true")
    options = parser.parse_args()
    play(options.examples, options.steps, options.seed, options.shrink)
    print(f"{options.examples} examples of up to {options.steps} steps: nothing found", file=sys.stdout)


if __name__ == "__main__":
    main()
