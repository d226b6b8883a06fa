"""Whatever happens to a folder, the store is what a new store of the same texts would be, and nobody's manual edges are
lost."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from tests.writing.describe import connect, describe, describe_fresh, differences
from tests.writing.vaults import edit_vault, list_notes, make_vault

STEPS = 7
SEEDS = range(8)


def relate_at_random(remem: RememSync, chance: Random) -> int:
    """Relates up to three pairs of nodes and two unwritten labels; returns how many relations there are."""
    ids = [line.id for line in remem.tree(depth=9)]
    made = set()
    for _ in range(min(3, len(ids) - 1)):
        source, target = chance.sample(ids, 2)
        remem.relate(source, target, type="caused_by", weight=chance.choice((0.5, 2, 7)))
        made.add((source, target))
    for label in ("Nope", "Costs#Nowhere else"):
        remem.relate(ids[0], target_label=label)
        made.add((ids[0], label))
    return len(made)


def count_relations(path: Path) -> int:
    """Relations as they were asked for, whether they stand as edges or wait (the doctor checks that they do)."""
    connection = connect(path)
    try:
        return int(connection.execute("SELECT count(*) FROM relations").fetchone()[0])
    finally:
        connection.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_store_equals_a_fresh_one_after_every_change(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    vault = tmp_path / "vault"
    make_vault(vault, chance)
    with Remem.open_sync(tmp_path / "store.db") as remem:
        remem.compile(vault)
        relations = relate_at_random(remem, chance)
        for step in range(STEPS):
            events = [edit_vault(vault, chance) for _ in range(chance.randint(1, 3))]
            remem.compile(vault)
            again = remem.compile(vault)
            assert (again.snapshot, again.files_added, again.files_changed) == (None, 0, 0)
            fresh = tmp_path / f"fresh{step}"
            fresh.mkdir()
            assert differences(describe(tmp_path / "store.db"), describe_fresh(tmp_path / "store.db", fresh)) == [], (
                events
            )
            assert_exported(vault, fresh / "texts" / "vault")
            assert [finding for finding in remem.doctor().findings if finding.fault] == [], events
            assert count_relations(tmp_path / "store.db") == relations, events


def assert_exported(vault: Path, exported: Path) -> None:
    """The export is the vault, byte for byte."""
    texts = {path.relative_to(vault): path.read_bytes() for path in list_notes(vault)}
    assert {path.relative_to(exported): path.read_bytes() for path in list_notes(exported)} == texts


@pytest.mark.parametrize("seed", range(3))
def test_manual_edges_come_back_with_their_notes(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    vault, away = tmp_path / "vault", tmp_path / "away"
    make_vault(vault, chance)
    with Remem.open_sync(tmp_path / "store.db") as remem:
        remem.compile(vault)
        relate_at_random(remem, chance)
        before = remem.export()
        vault.rename(away)
        vault.mkdir()
        remem.compile(vault, prune=True)
        assert remem.export().edges == ()
        vault.rmdir()
        away.rename(vault)
        remem.compile(vault)
        after = remem.export()
    assert [node.id for node in after.nodes] == [node.id for node in before.nodes]
    assert [edge for edge in after.edges if edge.origin == "manual"] == [
        edge for edge in before.edges if edge.origin == "manual"
    ]
