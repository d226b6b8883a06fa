"""When nodes were first seen, in the doctor: is it what the history tells? It can be told anew."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from remem.records import Finding
from remem.storage import nodes as node_rows
from remem.storage import strays

if TYPE_CHECKING:
    from sqlite3 import Connection

Arrivals = Sequence[tuple[int, int]]
"""(last key, instant): keys up to it, and above that of the row before, were first seen then."""


def check_arrivals(connection: Connection) -> Iterator[Finding]:
    """Compares the instants of all keys that nodes have or had, and looks for rows of keys that none has yet."""
    stored, wanted = strays.load_arrivals(connection), strays.derive_arrivals(connection)
    last = max(node_rows.last_key(connection), wanted[-1][0] if wanted else 0)
    if any(key > last for key, _ in stored):
        yield Finding("arrivals", True, "it is told when nodes were first seen that never were")
    elif not _tell_the_same(stored, wanted):
        yield Finding("arrivals", True, "it is not told right when nodes were first seen")


def repair_arrivals(connection: Connection) -> None:
    """Tells it anew, where it is not what the history tells. Must run inside a write transaction."""
    if any(True for _ in check_arrivals(connection)):
        strays.replace_arrivals(connection, strays.derive_arrivals(connection))


def _tell_the_same(stored: Arrivals, wanted: Arrivals) -> bool:
    """Whether both tell the same instant of each key that the history knows."""
    ends = sorted({key for key, _ in (*stored, *wanted) if wanted and 0 < key <= wanted[-1][0]})
    return all(_find_instant(stored, key) == _find_instant(wanted, key) for key in ends)


def _find_instant(arrivals: Arrivals, key: int) -> int | None:
    place = bisect_left(arrivals, (key,))
    return arrivals[place][1] if place < len(arrivals) else None
