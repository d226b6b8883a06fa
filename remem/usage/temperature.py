"""The temperature of a node by a closed formula of what is kept and the time. Pure: no clock, no connection.

A node starts at 0.5 at the instant it was first seen. It halves every half-life of wall-clock time, so an old node that
nobody ever used is cold. A use at an instant adds a share of what is missing to 1 to the value at that instant. Nothing
else changes it: the temperature is the same whoever runs, and however the uses were spread over processes.

- A pinned node keeps its value; uses still add to it. Unpinned, it cools from that instant.
- Uses of one instant commute. A use that arrives after a later one was stored (another process was quicker) counts as
  of that later instant: off by at most its gain times the cooling in between, 7e-7 for four seconds of seven days.
- A clock that was set back never warms a node: it neither cools nor warms until the clock has passed the kept instant,
  and the next use moves that instant back to the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import exp2, floor, log2
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

from remem.records import START_TEMPERATURE, Boost, Heat, UsageRow

if TYPE_CHECKING:
    from sqlite3 import Connection

FETCH_GAIN = 0.15
"""What reading a node adds, as a share of what is missing to 1."""
LIST_GAIN = FETCH_GAIN / 3
"""The same for being listed: a search hit that was returned, a relation that surfaced."""
DECIMALS = 4
FEW = 8
"""Up to so many uses are added one by one, to the last digit as if they had come one by one."""

Thermometer: TypeAlias = "Callable[[Connection, Iterable[int]], Mapping[int, Heat]]"
"""Reads the heats of nodes by key. A node that it leaves out has `Heat()`."""


def read_nothing(connection: Connection, keys: Iterable[int]) -> Mapping[int, Heat]:
    """The thermometer of callers that do not want temperatures: every node is as at its start."""
    return {}


def cool(temperature: float, at: int, now: int, half_life: float) -> float:
    """What is left at `now` of a temperature at the instant `at`; all times in milliseconds."""
    return temperature * exp2(min(0, at - now) / half_life)


def find_cold_instant(below: float, now: int, half_life: float) -> int:
    """What came later than this cannot have cooled below a temperature by `now`: uses only warm it."""
    if below >= START_TEMPERATURE:
        return now
    return floor(now - half_life * log2(START_TEMPERATURE / below)) if below > 0 else 0


def measure(row: UsageRow, now: int, half_life: float) -> float:
    """The temperature at `now`, 0 to 1."""
    return row.temperature if row.pinned else cool(row.temperature, row.at, now, half_life)


def read_heat(row: UsageRow, now: int, half_life: float) -> Heat:
    """The heat at `now`, as it is shown."""
    return Heat(round(measure(row, now, half_life), DECIMALS), row.pinned != 0)


def warm(row: UsageRow, boosts: Iterable[Boost], now: int, half_life: float) -> UsageRow:
    """The row after some uses of its node, in the order of their instants. No instant lies beyond `now`."""
    for boost in sorted(boosts, key=itemgetter(1)):
        row = warm_once(row, boost, now, half_life)
    return row


def warm_once(row: UsageRow, boost: Boost, now: int, half_life: float) -> UsageRow:
    """The row after one use of its node."""
    node, temperature, at, accesses, accessed_at, pinned = row
    _, instant, gain, fetched, count = boost
    if not pinned and at < instant:
        temperature *= exp2((at - instant) / half_life)
    temperature = min(1.0, temperature + gain * (1.0 - temperature)) if count == 1 else _gain(temperature, gain, count)
    if at < instant:
        at = instant
    if fetched:
        accesses += count
        if accessed_at is None or accessed_at < instant:
            accessed_at = instant
    return UsageRow(node, temperature, at if at < now else now, accesses, accessed_at, pinned)


def _gain(temperature: float, gain: float, count: int) -> float:
    """A temperature after some uses at one instant."""
    if count > FEW:  # what is missing to 1 shrinks by the same share each time
        return 1.0 - (1.0 - gain) ** count * (1.0 - temperature)
    for _ in range(count):
        temperature = min(1.0, temperature + gain * (1.0 - temperature))
    return temperature


def pin(row: UsageRow, pinned: bool, now: int, half_life: float) -> UsageRow:
    """The row of a node that is pinned or unpinned at `now`, with the temperature it has then."""
    return row._replace(temperature=measure(row, now, half_life), at=now, pinned=int(pinned))
