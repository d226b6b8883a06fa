"""The peers: how each is installed and asked, beside Remem. One that cannot be had raises UnavailableError."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.mcp import Process
from benchmarks.peers_install import UnavailableError, find_python, install_node, install_python, make_environment, run
from benchmarks.peers_turns import SEARCHES, Notes, compare

BASIC_MEMORY_BOUND = 20.0
BASIC_MEMORY_PYTHON = (3, 12)
BASIC_MEMORY_TURNS = 2
"""It takes minutes over a thousand notes."""
PATIENCE = 5.0
"""Seconds that a peer has to end once its input has."""
# Without a model, without changing the notes (front matter is put into each otherwise), without looking after updates.
BASIC_MEMORY_SETTINGS = {
    "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
    "BASIC_MEMORY_ENSURE_FRONTMATTER_ON_SYNC": "false",
    "BASIC_MEMORY_INDEX_CHANGES": "false",
    "BASIC_MEMORY_AUTO_UPDATE": "false",
    "BASIC_MEMORY_CLOUD_PROMO_OPT_OUT": "true",
}

Measure: TypeAlias = Callable[[Path, Notes, int, str | None], None]


class Peer(Process):
    """A peer over stdio. What it does wrong raises UnavailableError."""

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a request."""
        try:
            return super().ask(method, params)
        except (OSError, RuntimeError, KeyError, json.JSONDecodeError) as error:
            raise UnavailableError(f"{method} over stdio failed: {error!r:.200}") from error

    def call(self, tool: str, **arguments: Any) -> None:
        """One call of a tool, which has to go well."""
        self.ask_tool(tool, **arguments)

    def close(self) -> None:
        """Ends the process; one that goes on without its input is stopped."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ask_tool(self, tool: str, **arguments: Any) -> str:
        """The text that a tool answers with."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = str(result["content"][0]["text"]) if result.get("content") else ""
        if result.get("isError"):
            raise UnavailableError(f"{tool} failed: {text:.200}")
        return text


@contextmanager
def serving(command: list[str], environment: dict[str, str]) -> Iterator[Peer]:
    """A peer over stdio, greeted; ended at the end."""
    process = Peer(command, environment)
    try:
        process.greet()
        yield process
    finally:
        process.close()


@contextmanager
def serving_remem(notes: Notes) -> Iterator[Process]:
    """Remem over stdio, ended at the end."""
    process = notes.serve()
    try:
        yield process
    finally:
        process.close()


def measure_foam(place: Path, notes: Notes, repeats: int, python: str | None) -> None:
    """foam-cli."""
    foam, environment = install_node("foam-cli", "foam", place), make_environment(notes.place / "home")
    at = ["--workspace", str(notes.folder)]

    def read(number: int) -> None:
        run([foam, "graph", *at], environment)

    def search(number: int) -> None:
        run([foam, "grep", notes.words[number], *at], environment)

    compare("take in (theirs keeps nothing)", lambda n: notes.compile(n + 1), read, repeats)
    compare("search, whole process", notes.search, search, repeats)
    with serving_remem(notes) as ours, serving([foam, "mcp", *at], environment) as theirs:

        def walk(number: int) -> None:
            theirs.call("traverse_graph", uri=notes.chosen[number].as_uri(), depth=2, direction="both")

        compare("related, depth 2, over stdio", lambda n: relate(ours, notes, n), walk, SEARCHES)


def relate(ours: Process, notes: Notes, number: int) -> None:
    """Remem's walk of depth 2 from a note, both ways."""
    ours.call("MemoryRelated", anchor=notes.chosen[number].stem, depth=2)


def find(ours: Process, notes: Notes, number: int) -> None:
    """Remem's keyword search."""
    ours.call("MemorySearch", query=notes.words[number], mode="keyword")


def measure_basic_memory(place: Path, notes: Notes, repeats: int, python: str | None) -> None:
    """basic-memory, its vectors switched off. Each project stands alone in a database of its own."""
    found = find_python(BASIC_MEMORY_PYTHON, python)
    command = install_python("basic-memory", "basic-memory", place, found)

    def settle(number: int) -> dict[str, str]:
        home = notes.place / f"home{number}"
        own = {"BASIC_MEMORY_HOME": str(home / "basic-memory"), "BASIC_MEMORY_CONFIG_DIR": str(home / "config")}
        return make_environment(home, **BASIC_MEMORY_SETTINGS, **own)

    def take_in(number: int) -> None:
        copy = notes.place / f"notes{number}"
        run([command, "project", "add", f"bench{number}", str(copy)], settle(number))

    turns = min(repeats, BASIC_MEMORY_TURNS)
    for number in range(turns):
        shutil.copytree(notes.folder, notes.place / f"notes{number}")
        run([command, "--version"], settle(number))  # writes its settings
    compare("take in", lambda n: notes.compile(n + 1), take_in, turns, warm=False, bound=BASIC_MEMORY_BOUND)

    def search(number: int) -> None:
        run([command, "tool", "search-notes", notes.words[number], "--project", "bench0"], settle(0))

    compare("search, whole process", notes.search, search, repeats)
    ask_basic_memory([command, "mcp", "--project", "bench0"], settle(0), notes)


def ask_basic_memory(command: list[str], environment: dict[str, str], notes: Notes) -> None:
    """Its searches and walks over stdio: as many hits as Remem gives, notes without their texts."""
    reached = []
    with serving_remem(notes) as ours, serving(command, environment) as theirs:

        def search(number: int) -> None:
            theirs.call("search_notes", query=notes.words[number])

        def walk(number: int) -> None:
            place = notes.chosen[number].relative_to(notes.folder).with_suffix("").as_posix()
            context = json.loads(theirs.ask_tool("build_context", url=f"memory://{place}", depth=2, compact=True))
            reached.append(bool(context["results"]))

        compare("search, over stdio", lambda n: find(ours, notes, n), search, SEARCHES)
        compare("related, depth 2, over stdio", lambda n: relate(ours, notes, n), walk, SEARCHES)
    print(f"  {sum(reached)} of its {len(reached)} walks found the note they begin at")


def measure_server_memory(place: Path, notes: Notes, repeats: int, python: str | None) -> None:
    """The reference memory server, one entity a note."""
    command = [install_node("@modelcontextprotocol/server-memory", "mcp-server-memory", place)]

    def settle(number: int) -> dict[str, str]:
        return make_environment(notes.place / "home", MEMORY_FILE_PATH=str(notes.place / f"memory{number}.jsonl"))

    def take_in(number: int) -> None:
        with serving(command, settle(number)) as process:
            process.call("create_entities", entities=make_entities(notes))

    compare("take in (theirs by one call)", lambda n: notes.compile(n + 1), take_in, repeats)
    with serving_remem(notes) as ours, serving(command, settle(0)) as theirs:
        compare(
            "search, over stdio",
            lambda n: find(ours, notes, n),
            lambda n: theirs.call("search_nodes", query=notes.words[n]),
            SEARCHES,
        )


def make_entities(notes: Notes) -> list[dict[str, Any]]:
    """The notes as that server takes knowledge in."""
    return [
        {"name": path.stem, "entityType": "note", "observations": [part for part in text.split("\n\n") if part]}
        for path, text in zip(notes.paths, notes.texts, strict=True)
    ]


PEERS: dict[str, Measure] = {
    "foam-cli": measure_foam,
    "basic-memory": measure_basic_memory,
    "server-memory": measure_server_memory,
}
