"""Whatever calls and files do in turn: the store stays sound, ids stay with their content, what calls forgot stays
away, and a compile of unchanged files changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import ConflictError, InvalidInputError
from remem.ingest.parse import parse_source
from remem.records import ForgetMode, Node
from tests.writing.vaults import edit_vault, make_block, make_line, make_vault

SEEDS = range(5)
STEPS = 8
MODES: tuple[ForgetMode, ...] = ("strict", "cascade", "reparent")
TELLING = 40
"""Texts of so many characters do not come up twice by chance."""


def make_payload(chance: Random) -> str:
    return "\n\n".join(make_block(chance) for _ in range(chance.randint(1, 4)))


def edit_note(remem: RememSync, chance: Random, nodes: Sequence[Node]) -> tuple[str, set[str]]:
    """One call at a random node; what it was, and the texts that it forgot."""
    node = chance.choice(nodes)
    event = chance.random()
    if event < 0.35:
        return f"write at {node.id} {node.kind}: {remem.write(make_payload(chance), anchor=node.id)}", set()
    if event < 0.5:
        return f"write below {node.id}: {remem.write(make_payload(chance), parent=node.id)}", set()
    if event < 0.7:
        text = "\n\n".join(make_line(chance) for _ in range(chance.randint(1, 2)))
        return f"summarise {node.id} {node.kind}: {remem.summarise(node.id, text)}", set()
    mode = chance.choice(MODES)
    gone = set(remem.forget(node.id, mode).removed)
    return f"forget {node.id} {node.kind} {mode}", {
        one.content for one in nodes if one.id in gone and node.kind != "document"
    }


def list_notes(remem: RememSync) -> list[Node]:
    return [node for node in remem.export().nodes if node.source]


def read_texts(vault: Path) -> set[str]:
    """What the files of a vault say, node by node."""
    texts = {path: path.read_text(encoding="utf-8") for path in vault.rglob("*.md")}
    return {node.content for path, text in texts.items() for node in parse_source(path.name, text, "markdown").nodes}


def find_moved_ids(before: Sequence[Node], after: Sequence[Node]) -> list[str]:
    """Ids that say something else now although what they said lives on under another id."""
    counts = Counter(node.content for node in before), Counter(node.content for node in after)
    places = {node.content: node.id for node in after}
    now = {node.id: node.content for node in after}
    return [
        node.id
        for node in before
        if len(node.content) >= TELLING
        and counts[0][node.content] == counts[1][node.content] == 1
        and node.id in now
        and now[node.id] != node.content
        and places[node.content] != node.id
    ]


def check_store(remem: RememSync, before: Sequence[Node], events: list[str]) -> list[Node]:
    after = list_notes(remem)
    assert [finding for finding in remem.doctor().findings if finding.fault] == [], events
    assert find_moved_ids(before, after) == [], events
    return after


@pytest.mark.parametrize("seed", SEEDS)
def test_calls_and_files_in_turn_keep_the_store_sound(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    vault = tmp_path / "vault"
    make_vault(vault, chance)
    away: set[str] = set()
    events: list[str] = []
    with Remem.open_sync(tmp_path / "store.db") as remem:
        remem.compile(vault)
        nodes = list_notes(remem)
        for _ in range(STEPS):
            for _ in range(chance.randint(0, 3)):
                if not nodes:
                    break
                try:
                    event, gone = edit_note(remem, chance, nodes)
                except (ConflictError, InvalidInputError) as refused:
                    event, gone = f"refused: {refused}", set()
                events.append(event)
                away |= {text for text in gone if len(text) >= TELLING}
                nodes = check_store(remem, nodes, events)
                away -= {node.content for node in nodes}
                assert remem.compile(vault).snapshot is None, events
            for _ in range(chance.randint(0, 2)):
                events.append(edit_vault(vault, chance))
                away &= read_texts(vault)
            remem.compile(vault)
            nodes = check_store(remem, nodes, events)
            assert away.isdisjoint(node.content for node in nodes), events
            again = remem.compile(vault)
            assert (again.snapshot, again.files_added, again.files_changed) == (None, 0, 0), events
