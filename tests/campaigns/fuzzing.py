"""The long form of tests/fuzz, and growth: random texts of every format, damaged files of stores, and how much longer a
text takes that is four times as long: `python -m tests.campaigns.fuzzing --texts 20000 --files 300 --seed 1`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from remem.ingest.parse import parse_source
from remem.search.query import parse_query
from tests.doctor.store import make_store
from tests.fuzz.files import treat_damage
from tests.fuzz.soups import HOSTILE, make_soup
from tests.fuzz.texts import SUFFIXES, normalise, read_whole

SIZE, FACTOR, TRIES = 10_000, 4, 3
MOST = 3.0
"""So many times what is linear a text may take that is `FACTOR` times as long."""
LEAST = 0.004
"""What takes fewer seconds tells nothing."""


def fuzz_texts(count: int, seed: int) -> None:
    """Reads random texts. Raises AssertionError with the seed of what is not read as a whole."""
    for number in range(count):
        chance = Random(f"{seed} {number}")
        format = chance.choice(list(SUFFIXES))
        text = normalise(make_soup(chance, format, chance.choice((3, 10, 40, 200))))
        try:
            read_whole(text, format, chance.choice((16, 64, 512)))
        except Exception as error:
            raise AssertionError(f"text {seed} {number} ({format}): {error!r}") from error


def fuzz_files(count: int, seed: int) -> Counter[str]:
    """Damages stores and uses them; how many came to what."""
    outcomes = Counter[str]()
    with TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "original").mkdir()
        make_store(place / "original")
        for number in range(count):
            shutil.copytree(place / "original", place / "copy")
            outcomes[treat_damage(place / "copy" / "store.db", seed * 1_000_000 + number)] += 1
            shutil.rmtree(place / "copy")
    return outcomes


def measure(work: Callable[[], object]) -> float:
    """The least of the processor's seconds that a piece of work takes."""
    times = []
    for _ in range(TRIES):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def measure_growth() -> dict[str, float]:
    """By name, how many times longer than in linear time a text takes that is `FACTOR` times as long."""
    readers: dict[str, Callable[[str], object]] = {
        "markdown": lambda text: parse_source("a.md", text, "markdown"),
        "html": lambda text: parse_source("a.html", text, "html"),
        "text": lambda text: parse_source("a.txt", text, "text"),
        "query": parse_query,
    }
    growth: dict[str, float] = {}
    for name, make in HOSTILE.items():
        small, large = make(SIZE), make(SIZE * FACTOR)
        for format, read in readers.items():
            first, second = measure(lambda: read(small)), measure(lambda: read(large))  # noqa: B023
            growth[f"{format}: {name}"] = second / max(first, LEAST) / max(FACTOR, len(large) / max(1, len(small)))
    return growth


def main() -> None:
    """Runs all of it; tells the figures."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ["REMEM_STORAGE__SYNCHRONOUS"] = "normal"
    fuzz_texts(options.texts, options.seed)
    print(f"{options.texts} texts of {len(SUFFIXES)} formats were read whole")
    print(f"{options.files} damaged files: {dict(fuzz_files(options.files, options.seed))}")
    growth = measure_growth()
    worst = sorted(growth.items(), key=lambda item: -item[1])[:5]
    print(f"growth of {len(growth)} kinds of texts against linear: at most {worst}")
    assert worst[0][1] <= MOST, worst


if __name__ == "__main__":
    main()
