"""What commands say and refuse where people went wrong: folders that were renamed, links below the node asked for,
files that are there already, names of what is gone, imports of nothing, figures, the style of errors."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from remem import Remem
from remem.errors import RefusedError
from tests.faces.command import remem
from tests.faces.server_process import ServerProcess

PACKAGE = Path(__file__).resolve().parents[2] / "remem"
PROPER = ("Remem ", "Content-Length ")
"""What begins with a capital wherever it stands."""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "none")
    (tmp_path / "notes" / "sub").mkdir(parents=True)
    (tmp_path / "notes" / "sub" / "a.md").write_text("# Alpha\n\nsee [[Beta]]\n\n## Under\n\n[[Beta]] again\n")
    (tmp_path / "notes" / "b.md").write_text("# Beta\n\ntext of it\n")
    assert remem("--db", "store.db", "compile", "notes").status == 0
    return tmp_path / "store.db"


# --- a folder that was renamed ----------------------------------------------------------------------------------------


def test_a_renamed_folder_is_told_how_it_stays_the_same_root(store: Path) -> None:
    ids = {node["id"] for node in remem("--db", store, "export").load()["nodes"]}
    (store.parent / "notes").rename(store.parent / "my wiki")
    said = remem("--db", store, "compile", "my wiki").err
    assert f"root notes lies at {store.parent}/notes, where no folder is" in said
    assert "`remem drop 'my wiki'`, then `remem compile 'my wiki' --root notes --moved`" in said
    assert remem("--db", store, "drop", "my wiki", "--yes").status == 0
    assert remem("--db", store, "compile", "my wiki", "--root", "notes", "--moved").status == 0
    assert {node["id"] for node in remem("--db", store, "export").load()["nodes"]} == ids


def test_before_anything_is_written_the_hint_needs_no_drop(store: Path) -> None:
    (store.parent / "notes").rename(store.parent / "wiki")
    said = remem("--db", store, "compile", "wiki", "--dry-run").err
    assert "drop" not in said and "`remem compile wiki --root notes --moved`" in said


def test_another_folder_beside_a_root_that_is_there_draws_no_hint(store: Path) -> None:
    (store.parent / "other").mkdir()
    (store.parent / "other" / "c.md").write_text("# C\n")
    assert "--moved" not in remem("--db", store, "compile", "other").err
    (store.parent / "notes").rename(store.parent / "gone")
    assert "--moved" not in remem("--db", store, "compile", "other").err


# --- links below a node -----------------------------------------------------------------------------------------------


def test_unrelate_tells_which_links_below_the_node_lead_there(store: Path) -> None:
    done = remem("--db", store, "unrelate", "sub/a", "b")
    edges = remem("--db", store, "export").load()["edges"]
    assert done.status == 1 and "itself, but below: references from" in done.err
    for edge in edges:
        assert f"references from {edge['source_id']} to {edge['target_id']} (a link in notes/sub/a.md)" in done.err
    assert remem("--db", store, "export").load()["edges"] == edges


def test_unrelate_tells_of_manual_edges_below_the_node_too(store: Path) -> None:
    remem("--db", store, "relate", "Under", "Beta", "--type", "supports")
    said = remem("--db", store, "unrelate", "sub/a", "b", "--type", "supports").err
    assert "supports from" in said and "(manual)" in said and "(a link in" not in said
    assert "no edge leads from" in (said := remem("--db", store, "unrelate", "b", "sub/a").err) and "below" not in said


# --- files that are there ---------------------------------------------------------------------------------------------


def test_an_export_goes_over_no_file_unless_it_is_told_to(store: Path) -> None:
    out = store.parent / "all.json"
    out.write_text("mine")
    done = remem("--db", store, "export", "--out", out)
    assert (done.status, out.read_text()) == (1, "mine") and "choose another file, or say --force" in done.err
    assert remem("--db", store, "export", "--out", out, "--force").status == 0
    assert json.loads(out.read_text())["nodes"]
    assert remem("--db", store, "export", "--out", store, "-f").status == 1
    assert sorted(path.name for path in store.parent.iterdir() if path.name.startswith(".")) == []


def test_a_forced_export_writes_through_a_link_and_into_what_is_no_file(store: Path) -> None:
    target = store.parent / "target.json"
    target.write_text("old")
    (store.parent / "link.json").symlink_to(target)
    assert remem("--db", store, "export", "-f", "--out", store.parent / "link.json").status == 0
    assert (store.parent / "link.json").is_symlink() and json.loads(target.read_text())["nodes"]
    assert remem("--db", store, "export", "--out", "/dev/null").status == 0


def test_a_backup_replaces_an_earlier_copy_and_no_other_store(store: Path) -> None:
    other = store.parent / "other.db"
    remem("--db", other, "store", "of another store", "--id", "kept")
    assert remem("--db", store, "backup", "copy.db").status == 0
    remem("--db", store, "store", "later", "--id", "later")
    assert remem("--db", store, "backup", "copy.db").status == 0
    assert remem("--db", "copy.db", "show", "later").status == 0
    before = other.read_bytes()
    done = remem("--db", store, "backup", other)
    assert done.status == 1 and "another store, no copy of this one" in done.err and other.read_bytes() == before
    with Remem.open_sync(store) as opened:
        with pytest.raises(RefusedError, match="no copy of this one"):
            opened.backup(other)
        assert opened.backup(other, force=True).bytes
    assert remem("--db", other, "show", "later").status == 0
    (store.parent / "text.txt").write_text("mine")
    assert remem("--db", store, "backup", store.parent / "text.txt", "--force").status == 1
    assert (store.parent / "text.txt").read_text() == "mine"


def test_a_restored_store_still_replaces_its_copies(store: Path) -> None:
    assert remem("--db", store, "backup", "copy.db").status == 0
    assert remem("--db", store, "restore", "copy.db").status == 0
    assert remem("--db", store, "backup", "copy.db").status == 0


# --- what is gone -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Alpha", "alpha", "a.md", "a", "sub/a.md", "notes/sub/a.md", "Under"])
def test_the_history_of_a_removed_note_is_found_by_what_it_was_called(store: Path, name: str) -> None:
    (store.parent / "notes" / "sub" / "a.md").unlink()
    remem("--db", store, "compile", "notes")
    entries = remem("--db", store, "history", name, "--json").load()["history"]
    assert [entry["op"] for entry in entries] == ["rem", "add"]


def test_one_of_several_that_are_gone_is_asked_for_by_its_id(store: Path) -> None:
    (store.parent / "notes" / "a.md").write_text("# Other\n")
    remem("--db", store, "compile", "notes")
    remem("--db", store, "drop", "notes", "--yes")
    done = remem("--db", store, "history", "a.md")
    assert done.status == 0  # a place goes before a name
    done = remem("--db", store, "history", "a")
    assert done.status == 1 and "named several nodes that are gone" in done.err
    for id in re.findall(r"([0-9A-Za-z]{11}) \(document", done.err):
        assert remem("--db", store, "history", id).status == 0


def test_the_past_is_shown_by_what_a_node_was_called_then(store: Path) -> None:
    (store.parent / "notes" / "sub" / "a.md").unlink()
    remem("--db", store, "compile", "notes")
    assert "see [[Beta]]" in remem("--db", store, "show", "notes/sub/a.md", "--as-of", "1").out
    assert remem("--db", store, "show", "notes/sub/a.md").status == 1
    assert remem("--db", store, "history", "never was").status == 1


# --- imports, figures, errors -----------------------------------------------------------------------------------------


def test_an_import_of_which_every_item_is_refused_ends_with_1(store: Path) -> None:
    (store.parent / "bad.jsonl").write_text('{"type": "entity", "name": 5}\n{"type": "entity", "name": ""}\n')
    done = remem("--db", store, "import", "bad.jsonl")
    assert done.status == 1 and "line 1" in done.err and "line 2" in done.err


def test_stats_tell_the_same_by_command_and_by_service(store: Path) -> None:
    with ServerProcess(store) as server:
        told = server.ask("GET", "/api/v1/stats").load()
        printed = remem("--db", store, "stats", "--json").load()
    assert told.keys() == printed.keys() and told["graph"] == printed["graph"]
    assert told["graph"]["edges"] == 2


def test_no_message_of_an_error_begins_with_a_capital() -> None:
    for file in sorted(PACKAGE.rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and call.args and ast.unparse(call.func).endswith("Error"):
                message = call.args[0]
                first = message.values[0] if isinstance(message, ast.JoinedStr) and message.values else message
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    assert first.value.startswith(PROPER) or not re.match("[A-Z]", first.value), (file, first.value)


def test_a_command_that_a_message_recommends_stands_there_as_it_is_typed() -> None:
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                rest = re.sub(r"`remem (doctor --fix|compile --prune)`", "", node.value)
                assert node.value == "--prune" or not re.search("doctor --fix|--prune", rest), (file, node.value)
