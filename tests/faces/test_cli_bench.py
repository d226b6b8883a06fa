"""`remem bench`: what it measures, that it changes nothing, and what it refuses."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from remem.datafiles import find_samples
from tests.faces.command import remem

TASKS = ["orient", "outline", "find a heading", "find a passage", "fetch", "resync"]


def hash_files(folder: Path) -> dict[str, tuple[str, int]]:
    """Each file below a folder with the hash of its bytes and the time of its last change."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in paths}


def measure(folder: Path, *options: str) -> Any:
    done = remem("bench", folder, "--json", "--questions", "4", *options)
    assert done.status == 0, done.err
    return done.load()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and one of its own for temporary files."""
    for name in ("work", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path


def test_it_measures_every_task_beside_the_ways_without_remem() -> None:
    bench = measure(find_samples())
    assert [task["name"] for task in bench["tasks"]] == TASKS
    assert (bench["files"], bench["left_out"]) == (36, [])
    for task in bench["tasks"]:
        assert len(task["ways"]) >= 2 and task["cases"] >= 1
        assert all(way["tokens"] > 0 and way["ms"] >= 0 for way in task["ways"])
        assert all(way["tokens_p90"] >= way["tokens"] for way in task["ways"])


def test_what_it_counts_is_the_text_of_the_files() -> None:
    bench = measure(find_samples())
    tasks = {task["name"]: {way["name"]: way for way in task["ways"]} for task in bench["tasks"]}
    notes = [path for path in find_samples().rglob("*") if path.suffix in (".md", ".txt")]
    assert (bench["files"], bench["bytes"]) == (len(notes), sum(path.stat().st_size for path in notes))
    assert tasks["orient"]["tree, 2000 tokens"]["tokens"] <= 2000
    assert tasks["orient"]["all files whole"]["tokens"] >= bench["tokens"]
    assert tasks["resync"]["compile, then delta"]["tokens"] < tasks["resync"]["changed files whole"]["tokens"]
    assert tasks["fetch"]["show"]["tokens"] < tasks["orient"]["all files whole"]["tokens"]


def test_a_heading_that_is_asked_for_as_it_is_written_is_found() -> None:
    bench = measure(find_samples())
    [task] = [task for task in bench["tasks"] if task["name"] == "find a heading"]
    assert task["ways"][0]["found"] == 1


def test_the_same_notes_are_asked_the_same_questions_each_time() -> None:
    first, second = (
        [[way["tokens"] for way in task["ways"][1:]] for task in measure(find_samples())["tasks"]] for _ in "ab"
    )
    assert first == second


def test_neither_the_notes_nor_the_store_are_changed_and_nothing_is_left(elsewhere: Path) -> None:
    notes = elsewhere / "notes"
    notes.mkdir()
    (notes / "plan.md").write_text("# The plan\n\nSee [[Budget]].\n\n## Second part\n\nText.\n", encoding="utf-8")
    assert remem("compile", notes).status == 0
    before = hash_files(elsewhere)
    measure(notes)
    assert remem("bench", "--questions", "2").status == 0  # the roots of the store
    assert hash_files(elsewhere) == before
    assert list((elsewhere / "temporary").iterdir()) == []


def test_without_a_folder_it_measures_the_roots_of_the_store(elsewhere: Path) -> None:
    for name in ("one", "two"):
        (elsewhere / name).mkdir()
        (elsewhere / name / "same.md").write_text(f"# Note of {name}\n\nText.\n", encoding="utf-8")
        assert remem("compile", elsewhere / name).status == 0
    done = remem("bench", "--json")
    assert (done.load()["files"], len(done.load()["folders"])) == (2, 2)


@pytest.mark.parametrize("terminal", [True, False])
def test_people_get_a_table_and_how_it_was_measured(terminal: bool) -> None:
    done = remem("bench", find_samples(), "--questions", "3", terminal=terminal)
    assert done.status == 0
    assert all(name in done.out for name in (*TASKS, "tokens", "× Remem", "nothing embedded"))


def test_tasks_that_the_notes_do_not_allow_are_left_out_with_the_reason(elsewhere: Path) -> None:
    (elsewhere / "data.json").write_text('{"a": 1}', encoding="utf-8")
    bench = measure(elsewhere)
    assert [task["name"] for task in bench["tasks"]] == ["orient", "outline"]
    assert [line.partition(":")[0] for line in bench["left_out"]] == ["find a heading", "find a passage", "resync"]


def test_odd_files_are_measured_as_a_compile_takes_them(elsewhere: Path) -> None:
    folder = elsewhere / "odd"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "name with  spaces 🌍.md").write_text("# Ein Titel\n\ntext", encoding="utf-8")
    (folder / "wide.txt").write_bytes("\ufeffUTF-16 text\n".encode("utf-16-le"))
    (folder / "binary.md").write_bytes(b"\x00\xff\xfe\x01" * 100)
    (folder / "empty.md").write_bytes(b"")
    (folder / ".hidden.md").write_text("hidden", encoding="utf-8")
    (folder / "link.md").symlink_to(folder / "empty.md")
    assert measure(folder)["files"] == 3


def test_what_cannot_be_measured_is_refused_in_one_line(elsewhere: Path) -> None:
    (elsewhere / "empty").mkdir()
    (elsewhere / "file.md").write_text("text", encoding="utf-8")
    cases = (("none", 1, "there is no folder"), ("empty", 1, "there are no notes"), ("file.md", 2, "is no folder"))
    for name, status, message in cases:
        done = remem("bench", elsewhere / name)
        assert (done.status, done.out) == (status, "")
        assert message in done.err and done.err.count("\n") == 1
    assert remem("bench", elsewhere, "--questions", "0").status == 2


def test_without_a_store_or_in_an_empty_one_it_asks_for_a_folder() -> None:
    assert "there is no store" in remem("bench").err
    assert not os.path.exists("memory.db")
    assert remem("init").status == 0
    done = remem("bench")
    assert (done.status, done.out) == (1, "") and "give a folder" in done.err


def test_a_root_that_lies_nowhere_any_more_is_named(elsewhere: Path) -> None:
    notes = elsewhere / "gone"
    notes.mkdir()
    (notes / "a.md").write_text("# A note", encoding="utf-8")
    assert remem("compile", notes).status == 0
    (notes / "a.md").unlink()
    notes.rmdir()
    done = remem("bench")
    assert done.status == 1 and str(notes) in done.err
