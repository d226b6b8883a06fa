"""The command as a process of its own: streams, pipes, signals, and what is loaded."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from remem import Remem, __version__
from tests.guard import HANG_SECONDS, guard_hang

TOP = Path(__file__).resolve().parent.parent.parent
ON_POSIX = pytest.mark.skipif(os.name == "nt", reason="pipes and signals are those of POSIX")
COMMAND = (sys.executable, "-m", "remem")


def make_environment(**extra: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REMEM_", "PYTHONIOENCODING"))}
    return {**kept, "PYTHONPATH": str(TOP), **extra}


def run(*arguments: str | bytes, **extra: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments], env=make_environment(**extra), capture_output=True, timeout=HANG_SECONDS
    )


def test_the_version_is_told_without_loading_the_engine() -> None:
    assert run("--version").stdout.decode().strip() == f"remem {__version__}"
    code = "import sys; from remem.faces.cli.app import run; run(['--version']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=make_environment(), capture_output=True, check=True, timeout=HANG_SECONDS
    )
    assert not {"asyncio", "numpy", "orjson", "pydantic", "remem.engine", "rich"} & set(done.stderr.decode().split())


@pytest.mark.parametrize("line", [("tree",), ("show", "Deploy"), ("search", "ferry", "--mode", "keyword")])
def test_reading_loads_no_arrays_no_parsers_and_nothing_that_writes(store: Path, line: tuple[str, ...]) -> None:
    code = (
        "import sys; from remem.faces.cli.app import run; "
        f"run(['--db', {str(store)!r}, *{line!r}]); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=make_environment(), capture_output=True, check=True, timeout=HANG_SECONDS
    )
    loaded = set(done.stderr.decode().split())
    assert done.returncode == 0 and done.stdout and not {"numpy", "rich", "yaml", "remem.ingest.markdown"} & loaded
    assert not {name for name in loaded if name.startswith("remem.writing.")} - {"remem.writing.sweeper"}


def test_data_and_talk_go_to_their_own_streams(folder: Path) -> None:
    done = run("compile", "gangway", "--json")
    assert done.returncode == 0
    assert done.stdout.startswith(b'{"root":"gangway"') and done.stdout.count(b"\n") == 1
    assert b"36 files unchanged" in done.stderr


@ON_POSIX
@pytest.mark.parametrize("line", ["tree", "serve --port 0", "mcp", "--version", "init", "compile gangway"])
def test_where_stdout_is_closed_every_command_says_so_and_does_nothing(folder: Path, line: str) -> None:
    before = sorted(folder.iterdir())
    command = f"{shlex.join(COMMAND)} {line} >&-"
    done = subprocess.run(
        ["sh", "-c", command], env=make_environment(), stderr=subprocess.PIPE, timeout=HANG_SECONDS, check=False
    )
    assert done.returncode == 1
    assert done.stderr == b"error: stdout is closed: give it a place, /dev/null if need be\n"
    assert sorted(folder.iterdir()) == before


@ON_POSIX
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("store - <&-", b"stdin is closed"),
        ("mcp <&-", b"stdin is closed"),
        ("drop none <&-", b"no root none"),
        ("purge --node none <&-", b"not found"),
    ],
)
def test_where_stdin_is_closed_nothing_is_asked_and_nothing_breaks(folder: Path, line: str, told: bytes) -> None:
    command = f"{shlex.join(COMMAND)} {line}"
    done = subprocess.run(["sh", "-c", command], env=make_environment(), capture_output=True, timeout=HANG_SECONDS)
    assert done.returncode in (1, 2) and told in done.stderr and done.stderr.count(b"\n") == 1


@ON_POSIX
def test_where_stderr_is_closed_the_work_is_done(folder: Path) -> None:
    for line, status in (("compile gangway", 0), ("roots", 0), ("show nobody", 1)):
        command = ["sh", "-c", f"{shlex.join(COMMAND)} {line} 2>&-"]
        done = subprocess.run(command, env=make_environment(), stdout=subprocess.PIPE, timeout=HANG_SECONDS)
        assert done.returncode == status


@ON_POSIX
def test_a_reader_that_stops_early_ends_the_command_without_a_word(store: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "--db", store, "export"], env=make_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.read(10) == b'{"nodes":['
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(HANG_SECONDS) == 0
    process.stderr.close()


@ON_POSIX
def test_an_interrupted_compile_says_so_leaves_130_and_a_sound_store(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "m.db"):
        pass
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(1500):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nSee [[{number + 1}]].\n" * 4)
    process = start(tmp_path, "compile notes")
    wait_for(tmp_path / "m.db-wal")
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=HANG_SECONDS)
    assert (process.returncode, told.split()) == (130, [b"interrupted"])
    assert run("--db", str(tmp_path / "m.db"), "doctor").returncode == 0


@ON_POSIX
@pytest.mark.parametrize(
    ("line", "number", "status"),
    [
        ("import MUCH/big.jsonl", signal.SIGINT, 130),
        ("import MUCH/big.jsonl", signal.SIGTERM, 143),
        ("import MUCH/big.jsonl", signal.SIGHUP, 129),
        ("bench MUCH/notes", signal.SIGINT, 130),
        ("bench MUCH/notes", signal.SIGTERM, 143),
        ("demo", signal.SIGINT, 130),
        ("demo", signal.SIGTERM, 143),
    ],
)
def test_an_interrupted_command_leaves_no_copies_of_notes(
    much: Path, tmp_path: Path, line: str, number: int, status: int
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = start(tmp_path, line.replace("MUCH", str(much)), TMPDIR=str(scratch))
    with guard_hang("the first copy"):
        while not any(path.is_file() for path in scratch.glob("remem-*/**/*")):
            os.sched_yield()
    process.send_signal(number)
    _, told = process.communicate(timeout=HANG_SECONDS)
    assert (process.returncode, told.splitlines()[-1:]) == (status, [b"interrupted"])
    assert list(scratch.iterdir()) == []


@pytest.fixture(scope="module")
def much(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of notes that take a while to be copied, and of the same as a file to be imported."""
    folder = tmp_path_factory.mktemp("much")
    (folder / "notes").mkdir()
    for number in range(3000):
        (folder / "notes" / f"{number}.md").write_text(f"# Note {number}\n\nSee [[{number + 1}]].\n" * 3)
    db = ("--db", str(folder / "much.db"))
    assert run(*db, "compile", str(folder / "notes")).returncode == 0
    (folder / "big.jsonl").write_bytes(run(*db, "export", "--format", "jsonl").stdout)
    return folder


