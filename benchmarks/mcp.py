"""MCP over stdio: how soon a client can begin, and what a call costs, beside the SDK's own server with one echo tool.

    python -m benchmarks.mcp [--rounds N] [--calls N]

The echo server and Remem take turns in one run: process start to the answer of the first `tools/list` (on no file, and
on a store of 100 000 nodes), then calls, ten one after the other. A call's figure is what it takes longer than the
echo.

Not measured: clients that call in parallel, HTTP, the first call of a process (which opens the store; it is printed
without a bound), machines with a cold disk.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figures import tell_run
from benchmarks.notes import write_notes
from remem import Remem

BOUND_START = 1.25
BOUND_CALL = 2.0
WARM_UP = 100
"""So many calls go before: pages are read for the first time, the graph is built behind. Their median is printed."""
TURN = 10
"""So many calls are made one after the other; then it is the other server's turn."""
BOUNDED = ("related depth 2", "keyword search")
ECHO = """\
from mcp.server import MCPServer
server = MCPServer("echo", log_level="WARNING")
@server.tool()
def echo(text: str) -> str:
    return text
server.run("stdio")
"""


class Process:
    """A server process, spoken to in lines. One with an environment of its own is a peer, whose talk is not shown."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        pipe, talk = subprocess.PIPE, subprocess.DEVNULL if environment else None
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=talk, env=environment)
        self.count = 0

    def send(self, message: dict[str, Any]) -> None:
        """Sends one message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a request."""
        assert self.process.stdout is not None
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.count:  # else a notification
                return message["result"]
        raise RuntimeError(f"the server ended before it answered {method}")

    def greet(self) -> None:
        """The handshake and the list of tools."""
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        self.send({"method": "notifications/initialized"})
        assert self.ask("tools/list", {})["tools"]

    def call(self, tool: str, **arguments: Any) -> None:
        """One call of a tool, which has to go well."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result

    def close(self) -> None:
        """Ends the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def measure_start(command: Sequence[str]) -> float:
    """Seconds from the start of the process to the first list of tools."""
    started = time.perf_counter()
    process = Process(command)
    process.greet()
    taken = time.perf_counter() - started
    process.close()
    return taken


def compare_starts(commands: Mapping[str, Sequence[str]], rounds: int) -> None:
    """Prints the starts of all servers, which take turns."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(measure_start(command))
    base = times["echo"]
    for name, taken in times.items():
        ratio, best = statistics.median(taken) / statistics.median(base), min(taken) / min(base)
        held = "" if name == "echo" else f"  bound <= {BOUND_START}  {'ok' if ratio <= BOUND_START else 'MISSED'}"
        figures = f"median {statistics.median(taken):.3f} s, best {min(taken):.3f} s"
        print(f"start to tools/list, {name:<18} {figures}, {ratio:.2f} x echo (best {best:.2f} x){held}")


def time_calls(call: Callable[[], None], count: int) -> list[float]:
    """Milliseconds of each call."""
    times = []
    for _ in range(count):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return times


def compare_calls(echo: Process, remem: Process, ids: list[str], words: list[str], count: int) -> None:
    """Prints what calls take longer than the echo."""
    chance = random.Random(3)
    calls: dict[str, Callable[[], None]] = {
        "related depth 2": lambda: remem.call("MemoryRelated", anchor=chance.choice(ids), depth=2),
        "keyword search": lambda: remem.call(
            "MemorySearch", query=" ".join(chance.sample(words, 2)), mode="keyword", budget=1000
        ),
        "fetch": lambda: remem.call("MemoryFetch", anchor=chance.choice(ids), budget=1000),
        "stats": lambda: remem.call("MemoryStats"),
        "tree, budget 2000": lambda: remem.call("MemoryTree"),
    }
    for name, call in calls.items():
        bounded = name in BOUNDED
        turns = max((count if bounded else count // 4) // TURN, 1)
        first = time_calls(call, 1)[0]
        early = statistics.median(time_calls(call, WARM_UP if bounded else TURN))
        base, times = [], []
        for _ in range(turns):
            base += time_calls(lambda: echo.call("echo", text="hello"), TURN)
            times += time_calls(call, TURN)
        more = statistics.median(times) - statistics.median(base)
        p90 = statistics.quantiles(times, n=10)[8] - statistics.quantiles(base, n=10)[8]
        held = f"  bound <= {BOUND_CALL:g} ms  {'ok' if more <= BOUND_CALL else 'MISSED'}" if bounded else ""
        begin = f"first call {first:.0f} ms, the next {early:.2f} ms"
        echoed = f"echo {statistics.median(base):.2f} ms, {begin}"
        print(f"{name:<20} {more:8.2f} ms beyond the echo (p90 {p90:.2f}; {echoed}){held}")


def main() -> None:
    """Runs all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="starts of each server (default 9)")
    parser.add_argument(
        "--calls", type=int, default=200, help="calls of kinds with a bound (default 200), else a quarter"
    )
    chosen = parser.parse_args()
    tell_run("mcp")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        script = place / "echo.py"
        script.write_text(ECHO, encoding="utf-8")
        write_notes(place / "notes", 4500, 2600)
        with Remem.open_sync(place / "many.db") as remem:
            print(f"{remem.compile(place / 'notes').added} nodes")
            ids = [line.id for line in remem.tree(depth=0)]
        words = (place / "notes" / "part000").glob("*.md").__next__().read_text(encoding="utf-8").lower().split()
        server = [sys.executable, "-m", "remem", "--db"]
        commands = {
            "echo": [sys.executable, str(script)],
            "no file": [*server, str(place / "none.db"), "mcp"],
            "100 000 nodes": [*server, str(place / "many.db"), "mcp"],
        }
        compare_starts(commands, chosen.rounds)
        echo, many = Process(commands["echo"]), Process(commands["100 000 nodes"])
        for process in (echo, many):
            process.greet()
        compare_calls(echo, many, ids, [word for word in words if word.isalpha()], chosen.calls)
        echo.close()
        many.close()


if __name__ == "__main__":
    main()
