"""The doctor looks through the history; stores of older versions go on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import RefusedError
from remem.storage.layouts import find_first_known
from remem.storage.sqlite import choose
from tests.guard import guard_hang
from tests.versioning.vault import Vault, list_faults, read_state

TOP = Path(__file__).resolve().parent.parent.parent
DAMAGE = {
    "another text before a change": "UPDATE contents SET text = 'else' WHERE text = 'one two three'",
    "another label": "UPDATE changes SET label = 'Else' WHERE op = 'mod' AND kind = 'memory'",
    "another kind of change": "UPDATE changes SET op = 'mod' WHERE op = 'archive'",
    "a change that is missing": "DELETE FROM changes WHERE op = 'rem' AND kind = 'text'",
    "an addition that is missing": "DELETE FROM changes WHERE op = 'add' AND snapshot = 2",
    "a layout that is missing": "DELETE FROM layouts WHERE snapshot = 3",
    "another state hash": "UPDATE snapshots SET state_hash = zeroblob(16) WHERE id = 2",
    "an old text that is missing": "DELETE FROM contents WHERE text = 'one two three'",
}


def fill(vault: Vault, remem: RememSync) -> None:
    """Five snapshots."""
    vault.compile(a="# A\n\none two three\n\n## B\n\nother words of it\n")
    remem.store("# M\n\nfact", id="m")
    vault.compile(a="# A\n\none two three four\n")
    remem.update("m", content="another fact")
    remem.forget("m")


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_to_the_history_is_found(damage: str, vault: Vault, remem: RememSync, path: Path) -> None:
    fill(vault, remem)
    assert list_faults(remem) == []
    connection = choose().connect(str(path), isolation_level=None)
    assert connection.execute(DAMAGE[damage]).rowcount
    connection.close()
    assert {finding.check for finding in list_faults(remem)} <= {"history", "state"}
    assert list_faults(remem)


def test_a_store_that_an_older_version_began_goes_on_from_there(vault: Vault, remem: RememSync, path: Path) -> None:
    fill(vault, remem)
    connection = choose().connect(str(path), isolation_level=None)
    connection.execute("DELETE FROM layouts")
    connection.execute("INSERT INTO meta (key, value) VALUES ('layouts_since', '5')")
    connection.close()
    assert list_faults(remem) == []
    with pytest.raises(RefusedError, match="earlier version"):
        remem.rollback(2)
    with pytest.raises(RefusedError, match="earlier version"):
        remem.tree(as_of=2)
    assert [change.op for change in remem.delta(1)] == ["mod", "rem", "rem"]
    assert len(remem.diff(0, 3)) == 4
    state = read_state(remem)
    vault.compile(a="# A\n\nfive\n")
    remem.rollback(5, "all")
    assert read_state(remem) == state


def test_a_store_of_the_version_before_says_from_where_on_it_knows_layouts() -> None:
    scripts = sorted((TOP / "migrations").glob("*.sql"))
    for snapshots in (0, 3):
        connection = choose().connect(":memory:", isolation_level=None)
        for script in scripts[:7]:
            connection.executescript(script.read_text(encoding="utf-8"))
        for number in range(1, snapshots + 1):
            connection.execute(
                "INSERT INTO snapshots (id, parent, created_at, message, state_hash) VALUES (?, ?, 0, '', x'00')",
                (number, number - 1),
            )
        connection.executescript(scripts[7].read_text(encoding="utf-8"))
        assert find_first_known(connection) == snapshots


def test_summaries_come_and_go_with_their_links(vault: Vault, remem: RememSync) -> None:
    vault.compile(a="# A\n\n## B\n\nsee [[C]] for this\n\nand [[D]] for that\n", c="# C\n", d="# D\n")
    edges = {(edge.source_id, edge.target_id) for edge in remem.export().edges}
    section = vault.find("B")
    remem.summarise(section, "both of them")
    summary = remem.export()
    assert len(summary.edges) == 2
    remem.rollback(1)
    assert {(edge.source_id, edge.target_id) for edge in remem.export().edges} == edges
    remem.rollback(2)
    back = remem.export()
    assert [(e.source_id, e.target_id) for e in back.edges] == [(e.source_id, e.target_id) for e in summary.edges]
    assert back.nodes == summary.nodes
    assert list_faults(remem) == []


def test_what_was_forgotten_and_rolled_back_is_not_forgotten(vault: Vault, remem: RememSync) -> None:
    text = "# A\n\none thing of the note\n\nanother thing of the note\n"
    vault.compile(a=text)
    id = vault.find("one thing of the note")
    remem.forget(id)
    vault.compile(a=text + "\nmore of it\n")
    assert id not in {line.id for line in remem.tree(depth=9)}
    remem.rollback(2)
    remem.rollback(1)
    assert id in {line.id for line in remem.tree(depth=9)}
    vault.compile(a=text + "\nmore of it, again\n")
    assert id in {line.id for line in remem.tree(depth=9)}
    assert list_faults(remem) == []


def test_a_rollback_survives_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "none")
    with Remem.open_sync(tmp_path / "store.db") as remem:
        vault = Vault(tmp_path / "vault", remem)
        fill(vault, remem)
        remem.rollback(2, "all")
        state = read_state(remem)
    with Remem.open_sync(tmp_path / "store.db") as remem:
        assert (read_state(remem), list_faults(remem)) == (state, [])
        assert remem.compile(vault.folder).snapshot is None


def test_a_killed_rollback_leaves_a_whole_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "none")
    path = tmp_path / "store.db"
    states = {"0" * 32}
    with Remem.open_sync(path) as remem:
        vault = Vault(tmp_path / "vault", remem)
        for number in range(4):
            vault.compile(a="# A\n\n" + "\n\n".join(f"text {number} of part {part}" for part in range(30)))
            remem.store(f"fact {number}", id=f"m{number}")
            states.add(read_state(remem))
    code = (
        "import sys; from remem import Remem\n"
        "with Remem.open_sync(sys.argv[1]) as remem:\n"
        "    for to in (2, 8, 0, 6, 4, 8) * 50:\n"
        "        remem.rollback(to, 'all')\n"
        "        print(to, flush=True)\n"
    )
    for lines in (1, 2, 4):
        with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout
            with guard_hang("the child"):
                for _ in range(lines):
                    assert child.stdout.readline()
            child.kill()
        with Remem.open_sync(path) as remem:
            assert list_faults(remem) == []
            assert read_state(remem) in states
            assert remem.compile(vault.folder).snapshot is None
