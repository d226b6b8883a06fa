"""Turns of Remem and a peer on the same notes, and what their times come to. It knows no peer."""

from __future__ import annotations

import os
import random
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.figures import find_p90, judge
from benchmarks.mcp import Process
from benchmarks.peers_install import run

SEARCHES = 30
_WORD = re.compile(r"[a-z]{5,}")


class Taken(NamedTuple):
    """Seconds of one turn; `processor` is that of the processes that began and ended in it."""

    wall: float
    processor: float


def time_call(call: Callable[[], object]) -> Taken:
    """What one call takes."""
    before, started = os.times(), time.perf_counter()
    call()
    wall, after = time.perf_counter() - started, os.times()
    user, system = after.children_user - before.children_user, after.children_system - before.children_system
    return Taken(wall, user + system)


def compare(
    what: str,
    ours: Callable[[int], object],
    theirs: Callable[[int], object],
    turns: int,
    *,
    warm: bool = True,
    bound: float | None = None,
) -> None:
    """Prints how long both take, in turn, and how many times ours the peer's is. With `warm`, a turn more is taken
    first that does not count. The bound is for the ratio of processor times where whole processes are compared."""
    pairs = [
        (time_call(lambda n=n: ours(n)), time_call(lambda n=n: theirs(n)))  # type: ignore[misc]
        for n in range(turns + warm)
    ][warm:]
    own, other = ([pair[side].wall * 1000 for pair in pairs] for side in (0, 1))
    ratio = statistics.median(b.wall / a.wall for a, b in pairs)
    busy = [b.processor / a.processor for a, b in pairs if a.processor > 0 and b.processor > 0]
    more = f" ({statistics.median(busy):.1f} x by processor time)" if busy else ""
    held = f"  {judge(statistics.median(busy) if busy else ratio, bound, least=True)}" if bound else ""
    figures = (f"{statistics.median(times):9.1f} ms (p90 {find_p90(times):.1f})" for times in (own, other))
    print(f"  {what:<34} remem {next(figures)}   peer {next(figures)}   {ratio:6.1f} x{more}{held}", flush=True)


class Notes:
    """The notes that all take in, with words to look for, and Remem's store of them."""

    def __init__(self, folder: Path, place: Path) -> None:
        self.folder, self.place = folder, place
        self.paths = sorted(folder.rglob("*.md"))
        self.texts = [path.read_text(encoding="utf-8", errors="replace") for path in self.paths]
        words = sorted({word for text in self.texts for word in _WORD.findall(text.lower())})
        # More than are asked for: of few notes, the same ones come again.
        self.words = random.Random(3).choices(words or ["notes"], k=SEARCHES + 10)
        self.chosen = random.Random(4).choices(self.paths, k=SEARCHES + 10)
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
        self.command(self.store, "search", self.words[number], "--mode", "keyword")

    def serve(self) -> Process:
        """Remem over stdio."""
        process = Process([sys.executable, "-m", "remem", "--db", self.store, "mcp"])
        process.greet()
        return process
