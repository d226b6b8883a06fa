"""`remem compile --watch` and a server that watches, as processes: what they say, and how they end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.faces.command import remem
from tests.faces.server_process import PATIENCE, ServerProcess, make_environment

SECRET = "hunter" + "2Zq9Xk"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n")
    return folder


def wait_until(holds: Callable[[], bool]) -> None:
    end = monotonic() + PATIENCE
    while not holds():
        assert monotonic() < end
        sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_compile_goes_on_until_a_signal_and_tells_each_compile_in_a_line(
    notes: Path, tmp_path: Path, number: signal.Signals
) -> None:
    command = [sys.executable, "-m", "remem", "--db", str(tmp_path / "store.db"), "compile", str(notes)]
    process = subprocess.Popen(
        [*command, "--watch", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=make_environment(),
        text=True,
    )
    said: list[str] = []
    assert process.stdout is not None and process.stderr is not None
    reader = threading.Thread(target=said.extend, args=(process.stderr,), daemon=True)
    reader.start()
    try:
        assert json.loads(process.stdout.readline())["files_added"] == 1
        wait_until(lambda: any("Ctrl+C" in line for line in said))
        (notes / "b.md").write_text(f"# B\n\npassword={SECRET}\n")
        told = json.loads(process.stdout.readline())
        assert (told["files_added"], [found["code"] for found in told["diagnostics"]]) == (1, ["redacted"])
        for _ in range(20):  # as a wrapper repeats what the whole group has got
            process.send_signal(number)
            sleep(0.01)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.stdout.close()
    reader.join(PATIENCE)
    process.stderr.close()
    assert any("1 file added" in line for line in said[-3:])
    assert SECRET not in "".join(said)


def test_what_cannot_be_watched_is_refused_before_anything_is_made(notes: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    for arguments in ((notes, "--dry-run"), (notes, "--strict"), (notes / "a.md",)):
        done = remem("--db", store, "compile", *arguments, "--watch")
        assert (done.status, done.out) == (2, "")
    assert not store.exists()


def test_a_server_watches_its_folders_and_tells_how_it_goes(notes: Path, tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    config.write_text(f'[compile]\nwatch = true\nroots = [{json.dumps(str(notes))}]\n[logging]\nlevel = "debug"\n')
    with ServerProcess(tmp_path / "store.db", "--config", str(config)) as server:

        def watch() -> dict[str, object]:
            return dict(server.ask("GET", "/api/v1/tasks").load()["watches"][0])

        wait_until(lambda: watch()["state"] == "watching")
        (notes / "b.md").write_text(f"# Beta\n\npassword={SECRET}\n")
        wait_until(lambda: server.ask("GET", "/api/v1/nodes/Beta").status == 200)
        wait_until(lambda: watch()["compiles"] == 2)
        assert (watch()["root"], watch()["problem"]) == ("notes", "")
        server.ask("POST", "/api/v1/memories", {"content": f"password={SECRET}"})
        assert server.ask("POST", "/api/v1/memories", {"content": f"password={SECRET}", "importance": 9}).status == 422
        server.ask("POST", "/api/v1/memories/search", {"query": SECRET})
    assert SECRET not in server.errors
    assert all(SECRET.encode() not in path.read_bytes() for path in tmp_path.glob("store.db*"))


def test_a_server_watches_nothing_unless_it_is_told_to(notes: Path, tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "store.db") as server:
        assert server.ask("GET", "/api/v1/tasks").load()["watches"] == []
