"""The usage of some nodes, kept up to date in memory while own uses are noted. Reads and writes no store."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from remem.records import Boost, UsageRow
from remem.usage.temperature import warm_once

FRESH_SECONDS = 2.0
"""So long a row is followed without a look into the store: what other processes did shows then."""
MOST_FOLLOWED = 50_000
MOST_AT_ONCE = 1000


class Followed:
    """The rows of nodes, by key. Used in one event loop. `half_life` is in milliseconds."""

    def __init__(self, half_life: float) -> None:
        self._half_life = half_life
        self._rows: dict[int, UsageRow] = {}
        self._read_at: dict[int, float] = {}
        self._asked: set[int] = set()
        self._readers = 0
        self.epoch = 0
        self._recent: list[tuple[int, Boost]] = []

    def find(self, keys: Sequence[int]) -> list[UsageRow] | None:
        """The rows of the nodes, None where one is not followed, or for too long."""
        oldest, at, rows = time.monotonic() - FRESH_SECONDS, self._read_at, self._rows
        for key in keys:
            if at.get(key, 0.0) < oldest:
                return None
        self._asked.update(keys)
        return [rows[key] for key in keys]

    def list_aging(self) -> list[int]:
        """Some nodes whose rows will soon be too old and were asked for since they were read: one look into the store
        does for many."""
        aging: list[int] = []
        limit = time.monotonic() - FRESH_SECONDS / 2
        for key, at in self._read_at.items():  # the oldest first
            if at > limit or len(aging) == MOST_AT_ONCE:
                break
            if key in self._asked:
                aging.append(key)
        return aging

    def warm(self, boosts: Sequence[Boost], sequence: int) -> None:
        """Follows uses that were just queued as those after so many."""
        rows = self._rows
        for number, boost in enumerate(boosts, sequence + 1):
            row = rows.get(boost.node)
            if row is not None:
                rows[boost.node] = warm_once(row, boost, boost.at, self._half_life)
            if self._readers:
                self._recent.append((number, boost))

    @contextmanager
    def reading(self) -> Iterator[int]:
        """While rows are read, the uses that are noted meanwhile are remembered. Gives what `adopt` wants."""
        self._readers += 1
        try:
            yield self.epoch
        finally:
            self._readers -= 1
            if not self._readers:
                self._recent.clear()

    def adopt(self, read: Mapping[int, UsageRow], sequence: int, epoch: int) -> dict[int, UsageRow]:
        """Follows rows that were read, with all uses that were queued until then, and gives them as they are now. Not
        those that were read before `clear`."""
        rows = dict(read)
        for number, boost in self._recent:
            if number > sequence and boost.node in rows:
                rows[boost.node] = warm_once(rows[boost.node], boost, boost.at, self._half_life)
        if len(self._rows) + len(rows) > MOST_FOLLOWED:
            self.clear()
        elif epoch == self.epoch:
            self._take(rows)
        return rows

    def _take(self, rows: Mapping[int, UsageRow]) -> None:
        now = time.monotonic()
        self._rows.update(rows)
        self._asked.difference_update(rows)
        for key in rows:
            self._read_at.pop(key, None)
            self._read_at[key] = now

    def clear(self) -> None:
        """Follows none any more."""
        self.epoch += 1
        self._rows.clear()
        self._read_at.clear()
        self._asked.clear()
