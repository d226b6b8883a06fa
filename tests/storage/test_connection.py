"""Where a store may lie, which SQLite opens it, and with which settings."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from remem.errors import (
    InvalidInputError,
    NotFoundError,
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
)
from remem.storage import place, sqlite
from remem.storage.pool import Store
from remem.storage.sqlite import Connection

NOBODY = 65534


def put(connection: Connection, key: str, value: str = "") -> None:
    connection.execute("INSERT INTO meta (key, value) VALUES (:key, :value)", {"key": key, "value": value})


def get_value(connection: Connection, key: str) -> str | None:
    row = connection.execute("SELECT value FROM meta WHERE key = :key", {"key": key}).fetchone()
    return None if row is None else str(row[0])


def get_pragmas(connection: Connection, *names: str) -> tuple[object, ...]:
    return tuple(connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names)


async def open_and_close(path: object, create: bool = True) -> None:
    await (await Store.open(path, create=create)).close()  # type: ignore[arg-type]


def make_store(path: Path, *keys: str) -> None:
    async def fill() -> None:
        async with await Store.open(path) as store:
            for key in keys:
                await store.write(put, key)

    asyncio.run(fill())


def describe_folder(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


# --- the choice of SQLite ---------------------------------------------------------------------------------------------


def test_the_chosen_sqlite_is_new_enough_and_always_the_same() -> None:
    module = sqlite.choose()
    assert module.sqlite_version_info >= sqlite.MIN_SQLITE
    assert sqlite.choose() is module
    assert sqlite.IntegrityError is module.IntegrityError


def test_an_old_sqlite_is_named_as_too_old() -> None:
    old = SimpleNamespace(sqlite_version_info=(3, 42, 0), sqlite_version="3.42.0")
    assert "3.42.0 is too old" in str(sqlite.find_unfitness(old))


def test_where_no_sqlite_will_do_the_error_says_what_to_install() -> None:
    with pytest.raises(StoreError, match=r"no_such_module is not installed.*Install the package pysqlite3"):
        sqlite.pick(["no_such_module"], None)


def test_without_sqlite_vec_the_store_works_and_says_what_to_install() -> None:
    choice = sqlite.pick(["no_such_module", sqlite.choose().__name__], None)
    assert choice.module is sqlite.choose()
    assert "Install the package sqlite-vec" in str(choice.vectors_problem)


def test_a_broken_sqlite_vec_is_a_problem_of_vectors_alone(tmp_path: Path) -> None:
    choice = sqlite.pick([sqlite.choose().__name__], str(tmp_path / "vec0"))
    assert choice.vectors_problem is not None


def test_a_python_that_cannot_load_extensions_is_told_from_others() -> None:
    closed = SimpleNamespace(Connection=object, __name__="sqlite3")
    assert "cannot load SQLite extensions" in str(sqlite.find_vectors_problem(closed, "vec0"))


def test_every_connection_has_vectors_where_they_can_be_had(tmp_path: Path) -> None:
    def get_version(connection: Connection) -> str:
        return str(connection.execute("SELECT vec_version()").fetchone()[0])

    async def get_versions() -> set[str]:
        async with await Store.open(tmp_path / "memory.db") as store:
            return {await store.read(get_version), await store.write(get_version)}

    if sqlite.vectors_problem() is None:
        assert len(asyncio.run(get_versions())) == 1
    else:
        with pytest.raises(StoreError):
            asyncio.run(get_versions())


def test_sql_text_cannot_load_extensions(tmp_path: Path) -> None:
    def load(connection: Connection) -> None:
        connection.execute("SELECT load_extension('vec0')").fetchall()

    async def attempt() -> None:
        async with await Store.open(tmp_path / "memory.db") as store:
            await store.write(load)

    with pytest.raises(StoreError):
        asyncio.run(attempt())


def test_opening_a_store_imports_neither_numpy_nor_sqlite_vec(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from remem.storage.pool import Store\n"
        "async def main():\n"
        "    await (await Store.open(sys.argv[1])).close()\n"
        "asyncio.run(main())\n"
        "print(sorted({'numpy', 'sqlite_vec'} & set(sys.modules)))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "memory.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, env=child_environment())
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def child_environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


# --- settings ---------------------------------------------------------------------------------------------------------


def test_connections_have_the_settings_of_the_store(tmp_path: Path) -> None:
    async def check() -> None:
        names = ("journal_mode", "page_size", "synchronous", "foreign_keys", "query_only")
        async with await Store.open(tmp_path / "full.db") as store:
            assert await store.write(get_pragmas, *names) == ("wal", 2048, 2, 1, 0)
            assert (await store.read(get_pragmas, "journal_mode", "query_only")) == ("wal", 1)
        async with await Store.open(tmp_path / "normal.db", synchronous="normal") as store:
            assert await store.write(get_pragmas, *names) == ("wal", 2048, 1, 1, 0)

    asyncio.run(check())


def test_a_closed_store_is_one_file(tmp_path: Path) -> None:
    make_store(tmp_path / "memory.db", "a")
    assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]


@pytest.mark.parametrize("options", [{"synchronous": "off"}, {"readers": 0}, {"busy_timeout": float("nan")}])
def test_options_out_of_range_are_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError) as caught:
        asyncio.run(Store.open(tmp_path / "memory.db", **options))
    assert caught.value.facts["field"] in options
    assert not list(tmp_path.iterdir())


# --- places -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "  ", "a\0b", ":memory:", b"memory.db", 7, None])
def test_what_is_no_path_is_refused(path: object) -> None:
    with pytest.raises(InvalidInputError) as caught:
        asyncio.run(open_and_close(path))
    assert caught.value.facts["field"] == "path"


def test_a_missing_folder_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Create the folder first"):
        asyncio.run(open_and_close(tmp_path / "notes" / "memory.db"))
    assert not list(tmp_path.iterdir())


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="it is a folder"):
        asyncio.run(open_and_close(tmp_path))


def test_a_missing_file_is_made_only_when_it_may_be(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        asyncio.run(open_and_close(tmp_path / "memory.db", create=False))
    assert not list(tmp_path.iterdir())


def test_a_name_that_is_too_long_is_an_error_of_the_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        asyncio.run(open_and_close(tmp_path / ("m" * 300)))


@pytest.mark.parametrize(
    "name", ["a b.db", "what?.db", "50%25.db", "note#1.db", "löß 日本.db", "mode=ro&x.db", "'q\".db"]
)
def test_any_file_name_can_be_used(tmp_path: Path, name: str) -> None:
    make_store(tmp_path / name, "a")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_link_to_a_store_opens_the_store_itself(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    make_store(tmp_path / "real" / "memory.db", "a")
    (tmp_path / "link.db").symlink_to(tmp_path / "real" / "memory.db")

    async def read() -> str | None:
        async with await Store.open(tmp_path / "link.db", create=False) as store:
            assert sorted(os.listdir(tmp_path)) == ["link.db", "real"]
            return await store.read(get_value, "a")

    assert asyncio.run(read()) == ""


@pytest.mark.parametrize(
    "content", [b"# Notes\n\nSome text.\n" * 400, b"x", b"x" * 99, b"SQLite format 3\0" + b"\xff" * 8176]
)
def test_a_file_that_is_no_database_is_left_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(content)
    with pytest.raises(StoreCorruptError):
        asyncio.run(open_and_close(path))
    assert describe_folder(tmp_path) == {"notes.md": content}


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "memory.db").touch()
    make_store(tmp_path / "memory.db", "a")


MOUNTS = r"""
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
23 22 0:21 / /proc rw - proc proc rw
30 22 0:40 / /mnt/team rw,relatime shared:5 - nfs4 server:/export rw,vers=4.2
31 30 0:41 / /mnt/team/local rw - xfs /dev/vdb rw
32 22 0:42 / /mnt/my\040share rw - cifs //server/share rw
33 22 0:43 / /media/far rw - fuse.sshfs user@host:/ rw
34 22 0:44 / /media/near rw - fuseblk /dev/sdb1 rw
35 22 0:45 / /mnt/c rw - 9p drvfs rw
36 22 0:46 / /stacked rw - nfs old:/ rw
37 36 0:47 / /stacked rw - ext4 /dev/vdc rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/memory.db", "ext4"),
        ("/mnt/team/a/memory.db", "nfs4"),
        ("/mnt/teams/memory.db", "ext4"),
        ("/mnt/team/local/memory.db", "xfs"),
        ("/mnt/my share/memory.db", "cifs"),
        ("/media/far/memory.db", "fuse.sshfs"),
        ("/media/near/memory.db", "fuseblk"),
        ("/mnt/c/memory.db", "9p"),
        ("/stacked/memory.db", "ext4"),
    ],
)
def test_the_mount_that_a_path_lies_on_is_found(path: str, kind: str) -> None:
    assert place.find_file_system(path, place.parse_mountinfo(MOUNTS)) == kind


