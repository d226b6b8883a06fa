"""Copies of a store: consistent while it is written, put back as a whole, and never over what somebody uses."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from remem import Remem
from remem.errors import (
    InvalidInputError,
    NotFoundError,
    RefusedError,
    StoreBusyError,
    StoreCorruptError,
    StoreError,
    StoreNewerError,
)
from remem.storage import backup as backups
from remem.storage import migrate, sqlite
from remem.storage.backup import GivenUp, back_up

TOP = Path(__file__).resolve().parents[2]
PATIENCE = 60.0


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a memory."""
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        remem.store("The ferry sails at noon.", id="noon")
    return tmp_path / "memory.db"


def restore(store: Path, backup: Path) -> object:
    return asyncio.run(Remem.restore(store, backup))


def list_names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def read_ids(store: Path) -> set[str]:
    with Remem.open_sync(store) as remem:
        assert remem.doctor().healthy
        return {memory.id for memory in remem.memories(200)}


# --- backup -----------------------------------------------------------------------------------------------------------


def test_a_copy_is_a_store_with_everything_in_it(store: Path, tmp_path: Path) -> None:
    with Remem.open_sync(store) as remem:
        remem.store("What is only in the log.", id="log")
        made = remem.backup(tmp_path / "copy.db")
    assert made.path == str(tmp_path / "copy.db") and made.bytes == (tmp_path / "copy.db").stat().st_size
    assert list_names(tmp_path) == {"memory.db", "copy.db"}
    assert read_ids(tmp_path / "copy.db") == {"noon", "log"}


def test_a_copy_is_of_one_instant_while_others_write(store: Path, tmp_path: Path) -> None:
    with Remem.open_sync(store) as remem:
        for number in range(200):
            remem.store(f"{number} " + "x" * 5000, id=f"n{number}")
        stop = threading.Event()

        def write() -> None:
            with Remem.open_sync(store) as other:
                number = 0
                while not stop.is_set():
                    other.store_batch([{"content": f"{number} {side}", "id": f"{side}{number}"} for side in "ab"])
                    number += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(3):
                remem.backup(tmp_path / f"copy{number}.db")
        finally:
            stop.set()
            writer.join(PATIENCE)
    for number in range(3):
        ids = read_ids(tmp_path / f"copy{number}.db")
        assert {id[1:] for id in ids if id[0] == "a"} == {id[1:] for id in ids if id[0] == "b"}


def test_an_earlier_copy_is_replaced_but_nothing_else_is(store: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "long.txt").write_text("mine " * 100)
    foreign = sqlite3.connect(tmp_path / "foreign.db")
    foreign.execute("CREATE TABLE t (x)")
    foreign.close()
    with Remem.open_sync(store) as remem:
        remem.backup(tmp_path / "copy.db")
        remem.store("Later.", id="later")
        remem.backup(tmp_path / "copy.db")
        for name in ("notes.txt", "long.txt", "foreign.db", "memory.db", "memory.db-wal"):
            with pytest.raises(RefusedError):
                remem.backup(tmp_path / name)
        os.link(store, tmp_path / "link.db")
        with pytest.raises(RefusedError):
            remem.backup(tmp_path / "link.db")
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert read_ids(tmp_path / "copy.db") == {"noon", "later"}


@pytest.mark.parametrize("path", ["", " ", "a\0b", "\ud800", "x" * 5000])
def test_what_is_no_path_is_refused(store: Path, path: str) -> None:
    with Remem.open_sync(store) as remem, pytest.raises(InvalidInputError):
        remem.backup(path)


def test_a_place_that_cannot_hold_a_copy_is_told_and_nothing_is_left(store: Path, tmp_path: Path) -> None:
    with Remem.open_sync(store) as remem:
        for path in (tmp_path / "no" / "copy.db", tmp_path):
            with pytest.raises(StoreError):
                remem.backup(path)
    assert list_names(tmp_path) == {"memory.db"}


def test_a_copy_that_is_given_up_leaves_nothing(store: Path, tmp_path: Path) -> None:
    with pytest.raises(GivenUp):
        back_up(str(store), str(tmp_path / "copy.db"), lambda: True)
    assert list_names(tmp_path) == {"memory.db"}


@pytest.mark.skipif(sys.platform == "win32", reason="rights of POSIX")
def test_who_may_not_read_the_store_may_not_read_its_copies(store: Path, tmp_path: Path) -> None:
    store.chmod(0o600)
    with Remem.open_sync(store) as remem:
        remem.backup(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    (tmp_path / "copy.db").chmod(0o644)
    restore(store, tmp_path / "copy.db")
    assert store.stat().st_mode & 0o777 == 0o600


def test_a_cancelled_call_gives_the_copy_up(store: Path, tmp_path: Path) -> None:
    async def run() -> None:
        async with Remem.open(store) as remem:
            call = asyncio.create_task(remem.backup(tmp_path / "copy.db"))
            await asyncio.sleep(0)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)

    asyncio.run(run())
    assert {name for name in list_names(tmp_path) if "partial" in name} == set()


