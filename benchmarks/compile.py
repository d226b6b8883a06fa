"""Compile: speed, memory, unchanged and barely changed folders, file size, start of the command line.

    python -m benchmarks.compile [--files N] [--data DIR]

Every figure stands beside its bound, and beside a bare pipeline that only parses with the same parser and inserts the
text of the blocks into one table, in the same run. `--data` measures a folder of your own as well.

Not measured: reading from a cold disk, other operating systems, front matter in every note (use
--data), several writers.
"""

from __future__ import annotations

import argparse
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyromark

from benchmarks.notes import write_notes
from remem import Remem
from remem.storage.sqlite import choose

BOUND_SPEED = 2.3
BOUND_UNCHANGED = 1.0
BOUND_ONE_CHANGED = 0.05
BOUND_MEMORY = 600
BOUND_SIZE = 4.0
BOUNDS_START = {
    "--version": 0.12,
    "tree": 0.4,
    "tree of a note": 0.4,
    "show": 0.4,
    "related": 0.4,
    "search, keyword": 0.4,
    "search, hybrid": 1.0,
}
REPEATS = 5


def say(what: str, value: float, unit: str, bound: float, *, least: bool = False) -> None:
    """One line: the figure, its bound, and whether it holds."""
    held = value >= bound if least else value <= bound
    sign = ">=" if least else "<="
    print(f"{what:<52} {value:10.3f} {unit:<6} bound {sign} {bound:g}  {'ok' if held else 'MISSED'}")


def measure_bare(folder: Path) -> float:
    """Seconds of the bare pipeline: read, parse, insert each block's text."""
    started = time.perf_counter()
    connection = choose().connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE blocks (key INTEGER PRIMARY KEY, text TEXT)")
    connection.execute("BEGIN")
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        spans = [span for event, span in pyromark.events_with_range(text) if "Start" in event]
        connection.executemany("INSERT INTO blocks (text) VALUES (?)", [(text[s["start"] : s["end"]],) for s in spans])
    connection.execute("COMMIT")
    connection.close()
    return time.perf_counter() - started


def count_bytes(folder: Path) -> int:
    """Bytes of all notes of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*.md"))


def measure_fresh(folder: Path, place: Path) -> None:
    """A first compile, beside the bare pipeline, and the size of the file."""
    size, times, bare = count_bytes(folder), [], []
    for number in range(REPEATS):
        store = place / f"fresh{number}.db"
        with Remem.open_sync(store) as remem:
            started = time.perf_counter()
            report = remem.compile(folder)
            times.append(time.perf_counter() - started)
        bare.append(measure_bare(folder))
    speed = size / 1e6 / statistics.median(times)
    print(f"{folder.name}: {report.files} files, {size / 1e6:.2f} MB, {report.added} nodes, {report.links} links")
    say("fresh compile, median", speed, "MB/s", BOUND_SPEED, least=True)
    say("fresh compile, best", size / 1e6 / min(times), "MB/s", BOUND_SPEED, least=True)
    print(f"{'ratio to the bare pipeline, median':<52} {statistics.median(times) / statistics.median(bare):10.2f} x")
    say("file size over the Markdown compiled", store.stat().st_size / size, "x", BOUND_SIZE)


def measure_again(folder: Path, place: Path) -> None:
    """A compile of an unchanged folder, and of one with one file changed."""
    with Remem.open_sync(place / "again.db") as remem:
        files = remem.compile(folder).files
        time.sleep(2.1)  # files younger than two seconds are read again
        remem.compile(folder)
        unchanged, changed = [], []
        victim = next(folder.rglob("*.md"))
        for number in range(REPEATS):
            started = time.perf_counter()
            remem.compile(folder)
            unchanged.append(time.perf_counter() - started)
            victim.write_text(victim.read_text(encoding="utf-8") + f"\nLine {number}.\n", encoding="utf-8")
            started = time.perf_counter()
            remem.compile(folder)
            changed.append(time.perf_counter() - started)
    say(f"nothing changed, {files} files, median", statistics.median(unchanged), "s", BOUND_UNCHANGED)
    more = statistics.median(changed) - statistics.median(unchanged)
    say("one file changed, more than that, median", more, "s", BOUND_ONE_CHANGED)


def measure_memory(place: Path) -> None:
    """Peak memory of a process that compiles 20 MB."""
    folder = place / "large"
    write_notes(folder, 2000, 10_000)
    code = (
        "import sys, resource\nfrom remem import Remem\n"
        "with Remem.open_sync(sys.argv[1]) as remem: remem.compile(sys.argv[2])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, str(place / "large.db"), str(folder)]
    peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    say(f"peak memory, {count_bytes(folder) / 1e6:.1f} MB compiled", peak / 1024, "MB", BOUND_MEMORY)


def measure_start(place: Path) -> None:
    """Whole processes of the command line on a store of 100 000 nodes."""
    folder = place / "many"
    write_notes(folder, 4500, 2600)
    store = place / "many.db"
    with Remem.open_sync(store) as remem:
        nodes = remem.compile(folder).added
        note, words = remem.tree(depth=0)[0].id, remem.tree(depth=0)[1].label
    print(f"command line on {nodes} nodes, none of them embedded")
    commands = {
        "--version": ["--version"],
        "tree": ["--db", str(store), "tree"],
        "tree of a note": ["--db", str(store), "tree", note],
        "show": ["--db", str(store), "show", note],
        "related": ["--db", str(store), "related", note, "--depth", "2"],
        "search, keyword": ["--db", str(store), "search", words, "--mode", "keyword"],
        "search, hybrid": ["--db", str(store), "search", words],
    }
    for name, arguments in commands.items():
        times = []
        for _ in range(REPEATS):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-m", "remem", *arguments], check=True, capture_output=True)
            times.append(time.perf_counter() - started)
        say(f"remem {name}, whole process, median", statistics.median(times), "s", BOUNDS_START[name])


def main() -> None:
    """Runs all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000, help="files of the unchanged folder (default 10000)")
    parser.add_argument("--data", type=Path, help="a folder of your own notes to compile as well")
    chosen = parser.parse_args()
    print(f"Python {platform.python_version()}, SQLite {choose().sqlite_version}, {platform.machine()}")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write_notes(place / "notes", 1000, 2200)
        measure_fresh(place / "notes", place)
        if chosen.data:
            (place / "data").mkdir()
            measure_fresh(chosen.data, place / "data")
        write_notes(place / "unchanged", chosen.files, 1200)
        measure_again(place / "unchanged", place)
        measure_memory(place)
        measure_start(place)
    print(f"peak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
