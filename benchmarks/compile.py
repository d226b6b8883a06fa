"""Compile: speed, memory, unchanged and barely changed folders, file size.

    python -m benchmarks.compile [--files N] [--large MB] [--repeats N] [--data DIR]

Every figure stands beside its bound, and beside a bare pipeline that only parses with the same parser and inserts the
text of the blocks into one table, in the same run. The speed counts reading, parsing, redaction, the full-text index,
links, history and the commit; mentions are told apart. `--data` measures a folder of your own as well.

Not measured: reading from a cold disk, other operating systems, front matter in every note (use
--data), several writers.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyromark

from benchmarks.figures import find_p90, say, say_spread, tell_run
from benchmarks.notes import write_notes
from remem import Remem
from remem.config import load_settings
from remem.engine.sync import RememSync
from remem.storage.sqlite import choose

BOUND_SPEED = 2.3
BOUND_UNCHANGED = 1.0
BOUND_ONE_CHANGED = 0.05
BOUND_MEMORY = 600
BOUND_SIZE = 4.0
SMALLEST_BOUND = 2.0
"""Megabytes from which the speed is bounded."""
REMINDB = 0.46
"""MB/s of remindb on 1 000 files of 2.2 MB, measured earlier on this kind of machine; no registry at hand has it."""


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


def measure_fresh(folder: Path, place: Path, repeats: int) -> None:
    """A first compile, with mentions and without, beside the bare pipeline; the size of the file."""
    size = count_bytes(folder) / 1e6
    times: dict[str, list[float]] = {"plain": [], "unredacted": [], "mentions": [], "bare": []}
    cpu: dict[str, list[float]] = {name: [] for name in times}
    for number in range(repeats):
        for name in ("plain", "unredacted", "mentions"):
            store = place / f"{name}{number}.db"
            overrides = {"storage.path": str(store), "redaction.enabled": name != "unredacted"}
            with RememSync(Remem(load_settings(overrides=overrides))) as remem:
                started, began = time.perf_counter(), time.process_time()
                report = remem.compile(folder, discover=name == "mentions")
                times[name].append(time.perf_counter() - started)
                cpu[name].append(time.process_time() - began)
        times["bare"].append(measure_bare(folder))
    print(f"{folder.name}: {report.files} files, {size:.2f} MB, {report.added} nodes, {report.links} links")
    plain, unredacted, mentions, bare = (statistics.median(taken) for taken in times.values())
    bound = BOUND_SPEED if size >= SMALLEST_BOUND else None
    slow = size / find_p90(times["plain"])
    say("fresh compile, mentions apart, median", size / plain, "MB/s", bound, least=True, note=f"p90 {slow:.2f}")
    say("fresh compile, best", size / min(times["plain"]), "MB/s", bound, least=True)
    for name, taken in (("without redaction", unredacted), ("with mentions", mentions)):
        say(f"{name}, median", size / taken, "MB/s")
    for name, told in (("plain", "mentions apart"), ("unredacted", "without redaction"), ("mentions", "with mentions")):
        say(f"{told}, by processor time alone, median", size / statistics.median(cpu[name]), "MB/s")
    say("ratio to the bare pipeline's time, median", plain / bare, "x")
    if bound:
        say("ratio to remindb's speed as measured earlier", size / plain / REMINDB, "x", 5, least=True)
    say("file size over the Markdown compiled", store.stat().st_size / 1e6 / size, "x", BOUND_SIZE)


def measure_again(folder: Path, place: Path, repeats: int) -> None:
    """A compile of an unchanged folder, and of one with one file changed."""
    with Remem.open_sync(place / "again.db") as remem:
        files = remem.compile(folder).files
        time.sleep(2.1)  # files younger than two seconds are read again
        remem.compile(folder)
        unchanged, changed = [], []
        victim = next(folder.rglob("*.md"))
        for number in range(repeats):
            started = time.perf_counter()
            remem.compile(folder)
            unchanged.append(time.perf_counter() - started)
            victim.write_text(victim.read_text(encoding="utf-8") + f"\nLine {number}.\n", encoding="utf-8")
            started = time.perf_counter()
            remem.compile(folder)
            changed.append(time.perf_counter() - started)
    say_spread(f"nothing changed, {files} files, median", unchanged, "s", BOUND_UNCHANGED)
    more = [after - statistics.median(unchanged) for after in changed]
    say_spread("one file changed, more than that, median", more, "s", BOUND_ONE_CHANGED)


def measure_memory(place: Path, megabytes: int) -> None:
    """Peak memory of a process that compiles so much."""
    folder = place / "large"
    write_notes(folder, megabytes * 100, 10_000)
    code = (
        "import sys, resource\nfrom remem import Remem\n"
        "with Remem.open_sync(sys.argv[1]) as remem: remem.compile(sys.argv[2])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, str(place / "large.db"), str(folder)]
    peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    say(f"peak memory, {count_bytes(folder) / 1e6:.1f} MB compiled", peak / 1024, "MB", BOUND_MEMORY)


def main() -> None:
    """Runs all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000, help="files of the unchanged folder (default 10000)")
    parser.add_argument("--large", type=int, default=20, help="megabytes whose memory is measured (default 20)")
    parser.add_argument("--repeats", type=int, default=9, help="runs of each kind (default 9)")
    parser.add_argument("--data", type=Path, help="a folder of your own notes to compile as well")
    chosen = parser.parse_args()
    tell_run("pyromark", "bpe-openai")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write_notes(place / "notes", 1000, 2200)
        measure_fresh(place / "notes", place, chosen.repeats)
        if chosen.data:
            (place / "data").mkdir()
            measure_fresh(chosen.data, place / "data", chosen.repeats)
        write_notes(place / "unchanged", chosen.files, 1200)
        measure_again(place / "unchanged", place, chosen.repeats)
        measure_memory(place, chosen.large)


if __name__ == "__main__":
    main()
