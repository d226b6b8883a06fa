"""What somebody meets in the first hour: messages that say what is the case in the words of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faces.command import remem

SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_notes(**texts: str) -> Path:
    folder = Path("notes")
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def test_a_link_that_waits_stands_under_who_says_it() -> None:
    remem("compile", write_notes(a="# A\n\n[[Nowhere]]\n"))
    remem("store", "See [[Elsewhere]].", "--id", "fact", "--no-wait")
    remem("relate", "fact", "Somewhere")
    lines = remem("pending").out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["memories", "notes/a.md", "made by calls"]


def test_a_secret_that_is_left_out_of_a_memory_is_told_of() -> None:
    stored = remem("store", f"The token is {SECRET}.", "--id", "fact", "--no-wait")
    assert (stored.status, stored.err.splitlines()[0]) == (0, "stored: fact")
    assert "a secret was left out" in stored.err and SECRET not in stored.both
    assert "a secret was left out" in remem("update", "fact", "--text", f"It is {SECRET}", "--no-wait").err
    assert "secret" not in remem("update", "fact", "--text", "It was [redacted:token]; none now", "--no-wait").err
    assert "secret" not in remem("update", "fact", "--importance", "0.7", "--no-wait").err


def test_an_update_of_nothing_names_the_options() -> None:
    remem("store", "A fact.", "--id", "fact", "--no-wait")
    refused = remem("update", "fact")
    assert refused.status == 2 and "--text" in refused.err and "memory_type" not in refused.err


def test_of_an_archived_memory_is_said_how_it_comes_back() -> None:
    remem("store", "A fact.", "--id", "fact", "--no-wait")
    remem("forget", "fact")
    for command in ("show", "forget", "pin"):
        refused = remem(command, "fact")
        assert refused.status == 1 and "archived" in refused.err and "unarchive" in refused.err
    assert remem("unarchive", "fact").status == 0 and remem("show", "fact").status == 0


def test_what_is_no_number_is_called_that() -> None:
    assert "'1y' is no number" in remem("store", "x", "--ttl", "1y").err
    assert "'x' is no whole number" in remem("delta", "x").err
    Path("wrong.toml").write_text('[server]\nport = "x"\n')
    assert "[server] port: must be a whole number" in remem("--config", "wrong.toml", "stats").err


def test_a_problem_of_a_whole_file_names_no_line() -> None:
    folder = write_notes(a="# A\n")
    (folder / "out.md").symlink_to("/dev/null")
    told = remem("compile", folder).err.splitlines()[0]
    assert told.startswith("out.md: ")


def test_an_empty_file_is_no_store_to_read_and_stays_as_it_is() -> None:
    Path("empty.db").touch()
    for command in (("stats",), ("tree",), ("search", "x"), ("doctor",)):
        refused = remem("--db", "empty.db", *command)
        assert refused.status == 1 and "there is no store" in refused.err
    assert Path("empty.db").stat().st_size == 0
    assert remem("--db", "empty.db", "store", "A fact.", "--no-wait").status == 0


def test_the_port_of_the_demo_goes_with_serving() -> None:
    refused = remem("demo", "--port", "0")
    assert (refused.status, refused.out) == (2, "") and "--serve" in refused.err


def test_the_sample_notes_can_be_had_as_files() -> None:
    done = remem("demo", "--copy", "ferry")
    assert (done.status, done.out) == (0, "") and "remem compile ferry" in done.err
    assert remem("compile", "ferry").status == 0
    before = sorted(Path("ferry").rglob("*"))
    for place in ("ferry", "no/such\0place"):
        assert remem("demo", "--copy", place).status in (1, 2)
    assert sorted(Path("ferry").rglob("*")) == before
    assert remem("demo", "--copy", "other", "--serve").status == 2 and not Path("other").exists()
