"""Documents whose rows are gone while their nodes stand come back where their files stand; no text of them is lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from tests.doctor.store import change, dump, make_store

STAT = slice(7, 12)
"""The columns of `documents` that the next compile finds again."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REMEM_STORAGE__SYNCHRONOUS", "normal")
        path = make_store(tmp_path_factory.mktemp("original"))
    yield path


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    """A copy of the store beside its settings."""
    shutil.copy(original.parent / "settings.toml", tmp_path)
    return Path(shutil.copy(original, tmp_path / "store.db"))


def open_store(path: Path) -> RememSync:
    return Remem.open_sync(path, config=path.parent / "settings.toml")


def repair(path: Path) -> list[str]:
    """Has the doctor find and repair; the faults that are left, and what it says of documents."""
    with open_store(path) as remem:
        assert not remem.doctor().healthy
        report = remem.doctor(fix=True)
        remem.settle()
        return [item.message for item in report.findings if item.fault or item.check == "documents"]


def compare(path: Path, original: Path) -> dict[str, object]:
    """The tables that say something else than before, but for what the next compile finds again."""
    was, now = dump(original), dump(path)
    for tables in (was, now):
        tables["documents"] = [(*row[: STAT.start], *row[STAT.stop :]) for row in tables["documents"]]
    return {table: rows for table, rows in now.items() if rows != was[table]}


@pytest.mark.parametrize("source", ["plan.md", "costs.md", "sub/light.md", "data.yaml", "page.html", "old.md", ""])
def test_a_row_is_made_again_from_the_file_and_the_next_compile_finds_nothing_new(
    source: str, path: Path, original: Path
) -> None:
    where = f"WHERE source = '{source}'" if source else ""
    assert change(path, f"DELETE FROM documents {where}")
    assert repair(path) == []
    assert compare(path, original) == {}
    with open_store(path) as remem:
        report = remem.compile(original.parent / "notes")
        assert (report.snapshot, report.files_removed, report.kept) == (None, 0, ())
    assert compare(path, original).keys() <= {"held"}  # when the file was seen


def make_notes(tmp_path: Path, notes: dict[str, str]) -> Path:
    for source, text in notes.items():
        (tmp_path / "notes" / source).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / source).write_text(text, encoding="utf-8")
    (tmp_path / "settings.toml").write_text('[embedding]\nprovider = "none"\n', encoding="utf-8")
    with open_store(tmp_path / "store.db") as remem:
        remem.compile(tmp_path / "notes")
    return tmp_path / "store.db"


def list_sources(remem: RememSync) -> dict[str, str]:
    """(root/source) of all documents, by id."""
    return {node.id: f"{node.root}/{node.source}" for node in remem.export().nodes if node.kind == "document"}


def test_files_of_one_name_are_told_apart_by_what_they_say(tmp_path: Path) -> None:
    notes = {f"{folder}/index.md": f"# In {folder}\n\ntext of {folder}\n" for folder in ("a", "b", "c")}
    path = make_notes(tmp_path, notes)
    with open_store(path) as remem:
        before = list_sources(remem)
    assert change(path, "DELETE FROM documents WHERE source <> 'c/index.md'")
    assert repair(path) == []
    with open_store(path) as remem:
        assert list_sources(remem) == before


def test_a_file_that_changed_since_is_found_by_its_name_and_its_nodes_keep_their_ids(tmp_path: Path) -> None:
    path = make_notes(tmp_path, {"deep/in/river.md": "# River\n\nfirst of it\n\nsecond of it\n", "b.md": "# B\n"})
    with open_store(path) as remem:
        ids = {node.id for node in remem.export().nodes}
    (tmp_path / "notes/deep/in/river.md").write_text("# River\n\nfirst of it\n\nanother thing\n", encoding="utf-8")
    assert change(path, "DELETE FROM documents WHERE source LIKE 'deep%'")
    assert repair(path) == []
    with open_store(path) as remem:
        assert "notes/deep/in/river.md" in list_sources(remem).values()
        assert remem.compile(tmp_path / "notes").files_changed == 1
        assert len(ids & {node.id for node in remem.export().nodes}) >= len(ids) - 1
        assert remem.doctor().healthy


