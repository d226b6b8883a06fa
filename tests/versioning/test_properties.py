"""Whatever happens to notes and memories: every snapshot can be read, compared and returned to as it was recorded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import ConflictError, NotFoundError, RememError
from tests.versioning.vault import Record, find_newest, list_faults, read_state, read_trees, record
from tests.writing.describe import describe, describe_fresh, differences
from tests.writing.vaults import edit_vault, make_line, make_vault

LONG = bool(os.environ.get("REMEM_LONG"))
EXAMPLES, STEPS = (200, 24) if LONG else (5, 9)
SEEDS = st.integers(0, 2**32 - 1)


class Player:
    """Does random things to a store, and records what it is after each snapshot."""

    def __init__(self, folder: Path, remem: RememSync, chance: Random, *, edits: bool = False) -> None:
        self.folder, self.remem, self.chance = folder, remem, chance
        self.vault = folder / "vault"
        self.vault.mkdir()
        self.records: dict[int, Record] = {0: Record(state="0" * 32)}
        self.edits = edits
        self.memories = [f"m{number}" for number in range(4)]
        make_vault(self.vault, chance)

    def play(self) -> str:
        event = self.chance.random()
        if event < 0.45:
            told = ", ".join(edit_vault(self.vault, self.chance) for _ in range(self.chance.randint(1, 3)))
            self.remem.compile(self.vault)
        elif event < 0.6 and self.edits:
            told = self.edit_note()
        elif event < 0.8:
            told = self.touch_memory(self.chance.choice(self.memories))
        else:
            to, scope = self.chance.choice(list(self.records)), self.chance.choice(("all", "all", "notes"))
            told = f"rollback {to} {scope}"
            self.roll_back(to, scope)
        self.note(told)
        return told

    def note(self, told: str) -> None:
        newest = find_newest(self.remem)
        now = record(self.remem)
        known = self.records.setdefault(newest, now)
        assert known.state == now.state, told

    def touch_memory(self, id: str) -> str:
        line = f"{id} {make_line(self.chance)}"
        what = self.chance.choice(("store", "update", "forget", "unarchive", "delete", "tag"))
        calls: dict[str, Callable[[], object]] = {
            "store": lambda: self.remem.store(line, id=id),
            "update": lambda: self.remem.update(id, content=f"# Title {id}\n\n{line}"),
            "forget": lambda: self.remem.forget(id),
            "unarchive": lambda: self.remem.unarchive(id),
            "delete": lambda: self.remem.forget(id, hard=True),
            "tag": lambda: self.remem.update(id, tags=[self.chance.choice("xyz")]),
        }
        try:
            calls[what]()
        except (NotFoundError, ConflictError):
            return f"{what} {id} in vain"
        return f"{what} {id}"

    def edit_note(self) -> str:
        """Has a call change some node of a note."""
        nodes = [node for node in self.remem.export().nodes if node.root]
        if not nodes:
            return "no note"
        id, line = self.chance.choice(nodes).id, make_line(self.chance)
        calls: dict[str, Callable[[], object]] = {
            "write": lambda: self.remem.write(line, id),
            "append": lambda: self.remem.write(f"## {line[:20]}\n\n{line}", parent=id),
            "summarise": lambda: self.remem.summarise(id, line),
            "forget": lambda: self.remem.forget(id, self.chance.choice(("strict", "cascade", "reparent"))),
        }
        what = self.chance.choice(list(calls))
        try:
            calls[what]()
        except RememError as error:
            return f"{what} {id} in vain: {error}"
        return f"{what} {id}"

    def roll_back(self, to: int, scope: str) -> None:
        before, state = find_newest(self.remem), read_state(self.remem)
        seen = self.remem.rollback(to, scope, dry_run=True)
        assert (find_newest(self.remem), seen.snapshot) == (before, None)
        done = self.remem.rollback(to, scope)
        assert done.changes == seen.changes
        if scope == "all":
            assert read_state(self.remem) == self.records[to].state
        assert self.remem.compile(self.vault).snapshot is None
        self.note(f"rollback {to} {scope}")
        if self.chance.random() < 0.5:
            self.remem.rollback(before, scope)
            assert read_state(self.remem) == state


def play(folder: Path, remem: RememSync, seed: int, *, edits: bool) -> list[str]:
    """Plays a game, and looks through all its snapshots; what happened."""
    chance = Random(seed)
    player = Player(folder, remem, chance, edits=edits)
    remem.compile(player.vault)
    player.note("compile")
    told = [player.play() for _ in range(STEPS)]
    assert list_faults(remem) == [], told
    for snapshot, was in player.records.items():
        check_past(remem, snapshot, was, told)
    for _ in range(6):
        a, b = chance.choice(list(player.records)), chance.choice(list(player.records))
        check_diff(remem, a, b, player.records, told)
    return told


@settings(max_examples=EXAMPLES)
@given(SEEDS)
def test_every_snapshot_can_be_returned_to_where_calls_change_notes(seed: int) -> None:
    with TemporaryDirectory() as folder, Remem.open_sync(Path(folder) / "store.db") as remem:
        play(Path(folder), remem, seed, edits=True)


@settings(max_examples=EXAMPLES)
@given(SEEDS)
def test_every_snapshot_can_be_read_and_returned_to(seed: int) -> None:
    with TemporaryDirectory() as folder, Remem.open_sync(Path(folder) / "store.db") as remem:
        told = play(Path(folder), remem, seed, edits=False)
        fresh = Path(folder) / "fresh"
        fresh.mkdir()
        store = Path(folder) / "store.db"
        assert differences(describe(store), describe_fresh(store, fresh)) == [], told


def check_past(remem: RememSync, snapshot: int, was: Record, told: list[str]) -> None:
    """The index, the texts and the tags of a snapshot are those that were recorded."""
    assert read_trees(remem, snapshot) == was.trees, (snapshot, told)
    assert {change.id: change.after for change in remem.diff(0, snapshot)} == was.texts, (snapshot, told)
    for id in list(was.texts)[:3]:
        node = remem.show(id, as_of=snapshot)[0].node
        assert (node.content, node.tags) == (was.texts[id], was.tags[id]), (snapshot, told)


def check_diff(remem: RememSync, a: int, b: int, records: dict[int, Record], told: list[str]) -> None:
    """A diff tells each node that changed, as it changed, and no other."""
    old, new = records[a], records[b]
    changes = {change.id: change for change in remem.diff(a, b)}
    before, after = old.lines, new.lines
    for id in before.keys() | after.keys():
        op = changes[id].op if id in changes else None
        if id not in before or id not in after:
            assert op == ("rem" if id in before else "add"), (a, b, id, told)
        elif (before[id][1:3], old.texts[id], old.tags[id]) != (after[id][1:3], new.texts[id], new.tags[id]):
            assert op == "mod", (a, b, id, told)
        else:
            assert op in (None, "move"), (a, b, id, told)
            assert op == "move" or before[id].parent == after[id].parent, (a, b, id, told)
    assert changes.keys() <= before.keys() | after.keys(), (a, b, told)
    check_order(old, new, set(changes), (a, b, told))
    for change in changes.values():
        assert (change.before, change.after) == (old.texts.get(change.id), new.texts.get(change.id))


def check_order(old: Record, new: Record, changed: set[str], told: object) -> None:
    """What a diff does not tell stands in the same order among the children of the same node."""
    orders = []
    for was in (old, new):
        children: dict[str | None, list[str]] = {}
        for tree in was.trees.values():
            for line in tree[1:]:
                if line.id not in changed and line.id in old.lines and line.id in new.lines:
                    children.setdefault(line.parent, []).append(line.id)
        orders.append(children)
    assert orders[0] == orders[1], told