# --- restore ----------------------------------------------------------------------------------------------------------


def test_a_store_is_put_back_and_the_former_one_is_kept(store: Path, tmp_path: Path) -> None:
    with Remem.open_sync(store) as remem:
        remem.backup(tmp_path / "copy.db")
        remem.store("Later.", id="later")
    restored = asyncio.run(Remem.restore(store, tmp_path / "copy.db"))
    assert restored.path == str(store) and restored.kept is not None
    assert read_ids(store) == {"noon"}
    assert read_ids(Path(restored.kept)) == {"noon", "later"}
    assert read_ids(tmp_path / "copy.db") == {"noon"}


def test_a_store_that_is_not_there_is_made(store: Path, tmp_path: Path) -> None:
    restored = asyncio.run(Remem.restore(tmp_path / "new.db", store))
    assert restored.kept is None and read_ids(tmp_path / "new.db") == {"noon"}


def test_what_stands_in_the_log_alone_is_kept_with_the_former_store(store: Path, tmp_path: Path) -> None:
    shutil.copy(store, tmp_path / "copy.db")
    leave_log(store)
    restored = asyncio.run(Remem.restore(store, tmp_path / "copy.db"))
    assert restored.kept is not None
    assert read_ids(store) == {"noon"} and read_ids(Path(restored.kept)) == {"noon", "log"}


