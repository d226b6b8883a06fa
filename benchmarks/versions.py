"""Times what the version trail costs on a store of notes: reading it, returning to a snapshot, purging.

    python -m benchmarks.versions [--files 1000] [--rounds 5] [--seed 7]

prints the median of each call beside the time that the compile of the same change took in the same run. A file has
about 2 300 bytes and twenty nodes. Not measured: a cold disk, other processes, memories, a history of thousands of
snapshots.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.notes import write_notes
from remem import Remem
from remem.engine.sync import RememSync
from remem.storage import sqlite

BYTES = 2300
BUDGET = 1000


def time_call(call: Callable[[], object], rounds: int = 1) -> float:
    """The median of some rounds in milliseconds."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1000 * median(times)


def edit_notes(folder: Path, share: float, chance: random.Random) -> int:
    """Rewords a block of some of the notes, removes one, adds one; how many notes that were."""
    notes = [path for path in sorted(folder.rglob("*.md")) if chance.random() < share]
    for path in notes:
        blocks = path.read_text(encoding="utf-8").split("\n\n")
        place = chance.randrange(1, len(blocks))
        blocks[place] = f"{blocks[place]} Reworded."
        del blocks[chance.randrange(1, len(blocks))]
        blocks.insert(chance.randrange(1, len(blocks) + 1), "A block that was not there before.")
        path.write_text("\n\n".join(blocks), encoding="utf-8")
    return len(notes)


def measure(remem: RememSync, folder: Path, rounds: int, chance: random.Random) -> None:
    """Compiles, edits a little and much, and prints the figures."""
    fresh = time_call(lambda: remem.compile(folder))
    print(f"{remem.stats().nodes} nodes, compiled in {fresh:.0f} ms")
    few = edit_notes(folder, 0.005, chance)
    small = time_call(lambda: remem.compile(folder))
    id = remem.delta(1)[0].id
    lines: list[tuple[str, float, float]] = [
        (f"delta since {few} notes changed", time_call(lambda: remem.delta(1), rounds), small),
        ("history of one node", time_call(lambda: remem.history(id), rounds), small),
        (f"rollback of {few} notes", time_call(lambda: remem.rollback(1)), small),
    ]
    edit_notes(folder, 1.0, chance)
    large = time_call(lambda: remem.compile(folder))
    newest = remem.snapshots(1)[0].id
    lines += [
        ("delta since all notes changed", time_call(lambda: remem.delta(1), rounds), large),
        ("the same, the first 1 000 tokens", time_call(lambda: remem.delta(1, BUDGET).text, rounds), large),
        ("diff of the same, 1 000 tokens", time_call(lambda: remem.diff(1, newest, BUDGET).text, rounds), large),
        ("tree as of the first snapshot", time_call(lambda: remem.tree(budget=BUDGET, as_of=1).text, rounds), large),
        ("rollback of all notes", time_call(lambda: remem.rollback(1)), large),
        ("rollback of that", time_call(lambda: remem.rollback(newest)), large),
        ("purge of the first snapshots", time_call(lambda: remem.purge(snapshot=newest - 1)), large),
    ]
    for name, took, compiled in lines:
        print(f"{name:34} {took:8.1f} ms   {took / compiled:5.2f} × its compile ({compiled:.0f} ms)")


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description="Times the version trail.")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    print(f"python {sys.version.split()[0]}, SQLite {sqlite.choose().sqlite_version}, seed {options.seed}")
    os.environ["REMEM_EMBEDDING__PROVIDER"] = "none"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "notes")
        write_notes(folder, options.files, BYTES, options.seed)
        with Remem.open_sync(Path(place, "store.db")) as remem:
            measure(remem, folder, options.rounds, random.Random(options.seed))
        print(f"file {Path(place, 'store.db').stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
