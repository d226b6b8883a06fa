"""Other programs for notes and memory on the same notes: time to take them in, to search, to walk.

    python -m benchmarks.peers [--place DIR] [--files N] [--repeats N] [--data DIR]

Each peer is installed from its registry into a folder of its own below `--place` (default: a temporary one) and runs
with a home of its own there, without a model. One that cannot be installed or fails is left out, and the reason is
printed.

| peer | takes notes in | searches |
| --- | --- | --- |
| foam-cli (npm) | `graph`: reads all notes at each start, keeps nothing | `grep`; over MCP `traverse_graph` |
| basic-memory (PyPI) | `project add` | `tool search-notes` |
| @modelcontextprotocol/server-memory (npm) | over MCP: an entity a note, a paragraph an observation | `search_nodes` |

Remem takes its turn beside each, with the same kind of process: whole processes of the command line, or one server over
stdio. What they do differs: foam ranks nothing and has no index, server-memory looks for one substring; Remem parses
blocks, indexes, resolves links and keeps history. Not measured: quality of what is found, semantic search, writes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import find_p90, judge, tell_run
from benchmarks.mcp import Process
from benchmarks.notes import write_notes

TIMEOUT = 600
SEARCHES = 30
BASIC_MEMORY_BOUND = 20.0
_WORD = re.compile(r"[a-z]{5,}")


class UnavailableError(Exception):
    """A peer that cannot be measured here; the message says why."""


def run(command: Sequence[str], environment: Mapping[str, str], where: Path | None = None) -> str:
    """What a process prints. Raises UnavailableError with its last words where it fails."""
    try:
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment, cwd=where, timeout=TIMEOUT
        )
    except subprocess.CalledProcessError as error:
        lines = [line for line in error.stderr.splitlines() if "rror" in line] or error.stderr.splitlines() or [""]
        raise UnavailableError(f"{Path(command[0]).name} {command[1]} failed: {lines[-1].strip()[:200]}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"{Path(command[0]).name}: {error}") from None
    return done.stdout


def make_environment(place: Path) -> dict[str, str]:
    """The environment of a peer: a home of its own, no telemetry, no models."""
    home = place / "home"
    home.mkdir(parents=True, exist_ok=True)
    quiet = {"FOAM_TELEMETRY": "0", "DO_NOT_TRACK": "1", "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"}
    return {**os.environ, **quiet, "HOME": str(home), "BASIC_MEMORY_HOME": str(home / "basic-memory")}


def install_node(package: str, command: str, place: Path) -> str:
    """Installs an npm package; the path of its command."""
    if shutil.which("npm") is None:
        raise UnavailableError("npm is not installed")
    found = place / "node_modules" / ".bin" / command
    if not found.exists():
        (place / "package.json").write_text("{}", encoding="utf-8")
        run(["npm", "install", "--no-audit", "--no-fund", package], dict(os.environ), place)
    version = json.loads((place / "node_modules" / package / "package.json").read_text(encoding="utf-8"))["version"]
    print(f"{package} {version}")
    return str(found)


def install_python(package: str, command: str, place: Path) -> str:
    """Installs a PyPI package into a venv; the path of its command."""
    found = place / "venv" / "bin" / command
    if not found.exists():
        run([sys.executable, "-m", "venv", str(place / "venv")], dict(os.environ))
        pip = [str(place / "venv" / "bin" / "python"), "-m", "pip", "install", "--quiet", package]
        try:
            run(pip, dict(os.environ))
        except UnavailableError as error:
            version = ".".join(map(str, sys.version_info[:3]))
            raise UnavailableError(f"pip finds no {package} for Python {version} ({error})") from None
    print(run([str(place / "venv" / "bin" / "python"), "-m", "pip", "show", package], dict(os.environ)).split("\n")[1])
    return str(found)


def time_call(call: Callable[[], object]) -> float:
    """Seconds of one call."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def compare(
    what: str, ours: Callable[[int], object], theirs: Callable[[int], object], repeats: int, bound: float | None = None
) -> None:
    """Prints how long both take, in turn, and how many times ours the peer's is. The first turn does not count."""
    pairs = [(time_call(lambda n=n: ours(n)), time_call(lambda n=n: theirs(n))) for n in range(repeats + 1)][1:]  # type: ignore[misc]
    own, other = ([pair[side] * 1000 for pair in pairs] for side in (0, 1))
    ratio = statistics.median(b / a for a, b in pairs)
    held = f"  {judge(ratio, bound, least=True)}" if bound else ""
    figures = (f"{statistics.median(times):9.1f} ms (p90 {find_p90(times):.1f})" for times in (own, other))
    print(f"  {what:<34} remem {next(figures)}   peer {next(figures)}   {ratio:6.1f} x{held}", flush=True)


