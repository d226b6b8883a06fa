"""The store in daily use: old files, copies while it is written, the end of a server, a week without growth."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from remem import Remem
from remem.errors import StoreBusyError
from remem.storage import migrate
from tests.campaigns.fresh import find_differences
from tests.campaigns.old_stores import OLD, VERSIONS, make_old
from tests.campaigns.week import play
from tests.faces.server_process import PATIENCE, ServerProcess, make_environment
from tests.guard import guard_hang
from tests.usage.clock import Clock

MEMORIES_SINCE = 5
CALLERS = 6
ENDS_WITHIN = 5.0
"""Seconds in which a server must end. A machine that is busy gets three times as many."""
HASHING = {"REMEM_EMBEDDING__PROVIDER": "hashing"}


# --- old files --------------------------------------------------------------------------------------------------------


def test_a_store_of_an_earlier_remem_comes_up_with_all_that_is_in_it(tmp_path: Path) -> None:
    store = tmp_path / "old.db"
    shutil.copy(OLD, store)
    with Remem.open_sync(store) as remem:
        assert remem.stats().schema_version == migrate.get_newest()
        assert {memory.id: memory.content for memory in remem.memories() if memory.memory_type == "long_term"} == {
            "rope": "# Rope\n\nThe rope of the [[Ferry]] was renewed. #rope",
            "cleo": "The harbour master is called Cleo.",
        }
        assert [memory.id for memory in remem.memories(archived=True) if memory.memory_type == "long_term"] == [
            "remark"
        ]
        manual = [(edge.weight, edge.relationship_type) for edge in remem.export().edges if edge.origin == "manual"]
        assert (3.0, "supports") in manual
        assert {edge.label for edge in remem.pending()} == {"Lighthouse keeper", "Dry dock"}
        assert remem.search("noon", mode="keyword").total == 0 and remem.search("sails", mode="keyword").total == 1
        assert [line.op for line in remem.history("rope")] == ["add"]
        assert remem.stats().pinned == 1 and remem.doctor().healthy
        before = {node.id: node.content for node in remem.export().nodes}
        remem.export_markdown(tmp_path / "texts")
        assert remem.compile(tmp_path / "texts" / "harbour", moved=True).snapshot is None
        assert {node.id: node.content for node in remem.export().nodes} == before
        remem.settle()
        assert remem.doctor().healthy
    assert find_differences(store, tmp_path / "fresh") == []


@pytest.mark.parametrize("version", [VERSIONS[0], MEMORIES_SINCE - 1, MEMORIES_SINCE, VERSIONS[-2]])
def test_stores_of_still_earlier_versions_come_up(version: int, tmp_path: Path) -> None:
    shutil.copy(OLD, tmp_path / "source.db")
    with Remem.open_sync(tmp_path / "source.db") as remem:
        remem.export_markdown(tmp_path / "texts")
    notes = tmp_path / "texts" / "harbour"
    with Remem.open_sync(tmp_path / "notes.db") as remem:
        remem.compile(notes)
        remem.relate("Ferry", "Pier", type="supports", weight=3)
    source = OLD if version >= MEMORIES_SINCE else tmp_path / "notes.db"
    store = make_old(tmp_path / f"v{version}.db", version, source)
    with Remem.open_sync(store) as remem:
        remem.compile(notes, moved=True)
        assert [finding for finding in remem.doctor().findings if finding.fault] == [], version
        assert "supports" in {edge.relationship_type for edge in remem.export().edges if edge.origin == "manual"}
        assert remem.search("white boat", mode="keyword").total
    assert [path.name for path in tmp_path.glob(f"v{version}.db.backup-*")] != []


# --- under load -------------------------------------------------------------------------------------------------------


class Load:
    """Callers that store pairs over HTTP until they are told to stop, or the server is gone."""

    def __init__(self, server: ServerProcess) -> None:
        self.kept: list[str] = []
        self.stopped = threading.Event()
        self._server = server
        self._threads = [threading.Thread(target=self._store, args=(number,)) for number in range(CALLERS)]
        for thread in self._threads:
            thread.start()

    def _store(self, caller: int) -> None:
        for number in itertools.count():
            ids = [f"{side}{caller}n{number}" for side in "ab"]
            items = [{"id": id, "content": f"Fact {id}."} for id in ids]
            try:
                reply = self._server.ask("POST", "/api/v1/memories/batch", {"memories": items})
            except OSError:
                return
            except Exception:  # the answer was cut off
                assert self.stopped.is_set()
                return
            if reply.status == 201:
                self.kept += ids
            if self.stopped.is_set():
                return
            assert reply.status == 201, reply.body

    def wait(self, count: int) -> None:
        """Returns when so many more are kept."""
        wanted, deadline = len(self.kept) + count, time.monotonic() + PATIENCE
        while len(self.kept) < wanted:
            assert time.monotonic() < deadline, "nothing is stored any more"
            time.sleep(0.002)

    def join(self) -> None:
        """Waits for the callers."""
        self.stopped.set()
        for thread in self._threads:
            thread.join(PATIENCE)


@contextmanager
def loaded(store: Path) -> Iterator[tuple[ServerProcess, Load]]:
    """A server that many call."""
    with ServerProcess(store, environ=HASHING) as server:
        load = Load(server)
        try:
            yield server, load
        finally:
            load.join()


def read_ids(store: Path) -> set[str]:
    """The ids of all memories of a store that must be sound."""
    with Remem.open_sync(store) as remem:
        assert [finding for finding in remem.doctor().findings if finding.fault] == []
        return {node.id for node in remem.export().nodes if node.kind == "memory"}


def test_a_copy_made_under_load_is_whole_and_holds_what_was_kept_before(tmp_path: Path) -> None:
    store, copy = tmp_path / "store.db", tmp_path / "copy.db"
    command = [sys.executable, "-m", "remem", "--db", str(store), "backup", str(copy)]
    with loaded(store) as (_, load):
        load.wait(60)
        before = set(load.kept)
        subprocess.run(command, check=True, timeout=PATIENCE, env=make_environment(), capture_output=True)
        with pytest.raises(StoreBusyError):
            asyncio.run(Remem.restore(store, copy))
        load.wait(60)
    kept = read_ids(copy)
    assert before <= kept and {id[1:] for id in kept if id[0] == "a"} == {id[1:] for id in kept if id[0] == "b"}
    assert set(load.kept) <= read_ids(store)
    restored = asyncio.run(Remem.restore(store, copy))
    assert read_ids(store) == kept and restored.kept is not None and set(load.kept) <= read_ids(Path(restored.kept))


def test_a_server_that_is_told_to_end_under_load_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    with loaded(store) as (server, load):
        load.wait(100)
        load.stopped.set()
        with guard_hang("the end of the server", 3 * ENDS_WITHIN):
            assert server.stop() == 0
        load.join()
        assert server.errors == ""
    log = Path(f"{store}-wal")
    assert not log.exists() or log.stat().st_size == 0
    assert set(load.kept) <= read_ids(store)


# --- a week -----------------------------------------------------------------------------------------------------------


def test_nothing_piles_up_while_a_store_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(time, "time_ns", lambda: clock.now * 1_000_000)
    told = play(tmp_path, hours=16, calls=5, clock=clock)
    middle, last = told[len(told) // 2], told[-1]
    assert last.jobs == 0 and last.graph_changes <= 4096 + 512
    most = max(figures.threads for figures in told[: len(told) // 2])
    assert last.threads <= most + 2 and last.log <= 16 * 1024 * 1024
    assert last.objects < 1.1 * middle.objects
