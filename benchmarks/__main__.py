"""All benchmarks, one after the other, each in a process of its own; at the end, the figures that miss their bounds.

    python -m benchmarks [--quick] [--data DIR] [--notes DIR] [--only NAME,NAME]

`--quick` takes smaller data and fewer rounds (under three minutes on two quiet cores): it shows that all run, and
figures whose bounds are set for large data stand without them. `--data` holds the questions of benchmarks.retrieval,
`--notes` is a folder of notes to compile. Only the full form measures peers, which are installed for it, the page,
which takes a browser, and what is found.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.figures import OVERRUN

QUICK = {
    "compile": ("--files", "1000", "--large", "4", "--repeats", "3"),
    "processes": ("--nodes", "10000", "--edges", "100000", "--repeats", "3"),
    "traversal": ("--sizes", "10000,100000", "--anchors", "5", "--no-peers"),
    "search": ("--passages", "10000", "--rounds", "1"),
    "vectors": ("--sizes", "100000", "--queries", "10", "--peers-up-to", "0"),
    "mcp": ("--rounds", "3", "--calls", "200"),
    "rest": ("--memories", "1000", "--stored", "1000", "--seconds", "1", "--rounds", "3"),
    "versions": ("--files", "200", "--rounds", "2"),
}
FULL: dict[str, tuple[str, ...]] = dict.fromkeys(("compile", "processes", "peers", *list(QUICK)[2:], "page"), ())
DATA = "retrieval"
"""Needs data from elsewhere, so that it runs only where a folder is given."""


def plan_runs(quick: bool, data: Path | None, notes: Path | None) -> dict[str, tuple[str, ...]]:
    """The benchmarks by name with their arguments."""
    runs = dict(QUICK if quick else FULL)
    if notes:
        runs["compile"] += ("--data", str(notes))
    if data and not quick:
        runs[DATA] = ("--data", str(data))
    return runs


def run_benchmark(name: str, arguments: tuple[str, ...]) -> tuple[int, list[str]]:
    """Runs one, printing as it prints; its exit status and its lines that miss a bound."""
    print(f"\n=== python -m benchmarks.{name} {' '.join(arguments)}", flush=True)
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    started, missed = time.monotonic(), []
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if OVERRUN in line:
                missed.append(f"{name}: {line.strip()}")
    print(f"--- {time.monotonic() - started:.0f} s", flush=True)
    return process.returncode, missed


def main() -> int:
    """Runs them; the exit status is 1 where one of them fails to run, whatever its figures are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, help="the folder that benchmarks.retrieval reads")
    parser.add_argument("--notes", type=Path, help="a folder of notes that benchmarks.compile takes as well")
    parser.add_argument("--only", help="names of benchmarks, with commas")
    chosen = parser.parse_args()
    runs = plan_runs(chosen.quick, chosen.data, chosen.notes)
    wanted = chosen.only.split(",") if chosen.only else list(runs)
    unknown = sorted(set(wanted) - set(runs))
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(runs)}")
    missed, failed = [], []
    for name in wanted:
        status, lines = run_benchmark(name, runs[name])
        missed += lines
        failed += [name] if status else []
    print("\n=== missed", *(missed or ["nothing"]), sep="\n")
    if failed:
        print(f"failed to run: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
