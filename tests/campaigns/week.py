"""A week of use in a few seconds: the clock is moved, the calls are real. What is for a moment must not pile up: work
owed, the log, the short log of the graph, the objects of the process, its threads.

`python -m tests.campaigns.week --hours 168 --calls 40` prints the figures of each day.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from typing import NamedTuple

from remem import Remem
from remem.engine.sync import RememSync
from tests.campaigns.imprint import count_rows
from tests.usage.clock import Clock
from tests.writing.vaults import WORDS, edit_vault, make_line, make_vault

HOUR = 1 / 24
LIVING = 150
"""So many memories live at once; older ones are removed for good."""


class Figures(NamedTuple):
    """What a process and its store take at an instant. Bytes, but for counts."""

    hour: int
    objects: int
    resident: int
    threads: int
    log: int
    file: int
    jobs: int
    graph_changes: int
    mentions_owed: int


def measure(path: Path, hour: int) -> Figures:
    """The figures of an open store in this process."""
    gc.collect()
    log = Path(f"{path}-wal")
    return Figures(
        hour,
        len(gc.get_objects()),
        _read_resident(),
        threading.active_count(),
        log.stat().st_size if log.exists() else 0,
        path.stat().st_size,
        count_rows(path, "SELECT count(*) FROM jobs"),
        count_rows(path, "SELECT count(*) FROM graph_changes"),
        count_rows(path, "SELECT count(*) FROM mention_work"),
    )


def _read_resident() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def use(remem: RememSync, vault: Path, chance: Random, hour: int, calls: int) -> None:
    """What agents and a person do in an hour."""
    for number in range(calls):
        content = f"{make_line(chance)} {hour}.{number}"
        if chance.random() < 0.5:
            remem.store(content, id=f"h{hour}n{number}", ttl=chance.choice((600, 7200)))
        else:
            remem.store(content, id=f"h{hour}n{number}", source="chat", tags=[chance.choice(WORDS)])
        living = remem.memories(200, order="asc")
        remem.get(chance.choice(list(living)).id)
        remem.search(chance.choice(WORDS), limit=5)
        remem.related(chance.choice(list(living)).id, depth=3)
        if living.total > LIVING:
            remem.forget(living[0].id, hard=True)
    edit_vault(vault, chance)
    remem.compile(vault, prune=True)
    remem.tree(budget=500)
    remem.settle()


def play(place: Path, hours: int, calls: int, clock: Clock) -> list[Figures]:
    """So many hours of use; the figures after each eighth of them."""
    chance, vault, store = Random(11), place / "vault", place / "store.db"
    make_vault(vault, chance)
    told = []
    with Remem.open_sync(store) as remem:
        for hour in range(1, hours + 1):
            use(remem, vault, chance, hour, calls)
            clock.turn(HOUR)
            if hour % max(1, hours // 8) == 0:
                told.append(measure(store, hour))
        assert [finding for finding in remem.doctor().findings if finding.fault] == []
    log = Path(f"{store}-wal")
    assert not log.exists() or log.stat().st_size == 0
    return told


def main() -> None:
    """The long form."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--hours", type=int, default=168)
    parser.add_argument("--calls", type=int, default=40)
    options = parser.parse_args()
    clock = Clock()
    time.time_ns = lambda: clock.now * 1_000_000
    os.environ["REMEM_EMBEDDING__PROVIDER"] = "hashing"
    with tempfile.TemporaryDirectory() as folder:
        for figures in play(Path(folder), options.hours, options.calls, clock):
            print("  ".join(f"{name} {value}" for name, value in figures._asdict().items()), flush=True)


if __name__ == "__main__":
    main()
