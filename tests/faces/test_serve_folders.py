"""The folders that the settings of a server name are compiled when it starts, watched or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem import Remem
from tests.faces.server_process import ServerProcess
from tests.faces.test_watching import wait_until
from tests.guard import guard_hang


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Alpha\n\nof the river\n")
    return folder


def write_settings(place: Path, *folders: Path, more: str = "") -> Path:
    file = place / "server.toml"
    roots = json.dumps([str(folder) for folder in folders])
    file.write_text(f'[compile]\nroots = {roots}\n{more}[logging]\nlevel = "info"\n')
    return file


def test_a_server_compiles_its_folders_once_as_it_starts_and_says_so(notes: Path, tmp_path: Path) -> None:
    config = write_settings(tmp_path, notes)
    with ServerProcess(tmp_path / "store.db", "--config", str(config)) as server, guard_hang("compiling"):
        assert f"  Notes {notes}, compiled now\n" in server.said
        wait_until(lambda: server.ask("GET", "/api/v1/nodes/Alpha").status == 200)
        assert server.ask("GET", "/api/v1/tasks").load()["watches"] == []
    assert "compiled notes: 1 file added" in server.errors


def test_a_folder_that_cannot_be_compiled_is_told_and_keeps_no_other_out(notes: Path, tmp_path: Path) -> None:
    config = write_settings(tmp_path, tmp_path / "absent", notes)
    with ServerProcess(tmp_path / "store.db", "--config", str(config)) as server, guard_hang("compiling"):
        wait_until(lambda: server.ask("GET", "/api/v1/nodes/Alpha").status == 200)
    assert "[compile] roots: " in server.errors and "absent" in server.errors


def test_a_server_that_watches_says_that_it_does(notes: Path, tmp_path: Path) -> None:
    config = write_settings(tmp_path, notes, more="watch = true\n")
    with ServerProcess(tmp_path / "store.db", "--config", str(config)) as server, guard_hang("compiling"):
        assert f"  Notes {notes}, compiled as files change\n" in server.said
        wait_until(lambda: server.ask("GET", "/api/v1/nodes/Alpha").status == 200)


def test_a_server_that_ends_while_it_compiles_leaves_a_store_that_the_next_one_completes(
    notes: Path, tmp_path: Path
) -> None:
    for number in range(300):
        (notes / f"{number}.md").write_text(f"# Number {number}\n\n" + "of the river " * 200)
    config, store = write_settings(tmp_path, notes), tmp_path / "store.db"
    with ServerProcess(store, "--config", str(config)):
        pass
    with ServerProcess(store, "--config", str(config)) as server, guard_hang("compiling"):
        wait_until(lambda: server.ask("GET", "/api/v1/nodes/Number%20299").status == 200)
    with Remem.open_sync(store) as remem:
        assert not [finding for finding in remem.doctor().findings if finding.fault]
