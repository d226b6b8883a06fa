"""Files on the disk: who may read what Remem makes, and database files that were made to do harm."""

from __future__ import annotations

import os
import shutil
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from remem import Remem
from remem.datafiles import find_data
from remem.errors import RememError, StoreError
from remem.faces.rest.copies import PREFIX, clear_copies
from remem.storage import migrate, sqlite
from remem.storage.connection import open_reader, open_writer
from tests.faces.command import remem
from tests.guard import guard_hang

OLD = Path(__file__).parents[1] / "data" / "old" / "v7.db"
posix = pytest.mark.skipif(os.name != "posix", reason="rights of files are those of POSIX")


def get_mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def connect(path: Path) -> Any:
    return sqlite.choose().connect(str(path), isolation_level=None)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with two notes and a memory."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# A\n\n[[b]]\n", encoding="utf-8")
    (tmp_path / "notes" / "b.md").write_text("# B\n\ntext\n", encoding="utf-8")
    with Remem.open_sync(tmp_path / "memory.db") as opened:
        opened.compile(tmp_path / "notes")
        opened.store("a memory")
    return tmp_path / "memory.db"


@posix
def test_a_new_store_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with Remem.open_sync(tmp_path / "memory.db") as opened:
            opened.store("private words")
            modes = {path.name: get_mode(path) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert set(modes) >= {"memory.db", "memory.db-wal"} and set(modes.values()) == {0o600}


@posix
def test_rights_that_were_given_to_a_store_stay(store: Path) -> None:
    store.chmod(0o640)
    with Remem.open_sync(store) as opened:
        opened.store("more")
        assert {get_mode(path) for path in store.parent.glob("memory.db*")} == {0o640}


@posix
def test_copies_may_be_read_by_whoever_may_read_the_store(store: Path, tmp_path: Path) -> None:
    with Remem.open_sync(store) as opened:
        opened.backup(tmp_path / "copy.db")
    assert get_mode(tmp_path / "copy.db") == 0o600
    old = Path(shutil.copy(OLD, tmp_path / "old.db"))
    old.chmod(0o600)
    with Remem.open_sync(old):
        pass
    (kept,) = tmp_path.glob("old.db.backup-v7-*")
    assert get_mode(kept) == 0o600
    done = remem("--db", tmp_path / "new.db", "restore", tmp_path / "copy.db")
    assert done.status == 0 and get_mode(tmp_path / "new.db") == 0o600


@pytest.mark.parametrize(
    "program",
    [
        "CREATE TRIGGER evil AFTER INSERT ON nodes BEGIN DELETE FROM edges; END",
        "CREATE TRIGGER passage_made2 AFTER INSERT ON passages BEGIN DELETE FROM nodes; END",
        "CREATE VIEW evil AS SELECT content FROM nodes",
        "DROP TRIGGER root_gone; CREATE TRIGGER root_gone AFTER DELETE ON roots BEGIN DELETE FROM nodes; END",
        "ALTER TABLE tags RENAME TO kept; CREATE VIEW tags AS SELECT node, key, hex(randomblob(9)) AS tag FROM kept",
    ],
)
def test_a_store_with_programs_that_are_not_ours_is_refused_untouched(
    store: Path, tmp_path: Path, program: str
) -> None:
    raw = connect(store)
    raw.executescript(program)
    raw.close()
    before = store.read_bytes()
    with pytest.raises(StoreError, match="none of Remem's"):
        Remem.open_sync(store)
    for line in (("tree",), ("store", "x"), ("doctor", "--fix"), ("migrate",)):
        done = remem("--db", store, *line)
        assert done.status == 1 and "none of Remem's" in done.err and "Traceback" not in done.err
    done = remem("--db", tmp_path / "target.db", "restore", store)
    assert done.status == 1 and not (tmp_path / "target.db").exists()
    assert store.read_bytes() == before


def test_a_view_in_an_older_store_is_refused_before_it_is_brought_up(tmp_path: Path) -> None:
    old = Path(shutil.copy(OLD, tmp_path / "old.db"))
    raw = connect(old)
    raw.execute("CREATE TRIGGER evil AFTER INSERT ON meta BEGIN DELETE FROM nodes; END")
    raw.close()
    before = old.read_bytes()
    with pytest.raises(StoreError, match="none of Remem's"):
        Remem.open_sync(old)
    assert old.read_bytes() == before and [path.name for path in tmp_path.iterdir()] == ["old.db"]


def test_every_trigger_of_the_schema_is_known_as_ours(store: Path) -> None:
    raw = connect(store)
    made = raw.execute("SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')").fetchone()[0]
    raw.close()
    text = find_data("schema.sql").read_text(encoding="utf-8")
    assert made == text.count("\nCREATE TRIGGER ") + text.count("\nCREATE VIEW ") > 0
    assert migrate.inspect(str(store)) == migrate.get_newest()


def test_no_statement_can_load_code_or_trust_a_schema(store: Path) -> None:
    for raw in (open_writer(str(store), "normal", 1), open_reader(str(store), None, 1)):
        with pytest.raises(sqlite.Error, match=r"not authorized|no such function"):
            raw.execute("SELECT load_extension('vec0')").fetchall()
        assert raw.execute("PRAGMA trusted_schema").fetchone()[0] == 0
        raw.close()


@pytest.mark.parametrize(
    "source", ["../../evil.md", "/evil.md", "x/../../evil.md", "..", "", "a\0b.md", "b.md/c.md", "../notes2/evil.md"]
)
def test_places_in_a_forged_store_lead_no_file_out_of_the_export(store: Path, tmp_path: Path, source: str) -> None:
    raw = connect(store)
    raw.execute("UPDATE documents SET source = :source WHERE source = 'a.md'", {"source": source})
    raw.close()
    out = tmp_path / "deep" / "out"
    with Remem.open_sync(store) as opened, pytest.raises(RememError):
        opened.export_markdown(out)
    assert list(tmp_path.rglob("*evil*")) == []


@pytest.mark.parametrize("name", ["..", "../x", "/abs", "a/../../x"])
def test_roots_of_a_forged_store_lead_no_file_out_of_the_export(store: Path, tmp_path: Path, name: str) -> None:
    raw = connect(store)
    raw.execute("UPDATE roots SET name = :name", {"name": name})
    raw.close()
    before = sorted(tmp_path.rglob("*"))
    done = remem("--db", store, "export", "--format", "markdown", "--out", tmp_path / "deep" / "out")
    assert done.status == 1 and sorted(set(tmp_path.rglob("*.md")) - set(before)) == []


def test_an_export_goes_into_nothing_that_holds_anything(store: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "to_full").symlink_to(tmp_path / "full")
    (tmp_path / "to_nothing").symlink_to(tmp_path / "nothing")
    for name in ("full", "to_full", "to_nothing", "full/mine.txt", "notes"):
        done = remem("--db", store, "export", "--format", "markdown", "--out", tmp_path / name)
        assert done.status == 1 and done.err.startswith("error: ") and "unexpected" not in done.err
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]
    assert not (tmp_path / "nothing").exists()


def test_links_that_look_like_left_copies_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / f"{PREFIX}x").symlink_to(tmp_path / "mine")
    (tmp_path / "store" / f"{PREFIX}y").mkdir()
    long_ago = time.time() - 1_000_000
    os.utime(tmp_path / "mine", (long_ago, long_ago))
    os.utime(tmp_path / "store" / f"{PREFIX}y", (long_ago, long_ago))
    clear_copies(str(tmp_path / "store" / "memory.db"))
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    assert [path.name for path in (tmp_path / "store").iterdir()] == [f"{PREFIX}x"]


@posix
@pytest.mark.parametrize("command", ["backup", "restore", "import", "compile", "export"])
def test_what_is_no_plain_file_is_neither_read_nor_written(store: Path, tmp_path: Path, command: str) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    for place in (tmp_path / "pipe.md", Path("/dev/full"), Path("/proc/self/mem")):
        line = ("export", "--format", "markdown", "--out", place) if command == "export" else (command, place)
        with guard_hang(f"{command} of {place}"):
            done = remem("--db", store, *line)
        assert done.status in (1, 2) and "Traceback" not in done.err and "unexpected" not in done.err