def test_network_file_systems_are_known_by_their_types() -> None:
    kinds = {kind for _, kind in place.parse_mountinfo(MOUNTS)}
    assert kinds & place.NETWORK_FILE_SYSTEMS == {"nfs4", "nfs", "cifs", "fuse.sshfs", "9p"}


def test_mounts_of_macos_are_read_too() -> None:
    listing = "/dev/disk3s1 on / (apfs, local, journaled)\n//me@nas/docs on /Volumes/My docs (smbfs, nodev, nosuid)\n"
    mounts = place.parse_mount_listing(listing)
    assert place.find_file_system("/Volumes/My docs/memory.db", mounts) == "smbfs"
    assert place.find_file_system("/Library/memory.db", mounts) == "apfs"


# --- rights and damage ------------------------------------------------------------------------------------------------


@contextmanager
def plain_rights() -> Iterator[Path]:
    """A folder, and inside the block no rights beyond those of an ordinary user."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        is_superuser = hasattr(os, "geteuid") and os.geteuid() == 0
        if is_superuser:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            if is_superuser:
                os.seteuid(0)
            folder.chmod(0o700)


async def read_and_try_writing(path: Path) -> str | None:
    async with await Store.open(path) as store:
        assert store.read_only
        with pytest.raises(StoreReadOnlyError):
            await store.write(put, "b")
        return await store.read(get_value, "a")


@pytest.mark.parametrize("target", ["file", "folder"])
def test_a_store_that_may_not_be_written_can_be_read(target: str) -> None:
    with plain_rights() as folder:
        path = folder / "memory.db"
        make_store(path, "a")
        before = path.read_bytes()
        if target == "file":
            path.chmod(0o444)
        else:
            folder.chmod(0o555)
        assert asyncio.run(read_and_try_writing(path)) == ""
        assert describe_folder(folder) == {"memory.db": before}


def test_a_store_cannot_be_made_in_a_folder_without_the_right_to_write() -> None:
    with plain_rights() as folder:
        folder.chmod(0o555)
        with pytest.raises(StoreReadOnlyError):
            asyncio.run(open_and_close(folder / "memory.db"))


def test_a_store_without_the_right_to_read_is_an_error_of_the_store() -> None:
    with plain_rights() as folder:
        make_store(folder / "memory.db", "a")
        (folder / "memory.db").chmod(0)
        with pytest.raises(StoreError):
            asyncio.run(open_and_close(folder / "memory.db"))


def test_a_full_disk_is_told_and_keeps_nothing_of_the_call(tmp_path: Path) -> None:
    def limit_pages(connection: Connection) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 4}")

    def put_much(connection: Connection) -> None:
        put(connection, "first")
        put(connection, "second", "x" * 1_000_000)

    async def fill() -> str | None:
        async with await Store.open(tmp_path / "memory.db") as store:
            await store.run_outside(limit_pages)
            with pytest.raises(StoreFullError):
                await store.write(put_much)
            await store.write(put, "small")
            assert await store.read(get_value, "small") == ""
            return await store.read(get_value, "first")

    assert asyncio.run(fill()) is None


def test_a_damaged_page_is_told_as_damage(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    make_store(path, *(f"{number:03}" + "x" * 4000 for number in range(40)))
    damaged = bytearray(path.read_bytes())
    for page in range(1, len(damaged) // 4096):
        damaged[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    path.write_bytes(damaged)

    def count(connection: Connection) -> int:
        return int(connection.execute("SELECT count(*) FROM meta").fetchone()[0])

    async def read() -> None:
        async with await Store.open(path) as store:
            await store.read(count)

    with pytest.raises(StoreCorruptError) as caught:
        asyncio.run(read())
    assert isinstance(caught.value.__cause__, sqlite.Error)
