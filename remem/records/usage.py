"""How much nodes are used: temperatures, pins, and what is kept of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

START_TEMPERATURE = 0.5
"""The temperature of a node when it is first seen."""


class Heat(NamedTuple):
    """How warm a node is (0 to 1, four decimals), and whether it is pinned."""

    temperature: float = START_TEMPERATURE
    pinned: bool = False


class Boost(NamedTuple):
    """One use of a node at an instant (milliseconds), or `times` like ones of about the same. `gain` is the share of
    what is missing to 1 that its temperature gains by each, `fetched` 1 where the node itself was read, 0 where it was
    listed."""

    node: int
    at: int
    gain: float
    fetched: int
    times: int = 1


class UsageRow(NamedTuple):
    """A row of `usage`: the temperature (0 to 1) as it was at the instant `at` (milliseconds), how often and when last
    the node itself was read, 1 where it is pinned. A node without a row has the one of when it was first seen."""

    node: int
    temperature: float
    at: int
    accesses: int = 0
    accessed_at: int | None = None
    pinned: int = 0


@dataclass(frozen=True, slots=True)
class NodeUsage:
    """How a node is used, for callers. `accesses` counts readings of the node itself, `accessed_at` is the last one in
    milliseconds, None where there was none."""

    id: str
    kind: str
    label: str
    temperature: float
    pinned: bool
    accesses: int
    accessed_at: int | None


@dataclass(frozen=True, slots=True)
class ColdNode:
    """A document, heading or memory that is hardly used. `tokens` are those of its whole section; `accessed_at` is in
    milliseconds, None where it was never read."""

    id: str
    kind: str
    label: str
    root: str
    source: str
    tokens: int
    temperature: float
    accessed_at: int | None


@dataclass(frozen=True, slots=True)
class ColdDigest:
    """Cold nodes in short: how many there are, and the first of them, coldest first."""

    total: int = 0
    nodes: tuple[ColdNode, ...] = ()


NOTHING_COLD = ColdDigest()