def leave_log(store: Path) -> None:
    """Writes a memory in a process that dies, so that it stands in the log alone."""
    code = (
        "import os, sys\nfrom remem import Remem\nremem = Remem.open_sync(sys.argv[1])\n"
        "remem.store('In the log.', id='log')\nos._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(store)], cwd=TOP, check=True, timeout=PATIENCE)
    assert store.with_name("memory.db-wal").stat().st_size


def test_while_anybody_has_it_open_a_store_is_not_replaced(store: Path, tmp_path: Path) -> None:
    shutil.copy(store, tmp_path / "copy.db")
    code = (
        "import sys\nfrom remem import Remem\nremem = Remem.open_sync(sys.argv[1])\nprint('open', flush=True)\ninput()"
    )
    command = [sys.executable, "-c", code, str(store)]
    with subprocess.Popen(command, cwd=TOP, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "open\n"
        before = list_names(tmp_path)
        with pytest.raises(StoreBusyError):
            restore(store, tmp_path / "copy.db")
        assert list_names(tmp_path) == before
        other.communicate("\n", timeout=PATIENCE)
    with Remem.open_sync(store) as remem:
        with pytest.raises(StoreBusyError):
            restore(store, tmp_path / "copy.db")
        remem.store("Still mine.", id="mine")
    assert read_ids(store) == {"noon", "mine"}


def test_a_damaged_store_is_replaced_but_not_while_it_is_open(store: Path, tmp_path: Path) -> None:
    shutil.copy(store, tmp_path / "copy.db")
    code = (
        "import sys\nfrom remem import Remem\nremem = Remem.open_sync(sys.argv[1])\nremem.stats()\n"
        "print('open', flush=True)\ninput()\nimport os\nos._exit(0)"
    )
    command = [sys.executable, "-c", code, str(store)]
    with subprocess.Popen(command, cwd=TOP, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "open\n"
        with store.open("r+b") as file:
            file.write(b"no header at all")
        if sys.platform == "linux":
            with pytest.raises(StoreError):
                restore(store, tmp_path / "copy.db")
        other.communicate("\n", timeout=PATIENCE)
    restored = asyncio.run(Remem.restore(store, tmp_path / "copy.db"))
    assert restored.kept is not None and Path(restored.kept).read_bytes().startswith(b"no header at all")
    assert read_ids(store) == {"noon"}


def test_what_is_no_backup_is_refused_and_the_store_stays(store: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.db").write_bytes(b"")
    (tmp_path / "text.db").write_text("no database " * 50)
    shutil.copy(store, tmp_path / "newer.db")
    newer = sqlite3.connect(tmp_path / "newer.db")
    newer.execute("PRAGMA user_version = 9999")
    newer.close()
    damaged = bytearray(store.read_bytes())
    damaged[4096 * 20 : 4096 * 60] = b"\xff" * 4096 * 40
    (tmp_path / "damaged.db").write_bytes(damaged)
    before = store.read_bytes()
    for name, error in (
        ("none.db", NotFoundError),
        ("empty.db", StoreCorruptError),
        ("text.db", StoreCorruptError),
        ("newer.db", StoreNewerError),
        ("damaged.db", StoreCorruptError),
        ("memory.db", RefusedError),
    ):
        with pytest.raises(error):
            restore(store, tmp_path / name)
    assert read_ids(store) == {"noon"} and len(store.read_bytes()) == len(before)
    assert not [name for name in list_names(tmp_path) if "partial" in name or "before-restore" in name]


@pytest.mark.parametrize("moment", ["copy_store", "_check_copy", "_set_aside", "sync_folder"])
def test_killed_at_any_step_a_whole_store_is_in_its_place(store: Path, tmp_path: Path, moment: str) -> None:
    shutil.copy(store, tmp_path / "copy.db")
    with Remem.open_sync(store) as remem:
        remem.store("Later.", id="later")
    code = (
        "import os, sys, asyncio\nfrom remem import Remem\nfrom remem.storage import backup\n"
        "step = getattr(backup, sys.argv[3])\n"
        "def die(*args):\n    step(*args)\n    os._exit(9)\n"
        "setattr(backup, sys.argv[3], die)\nasyncio.run(Remem.restore(sys.argv[1], sys.argv[2]))"
    )
    command = [sys.executable, "-c", code, str(store), str(tmp_path / "copy.db"), moment]
    assert subprocess.run(command, cwd=TOP, check=False, timeout=PATIENCE).returncode == 9
    assert read_ids(store) in ({"noon"}, {"noon", "later"})
    assert restore(store, tmp_path / "copy.db") and read_ids(store) == {"noon"}
    if os.name == "posix":  # what the dead process left is gone
        assert not [name for name in list_names(tmp_path) if "partial" in name]


def test_whoever_opened_the_file_just_before_gets_the_new_one(store: Path, tmp_path: Path) -> None:
    shutil.copy(store, tmp_path / "copy.db")
    with Remem.open_sync(store) as remem:
        remem.store("Later.", id="later")
    held = threading.Event()
    go_on = threading.Event()
    aside = backups._set_aside

    def wait(path: str) -> str:
        held.set()
        assert go_on.wait(PATIENCE)
        return aside(path)

    backups._set_aside = wait
    try:
        restoring = threading.Thread(target=restore, args=(store, tmp_path / "copy.db"))
        restoring.start()
        assert held.wait(PATIENCE)
        found: list[set[str]] = []
        opening = threading.Thread(target=lambda: found.append(read_ids(store)))
        opening.start()
        go_on.set()
        restoring.join(PATIENCE)
        opening.join(PATIENCE)
    finally:
        backups._set_aside = aside
    assert found == [{"noon"}]


# --- migrations -------------------------------------------------------------------------------------------------------


def make_old(path: Path, version: int) -> None:
    """A store of an earlier version, with a root in it."""
    connection = sqlite.choose().connect(path)
    for step in migrate.list_migrations(None)[:version]:
        connection.executescript(step.path.read_text(encoding="utf-8"))
    connection.execute("INSERT INTO roots (key, name, path, compiled_at) VALUES (1, 'notes', '/nowhere', 0)")
    connection.execute(f"PRAGMA application_id = {migrate.APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.commit()
    connection.close()


def test_an_older_store_is_brought_up_with_a_copy_and_a_dry_run_only_says_so(tmp_path: Path) -> None:
    make_old(tmp_path / "old.db", 3)
    before = (tmp_path / "old.db").read_bytes()
    state = asyncio.run(Remem.migrate(tmp_path / "old.db", dry_run=True))
    assert (state.version, state.newest, state.done, state.backup) == (3, migrate.get_newest(), False, None)
    assert state.missing[0].startswith("0004_") and len(state.missing) == state.newest - 3
    assert (tmp_path / "old.db").read_bytes() == before and list_names(tmp_path) == {"old.db"}
    done = asyncio.run(Remem.migrate(tmp_path / "old.db"))
    assert done.done and done.backup is not None and Path(done.backup).is_file()
    again = asyncio.run(Remem.migrate(tmp_path / "old.db"))
    assert (again.version, again.missing, again.done) == (again.newest, (), False)
    with Remem.open_sync(tmp_path / "old.db") as remem:
        assert [root.name for root in remem.roots()] == ["notes"]


def test_a_store_that_is_not_there_or_newer_is_no_store_to_migrate(store: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        asyncio.run(Remem.migrate(tmp_path / "none.db"))
    newer = sqlite3.connect(store)
    newer.execute("PRAGMA user_version = 9999")
    newer.close()
    with pytest.raises(StoreNewerError):
        asyncio.run(Remem.migrate(store))
