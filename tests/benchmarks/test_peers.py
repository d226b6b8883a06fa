"""Benchmarks beside other programs: where a peer's Python comes from, that it keeps off the user's own, and that each
row says what it is. The peers here are stand-ins that install and speak as the real ones do."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from benchmarks import peers, peers_programs
from benchmarks.peers_install import UnavailableError, find_python, make_environment, run
from benchmarks.peers_turns import compare
from tests.guard import guard_hang

TOP = Path(__file__).resolve().parents[2]
OWN = sys.version_info[:2]

PEER = """\
import json, os, pathlib, sys

def answer(message):
    if message["method"] == "tools/list":
        return {"tools": [{"name": "build_context"}]}
    if message["method"] == "tools/call" and message["params"]["name"] == "build_context":
        return {"content": [{"text": json.dumps({"results": [message["params"]["arguments"]["url"]]})}]}
    return {"content": [{"text": "found"}]}

def main():
    names = ("HOME", "BASIC_MEMORY_CONFIG_DIR", "BASIC_MEMORY_DATABASE_URL", "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED")
    with open(os.environ["PEER_LOG"], "a") as log:
        print(json.dumps([sys.argv[1:], {name: os.environ.get(name) for name in names}]), file=log)
    if sys.argv[1] == "project":
        assert list(pathlib.Path(sys.argv[-1]).rglob("*.md"))
    if sys.argv[1] != "mcp":
        return
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}), flush=True)
"""


def write_wheel(folder: Path) -> None:
    """A wheel of a stand-in under the name of the real package."""
    about = "basic_memory-9.8.7.dist-info"
    parts = {
        "stand_in.py": PEER,
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: basic-memory\nVersion: 9.8.7\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": "[console_scripts]\nbasic-memory = stand_in:main\n",
    }
    parts[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in (*parts, f"{about}/RECORD"))
    with zipfile.ZipFile(folder / "basic_memory-9.8.7-py3-none-any.whl", "w") as wheel:
        for name, text in parts.items():
            wheel.writestr(name, text)


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for the registry, with one wheel."""
    folder = tmp_path / "registry"
    folder.mkdir()
    write_wheel(folder)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PEER_LOG", str(tmp_path / "log"))
    return folder


