"""The full-text index follows the documents: nothing of what is gone is found, and only what changed is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.engine import Remem
from remem.engine.sync import RememSync
from remem.storage import sqlite

NOTE = "# Guide\n\nOpening words.\n\n## Costs\n\nThe alpha fees.\n\n## Light\n\nAll about lanterns.\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "guide.md").write_text(NOTE, encoding="utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path, vault: Path) -> Iterator[RememSync]:
    with Remem.open_sync(tmp_path / "store.db") as remem:
        remem.compile(vault)
        yield remem


def run(path: Path, statement: str) -> list[tuple[object, ...]]:
    connection = sqlite.choose().connect(str(path))
    try:
        rows: list[tuple[object, ...]] = connection.execute(statement).fetchall()
        connection.commit()
        return rows
    finally:
        connection.close()


def load_keys(path: Path) -> list[tuple[object, ...]]:
    return run(path, "SELECT key FROM passages ORDER BY first")


def count_hits(remem: RememSync, query: str) -> int:
    return remem.search(query, mode="keyword").total


def list_faults(remem: RememSync) -> list[str]:
    return [finding.check for finding in remem.doctor().findings if finding.fault]


def test_replaced_text_is_no_longer_found(store: RememSync, vault: Path) -> None:
    (vault / "guide.md").write_text(NOTE.replace("alpha", "omega"), encoding="utf-8")
    store.compile(vault)
    assert (count_hits(store, "alpha"), count_hits(store, "omega")) == (0, 1)
    assert list_faults(store) == []


def test_a_removed_file_and_a_dropped_root_are_no_longer_found(store: RememSync, vault: Path) -> None:
    (vault / "more.md").write_text("# More\n\nthe alpha fact\n", encoding="utf-8")
    store.compile(vault)
    assert count_hits(store, "alpha") == 2
    (vault / "more.md").unlink()
    store.compile(vault)
    assert count_hits(store, "alpha") == 1
    store.drop("vault")
    assert count_hits(store, "alpha") == 0
    assert list_faults(store) == []


def test_what_is_deleted_and_added_again_is_found_once(store: RememSync, vault: Path) -> None:
    (vault / "guide.md").unlink()
    store.compile(vault)
    (vault / "guide.md").write_text(NOTE, encoding="utf-8")
    store.compile(vault)
    assert count_hits(store, "alpha") == 1


def test_only_the_changed_passage_is_written_again(store: RememSync, vault: Path, tmp_path: Path) -> None:
    before = load_keys(tmp_path / "store.db")
    (vault / "guide.md").write_text(NOTE.replace("Opening words.", "Opening words.\n\nOne more."), encoding="utf-8")
    store.compile(vault)
    after = load_keys(tmp_path / "store.db")
    assert after[0] != before[0]
    assert after[1:] == before[1:]
    assert [hit.label for hit in store.search("lanterns", mode="keyword")] == ["Light"]


def test_a_renamed_file_and_swapped_sections_keep_their_passages(store: RememSync, vault: Path, tmp_path: Path) -> None:
    before = load_keys(tmp_path / "store.db")
    head, costs, light = NOTE.split("\n\n## ")
    (vault / "guide.md").write_text(f"{head}\n\n## {light.rstrip()}\n\n## {costs}\n", encoding="utf-8")
    store.compile(vault)
    assert load_keys(tmp_path / "store.db") == [before[0], before[2], before[1]]
    assert list_faults(store) == []


def test_a_changed_title_reaches_the_breadcrumbs(store: RememSync, vault: Path) -> None:
    (vault / "guide.md").write_text(NOTE.replace("# Guide", "# Handbook"), encoding="utf-8")
    store.compile(vault)
    assert {hit.label for hit in store.search("handbook", mode="keyword")} == {"Handbook", "Costs", "Light"}
    assert [hit.label for hit in store.search("guide", mode="keyword")] == ["Handbook"]  # by its file


def test_reading_writes_nothing_to_the_index(store: RememSync, tmp_path: Path) -> None:
    statement = "SELECT id, hex(block) FROM passages_text_data"
    before = run(tmp_path / "store.db", statement)
    for query in ("alpha", "lanterns", "guide"):
        store.search(query, mode="keyword")
    store.show("Costs")
    assert run(tmp_path / "store.db", statement) == before


@pytest.mark.parametrize(
    ("damage", "check"),
    [
        ("DELETE FROM passages_text WHERE rowid = 2", "full text"),
        ("INSERT INTO passages_text (rowid, content) VALUES (99, 'ghost')", "full text"),
        ("INSERT INTO passages_text (passages_text) VALUES ('delete-all')", "full text"),
        ("DELETE FROM passages WHERE key = 2", "passages"),
        ("UPDATE passages SET hash = 1 WHERE key = 2", "passages"),
        ("UPDATE passages SET first = 0 WHERE key = 2", "passages"),
        ("INSERT INTO passages VALUES (99, 12345, 12345, 0, 0, 1, 1)", "passages"),
        ("DELETE FROM passages_text_data WHERE id = 10", "file"),
    ],
)
def test_the_doctor_finds_and_mends_what_does_not_follow(
    store: RememSync, vault: Path, tmp_path: Path, damage: str, check: str
) -> None:
    (vault / "more.md").write_text("# More\n\nthe alpha fact\n", encoding="utf-8")
    store.compile(vault)
    store.close()
    run(tmp_path / "store.db", damage)
    with Remem.open_sync(tmp_path / "store.db") as again:
        assert check in list_faults(again)
        assert again.doctor(fix=True).healthy
        assert (count_hits(again, "alpha"), count_hits(again, "ghost")) == (2, 0)


def test_a_store_without_passages_gets_them_by_repair(store: RememSync, tmp_path: Path) -> None:
    store.close()
    run(tmp_path / "store.db", "DELETE FROM passages")
    run(tmp_path / "store.db", "INSERT INTO passages_text (passages_text) VALUES ('delete-all')")
    with Remem.open_sync(tmp_path / "store.db") as again:
        assert again.doctor(fix=True).healthy
        assert count_hits(again, "lanterns") == 1


def test_a_row_of_the_index_holds_no_text(tmp_path: Path, store: RememSync) -> None:
    assert run(tmp_path / "store.db", "SELECT DISTINCT content, label, tags FROM passages_text") == [(None, None, None)]
