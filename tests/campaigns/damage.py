"""Damaged pages: each table and index of a store loses its first page in turn. What follows from the texts is made
again, and of all else the doctor says that a backup must be restored.

`python -m tests.campaigns.damage` tries all of them and prints what became of each.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import NamedTuple

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import RememError, StoreCorruptError
from tests.campaigns.imprint import Imprint, take_imprint
from tests.usage.clock import look
from tests.writing.describe import Description, describe, differences
from tests.writing.vaults import make_line, make_vault, write_note

SELECT_ROOTS = "SELECT name, type, rootpage FROM sqlite_schema WHERE rootpage > 0 ORDER BY rootpage"


class Sample(NamedTuple):
    """A store that is closed, and what it holds. `pages` gives for each table and index its kind and first page."""

    data: bytes
    imprint: Imprint
    description: Description
    edges: Counter[str]
    pages: dict[str, tuple[str, int]]


def count_edges(remem: RememSync) -> Counter[str]:
    """The edges by origin."""
    return Counter(edge.origin for edge in remem.export().edges)


def make_sample(place: Path) -> Sample:
    """A store with something of everything in it."""
    chance, store, vault = Random(7), place / "sample.db", place / "vault"
    make_vault(vault, chance)
    write_note(vault / "b.md", "# River Plan\n\nIt names the Harbor Office.\n")
    write_note(vault / "c.md", "# Harbor Office\n\nSee [[b]].\n")
    with Remem.open_sync(store) as remem:
        remem.compile(vault)
        remem.store_batch([{"content": f"{make_line(chance)} {n}", "id": f"m{n}"} for n in range(30)])
        remem.update("m0", content="It says something else.")
        remem.forget("m1")
        remem.relate("m2", "m3", type="supports")
        remem.pin("m4")
        write_note(vault / "c.md", "# Harbor Office\n\nSee [[b]] again.\n")
        remem.compile(vault)
        remem.summarise("River Plan", "In short: water. [[c]]")
        remem.settle()
        assert remem.doctor().healthy
        edges = count_edges(remem)
    pages = {name: (kind, page) for name, kind, page in look(store, SELECT_ROOTS)}
    return Sample(store.read_bytes(), take_imprint(store), describe(store), edges, pages)


def write_damaged(path: Path, sample: Sample, name: str) -> None:
    """The sample with the first page of a table or index blank."""
    data, size = bytearray(sample.data), int.from_bytes(sample.data[16:18])
    end = sample.pages[name][1] * size
    data[end - size : end] = bytes(size)
    path.write_bytes(data)


def mend(path: Path, sample: Sample, name: str) -> str:
    """Has the doctor look at the damaged store and mend it; gives "mended" or "lost", and judges both."""
    write_damaged(path, sample, name)
    with Remem.open_sync(path) as remem:
        told = [finding.message for finding in remem.doctor().findings if finding.fault]
        assert told and all("is damaged" in message for message in told), (name, told)
        try:
            assert remem.doctor(fix=True).healthy, name
        except StoreCorruptError as error:
            assert "restore a backup" in error.message and "restore a backup" in told[0], (name, told)
            return "lost"
        remem.settle()
        assert remem.doctor().healthy and "`remem doctor --fix`" in told[0], (name, told)
        assert count_edges(remem) == sample.edges, name
        assert remem.search("river", mode="keyword").total, name
    assert take_imprint(path) == sample.imprint, name
    assert differences(describe(path), sample.description) == [], name
    return "mended"


def try_calls(path: Path, sample: Sample, name: str) -> None:
    """Reads and writes on a damaged store succeed or say what is wrong."""
    write_damaged(path, sample, name)
    try:
        with Remem.open_sync(path) as remem:
            for call in (
                lambda: remem.search("river"),
                lambda: remem.related("m2"),
                lambda: remem.tree(),
                lambda: remem.store("A new fact."),
                lambda: remem.history("m0"),
            ):
                try:
                    call()
                except RememError as error:
                    assert "damaged" in error.message or "vector" in error.message, (name, error)
    except StoreCorruptError:
        pass


def main() -> None:
    """All tables and indexes."""
    with tempfile.TemporaryDirectory() as folder:
        sample, became = make_sample(Path(folder)), Counter[str]()
        for number, (name, (kind, _)) in enumerate(sample.pages.items()):
            result = mend(Path(folder) / f"{number}.db", sample, name)
            became[f"{kind} {result}"] += 1
            if result == "lost":
                print(f"{kind} {name}: restore a backup", flush=True)
    print(dict(became))


if __name__ == "__main__":
    main()