def test_a_document_whose_file_is_gone_is_found_by_its_history(tmp_path: Path) -> None:
    path = make_notes(tmp_path, {"deep/river.md": "# River\n\nfirst of it\n", "b.md": "# B\n"})
    (tmp_path / "notes/deep/river.md").write_text("# River\n\nfirst of it\n\nmore of it\n", encoding="utf-8")
    with open_store(path) as remem:
        remem.compile(tmp_path / "notes")
        before = list_sources(remem)
    shutil.rmtree(tmp_path / "notes")
    assert change(path, "DELETE FROM documents WHERE source LIKE 'deep%'")
    assert repair(path) == []
    with open_store(path) as remem:
        assert list_sources(remem) == before


RIVER = {"a/river.md": "# River\n\nfirst of it, see [[B]]\n", "b.md": "# B\n", "d.json": '{"a": [1, 2], "b": 3}'}


def read_nodes(remem: RememSync) -> dict[str, str]:
    return {node.id: node.content for node in remem.export().nodes}


def test_a_document_of_which_nothing_tells_where_it_stood_waits_in_the_only_root_for_its_file(tmp_path: Path) -> None:
    path = make_notes(tmp_path, RIVER)
    with open_store(path) as remem:
        before = read_nodes(remem)
    (tmp_path / "notes").rename(tmp_path / "elsewhere")
    assert change(path, "DELETE FROM documents WHERE source <> 'b.md'")
    told = repair(path)
    assert sorted(told) == [
        "notes/d.json is a document whose file is not known: compile the folder that it lies in again",
        "notes/river.md is a document whose file is not known: compile the folder that it lies in again",
    ]
    with open_store(path) as remem:
        assert read_nodes(remem) == before
        assert [hit.id for hit in remem.search("first of it")]
        remem.compile(tmp_path / "elsewhere", "notes", moved=True)
        assert read_nodes(remem) == before
        assert "notes/a/river.md" in list_sources(remem).values() and remem.doctor().healthy


def test_where_there_are_several_roots_it_is_kept_in_one_of_its_own_until_that_is_dropped(tmp_path: Path) -> None:
    path = make_notes(tmp_path, RIVER)
    shutil.copytree(tmp_path / "notes", tmp_path / "other")
    with open_store(path) as remem:
        remem.compile(tmp_path / "other")
        before = sorted(read_nodes(remem).values())
    (tmp_path / "notes").rename(tmp_path / "elsewhere")
    (tmp_path / "other/a/river.md").unlink()
    assert change(path, "DELETE FROM documents WHERE source = 'a/river.md'")
    first, *rest = repair(path)
    assert "root lost keeps 2 documents whose file is not known" in first and "`remem drop lost`" in first
    assert len(rest) == 2
    with open_store(path) as remem:
        assert sorted(read_nodes(remem).values()) == before
        assert {"lost/river.md", "lost/river-2.md"} <= set(list_sources(remem).values())
        assert remem.doctor().healthy
        remem.drop("lost")
        remem.compile(tmp_path / "elsewhere", "notes", moved=True)
        assert remem.doctor().healthy and not [f for f in remem.doctor().findings if f.check == "documents"]


def test_a_store_without_any_row_of_roots_and_documents_keeps_every_text(path: Path) -> None:
    with open_store(path) as remem:
        before = {node.id: node.content for node in remem.export().nodes}
    assert change(path, "DELETE FROM documents", "DELETE FROM held", "DELETE FROM roots", "DELETE FROM names")
    repair(path)
    with open_store(path) as remem:
        assert {node.id: node.content for node in remem.export().nodes} == before


def test_a_root_called_lost_that_is_a_folder_of_notes_stays_what_it_is(tmp_path: Path) -> None:
    path = make_notes(tmp_path, {"river.md": "# River\n"})
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost" / "b.md").write_text("# B\n", encoding="utf-8")
    with open_store(path) as remem:
        remem.compile(tmp_path / "lost")
    (tmp_path / "notes/river.md").unlink()
    assert change(path, "DELETE FROM documents WHERE source = 'river.md'")
    assert "root lost-2 keeps a document whose file is not known" in repair(path)[0]
    with open_store(path) as remem:
        assert sorted(list_sources(remem).values()) == ["lost-2/river.md", "lost/b.md"]
