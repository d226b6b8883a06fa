"""Disks that fill up or take no writes, and files that vanish: a clear error, nothing lost, nothing by half, and all
goes on when there is room again."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import RememError, StoreError, StoreFullError, StoreReadOnlyError
from tests.campaigns.deeds import DEEDS, Stage
from tests.campaigns.disks import SmallDisk, limit_pages, small_disk
from tests.campaigns.imprint import take_imprint
from tests.campaigns.old_stores import OLD
from tests.faces.server_process import ServerProcess
from tests.writing.vaults import make_vault

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be removed there")
QUIET = {"discover", "back_up"}
"""Deeds whose work goes on behind the call, or elsewhere."""
KILOBYTES = 5120
"""What the disk in memory holds."""
STEPWISE = {"compile_many", "purge"}
"""Deeds that are done in more than one step, each a consistent state."""
LARGE = {"store_batch", "compile_notes", "compile_many", "write"}
"""Deeds that do not find room in the pages that there are."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", KILOBYTES) as made:
        if made is None:
            pytest.skip("this user may not mount a disk in memory")
        yield made


def assert_sound(remem: RememSync) -> None:
    assert [finding for finding in remem.doctor().findings if finding.fault] == []


@pytest.mark.parametrize("name", sorted(set(DEEDS) - QUIET))
def test_a_call_that_meets_a_full_disk_leaves_nothing_by_half(name: str, tmp_path: Path) -> None:
    """Whatever page it is that finds no room."""
    chance, store, vault = Random(name), tmp_path / "store.db", tmp_path / "vault"
    make_vault(vault, chance)
    full = 0
    with Remem.open_sync(store) as remem:
        remem.compile(vault)
        remem.store_batch([f"Fact {number}." for number in range(20)])
        remem.forget(remem.store("Put away.", id="away").id)
        stage = Stage(remem, vault, chance, name)
        for spare in (0, 1, 3, 9, None):
            chosen = DEEDS[name](stage)
            if chosen is None:
                continue
            limit_pages(remem, spare)
            before = take_imprint(store)
            try:
                chosen[1]()
            except StoreFullError:
                full += 1
                assert take_imprint(store) == before or name in STEPWISE
            except RememError as refused:
                assert not isinstance(refused, StoreError), refused
            limit_pages(remem, None)
            assert_sound(remem)
        remem.compile(vault, prune=True)
        assert_sound(remem)
    assert full or name not in LARGE


def test_on_a_full_disk_all_can_be_read_and_later_written(disk: SmallDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEM_EMBEDDING__PROVIDER", "none")  # vectors of long texts would take their time
    store, kept = disk.folder / "store.db", []
    with Remem.open_sync(store) as remem:
        with pytest.raises(StoreFullError) as full:
            for number in range(10_000):
                kept.append(remem.store(f"Fact {number} " + Random(number).randbytes(2000).hex()).id)
        assert "make room" in full.value.message
        assert remem.search("fact").total and remem.recall("fact") and remem.related(kept[0]) is not None
        assert_sound(remem)
        names = sorted(os.listdir(disk.folder))
        for copy in (lambda: remem.backup(disk.folder / "copy.db"), lambda: remem.run_task("backup")):
            with pytest.raises(StoreFullError):
                copy()
        assert sorted(os.listdir(disk.folder)) == names
        for write in (
            lambda: remem.store_batch([f"{number} " + "z" * 80_000 for number in range(5)]),
            lambda: remem.pin(kept[0]),
            lambda: remem.purge(node=kept[0]),
            lambda: remem.doctor(fix=True),
        ):
            before = take_imprint(store)
            try:
                write()  # the log may have room for a small one
            except StoreFullError:
                assert take_imprint(store) == before
            assert_sound(remem)
        disk.set_size(10 * KILOBYTES)
        kept.append(remem.store("There is room again.").id)
    with Remem.open_sync(store) as remem:
        assert_sound(remem)
        assert all(remem.get_batch(kept))


def test_a_store_that_is_migrated_on_a_full_disk_stays_as_it_was(disk: SmallDisk) -> None:
    store = disk.folder / "old.db"
    shutil.copy(OLD, store)
    (disk.folder / "filler").write_bytes(bytes(KILOBYTES * 1024 - store.stat().st_size - 64 * 1024))
    before = store.read_bytes()
    for _ in range(2):
        with pytest.raises(StoreFullError):
            asyncio.run(Remem.migrate(store))
    assert store.read_bytes() == before and sorted(os.listdir(disk.folder)) == ["filler", "old.db"]
    (disk.folder / "filler").unlink()
    assert asyncio.run(Remem.migrate(store)).done


def test_a_server_on_a_full_disk_says_so_and_goes_on_when_there_is_room(disk: SmallDisk) -> None:
    with ServerProcess(disk.folder / "store.db", environ={"REMEM_EMBEDDING__PROVIDER": "none"}) as server:
        kept = 0
        while (reply := server.ask("POST", "/api/v1/memories", {"content": f"{kept} " + "x" * 80_000})).status == 201:
            kept += 1
        assert reply.status in (503, 507) and reply.load()["code"] == "store_full"
        assert server.ask("GET", "/api/v1/memories?limit=1").load()["total"] == kept
        disk.set_size(10 * KILOBYTES)
        assert server.ask("POST", "/api/v1/memories", {"content": "Room."}).status == 201
    with Remem.open_sync(disk.folder / "store.db") as remem:
        assert remem.memories(1).total == kept + 1
        assert_sound(remem)


def test_a_disk_that_turns_read_only_can_be_read(disk: SmallDisk) -> None:
    store = disk.folder / "store.db"
    with Remem.open_sync(store) as remem:
        remem.store("The ferry sails at noon.", id="noon")
    disk.set_writable(False)
    with Remem.open_sync(store) as remem:
        assert remem.get("noon").content == "The ferry sails at noon." and remem.search("ferry").total == 1
        assert_sound(remem)
        with pytest.raises(StoreReadOnlyError):
            remem.store("Later.")
    disk.set_writable(True)
    with Remem.open_sync(store) as remem:
        remem.store("Later.")


@POSIX
@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_deleted_or_replaced_under_a_server_is_told_and_not_written_again(
    replaced: bool, tmp_path: Path
) -> None:  # fmt: skip
    store, away = tmp_path / "store.db", tmp_path / "away.db"
    with Remem.open_sync(tmp_path / "other.db") as other:
        other.store("Another store.", id="other")
    with ServerProcess(store, environ={"REMEM_EMBEDDING__PROVIDER": "hashing"}) as server:
        assert server.ask("POST", "/api/v1/memories", {"content": "Kept.", "id": "kept"}).status == 201
        store.rename(away)
        for ending in ("-wal", "-shm"):
            Path(f"{store}{ending}").rename(f"{away}{ending}")
        if replaced:
            shutil.copy(tmp_path / "other.db", store)
        for method, path, body in (("POST", "/memories", {"content": "Lost?"}), ("GET", "/ready", None)):
            reply = server.ask(method, f"/api/v1{path}", body)
            assert reply.status in (500, 503) and "deleted or replaced" in reply.body.decode()
        assert server.ask("GET", "/api/v1/health").status == 200
        assert store.exists() == replaced and not Path(f"{store}-wal").exists()
        assert server.stop(signal.SIGTERM) == 0
    with Remem.open_sync(away) as remem:
        assert [memory.id for memory in remem.memories()] == ["kept"]
        assert_sound(remem)
    if replaced:
        with Remem.open_sync(store) as remem:
            assert [memory.id for memory in remem.memories()] == ["other"]
