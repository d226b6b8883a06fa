"""The version trail of compiles: which calls make a snapshot, and that its changes lead back to what was before."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from remem import Remem
from remem.faces import wire
from remem.ids import text_hash
from remem.storage.sqlite import Connection
from remem.writing.compile import CompileRequest
from tests.cases.vault import Vault
from tests.writing.describe import connect
from tests.writing.vaults import edit_vault, make_vault

Said = tuple[str, str | None, bytes, tuple[str, ...]]
State = tuple[dict[int, Said], dict[int | None, list[int]]]
"""What each node says (kind, label, hash of its content, tags), and the children of each node in order. Its document
follows from that: where a section moves, only its heading is said to have moved."""

SELECT_NODES = """
SELECT key, kind, label, content, parent
FROM nodes
ORDER BY document, position
"""
SELECT_CHANGES = """
SELECT node, op, kind, label, content, parent, previous, tags
FROM changes
WHERE snapshot = ?
"""


def read_state(connection: Connection) -> State:
    said: dict[int, Said] = {}
    children: dict[int | None, list[int]] = {}
    tags: dict[int, list[str]] = {}
    for node, tag in connection.execute("SELECT node, tag FROM tags ORDER BY node, key"):
        tags.setdefault(node, []).append(tag)
    for key, kind, label, content, parent in connection.execute(SELECT_NODES):
        said[key] = (kind, label, text_hash(content), tuple(tags.get(key, ())))
        if parent is not None:
            children.setdefault(parent, []).append(key)
    return said, children


def undo_snapshot(connection: Connection, state: State, snapshot: int) -> State:
    """The state before a snapshot, from the state after it and its changes."""
    said, children = dict(state[0]), {parent: list(found) for parent, found in state[1].items()}
    waiting: list[tuple[int, int | None, int | None]] = []
    for node, op, kind, label, content, parent, previous, tags in connection.execute(SELECT_CHANGES, (snapshot,)):
        for found in children.values():
            if node in found:
                found.remove(node)
        if op == "add":
            del said[node]
            continue
        names = tuple(json.loads(tags)) if tags else ()
        said[node] = (kind, label, content, names)
        if parent is not None:
            waiting.append((node, parent, previous))
    while waiting:
        placed = [one for one in waiting if one[2] is None or one[2] in children.get(one[1], ())]
        assert placed, "a change names a previous sibling that was not there"
        for node, parent, previous in placed:
            found = children.setdefault(parent, [])
            found.insert(found.index(previous) + 1 if previous is not None else 0, node)
            waiting.remove((node, parent, previous))
    return said, {parent: found for parent, found in children.items() if found}


def assert_texts_kept(connection: Connection) -> None:
    """The text before every edit and removal is there, each once."""
    kept = dict(connection.execute("SELECT hash, text FROM contents"))
    assert all(text_hash(text) == hash for hash, text in kept.items())
    wanted = {row[0] for row in connection.execute("SELECT content FROM changes WHERE op IN ('mod', 'rem')")}
    assert wanted <= kept.keys()


@pytest.mark.parametrize("seed", range(20, 30))
def test_changes_lead_back_to_every_earlier_state(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)
    notes = tmp_path / "notes"
    notes.mkdir()
    states: list[State] = [({}, {})]
    connection: Connection | None = None
    with Remem.open_sync(tmp_path / "store.db") as remem:
        connection = connect(tmp_path / "store.db")
        make_vault(notes, chance)
        for _ in range(7):
            report = remem.compile(notes)
            assert report.snapshot in (None, len(states))
            if report.snapshot:
                states.append(read_state(connection))
            for _ in range(chance.randint(1, 4)):
                edit_vault(notes, chance)
        state = states[-1]
        for snapshot in range(len(states) - 1, 0, -1):
            state = undo_snapshot(connection, state, snapshot)
            assert state == states[snapshot - 1], snapshot
        assert_texts_kept(connection)
        connection.close()


def test_every_call_that_changes_nodes_makes_one_snapshot(vault: Vault) -> None:
    assert vault.compile({"a.md": "# A\n\none\n", "b.md": "[[a]]\n"}).snapshot == 1
    vault.remem.relate("a", "b")
    vault.remem.relate("a", target_label="later")
    vault.remem.unrelate("a", "b")
    assert vault.compile({"a.md": "# A\n\n\none\n"}).snapshot is None
    assert vault.compile({"a.md": "# A\n\none more\n", "b.md": None, "c.md": "x\n"}).snapshot == 2
    assert vault.remem.drop("notes").snapshot == 3
    assert vault.remem.stats().snapshots == 3


def write_export(vault: Vault) -> Path:
    """An export of a store of two roots and two memories."""
    vault.compile({"a.md": "# A\n\n[[C]]\n", "b.md": "# B\n"})
    (vault.place / "other").mkdir()
    (vault.place / "other" / "c.md").write_text("# C\n\n[[A]]\n")
    vault.remem.compile(vault.place / "other")
    vault.remem.store("fact of [[B]]", id="m")
    vault.remem.store("another fact")
    vault.remem.relate("A", "m", type="supports")
    path = vault.place / "export.json"
    path.write_bytes(wire.dump_json(wire.show_export(vault.remem.export())))
    return path


def test_an_import_makes_one_snapshot(vault: Vault, tmp_path: Path) -> None:
    path = write_export(vault)
    with Remem.open_sync(tmp_path / "new.db") as remem:
        report = remem.import_file(path)
        assert (report.documents, report.stored, report.edges) == (3, 2, 1)
        (made,) = remem.snapshots()
        assert (made.message, remem.doctor().healthy) == ("import", True)
        assert len(remem.delta(0)) == 10
        remem.import_file(path)
        assert len(remem.snapshots()) == 1
        remem.rollback(0, "all")
        assert list(remem.tree()) == []
        remem.rollback(1, "all")
        assert remem.snapshots(1)[0].state_hash == made.state_hash
        assert remem.doctor().healthy


def test_a_knowledge_graph_that_grew_is_imported_under_one_snapshot(vault: Vault) -> None:
    path = vault.place / "graph.jsonl"
    for said in ("sails", "swims"):
        entities = [{"type": "entity", "name": n, "entityType": "person", "observations": [said]} for n in ("A", "B")]
        path.write_text("\n".join(map(json.dumps, entities)) + "\n")
        vault.remem.import_file(path)
    assert [made.message for made in vault.remem.snapshots()] == ["import 2 memories", "import 2 memories"]
    assert [made.modified for made in vault.remem.snapshots()] == [2, 0]
    assert vault.remem.doctor().healthy


def test_an_import_that_was_cut_off_is_ended_by_the_next(vault: Vault, tmp_path: Path) -> None:
    path = write_export(vault)
    with Remem.open_sync(tmp_path / "new.db") as remem:
        remem._run(remem._remem._compile(CompileRequest(vault.folder, "notes", part_of="import")))
        assert remem.doctor().healthy
        assert [found.message for found in remem.doctor().findings if found.check == "history"] != []
        remem.import_file(path)
        assert [found.message for found in remem.doctor().findings if found.check == "history"] == []
        assert len(remem.snapshots()) == 1
        assert remem.doctor().healthy


def test_equal_states_have_equal_hashes(vault: Vault) -> None:
    files = {"a.md": "# A\n\none #tag\n\ntwo\n", "b.md": "three\n"}
    vault.compile(files)
    vault.compile({"a.md": "# A\n\ntwo\n\none #tag\n", "b.md": None})
    vault.compile(files)
    connection = connect(vault.store)
    hashes = [row[0] for row in connection.execute("SELECT state_hash FROM snapshots ORDER BY id")]
    connection.close()
    assert hashes[0] == hashes[2] != hashes[1]


def test_moved_and_edited_nodes_are_told_apart(vault: Vault) -> None:
    vault.compile({"a.md": "# A\n\nfirst words\n\nsecond words\n\nthird words\n"})
    report = vault.compile({"a.md": "# A\n\nthird words\n\nfirst words\n\nsecond words of it\n"})
    assert (report.added, report.modified, report.moved, report.removed) == (0, 1, 1, 0)
