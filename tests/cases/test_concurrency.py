"""Several processes and threads on one store: compiles side by side, writers in between, processes that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest

from remem import Remem
from tests.cases.vault import Vault

COMPILE = """
import sys
from remem import Remem
from remem.records import CompileProgress

def tell(told: CompileProgress) -> None:
    print(told.phase, flush=True)

store, folder, config, rounds = sys.argv[1:]
with Remem.open_sync(store, config=config) as remem:
    for _ in range(int(rounds)):
        remem.compile(folder, progress=tell)
print("done", flush=True)
"""
RELATE = """
import sys
from remem import Remem

with Remem.open_sync(sys.argv[1]) as remem:
    for number in range(20):
        remem.relate("hub", target_label=f"{sys.argv[2]} {number}")
"""


def make_notes(vault: Vault, count: int, words: str) -> None:
    vault.write(
        {f"d{n % 7}/n{n}.md": f"# N{n}\n\n{words} of note {n}, [[n{n + 1}]]\n\n- [[hub]]\n" for n in range(count)}
    )
    vault.write({"hub.md": f"{words} [[n0]]\n"})


def start(vault: Vault, script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, str(vault.store), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def start_compile(vault: Vault, rounds: int = 1) -> subprocess.Popen[str]:
    return start(vault, COMPILE, vault.folder, vault.place / "settings.toml", rounds)


def finish(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


def test_two_processes_compile_one_folder_at_once(vault: Vault) -> None:
    """Case 119"""
    make_notes(vault, 60, "words")
    processes = [start_compile(vault) for _ in range(3)]
    for process in processes:
        finish(process)
    vault.check()
    assert vault.remem.stats().snapshots == 1


def test_compiles_and_edits_side_by_side_lose_nothing(vault: Vault) -> None:
    """Case 119"""
    make_notes(vault, 20, "words")
    vault.remem.compile(vault.folder)
    chance = Random(5)
    processes = [start_compile(vault, rounds=8) for _ in range(2)]
    while any(process.poll() is None for process in processes):
        number = chance.randrange(20)
        vault.write({f"d{number % 7}/n{number}.md": f"# N{number}\n\nedit {chance.random()} [[n3]]\n"})
        vault.remem.relate("hub", target_label=f"later {number}")
    for process in processes:
        finish(process)
    vault.compile()
    waits = {edge.label for edge in vault.export.pending if edge.origin == "manual"}
    assert waits
    assert all(label.startswith("later") for label in waits)


def test_writers_of_two_processes_lose_nothing(vault: Vault) -> None:
    """Case 121"""
    make_notes(vault, 20, "words")
    vault.remem.compile(vault.folder)
    processes = [start(vault, RELATE, name) for name in ("one", "two")]
    for process in processes:
        finish(process)
    waits = [edge.label for edge in vault.export.pending if edge.origin == "manual"]
    assert sorted(waits) == sorted(f"{name} {number}" for name in ("one", "two") for number in range(20))


def test_writers_of_one_process_lose_nothing(vault: Vault) -> None:
    """Case 121"""
    vault.compile({"hub.md": "words\n"})
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: vault.remem.relate("hub", target_label=f"later {number}"), range(40)))
    assert len(vault.export.pending) == 40


def test_readers_go_on_while_a_compile_writes(vault: Vault) -> None:
    make_notes(vault, 20, "words")
    vault.remem.compile(vault.folder)
    make_notes(vault, 20, "other words")
    seen: list[int] = []

    def look(told: object) -> None:
        with Remem.open_sync(vault.store) as other:
            seen.append(len(other.related("hub")))

    vault.remem.compile(vault.folder, progress=look)
    assert set(seen) == {20}


@pytest.mark.parametrize("seed", range(6))
def test_killed_compile_leaves_a_sound_store(seed: int, tmp_path: Path) -> None:
    """A process is killed at the start of a random step of its compile, or a moment later."""
    vault = Vault(tmp_path, config="[compile]\nslice_bytes = 1000\n")
    chance = Random(seed)
    with vault.remem:
        make_notes(vault, 30, "words")
        if seed % 2:
            vault.remem.compile(vault.folder)
            vault.remem.relate("n1", "n2", type="supports")
            make_notes(vault, 30, "other words")
        process = start_compile(vault)
        assert process.stdout is not None
        wanted = chance.randint(1, 4)
        for line in process.stdout:
            wanted -= line == "write\n"
            if not wanted:
                break
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        assert vault.remem.doctor().healthy
        vault.compile()
        assert len(vault.manual) == seed % 2
        assert vault.remem.stats().snapshots == 1 + seed % 2


def test_doctor_is_content_with_what_another_process_wrote(vault: Vault) -> None:
    """SQLite's check of a full-text index goes by what its connection read last, which others have changed since."""
    with Remem.open_sync(vault.store) as other:
        for number in range(24):
            vault.write({f"n{number}.md": f"# N{number}\n\nwords of note {number}\n", "hub.md": f"edit {number}\n"})
            vault.remem.compile(vault.folder)
            assert other.doctor().healthy