def write_program(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


# --- a Python for the peer --------------------------------------------------------------------------------------------


def test_the_python_that_runs_the_benchmark_is_taken_where_it_is_new_enough() -> None:
    assert find_python(OWN) == sys.executable


def test_a_python_on_the_path_is_passed_over_where_it_does_not_start_or_is_too_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(tmp_path / "shims" / "python3.13", "echo 'python3.13: command not found' >&2; exit 127")
    write_program(tmp_path / "old" / "python3.13", "exit 1")
    (tmp_path / "dead").mkdir()
    (tmp_path / "dead" / "python3.13").symlink_to(tmp_path / "nowhere")
    good = write_program(tmp_path / "good" / "python3.12", "exit 0")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", os.pathsep.join(str(tmp_path / name) for name in ("shims", "old", "dead", "good")))
    assert find_python((99, 0)) == good


def test_a_python_that_pyenv_keeps_is_found_though_its_shim_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = write_program(tmp_path / "versions" / "3.13.0" / "bin" / "python3.13", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert find_python((99, 0)) == kept


def test_a_named_python_is_taken_and_no_other_in_its_stead(tmp_path: Path) -> None:
    assert find_python(OWN, sys.executable) == sys.executable
    with pytest.raises(UnavailableError, match=r"needs Python 3\.1 or newer: .*/absent is none that starts"):
        find_python((3, 1), str(tmp_path / "absent"))


def test_where_no_python_will_do_the_reason_names_what_is_needed_and_the_way_to_name_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    with pytest.raises(UnavailableError, match=r"needs Python 99\.0 or newer: this is 3\..*--python"):
        find_python((99, 0))


# --- the user's own things --------------------------------------------------------------------------------------------


def test_a_peer_is_told_of_no_place_of_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASIC_MEMORY_DATABASE_URL", "sqlite:///theirs.db")
    monkeypatch.setenv("XDG_CONFIG_HOME", "theirs")
    monkeypatch.setenv("MEMORY_FILE_PATH", "theirs.jsonl")
    environment = make_environment(tmp_path / "home", BASIC_MEMORY_CONFIG_DIR="ours")
    assert environment["HOME"] == str(tmp_path / "home")
    assert environment["BASIC_MEMORY_CONFIG_DIR"] == "ours"
    assert not {"BASIC_MEMORY_DATABASE_URL", "XDG_CONFIG_HOME", "MEMORY_FILE_PATH"} & set(environment)


# --- failures ---------------------------------------------------------------------------------------------------------


def test_a_program_that_fails_is_told_with_its_last_words() -> None:
    code = "import sys; print('all well so far', file=sys.stderr); sys.exit('ERROR: no such version')"
    with pytest.raises(UnavailableError, match="failed: ERROR: no such version"):
        run([sys.executable, "-c", code], dict(os.environ))
    with pytest.raises(UnavailableError, match="absent-program"):
        run(["absent-program", "--version"], dict(os.environ))


# --- figures ----------------------------------------------------------------------------------------------------------


def test_a_comparison_says_how_many_times_ours_the_peers_time_is(capsys: pytest.CaptureFixture[str]) -> None:
    turns: list[str] = []
    compare("take in", lambda n: turns.append(f"a{n}"), lambda n: turns.append(f"b{n}"), 2, bound=1e-9)
    assert turns == ["a0", "b0", "a1", "b1", "a2", "b2"]
    line = r"take in +remem +[\d.]+ ms .* peer +[\d.]+ ms .* [\d.]+ x  bound >= 1e-09  ok"
    assert re.search(line, capsys.readouterr().out)
    compare("take in", lambda n: turns.append("c"), lambda n: turns.append("d"), 1, warm=False, bound=1e9)
    assert turns[6:] == ["c", "d"]
    assert "MISSED" in capsys.readouterr().out


def test_whole_processes_are_also_compared_by_processor_time(capsys: pytest.CaptureFixture[str]) -> None:
    def work(number: int) -> None:
        run([sys.executable, "-c", "sum(range(1_000_000))"], dict(os.environ))

    compare("work", work, work, 1, warm=False)
    assert re.search(r" x \([\d.]+ x by processor time\)", capsys.readouterr().out)


# --- the whole --------------------------------------------------------------------------------------------------------


def test_a_peer_that_was_missing_is_installed_the_next_time_and_measured_in_homes_of_its_own(
    tmp_path: Path, registry: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place, wheel = tmp_path / "place", next(registry.iterdir())
    monkeypatch.setattr(peers_programs, "BASIC_MEMORY_PYTHON", OWN)
    monkeypatch.setenv("BASIC_MEMORY_DATABASE_URL", "sqlite:///theirs.db")
    arguments = ["--only", "basic-memory", "--files", "3", "--repeats", "1", "--place", str(place)]
    monkeypatch.setattr(sys, "argv", ["peers", *arguments, "--python", sys.executable])

    hidden = wheel.rename(tmp_path / wheel.name)
    peers.main()
    assert re.search("left out: python -m pip failed: ERROR.*basic-memory", capsys.readouterr().out)

    hidden.rename(wheel)
    with guard_hang("the benchmark beside a peer", 400):
        peers.main()
    said = capsys.readouterr().out
    assert "basic-memory 9.8.7, Python 3." in said
    assert re.search(r"take in .* x by processor time\)  bound >= 20 ", said)
    assert all(what in said for what in ("search, whole process", "search, over stdio", "related, depth 2, over stdio"))
    assert "31 of its 31 walks found the note they begin at" in said
    assert "left out: n" in said.splitlines()[-1], "remindb alone is left out"

    calls = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert ["project", "add", "bench0"] in [arguments[:3] for arguments, _ in calls]
    for _, seen in calls:
        assert Path.home() != Path(seen["HOME"])
        assert Path(seen["BASIC_MEMORY_CONFIG_DIR"]).is_relative_to(seen["HOME"])
        assert (seen["BASIC_MEMORY_DATABASE_URL"], seen["BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED"]) == (None, "false")
    assert sorted(found.name for found in (place / "basic-memory").iterdir()) == ["installed", "venv"]


def test_a_row_whose_peer_finds_no_python_says_so_plainly(tmp_path: Path) -> None:
    arguments = ("--files", "3", "--only", "basic-memory", "--python", str(tmp_path / "absent"))
    command = [sys.executable, "-m", "benchmarks.peers", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=TOP, timeout=400)
    assert done.returncode == 0
    assert re.search(r"basic-memory: 3 files.*\n  left out: needs Python 3\.12 or newer: .*absent", done.stdout)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "foam"], "there is no peer foam; there are foam-cli, basic-memory, server-memory"),
        (["--files", "0"], "--files is at least 1"),
        (["--repeats", "0"], "--repeats is from 1 to 30"),
        (["--data", str(TOP / "docs" / "pictures")], "there are no notes"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_runs(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["peers", *arguments])
    with pytest.raises(SystemExit) as ended:
        peers.main()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