@ON_POSIX
def test_a_signal_that_is_ignored_interrupts_nothing(tmp_path: Path) -> None:
    """As under `nohup`."""
    code = (
        "import os, signal, sys; from remem.faces.cli import interrupt_on_signals; "
        "signal.signal(signal.SIGHUP, signal.SIG_IGN); signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "interrupt_on_signals([]); os.kill(os.getpid(), signal.SIGHUP); print('goes on', flush=True); "
        "os.kill(os.getpid(), signal.SIGTERM)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=make_environment(), capture_output=True, timeout=HANG_SECONDS, check=False
    )
    assert done.stdout == b"goes on\n" and done.stderr.rstrip().endswith(b"KeyboardInterrupt")


def start(folder: Path, line: str, **extra: str) -> subprocess.Popen[bytes]:
    """A command on `m.db` in a folder."""
    return subprocess.Popen(
        [*COMMAND, "--db", "m.db", *line.split()] if line != "demo" else [*COMMAND, line],
        cwd=folder,
        env=make_environment(**extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Whoever runs the tests in the background has it ignored, and the command would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for(path: Path) -> None:
    """Until a file is there; it comes with the opening of the store, long before the compile is through."""
    with guard_hang("the opening of the store"):
        while not path.exists():
            os.sched_yield()


def test_bytes_that_are_no_text_are_refused_by_name(store: Path) -> None:
    done = run("--db", os.fsencode(store), "show", b"a\xff\xfeb")
    assert done.returncode == 2 and done.stderr.startswith(b"error: ") and b"Traceback" not in done.stderr


def test_labels_in_any_script_reach_a_stream_of_any_encoding(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Ærø 島 🚢\n", encoding="utf-8")
    db = str(tmp_path / "m.db")
    run("--db", db, "compile", str(tmp_path / "note.md"))
    assert "Ærø 島 🚢" in run("--db", db, "tree", PYTHONIOENCODING="utf-8").stdout.decode("utf-8")
    narrow = run("--db", db, "tree", PYTHONIOENCODING="latin-1")
    assert narrow.returncode == 0 and b"r\xf8 \\u5cf6" in narrow.stdout
