"""Answers that are kept while nothing changes that they are made of. The store itself says whether it has changed: of
own writes at once, of those of other processes within a millisecond. How nodes are used goes on: uses are noted, and
their figures read anew."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from remem.clock import read_clock
from remem.engine.base import StoreCalls
from remem.storage.watch import PROBE, Mark, Probe, Watch

MOST_BYTES = 64_000_000
"""All answers together; then all are let go."""
LOOK_SECONDS = 0.001
"""So often the file is looked at for the writes of other processes."""


class Kept(NamedTuple):
    """An answer, and which nodes (keys) it uses: each group with its gain and whether the nodes were read."""

    value: Any
    uses: tuple[tuple[tuple[int, ...], float, int], ...]


class KeptAnswers:
    """The answers of one open store, by what was asked. Used in one event loop."""

    def __init__(self, path: str, count_writes: Callable[[], int]) -> None:
        """`count_writes` tells how many writes of this process have ended."""
        self._watch = Watch(path)
        self._count_writes = count_writes
        self._seen_writes = -1
        self._look_at = 0.0
        self._mark: Mark | None = None
        self._answers: dict[Hashable, Kept] = {}
        self._bytes = 0

    def find(self, asked: Hashable) -> Kept | None:
        """The answer that is kept, where nothing has changed since it was made: own writes count from the instant they
        have ended, those of other processes at the latest `LOOK_SECONDS` later."""
        writes, now = self._count_writes(), time.monotonic()
        mark = self._mark
        if mark is None or writes != self._seen_writes or now >= self._look_at:
            mark = self._watch.read()
            self._seen_writes, self._look_at = writes, now + LOOK_SECONDS
        if mark is not self._mark:
            self._renew(mark)
        if mark is None or (mark.due is not None and mark.due <= read_clock()):
            return None
        return self._answers.get(asked)

    def keep(self, asked: Hashable, probe: Probe, value: object, size: int) -> None:
        """Keeps an answer (of about so many bytes) that was made while the probe looked on."""
        if len(probe.marks) != 1 or next(iter(probe.marks)) != self._mark:
            return
        if self._bytes + size > MOST_BYTES:
            self._answers.clear()
            self._bytes = 0
        self._bytes += size
        self._answers[asked] = Kept(value, tuple(probe.uses))

    def close(self) -> None:
        """Lets all go. May be called again."""
        self._renew(None)
        self._watch.close()

    def _renew(self, mark: Mark | None) -> None:
        if mark != self._mark:
            self._answers.clear()
            self._bytes = 0
        self._mark = mark


class KeptCalls(StoreCalls):
    """What `Remem` does for whoever keeps its answers."""

    _kept: KeptAnswers | None = None

    @property
    def kept(self) -> KeptAnswers:
        """The answers that are kept. Raises StoreError where the store is not open."""
        if self._kept is None:
            self._kept = KeptAnswers(self.storage.path, lambda: self.storage.writes)
        return self._kept

    @contextmanager
    def probe(self) -> Iterator[Probe]:
        """Looks on at the reads of the calls inside."""
        probe = Probe()
        token = PROBE.set(probe)
        try:
            yield probe
        finally:
            PROBE.reset(token)

    def use_again(self, kept: Kept) -> None:
        """Notes that the nodes of an answer are used once more."""
        self.usage.note_again(kept.uses)

    def _close_kept(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()
