"""The uses of nodes that this process has seen and the store may not hold yet. In memory; writes nothing."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from remem.records import Boost, UsageRow

MOST_KEPT = 20_000
"""Of a store that cannot be written for long, so many uses are remembered."""

TOGETHER = 1000
"""Milliseconds."""

Boosts = dict[int, list[Boost]]


class Ledger:
    """Gathers uses until they are taken to be written. Its methods may be called from any thread.

    What was taken last is remembered beyond its commit: a reader may have begun before it. A row of the store that is
    older than such a use does not hold it yet, since what is taken moves `at` of its rows at least to its own instant.
    """

    def __init__(self) -> None:
        self.count = 0
        self.sequence = 0
        self._queued: Boosts = {}
        self._taken: Boosts = {}
        self._lock = threading.Lock()

    def note(self, keys: Sequence[int], at: int, gain: float, fetched: int, count: int = 1) -> int:
        """Queues so many uses of each of some nodes (keys); how many were queued ever before them. Like uses within a
        second are put together: their instants make no difference that is shown."""
        with self._lock:
            before, queued = self.sequence, self._queued
            for key in keys:
                boosts = queued.setdefault(key, [])
                last = boosts[-1] if boosts else None
                if last is not None and last.gain == gain and last.fetched == fetched and 0 <= at - last.at < TOGETHER:
                    boosts[-1] = Boost(key, at, gain, fetched, last.times + count)
                else:
                    boosts.append(Boost(key, at, gain, fetched, count))
                    self.count += 1
            self.sequence += len(keys)
            return before

    def take(self, now: int) -> Mapping[int, list[Boost]]:
        """What is to be written at `now`, by node. Instants beyond `now` (the clock was set back) become `now`."""
        with self._lock:
            if not self._queued:
                return {}
            self._taken = {
                node: [boost if boost.at <= now else boost._replace(at=now) for boost in boosts]
                for node, boosts in self._queued.items()
            }
            self._queued, self.count = {}, 0
            return self._taken

    def put_back(self) -> None:
        """Queues again what was taken and could not be written; beyond `MOST_KEPT` it is given up."""
        with self._lock:
            if self.count + sum(map(len, self._taken.values())) <= MOST_KEPT:
                for node, boosts in self._taken.items():
                    self._queued[node] = boosts + self._queued.get(node, [])
                    self.count += len(boosts)
            self._taken = {}

    def nodes(self) -> set[int]:
        """The nodes (keys) that `find_missing` may speak of."""
        with self._lock:
            return self._queued.keys() | self._taken.keys()

    def find_missing(self, rows: Mapping[int, UsageRow]) -> Boosts:
        """The uses that the rows do not hold, by node. The rows must have been read before this call."""
        return self.find_missing_at(rows)[0]

    def find_missing_at(self, rows: Mapping[int, UsageRow]) -> tuple[Boosts, int]:
        """The same, and how many uses were queued ever until then."""
        with self._lock:
            missing = _pick(self._queued, rows)
            for node, boosts in _pick(self._taken, rows).items():
                at = rows[node].at
                newer = [boost for boost in boosts if boost.at > at]
                if newer:
                    missing[node] = newer + missing.get(node, [])
            return missing, self.sequence


def _pick(boosts: Boosts, rows: Mapping[int, UsageRow]) -> Boosts:
    if len(boosts) < len(rows):
        return {node: found for node, found in boosts.items() if node in rows}
    return {node: boosts[node] for node in rows if node in boosts}
