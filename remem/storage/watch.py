"""Sees at once, on the caller's own thread, whether a store has changed in what answers are made of. It is for values
that are kept until then; reads nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from remem.storage import sqlite
from remem.storage.connection import open_reader

if TYPE_CHECKING:
    from sqlite3 import Connection

# Texts change with a snapshot (one in slices keeps its id, but not its hash), edges, fields of memories and places with
# the log, what is searched with the passages. What has expired is hidden before it is archived.
SELECT_MARK = """
SELECT
    (SELECT max(seq) FROM graph_changes),
    (SELECT hex(s.state_hash) || s.id FROM snapshots AS s ORDER BY s.id DESC LIMIT 1),
    (SELECT max(key) FROM passages),
    (SELECT min(expires_at) FROM memories WHERE expires_at IS NOT NULL AND archived_at IS NULL)
"""
READ_VERSION = "PRAGMA data_version"
NO_WAIT = 0.0


class Mark(NamedTuple):
    """A state of a store: equal while texts, edges, memories and passages are the same. `due` is when the next memory
    expires (milliseconds), None where none does. How nodes are used is not in it."""

    log: int | None
    state: str | None
    passages: int | None
    due: int | None


def load_mark(connection: Connection) -> Mark:
    """The mark of what a connection sees."""
    return Mark._make(connection.execute(SELECT_MARK).fetchone())


class Probe:
    """What the reads of one call saw and used: their marks, and the nodes (keys) that count as used, with the gain and
    whether each was read itself."""

    def __init__(self) -> None:
        self.marks: set[Mark] = set()
        self.uses: list[tuple[tuple[int, ...], float, int]] = []

    def note_mark(self, connection: Connection) -> None:
        """A read saw this state."""
        self.marks.add(load_mark(connection))

    def note_use(self, keys: Sequence[int], gain: float, fetched: int) -> None:
        """These nodes were used."""
        self.uses.append((tuple(keys), gain, fetched))


PROBE: ContextVar[Probe | None] = ContextVar("PROBE", default=None)
"""What looks on while a call reads."""


class Watch:
    """Watches one store from one thread. `close` before the store is left."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._connection: Any = None
        self._version: int | None = None
        self._mark: Mark | None = None

    def read(self) -> Mark | None:
        """The mark of the store now, None where it cannot be had without waiting. A few microseconds."""
        try:
            if self._connection is None:
                self._connection = open_reader(self._path, None, NO_WAIT)
            version = self._connection.execute(READ_VERSION).fetchone()[0]
            if version != self._version:
                self._mark = load_mark(self._connection)
                self._version = version
        except sqlite.choose().Error:
            self.close()
        return self._mark

    def close(self) -> None:
        """Lets the store go. It is opened again when it is read."""
        connection, self._connection = self._connection, None
        self._version = self._mark = None
        if connection is not None:
            connection.close()
