"""Links in memories and links to them, among notes that come and go."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from tests.memories.helpers import list_edges
from tests.usage.clock import Clock
from tests.writing.describe import describe, describe_fresh, differences
from tests.writing.vaults import edit_vault, make_line, make_note, make_vault


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def test_a_link_in_a_memory_follows_the_notes(remem: RememSync, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    id = remem.store("See [[Deploy]], [[Deploy#Costs; w=3]] and - caused_by [[Deploy]]").id
    assert list_edges(remem) == set()
    write(folder, "Deploy.md", "# Deploy\n\n## Costs\n\ntext\n")
    remem.compile(folder)
    assert {(edge[0], edge[2], edge[4]) for edge in list_edges(remem)} == {
        (id, "references", 1.0),
        (id, "references", 3),
    }
    assert {item.node.label for item in remem.related(id)} == {"Deploy", "Costs"}
    assert [item.node.id for item in remem.related("Deploy", direction="in")] == [id]
    (folder / "Deploy.md").unlink()
    remem.compile(folder)
    assert len(remem.pending()) == 3


def test_a_note_links_to_a_memory_by_title_and_by_id(remem: RememSync, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    write(folder, "a.md", "# A\n\n[[Zebra facts]]\n\n[[mem_abc]]\n\n[[Zebra facts#Part]]\n")
    remem.compile(folder)
    assert len(remem.pending()) == 3
    remem.store("# Zebra facts\n\n## Part", id="mem_abc")
    assert [(edge[1], edge[3]) for edge in list_edges(remem)] == [("mem_abc", "parsed")] * 3
    assert len(remem.pending()) == 1  # a memory has no anchors
    remem.forget("mem_abc")
    assert (list_edges(remem), len(remem.pending())) == (set(), 3)
    remem.unarchive("mem_abc")
    assert len(list_edges(remem)) == 3
    write(folder, "b.md", "# Zebra facts\n")
    remem.compile(folder)
    note = next(node.id for node in remem.export().nodes if node.kind == "heading" and node.label == "Zebra facts")
    assert {edge[1] for edge in list_edges(remem)} == {"mem_abc", note}  # by id it is the memory, by name the note


def test_links_to_itself_are_no_edges(remem: RememSync) -> None:
    remem.store("# Me\n\n[[Me]] [[#Me]] [[self]]", id="self")
    assert list_edges(remem) == set()
    assert [edge.anchor for edge in remem.pending()] == ["Me"]


def test_memories_count_in_every_root(remem: RememSync, tmp_path: Path) -> None:
    memory = remem.store("# Shared")
    for name in ("one", "two"):
        write(tmp_path / name, "a.md", "# A\n\n[[Shared]]\n")
        remem.compile(tmp_path / name)
    assert [edge[1] for edge in list_edges(remem)] == [memory.id] * 2


def make_memory(chance: Random) -> str:
    """A text with headings and links, or a line of words with links."""
    return make_note(chance) or make_line(chance) if chance.random() < 0.4 else make_line(chance)


def change_memories(remem: RememSync, chance: Random, clock: Clock) -> str:
    """One call on memories; what it was."""
    living = [memory.id for memory in remem.memories(200)]
    archived = [memory.id for memory in remem.memories(200, archived=True)]
    event = chance.random()
    if event < 0.4 or not living:
        ttl = chance.choice((None, None, 5.0, 500.0))
        memory = remem.store(make_memory(chance), source=chance.choice(("", "chat")), ttl=ttl)
        return f"store {memory.id}"
    if event < 0.5:
        clock.turn(chance.choice((1, 100)) / 86_400)
        return "time"
    if event < 0.65:
        id = chance.choice(living)
        text = f"{make_memory(chance)} {chance.random()}"
        return f"update {remem.update(id, content=text).id}"
    if event < 0.8 or not archived:
        return f"forget {remem.forget(chance.choice(living), hard=chance.random() < 0.3)}"
    try:
        return f"unarchive {remem.unarchive(chance.choice(archived)).id}"
    except Exception as error:
        return f"no unarchive: {type(error).__name__}"


@pytest.mark.parametrize("seed", range(4))
def test_a_store_with_memories_equals_a_fresh_one(seed: int, tmp_path: Path, clock: Clock) -> None:
    chance = Random(seed)
    vault, path = tmp_path / "vault", tmp_path / "store.db"
    make_vault(vault, chance)
    with Remem.open_sync(path) as remem:
        remem.compile(vault)
        for step in range(6):
            events = [change_memories(remem, chance, clock) for _ in range(chance.randint(1, 5))]
            if chance.random() < 0.6:
                events.append(edit_vault(vault, chance))
                remem.compile(vault)
            remem.expire()
            fresh = tmp_path / f"fresh{step}"
            fresh.mkdir()
            assert differences(describe(path), describe_fresh(path, fresh)) == [], events
            assert [finding for finding in remem.doctor().findings if finding.fault] == [], events
