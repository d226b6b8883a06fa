"""How long it takes to open stores of different sizes: `python -m tests.campaigns.startup` prints the best of some
attempts for each: the time within a process, the processor time of a whole command."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from remem import Remem
from tests.writing.vaults import make_line

BATCH = 1000
ATTEMPTS = 9


def fill(path: Path, count: int) -> None:
    """Stores so many memories."""
    chance = Random(count)
    with Remem.open_sync(path) as remem:
        for first in range(0, count, BATCH):
            size = min(BATCH, count - first)
            remem.store_batch([{"id": f"m{first + n}", "content": f"{make_line(chance)} {n}" * 3} for n in range(size)])


def open_once(path: Path) -> float:
    """Seconds until a memory of a closed store was read."""
    began = time.perf_counter()
    with Remem.open_sync(path) as remem:
        remem.get("m1", touch=False)
        return time.perf_counter() - began


def run_once(path: Path) -> float:
    """Seconds of the processor for a whole process that reads a memory."""
    began = sum(os.times()[2:4])
    command = [sys.executable, "-m", "remem", "--db", str(path), "show", "m1", "--json"]
    subprocess.run(command, check=True, capture_output=True)
    return sum(os.times()[2:4]) - began


def main() -> None:
    """All sizes."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--counts", type=int, nargs="+", default=[100, 10_000, 50_000])
    options = parser.parse_args()
    os.environ["REMEM_EMBEDDING__PROVIDER"] = "none"
    with tempfile.TemporaryDirectory() as folder:
        for count in options.counts:
            path = Path(folder) / f"{count}.db"
            fill(path, count)
            inside, outside = (min(once(path) for _ in range(ATTEMPTS)) for once in (open_once, run_once))
            size = path.stat().st_size / 1e6
            print(
                f"{count} memories, {size:.1f} MB: open and read {inside * 1e3:.1f} ms, command {outside * 1e3:.0f} ms"
            )


if __name__ == "__main__":
    main()
