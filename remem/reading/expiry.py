"""Memories whose time has ended: hidden from that instant on, be they archived yet or not. Every reading call asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.storage import memories as memory_rows
from remem.storage.hiding import hide_nodes

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.records import UsageRow

READS_TO_PROMOTE = 3
"""A short-term memory that was read so often does not expire: it becomes long-term."""


class Uses(NamedTuple):
    """How nodes are used: reads the usage of nodes by key, those of this process that are not written yet included; the
    half-life of temperatures in milliseconds."""

    read: Callable[[Connection, Iterable[int]], Mapping[int, UsageRow]]
    half_life: float


def find_hidden(connection: Connection, now: int, uses: Uses) -> list[int]:
    """The living memories (keys) that have expired at `now` and are not to be promoted. One look into an index where
    there are none."""
    return _leave_read(connection, memory_rows.load_due_nodes(connection, now), uses)


def hide_expired(connection: Connection, now: int, uses: Uses) -> bool:
    """Hides what has expired from all that the connection reads in this transaction; whether there was anything that a
    sweep archives or promotes."""
    due = memory_rows.load_due_nodes(connection, now)
    hidden = _leave_read(connection, due, uses)
    if hidden:
        hide_nodes(connection, hidden)
    return bool(due)


def is_due(connection: Connection, now: int, keep: int | None) -> bool:
    """Whether there is anything that a sweep archives, promotes, or (`keep`: milliseconds) removes for good."""
    if memory_rows.load_due_nodes(connection, now):
        return True
    return keep is not None and bool(memory_rows.load_old(connection, now - keep))


def _leave_read(connection: Connection, due: Sequence[int], uses: Uses) -> list[int]:
    """Those of the expired memories that were not read often enough to be promoted."""
    used = uses.read(connection, due) if due else {}
    return [node for node in due if used[node].accesses < READS_TO_PROMOTE]
