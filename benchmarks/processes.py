"""Whole processes: the command line, the first `related` of a fresh process, and the memory of a server at rest.

    python -m benchmarks.processes [--nodes N] [--edges N] [--repeats N] [--no-server]

The command line runs on a store of about `--nodes` nodes of notes. The first `related` runs on a power-law graph of
`--edges` edges, in processes that only open the store and such that also walk, in turn; what counts is the difference.
A server's memory (resident, Linux only) is taken once it answers, then after it has answered searches and walks, beside
a bare Starlette server; with the default embedder, it has embedded 300 memories first (each vector more takes 0.8 kB).

Not measured: a cold disk, other operating systems than the one it runs on.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

from benchmarks.figures import say, say_spread, tell_run
from benchmarks.notes import write_notes
from benchmarks.traversal import write_store
from remem import Remem
from remem.ids import encode_id

BOUNDS_START = {
    "--version": 0.12,
    "tree": 0.4,
    "tree of a note": 0.4,
    "show": 0.4,
    "related": 0.4,
    "search, keyword": 0.4,
    "search, hybrid": 1.0,
}
BOUND_FIRST_WALK = 300
BOUND_BARE_SERVER = 150
BOUND_EMBEDDING_SERVER = 300
NODES_AT_REST = 10_000
BYTES_PER_NODE = 120
MEMORIES = 300
EMBEDDED_WITHIN = 300.0

OPEN = "import asyncio, sys, time\nfrom remem import Remem\n"
WALK = (
    OPEN + "async def run():\n"
    "    started = time.perf_counter()\n"
    "    async with Remem.open(sys.argv[1]) as remem:\n"
    "        await remem.storage.read(lambda connection: None)\n"
    "        opened, cpu = time.perf_counter(), time.process_time()\n"
    "        await remem.related(sys.argv[2], depth=int(sys.argv[3]), touch=False)\n"
    "        print(opened - started, time.perf_counter() - opened, time.process_time() - cpu)\n"
    "asyncio.run(run())\n"
)
BARE = (
    "import sys, uvicorn\nfrom starlette.applications import Starlette\nfrom starlette.responses import Response\n"
    "from starlette.routing import Route\n"
    "app = Starlette(routes=[Route('/health', lambda request: Response(b'{}'))])\n"
    "uvicorn.run(app, host='127.0.0.1', port=int(sys.argv[1]), log_level='error')\n"
)


def measure_commands(place: Path, nodes: int, repeats: int) -> None:
    """Each command as a whole process, and the interpreter alone."""
    folder, store = place / "many", place / "many.db"
    write_notes(folder, max(nodes * 45 // 1000, 2), 2600)
    with Remem.open_sync(store) as remem:
        made = remem.compile(folder).added
        note, words = remem.tree(depth=0)[0].id, remem.tree(depth=0)[1].label
    print(f"command line on {made} nodes, none of them embedded")
    commands = {
        "--version": ["--version"],
        "tree": ["--db", str(store), "tree"],
        "tree of a note": ["--db", str(store), "tree", note],
        "show": ["--db", str(store), "show", note],
        "related": ["--db", str(store), "related", note, "--depth", "2"],
        "search, keyword": ["--db", str(store), "search", words, "--mode", "keyword"],
        "search, hybrid": ["--db", str(store), "search", words],
    }
    say_spread("python -c pass", [time_process([sys.executable, "-c", "pass"]) for _ in range(repeats)], "s")
    for name, arguments in commands.items():
        command = [sys.executable, "-m", "remem", *arguments]
        time_process(command)  # so that no run is the first
        began = read_cpu()
        times = [time_process(command) for _ in range(repeats)]
        cpu = f"CPU {(read_cpu() - began) / repeats:.3f} s"
        say_spread(f"remem {name}, whole process, median", times, "s", BOUNDS_START[name], cpu)


def time_process(command: list[str]) -> float:
    """Seconds from the start of a process to its end, which has to be a good one."""
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def read_cpu() -> float:
    """Seconds of processor time, of all processes that have ended: it tells more than the clock on a busy machine."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def measure_first_walk(place: Path, edges: int, repeats: int) -> None:
    """What the first walk of a process takes beyond the opening, and what opening takes."""
    store = place / "graph.db"
    write_store(store, edges, "mixed", hub=False)
    print(f"power-law graph of {edges} edges and {edges // 5} nodes")
    for depth in (1, 2):
        opened, walked, cpu = [], [], []
        for number in range(repeats):
            anchor = encode_id((number * 997 % (edges // 5) + 1) * 0x9E3779B97F4A7C15 % 2**64)
            command = [sys.executable, "-c", WALK, str(store), anchor, str(depth)]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            opened.append(float(told[0]) * 1000)
            walked.append(float(told[1]) * 1000)
            cpu.append(float(told[2]) * 1000)
        note = f"CPU {statistics.median(cpu):.0f} ms; opening {statistics.median(opened):.0f} ms"
        say_spread(f"first related, depth {depth}, beyond opening", walked, "ms", BOUND_FIRST_WALK, note)


# --- servers at rest --------------------------------------------------------------------------------------------------


def measure_servers(place: Path) -> None:
    """Resident memory of servers: bare, ours without vectors, ours with the default embedder at work."""
    if not Path("/proc/self/status").exists():
        print("memory at rest is measured on Linux alone")
        return
    folder = place / "rest"
    write_notes(folder, NODES_AT_REST * BYTES_PER_NODE // 2600, 2600)
    port = find_port()
    with run_server([sys.executable, "-c", BARE, str(port)], port, "/health") as process:
        say("bare Starlette server, resident", read_memory(process), "MB")
    for provider, bound in (("none", BOUND_BARE_SERVER), ("minilm", BOUND_EMBEDDING_SERVER)):
        store, port = place / f"{provider}.db", find_port()
        with Remem.open_sync(store) as remem:
            nodes = remem.compile(folder).added
            label = remem.tree(depth=0)[0].id
        environment = {"REMEM_EMBEDDING__PROVIDER": provider, "REMEM_EMBEDDING__NOTES": "false"}
        command = [sys.executable, "-m", "remem", "--db", str(store), "serve", "--port", str(port)]
        with run_server(command, port, "/api/v1/health", environment) as process:
            if provider != "none":
                for number in range(MEMORIES):
                    ask(port, "/api/v1/memories", {"content": f"Pier {number} was mended, and gull {number} left it."})
                wait_embedded(port)
            what = f"remem serve, {nodes} nodes, embedder {provider}"
            say(f"{what}, at rest", read_memory(process), "MB", bound)
            for number in range(20):
                ask(port, "/api/v1/memories/search", {"query": f"part {number} of the plan", "mode": "hybrid"})
                ask(port, f"/api/v1/memories/{label}/related?depth=2")
            say(f"{what}, after 40 requests", read_memory(process), "MB", bound)


@contextmanager
def run_server(
    command: list[str], port: int, path: str, environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A server that answers, ended at the end."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, env={**os.environ, **(environment or {})})
    try:
        deadline = time.monotonic() + 60
        while not answers(port, path):
            if time.monotonic() > deadline or process.poll() is not None:
                raise RuntimeError(f"the server did not start: {' '.join(command)}")
            time.sleep(0.1)
        yield process
    finally:
        process.terminate()
        process.wait(30)


def answers(port: int, path: str) -> bool:
    """Whether a server answers well."""
    try:
        ask(port, path)
    except (URLError, ConnectionError):
        return False
    return True


def ask(port: int, path: str, body: object = None) -> bytes:
    """The answer to a request."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    with urlopen(request) as answer:
        told: bytes = answer.read()
    return told


def wait_embedded(port: int) -> None:
    """Waits until nothing is owed. What is owed shows a moment after the start."""
    deadline, quiet = time.monotonic() + EMBEDDED_WITHIN, 0
    while quiet < 3:
        owed = json.loads(ask(port, "/api/v1/stats"))["owed"]
        quiet = 0 if owed else quiet + 1
        if time.monotonic() > deadline:
            raise RuntimeError(f"{owed} passages are still owed")
        time.sleep(1)


def read_memory(process: subprocess.Popen[bytes]) -> float:
    """Resident megabytes of a process."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def find_port() -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    """Runs all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100_000, help="nodes of the command line's store")
    parser.add_argument("--edges", type=int, default=1_000_000, help="edges of the graph of the first walk")
    parser.add_argument("--repeats", type=int, default=9, help="processes of each kind")
    parser.add_argument("--no-server", action="store_true", help="leave out the servers at rest")
    chosen = parser.parse_args()
    tell_run("numpy", "starlette", "uvicorn")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        measure_commands(place, chosen.nodes, chosen.repeats)
        measure_first_walk(place, chosen.edges, chosen.repeats)
        if not chosen.no_server:
            measure_servers(place)


if __name__ == "__main__":
    main()
