"""The commands on versions and edits as a person uses them: what is asked, what goes to which stream, what is kept."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from remem import Remem
from tests.faces.command import remem


@pytest.fixture
def secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory with a store whose history holds a password."""
    monkeypatch.chdir(tmp_path)
    with Remem.open_sync("memory.db") as opened:
        opened.store("The password is swordfish.", id="secret")
        opened.update("secret", content="The password lies in the vault.")
    return tmp_path


class Answers(io.TextIOWrapper):
    """A terminal on which an answer is typed."""

    def __init__(self, text: str) -> None:
        super().__init__(io.BytesIO(text.encode()), encoding="utf-8")

    def isatty(self) -> bool:
        """It is one."""
        return True


@pytest.mark.parametrize(("answer", "status"), [("n\n", 1), ("", 1), ("y\n", 0)])
def test_a_purge_asks_on_a_terminal(secret: Path, monkeypatch: pytest.MonkeyPatch, answer: str, status: int) -> None:
    monkeypatch.setattr("sys.stdin", Answers(answer))
    assert remem("purge", "--node", "secret").status == status
    found = [path for path in secret.iterdir() if b"swordfish" in path.read_bytes()]
    assert bool(found) == bool(status)


def test_a_purge_leaves_no_trace_and_says_so(secret: Path) -> None:
    done = remem("purge", "--snapshot", "1", "--json")
    assert done.status == 0 and done.load()["complete"] is True and "nothing of the purged texts" in done.err
    assert not [path for path in secret.iterdir() if b"swordfish" in path.read_bytes()]
    assert "(purged)" in remem("history", "secret").out
    assert remem("rollback", "1", "--scope", "secret").status == 1


def read_texts() -> list[tuple[str, str]]:
    """What all nodes say."""
    return [(node["id"], node["content"]) for node in remem("export").load()["nodes"]]


def test_a_rollback_and_its_rollback_leave_what_was(folder: Path) -> None:
    before, tree = read_texts(), remem("tree").out
    assert remem("forget", "Deploy", "--mode", "cascade").status == 0
    assert remem("tree").out != tree and "6wN62Z7xzrZ" in remem("tree", "--as-of", "1").out
    assert "# Deploy" in remem("show", "6wN62Z7xzrZ", "--as-of", "1").out
    dry = remem("rollback", "1", "--dry-run")
    assert "dry run, nothing is written" in dry.err and remem("snapshots", "--json").load()["total"] == 2
    assert remem("rollback", "1").status == 0
    assert (read_texts(), remem("tree").out) == (before, tree)
    again = remem("rollback", "1")
    assert again.status == 0 and "nothing changes" in again.err and again.out == ""
    assert remem("snapshots", "--json").load()["total"] == 3


def test_documents_that_go_back_to_their_places_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Alpha\n\nwhat is known of it\n")
    assert remem("--db", "memory.db", "compile", "notes").status == 0
    (notes / "b.md").write_text("# Beta\n\nquite another matter\n")
    (notes / "a.md").rename(notes / "c.md")
    assert remem("--db", "memory.db", "compile", "notes").status == 0
    scope = ("--scope", "notes/c.md")
    dry = remem("rollback", "1", *scope, "--dry-run")
    assert "notes/c.md → notes/a.md" in dry.out and "dry run, nothing is written" in dry.err and "1 renamed" in dry.err
    renamed = remem("rollback", "1", *scope, "--json").load()["renamed"]
    assert [(one["label"], one["was"], one["now"]) for one in renamed] == [("Alpha", "notes/c.md", "notes/a.md")]
    assert "nothing changes" in remem("rollback", "1", *scope).err


def test_a_text_is_written_from_stdin_and_compile_keeps_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Answers("## Afterwards\n\nTell the [[Glossary]].\n"))
    done = remem("write", "-", "--parent", "Deploy")
    assert done.status == 0 and done.out == "" and "written: Afterwards  heading" in done.err
    assert remem("compile", "gangway").status == 0
    assert "Tell the [[Glossary]]." in remem("show", "Afterwards").out
    assert "Afterwards" not in (folder / "gangway" / "runbooks" / "deploy.md").read_text()


def test_a_text_without_a_place_is_a_memory_and_makes_the_store(tmp_path: Path) -> None:
    store = tmp_path / "new.db"
    assert remem("--db", store, "write", "x", "--parent", "Deploy").status == 1 and not store.exists()
    done = remem("--db", store, "write", "The ferry sails at noon.", "--no-wait", "--json")
    assert done.status == 0 and done.load()["kind"] == "memory"


def test_a_terminal_gets_the_diff_in_colour_and_a_pipe_plain_text(secret: Path) -> None:
    plain, shown = remem("diff", "1", "2"), remem("diff", "1", "2", terminal=True)
    assert "\x1b[32m  +The password lies in the vault." in shown.out and "\x1b[" not in plain.out
    assert remem("diff", "2", "2").out == "nothing changed\n"


def test_control_characters_of_a_text_do_not_reach_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Remem.open_sync("memory.db") as opened:
        opened.store("A bell \x07 and \x1b]0;title\x07 an escape.", id="bell")
    for command in (("delta", "0"), ("history", "bell"), ("diff", "0", "1")):
        out = remem(*command, terminal=True).out
        assert "\x07" not in out and "\x1b]" not in out and "A bell" in out


def test_the_figures_name_what_is_cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.chdir(tmp_path)
    with Remem.open_sync("memory.db") as opened:
        opened.store("The bank of the river is green. " * 80, id="river")
    clock = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: clock() + 30 * 86_400_000_000_000)
    assert "cold river" in remem("stats").out and "1 text that nobody" in remem("stats").out
    cold = remem("stats", "--json").load()["cold"]
    assert cold["total"] == 1 and cold["nodes"][0]["id"] == "river"
