"""The crash campaign: processes that change one store are killed with kill -9 at random instants; after each the store
is opened and judged.

`python -m tests.campaigns.crashes --rounds 200 --seed 0` runs the long form in a folder that it removes, and prints
how often each kind of call was cut off, and how often what was cut off stood in the store.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import ClassVar

from remem import Remem
from remem.engine.sync import RememSync
from remem.storage import migrate
from tests.campaigns.actor import BEFORE_AIM
from tests.campaigns.deeds import CHANGES, DEEDS, EDITS, PREPARES
from tests.campaigns.fresh import find_differences
from tests.campaigns.imprint import Imprint, count_rows, take_imprint
from tests.campaigns.killing import SETTINGS, Line, choose_delay, run_killed
from tests.campaigns.old_stores import OLD
from tests.usage.clock import look
from tests.writing.vaults import make_vault

WORLD = '[embedding]\nprovider = "{}"\n[compile]\nslice_bytes = 3000\n[storage]\nsynchronous = "normal"\n'
"""Small slices, so that a compile takes many transactions; no waits for the disk, since no power is cut here."""
OLD_VERSION = 7
GENERATION = 18
"""After so many rounds the campaign goes on with a new store."""
EARLY = 0.1
"""The share of rounds that are killed while the store is being opened."""
TELLING = 40
"""Texts of so many characters do not come up twice by chance."""
COUNT_UNFINISHED = "SELECT count(*) FROM snapshots WHERE finished = 0"
FORGET_CLAIMS = "DELETE FROM claims"


class World:
    """One store with its folder of notes, from its first round to its last."""

    usual: ClassVar[dict[str, float]] = {}
    """How long each deed took last, in seconds."""

    def __init__(self, place: Path, seed: int, *, edits: bool, embedder: str) -> None:
        """With `edits`, notes are changed by calls and rolled back too; without, the store must be what a compile of
        its texts gives."""
        self.place = place
        self.chance = Random(seed)
        self.store, self.vault = place / "store.db", place / "vault"
        self.edits = edits
        self.deeds = [name for name in DEEDS if edits or name not in EDITS]
        self.cut: Counter[str] = Counter()
        self.whole: Counter[str] = Counter()
        self._secrets: list[str] = []
        self._rounds = 0
        make_vault(self.vault, self.chance)
        (place / SETTINGS).write_text(WORLD.format(embedder), encoding="utf-8")
        with self._open() as remem:
            remem.compile(self.vault)
            self._left = take_imprint(self.store)

    def _open(self) -> RememSync:
        return Remem.open_sync(self.store, config=self.place / SETTINGS)

    def play_round(self, aim: str) -> None:
        """Has a process act until it is killed in or after the deed `aim`, and judges what it left."""
        self._rounds += 1
        chance, early = self.chance, self.chance.random() < EARLY
        words = [str(self.store), str(self.vault), f"r{self._rounds}", str(chance.randrange(10**9)), aim]
        said = run_killed(
            ["tests.campaigns.actor", *words, *self.deeds],
            (lambda line: line["say"] == "start") if early else _reach(BEFORE_AIM + 1),
            chance.uniform(0, 0.2) if early else choose_delay(chance, self.usual.get(aim, 0.05)),
        )
        self.judge(said)

    def judge(self, said: list[Line]) -> None:
        """What a killed process left: all that it had been told was done, nothing by half, and a store that goes on."""
        self.usual.update((line["deed"], line["took"]) for line in said if line["say"] == "done")
        with self._open() as remem:
            assert_sound(remem, said)
            self._judge_last(remem, said)
            self._go_on(remem, said)
            self._left = take_imprint(self.store)
        self._secrets += [line["intent"]["secret"] for line in find_done(said) if "secret" in line["intent"]]
        self._find_secrets()

    def _judge_last(self, remem: RememSync, said: list[Line]) -> None:
        told = [Imprint(*line["imprint"]) for line in said if "imprint" in line]
        before, last = told[-1] if told else self._left, said[-1]
        changed = before.tell_changes(take_imprint(self.store))
        if last["say"] == "begin":
            deed = last["deed"]
            self.cut[deed] += 1
            self.whole[deed] += bool(changed)
            assert changed <= CHANGES.get(deed, set(Imprint._fields)), (last, changed)
            if changed:
                assert None not in remem.get_batch(last["intent"].get("ids", [])), last
                state = remem.snapshots(limit=1)[0].state_hash
                assert last["intent"].get("state", state) == state, last
        else:
            assert changed <= PREPARES.get(last.get("deed", ""), set()), (last, changed)

    def _go_on(self, remem: RememSync, said: list[Line]) -> None:
        before = find_telling(remem)
        remem.compile(self.vault, prune=True)
        assert count_rows(self.store, COUNT_UNFINISHED) == 0
        after = find_telling(remem)
        assert {text: after.get(text, id) for text, id in before.items()} == before, said[-1]
        again = remem.compile(self.vault)
        assert (again.snapshot, again.files_added, again.files_changed, again.files_removed) == (None, 0, 0, 0), again
        assert_sound(remem, said)

    def _find_secrets(self) -> None:
        for path in self.store.parent.glob("store.db*"):
            held = path.read_bytes()
            assert not [secret for secret in self._secrets if secret.encode() in held], path

    def end(self) -> None:
        """Does what is owed, as a process does to which the claim of the last one has fallen."""
        look(self.store, FORGET_CLAIMS)
        with self._open() as remem:
            state = remem.settle()
            assert (state.embed, state.discover, state.mentions) == (0, 0, 0), state
            assert_sound(remem, [])
        if not self.edits:
            assert find_differences(self.store, self.place / "fresh") == []


def _reach(count: int) -> Callable[[Line], bool]:
    """Passes at the line with which the deed of that number begins."""
    seen = 0

    def look(line: Line) -> bool:
        nonlocal seen
        seen += int(line["say"] == "begin")
        return seen >= count

    return look


def find_done(said: list[Line]) -> list[Line]:
    """The lines with which acknowledged deeds had begun."""
    done, begun = [], None
    for line in said:
        if line["say"] == "begin":
            begun = line
        elif line["say"] == "done" and begun is not None and not line["refused"]:
            done.append(begun)
    return done


def find_telling(remem: RememSync) -> dict[str, str]:
    """Ids of nodes of notes by texts that come up once."""
    nodes = [node for node in remem.export().nodes if node.source and len(node.content) >= TELLING]
    counts = Counter(node.content for node in nodes)
    return {node.content: node.id for node in nodes if counts[node.content] == 1}


def assert_sound(remem: RememSync, said: list[Line]) -> None:
    """The doctor finds no fault."""
    faults = [finding for finding in remem.doctor().findings if finding.fault]
    assert not faults, (faults, said[-1:])


# --- whole stores -----------------------------------------------------------------------------------------------------


def kill_migration(place: Path, chance: Random) -> None:
    """Kills a process that brings old stores up to date. Each is of the old version or of the new one, with all that
    was in it, and comes up at the next opening; the copies beside them are whole."""
    turn, reference = chance.randint(1, 4), place / "reference.db"
    shutil.copy(OLD, reference)
    with Remem.open_sync(reference):
        wanted = take_imprint(reference)
    said = run_killed(
        ["tests.campaigns.mover", "migrate", place],
        lambda line: line == {"say": "begin", "turn": turn},
        chance.choice((chance.uniform(0, 0.02), chance.uniform(0, 0.1))),
    )
    for line in said:
        if line["say"] == "begin":
            store = place / f"{line['turn']}.db"
            if {"say": "done", "turn": line["turn"]} in said:
                assert migrate.inspect(str(store)) == migrate.get_newest()
            assert migrate.inspect(str(store)) in (OLD_VERSION, migrate.get_newest())
            with Remem.open_sync(store) as remem:
                assert_sound(remem, said)
                assert take_imprint(store) == wanted
    for copy in place.glob("*.db.backup-*Z"):
        assert migrate.inspect(str(copy)) == OLD_VERSION and take_imprint(copy).notes == wanted.notes


def kill_restore(place: Path, chance: Random) -> None:
    """Kills a process that puts two backups in the place of a store by turns: it is always one of them, whole."""
    store, backups = place / "store.db", [place / f"backup{number}.db" for number in range(2)]
    wanted = []
    for number, backup in enumerate((store, *backups)):
        with Remem.open_sync(backup) as remem:
            remem.store_batch([f"{number} {n} " + "x" * 2000 for n in range(60)])
        wanted.append(take_imprint(backup))
    turn = chance.randint(0, 5)
    said = run_killed(
        ["tests.campaigns.mover", "restore", store, *backups],
        lambda line: line == {"say": "begin", "turn": turn},
        chance.choice((chance.uniform(0, 0.02), chance.uniform(0, 0.1))),
    )
    with Remem.open_sync(store) as remem:
        assert_sound(remem, said)
    kept, last = take_imprint(store), said[-1]
    before = wanted[1 + (last["turn"] - 1) % 2] if last["turn"] else wanted[0]
    now = wanted[1 + last["turn"] % 2]
    assert kept == now if last["say"] == "done" else kept in (before, now), said


# --- the long form ----------------------------------------------------------------------------------------------------


def play(place: Path, rounds: int, seed: int, embedder: str = "hashing") -> World:
    """So many rounds on one new store, each aimed at another kind of deed."""
    place.mkdir()
    world = World(place, seed, edits=seed % 2 == 0, embedder=embedder)
    aims = world.chance.sample(world.deeds, len(world.deeds))
    for number in range(rounds):
        world.play_round(aims[number % len(aims)])
    world.end()
    return world


def main() -> None:
    """The long form."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    began, cut, whole = time.monotonic(), Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for number, first in enumerate(range(0, options.rounds, GENERATION)):
            count = min(GENERATION, options.rounds - first)
            # Now and then the embedder that is built in, which takes longer.
            world = play(place / f"g{number}", count, options.seed + number, "minilm" if number % 4 == 3 else "hashing")
            cut, whole = cut + world.cut, whole + world.whole
            for name, kill in (("migrate", kill_migration), ("restore", kill_restore)):
                for turn in range(2):
                    (place / f"{name}{number}-{turn}").mkdir()
                    kill(place / f"{name}{number}-{turn}", Random(options.seed * 1000 + number * 2 + turn))
                    cut[name] += 1
            print(f"{first + count} rounds, {time.monotonic() - began:.0f} s", flush=True)
    for deed in sorted(cut):
        print(f"{deed}: cut off {cut[deed]}, of these committed {whole[deed]}")


if __name__ == "__main__":
    main()
