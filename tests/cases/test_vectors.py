"""Vectors that are damaged, left over, of another model, or of a text that is another by now: none of them spoils a
search, and each is made again."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from tests.cases.vault import Vault
from tests.writing.describe import connect

HASHING = '[embedding]\nprovider = "hashing"\n'
NONE = '[embedding]\nprovider = "none"\n'
WIDTH = 384
SELECT_BLOCK = "SELECT vectors FROM node_vectors_vector_chunks00 WHERE rowid = 1"
UPDATE_BLOCK = "UPDATE node_vectors_vector_chunks00 SET vectors = ? WHERE rowid = 1"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """A vault whose embedder hashes words."""
    made = Vault(tmp_path, config=HASHING)
    with made.remem:
        yield made


def reopen(vault: Vault, config: str = HASHING) -> RememSync:
    """The store opened again, with other settings perhaps."""
    vault.remem.close()
    (vault.place / "settings.toml").write_text(config)
    return Remem.open_sync(vault.store, config=vault.place / "settings.toml")


def count_vectors(vault: Vault) -> tuple[int, int]:
    """Vectors that are listed, and places of the vector table in use."""
    connection = connect(vault.store)
    try:
        listed = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
        return listed, connection.execute("SELECT count(*) FROM node_vectors_rowids").fetchone()[0]
    finally:
        connection.close()


def damage_vectors(vault: Vault, *rows: bytes) -> None:
    """Writes other bytes over the first vectors."""
    connection = connect(vault.store)
    block = bytearray(connection.execute(SELECT_BLOCK).fetchone()[0])
    for number, row in enumerate(rows):
        block[number * 4 * WIDTH : (number + 1) * 4 * WIDTH] = row
    connection.execute(UPDATE_BLOCK, (bytes(block),))
    connection.close()


def fill(number: float) -> bytes:
    return struct.pack("<f", number) * WIDTH


def find_by_meaning(remem: RememSync, query: str) -> list[str]:
    return [hit.id for hit in remem.search(query, mode="semantic", limit=200)]


def test_damaged_vectors_are_passed_over_told_and_made_again(vault: Vault) -> None:
    """Cases 112, 113, 118"""
    ids = [vault.remem.store(f"puffin fact {number}", id=f"m{number}").id for number in range(30)]
    vault.remem.settle()
    vault.remem.close()
    damage_vectors(vault, fill(float("nan")), fill(float("inf")), fill(0.0), fill(10.0), bytes([255]) * 4 * WIDTH)
    with reopen(vault) as remem:
        page = remem.search("puffin fact", mode="semantic", limit=200)
        assert len(page) == 25
        assert all(0 <= hit.score <= 1 for hit in page)
        assert len(remem.search("puffin fact", limit=200)) == 30
        remem.store("puffin fact of another kind", id="new")
        assert remem.settle().problem == ""
        assert [found.message for found in remem.doctor().findings if found.fault] == ["5 vectors are not of length 1"]
        assert remem.doctor(fix=True).healthy
        remem.settle()
        assert sorted(find_by_meaning(remem, "puffin fact")) == sorted([*ids, "new"])
        assert remem.doctor().healthy


def test_discovery_goes_on_beside_a_damaged_vector(vault: Vault) -> None:
    """Case 113"""
    vault.remem.store("puffins nest in burrows", id="a")
    vault.remem.settle()
    vault.remem.close()
    damage_vectors(vault, fill(float("nan")))
    with reopen(vault) as remem:
        remem.store("puffins nest in burrows here", id="b")
        remem.store("puffins nest in burrows there", id="c")
        state = remem.settle()
        assert (state.problem, state.discover) == ("", 0)
        assert {(edge.source_id, edge.target_id) for edge in remem.export().edges} in ({("b", "c")}, {("c", "b")})


def test_only_living_chunks_have_vectors(vault: Vault) -> None:
    """Case 115"""
    words = ["puffin", "harbor", "light", "engine", "crane", "quay", "tide", "vessel", "pilot", "storm"]
    ids = [vault.remem.store(f"a fact about the {word}").id for word in words]
    for number in range(10):
        vault.remem.update(ids[0], content=f"edition {number} of the note: " + "walrus " * number)
        vault.remem.settle()
    assert count_vectors(vault) == (10, 10)
    page = vault.remem.search("a fact about the puffin", mode="semantic")
    assert page[0].id != ids[0]
    assert {hit.id for hit in page} >= set(ids[1:])


def test_shorter_text_drops_the_vectors_of_its_former_parts(vault: Vault) -> None:
    """Case 116"""
    id = vault.remem.store("# T\n\n" + "alpha beta gamma. " * 600).id
    vault.remem.settle()
    assert count_vectors(vault)[0] > 3
    vault.remem.update(id, content="short text")
    vault.remem.settle()
    assert count_vectors(vault) == (1, 1)
    assert find_by_meaning(vault.remem, "alpha beta gamma") in ([], [id])


def test_memory_that_is_removed_for_good_takes_its_vector_along_at_once(vault: Vault) -> None:
    """Cases 115, 116"""
    vault.remem.store("old puffin burrows", id="k")
    vault.remem.store("kept for good", id="kept")
    vault.remem.settle()
    vault.remem.delete("k", hard=True)
    assert count_vectors(vault) == (1, 1)
    with reopen(vault, NONE) as remem:
        remem.store("new zebra text", id="k")
    with reopen(vault) as remem:
        assert find_by_meaning(remem, "old puffin burrows") in (["kept"], [])
        remem.settle()
        assert find_by_meaning(remem, "new zebra text")[0] == "k"


def test_words_and_deletions_work_where_the_model_was_changed(vault: Vault) -> None:
    """Case 110"""
    vault.remem.store("old puffin burrows", id="old")
    vault.remem.settle()
    with reopen(vault, HASHING + "dimensions = 64\n") as remem:
        new = remem.store("new puffin", id="new")
        page = remem.search("puffin")
        assert ({hit.id for hit in page}, page.mode) == ({"old", "new"}, "keyword")
        assert any("hashing/384/" in note and "hashing/64/" in note for note in page.notes)
        remem.delete(new.id, hard=True)
        remem.delete("old", hard=True)
        assert list(remem.search("puffin")) == []
        assert remem.doctor().healthy


def test_node_that_was_deleted_by_hand_is_found_no_more_after_a_repair(vault: Vault) -> None:
    """Case 109"""
    vault.compile({"a.md": "# A\n\npuffin words\n\nmore\n", "b.md": "# B\n\nother\n"})
    vault.remem.close()
    connection = connect(vault.store)
    connection.execute("DELETE FROM nodes WHERE content = 'puffin words'")
    connection.close()
    with reopen(vault) as remem:
        vault.write({"b.md": "# B\n\nother words\n"})
        assert remem.compile(vault.folder).modified == 1
        assert not remem.doctor().healthy
        assert remem.doctor(fix=True).healthy
    with reopen(vault) as remem:
        assert remem.doctor().healthy
        assert [hit.label for hit in remem.search("puffin", mode="keyword")] == []
        assert [hit.label for hit in remem.search("other", mode="keyword")] == ["B"]


def test_replaced_text_leaves_no_ghost_in_the_index(vault: Vault) -> None:
    """Cases 106, 107"""
    vault.remem.store("first wording of it", id="k", tags=["walrus"])
    for text in ("second wording of it", "third wording of it"):
        vault.remem.update("k", content=text, tags=["penguin"])
        vault.remem.get("k")
    for gone in ("first", "second", "walrus"):
        assert list(vault.remem.search(gone, mode="keyword")) == []
    for there in ("third", "penguin"):
        assert [hit.id for hit in vault.remem.search(there, mode="keyword")] == ["k"]
    assert vault.remem.doctor().healthy