class Notes:
    """The notes that all take in, with words to look for, and Remem's store of them."""

    def __init__(self, folder: Path, place: Path) -> None:
        self.folder, self.place = folder, place
        self.paths = sorted(folder.rglob("*.md"))
        self.texts = [path.read_text(encoding="utf-8") for path in self.paths]
        words = sorted({word for text in self.texts for word in _WORD.findall(text.lower())})
        self.words = random.Random(3).sample(words, min(SEARCHES * 4, len(words)))
        self.names = random.Random(4).sample([path.stem for path in self.paths], min(SEARCHES * 4, len(self.paths)))
        self.store = str(place / "remem.db")
        self.compile(0)

    def command(self, store: str, *arguments: str) -> str:
        """Runs Remem's command line."""
        return run([sys.executable, "-m", "remem", "--db", store, *arguments], dict(os.environ))

    def compile(self, number: int) -> None:
        """A first compile into a new store, as a whole process."""
        store = self.store if not number else str(self.place / f"remem{number}.db")
        self.command(store, "compile", str(self.folder))

    def search(self, number: int) -> None:
        """A keyword search, as a whole process."""
        self.command(self.store, "search", self.words[number % len(self.words)], "--mode", "keyword")

    def serve(self) -> Process:
        """Remem over stdio."""
        process = Process([sys.executable, "-m", "remem", "--db", self.store, "mcp"])
        process.greet()
        return process


def measure_foam(place: Path, notes: Notes, repeats: int) -> None:
    """foam-cli."""
    foam, environment = install_node("foam-cli", "foam", place), make_environment(place)
    at = ["--workspace", str(notes.folder)]

    def read(number: int) -> None:
        run([foam, "graph", *at], environment)

    def search(number: int) -> None:
        run([foam, "grep", notes.words[number], *at], environment)

    compare("take in (theirs keeps nothing)", lambda n: notes.compile(n + 1), read, repeats)
    compare("search, whole process", notes.search, search, repeats)
    ours, theirs = notes.serve(), Process([foam, "mcp", *at], environment)
    try:
        theirs.greet()
        places = {path.stem: path.as_uri() for path in notes.paths}

        def walk(number: int) -> None:
            theirs.call("traverse_graph", uri=places[notes.names[number]], depth=2, direction="both")

        def relate(number: int) -> None:
            ours.call("MemoryRelated", anchor=notes.names[number], depth=2)

        compare("related, depth 2, over stdio", relate, walk, SEARCHES)
    finally:
        ours.close()
        theirs.close()


def measure_basic_memory(place: Path, notes: Notes, repeats: int) -> None:
    """basic-memory, its vectors switched off."""
    command, environment = install_python("basic-memory", "basic-memory", place), make_environment(place)

    def take_in(number: int) -> None:
        copy = place / f"notes{number}"
        shutil.copytree(notes.folder, copy)
        run([command, "project", "add", f"bench{number}", str(copy)], environment)

    def search(number: int) -> None:
        run([command, "tool", "search-notes", notes.words[number], "--project", "bench0"], environment)

    compare("take in", lambda n: notes.compile(n + 1), take_in, min(repeats, 2), BASIC_MEMORY_BOUND)
    compare("search, whole process", notes.search, search, repeats)


def measure_server_memory(place: Path, notes: Notes, repeats: int) -> None:
    """The reference memory server, one entity a note."""
    command = install_node("@modelcontextprotocol/server-memory", "mcp-server-memory", place)
    kept: list[Process] = []

    def start(number: int) -> Process:
        environment = {**make_environment(place), "MEMORY_FILE_PATH": str(place / f"memory{number}.jsonl")}
        process = Process([command], environment)
        process.greet()
        return process

    def take_in(number: int) -> None:
        process = start(number)
        process.call("create_entities", entities=make_entities(notes))
        kept.append(process)

    try:
        compare("take in (theirs by one call)", lambda n: notes.compile(n + 1), take_in, repeats)
        ours = notes.serve()
        kept.append(ours)
        compare(
            "search, over stdio",
            lambda n: ours.call("MemorySearch", query=notes.words[n], mode="keyword"),
            lambda n: kept[0].call("search_nodes", query=notes.words[n]),
            SEARCHES,
        )
    finally:
        for process in kept:
            process.close()


def make_entities(notes: Notes) -> list[dict[str, Any]]:
    """The notes as that server takes knowledge in."""
    return [
        {"name": path.stem, "entityType": "note", "observations": [part for part in text.split("\n\n") if part]}
        for path, text in zip(notes.paths, notes.texts, strict=True)
    ]


PEERS = {
    "foam-cli": measure_foam,
    "basic-memory": measure_basic_memory,
    "server-memory": measure_server_memory,
}


def main() -> None:
    """Measures all peers that can be had."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--place", type=Path, help="where the peers are installed and kept (default: nowhere)")
    parser.add_argument("--files", type=int, default=1000, help="seeded notes of 2200 bytes (default 1000)")
    parser.add_argument("--repeats", type=int, default=5, help="turns of whole processes (default 5)")
    parser.add_argument("--data", type=Path, help="a folder of notes instead of seeded ones")
    chosen = parser.parse_args()
    tell_run("mcp")
    with tempfile.TemporaryDirectory() as name:
        folder = chosen.data or Path(name) / "notes"
        if not chosen.data:
            write_notes(folder, chosen.files, 2200)
        for peer, measure in PEERS.items():
            place, work = (chosen.place or Path(name)) / peer, Path(name) / f"work-{peer}"
            place.mkdir(parents=True, exist_ok=True)
            work.mkdir()
            notes = Notes(folder, work)
            print(f"{peer}: {len(notes.paths)} files, {sum(map(len, notes.texts)) / 1e6:.2f} MB", flush=True)
            try:
                measure(place, notes, chosen.repeats)
            except UnavailableError as error:
                print(f"  left out: {error}")
    print("remindb: left out: neither PyPI nor npm has it")


if __name__ == "__main__":
    main()
