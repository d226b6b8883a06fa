"""Whatever is given, a command answers with one clear line on stderr and an exit status, and changes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remem import errors
from remem.faces import wire
from remem.faces.cli.app import tell_error
from tests.faces.command import remem

BYTES = os.fsdecode(b"a\xff\xfeb")

USAGE = (
    ("frobnicate",),
    ("--nope",),
    ("show",),
    ("show", "a", "b"),
    ("completion", "tcsh"),
    (BYTES,),
    ("show", BYTES),
    ("show", ""),
    ("show", " "),
    ("show", "x" * 5000),
    ("tree", "--depth", "-1"),
    ("tree", "--depth", "1e9"),
    ("tree", "--depth", "9" * 30),
    ("tree", "--depth", "x"),
    ("related", "Deploy", "--depth", "0"),
    ("related", "Deploy", "--depth", "6"),
    ("related", "Deploy", "--weight-min", "nan"),
    ("related", "Deploy", "--weight-min", "inf"),
    ("related", "Deploy", "--weight-min", "-1"),
    ("related", "Deploy", "--weight-min", "1e9"),
    ("related", "Deploy", "--weight-min", "x"),
    ("related", "Deploy", "--type", "loves"),
    ("related", "Deploy", "--type", ""),
    ("related", "Deploy", "--type", BYTES),
    ("related", "Deploy", "--origin", "x"),
    ("related", "Deploy", "--kind", "zebra"),
    ("related", "Deploy", "--limit", "0"),
    ("related", "Deploy", "--scope", "x"),
    ("related", "Deploy", "--direction", "up"),
    ("related", "Deploy", "--rank", "x"),
    ("relate", "Deploy", ""),
    ("relate", "Deploy", BYTES),
    ("relate", "Deploy", "Glossary", "--weight", "nan"),
    ("relate", "Deploy", "Glossary", "--weight", "-1"),
    ("relate", "Deploy", "Glossary", "--weight", "1e9"),
    ("relate", "Deploy", "Glossary", "--type", "x"),
    ("unrelate", "Deploy", "Glossary", "--type", "x"),
    ("drop", "", "--yes"),
    ("compile", ""),
    ("compile", BYTES),
    ("compile", "gangway", "--root", ""),
    ("compile", "gangway", "--root", BYTES),
    ("compile", "memory.db"),
    ("export", "--format", "markdown"),
    ("export", "--format", "svg"),
    ("export", "--out", ""),
    ("--db", "", "tree"),
    ("--db", BYTES, "tree"),
    ("--config", "nope.toml", "tree"),
    ("--config", "broken.toml", "tree"),
    ("--config", "unknown.toml", "tree"),
    ("--config", "binary.toml", "tree"),
    ("--config", "folder", "tree"),
    ("--config", BYTES, "tree"),
)
FAILED = (
    ("show", "nope"),
    ("show", "#"),
    ("show", "a#b#c"),
    ("show", "%00"),
    ("show", "../.."),
    ("show", "00000000000"),
    ("tree", "nope"),
    ("related", "nope"),
    ("path", "Deploy", "nope"),
    ("relate", "nope", "Deploy"),
    ("unrelate", "Deploy", "zzz"),
    ("unrelate", "nope", "Deploy"),
    ("drop", "nope", "--yes"),
    ("compile", "nope"),
    ("export", "--out", "folder"),
    ("export", "--out", "nofolder/x.json"),
    ("export", "--format", "markdown", "--out", "gangway"),
    ("--db", "none.db", "tree"),
    ("--db", "none.db", "relate", "a", "b"),
    ("--db", "nofolder/x.db", "tree"),
    ("--db", "nofolder/x.db", "compile", "gangway"),
    ("--db", "folder", "tree"),
    ("--db", "text.db", "tree"),
    ("--db", "other.db", "tree"),
    ("--config", "nofolder/x.toml", "init"),
)


@pytest.fixture
def odd(folder: Path) -> Path:
    """The working directory with files that are not what they seem."""
    from remem.storage import sqlite

    (folder / "text.db").write_text("this is no database at all\n" * 100)
    connection = sqlite.choose().connect(folder / "other.db")
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    (folder / "folder").mkdir()
    (folder / "folder" / "note").write_text("x")
    (folder / "broken.toml").write_text("[storage\n")
    (folder / "unknown.toml").write_text('[storage]\npth = "x"\n')
    (folder / "binary.toml").write_bytes(b"\xff\xfe")
    return folder


def check_refusal(arguments: tuple[str, ...], status: int, folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir() if not path.name.endswith(("-wal", "-shm")))
    done = remem(*arguments)
    assert (done.status, done.out) == (status, ""), done.err
    assert done.err.startswith("error: ") and done.err.count("\n") == 1, done.err
    assert "Traceback" not in done.err and "report this" not in done.err
    assert sorted(path.name for path in folder.iterdir() if not path.name.endswith(("-wal", "-shm"))) == before


@pytest.mark.parametrize("arguments", USAGE, ids=lambda arguments: ascii(" ".join(arguments))[:60])
def test_wrong_usage_is_one_line_and_exit_status_2(arguments: tuple[str, ...], odd: Path) -> None:
    check_refusal(arguments, wire.WRONG_USAGE, odd)


@pytest.mark.parametrize("arguments", FAILED, ids=lambda arguments: ascii(" ".join(arguments))[:60])
def test_a_request_that_fails_is_one_line_and_exit_status_1(arguments: tuple[str, ...], odd: Path) -> None:
    check_refusal(arguments, wire.FAILED, odd)


def test_no_command_at_all_shows_the_help_on_stderr() -> None:
    done = remem()
    assert (done.status, done.out) == (2, "") and "Usage: remem" in done.err


def test_a_misspelt_command_is_answered_with_the_one_that_may_be_meant() -> None:
    assert "did you mean related?" in remem("relatd").err


def test_a_missing_store_is_answered_with_how_to_make_one(tmp_path: Path) -> None:
    assert "remem compile" in remem("--db", tmp_path / "none.db", "stats").err


def test_an_ambiguous_label_is_answered_with_the_ids_to_choose_from(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "notes" / name).mkdir(parents=True)
        (tmp_path / "notes" / name / "same.md").write_text(f"# Same\n\n{name}\n")
    db = tmp_path / "m.db"
    remem("--db", db, "compile", tmp_path / "notes")
    done = remem("--db", db, "show", "Same")
    assert done.status == 1
    assert any(id in done.err for id in (node["id"] for node in remem("--db", db, "tree", "--json").load()["nodes"]))


def test_every_code_of_an_error_has_an_exit_status() -> None:
    kinds = [errors.RememError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    codes = {kind.code for kind in kinds if kind.__module__ == errors.__name__}
    assert codes == set(wire.REPORTS)
    assert {wire.REPORTS[code].exit_status for code in codes} == {1, 2}


def test_an_unexpected_error_is_one_line_without_content_and_a_traceback_only_when_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    error = ValueError("the text of a note")
    assert tell_error(error) == 1
    quiet = capsys.readouterr().err
    assert quiet.startswith("error: unexpected ValueError; please report this") and "note" not in quiet
    tell_error(error, debug=True)
    assert "ValueError: the text of a note" in capsys.readouterr().err
