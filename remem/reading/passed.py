"""What the pages of a ranking have shown, so that the next one takes the best of the rest, however all rank by then.

A cursor holds the nodes themselves while they fit, else their number and a hash: of what that stands for the process
keeps the last, and any process sees whether it still is what ranks first. Reads no store.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b
from itertools import accumulate, pairwise
from threading import Lock
from typing import NamedTuple

from remem.errors import InvalidInputError
from remem.limits import LONGEST_CURSOR
from remem.reading.cursors import foreign_cursor_error, read_numbers, write_cursor

CHARACTERS_OF_BUDGET = 4
"""Tokens of a budget for each character that a cursor may take of it."""
KEPT_BYTES = 4_000_000
"""Of keys, in one process."""
_HASH_BYTES = 5
_AS_NODES = 0
_LARGEST_KEY = (1 << 63) - 1
_MOST_FIRST = 1 << 32


class Passed(NamedTuple):
    """What a page goes on after: the nodes (keys) that were shown; or, where only that is known, how many first ones of
    the ranking, and the hash of these. `always` are numbers that each cursor of the call has."""

    nodes: frozenset[int] = frozenset()
    first: int = 0
    hash: int | None = None
    always: tuple[int, ...] = ()

    def join(self, ranked: Collection[int]) -> frozenset[int]:
        """All that was passed over, `ranked` being the first nodes of the ranking, `first` of them. Raises
        InvalidInputError where these are others than were shown."""
        if self.hash is not None and (len(ranked) < self.first or _hash_keys(_pack(ranked)) != self.hash):
            raise InvalidInputError(
                "the ranking has changed since, and what its pages have shown is not known any more: leave the cursor"
                " out to begin anew",
                field="cursor",
            )
        return self.nodes | frozenset(ranked)


class ShownNodes:
    """The nodes that pages have shown whose cursors hold only a hash: of one open store, the last ones. Any thread."""

    def __init__(self) -> None:
        self._kept: dict[int, bytes] = {}
        self._bytes = 0
        self._lock = Lock()

    def keep(self, keys: Iterable[int]) -> None:
        """Keeps nodes, in place of those that were kept longest ago."""
        packed = _pack(keys)
        hash = _hash_keys(packed)
        with self._lock:
            self._bytes -= len(self._kept.pop(hash, b""))
            self._kept[hash] = packed
            self._bytes += len(packed)
            while self._bytes > KEPT_BYTES:
                self._bytes -= len(self._kept.pop(next(iter(self._kept))))

    def find(self, hash: int) -> frozenset[int] | None:
        """The nodes of a hash."""
        with self._lock:
            packed = self._kept.get(hash)
        return None if packed is None else frozenset(array("q", packed))


def write_passed(mark: bytes, keys: Collection[int], budget: int | None, always: Sequence[int] = ()) -> str:
    """A cursor that goes on after some nodes, short enough for a page of a budget, with the numbers of `always`."""
    longest = LONGEST_CURSOR if budget is None else min(budget // CHARACTERS_OF_BUDGET, LONGEST_CURSOR)
    if len(keys) < longest:
        ordered = sorted(keys)
        steps = (after - before for before, after in pairwise((0, *ordered)))
        if len(cursor := write_cursor(mark, (*always, _AS_NODES, *steps))) <= longest:
            return cursor
    return write_cursor(mark, (*always, len(keys), _hash_keys(_pack(keys))))


def read_passed(mark: bytes, cursor: str, kept: ShownNodes, always: int = 0) -> Passed:
    """What a cursor goes on after, what each cursor of the call has being so many numbers. Raises InvalidInputError
    where it was given for another request."""
    told = read_numbers(mark, cursor, max(always + 1, 2))
    common, how, numbers = told[:always], told[always], told[always + 1 :]
    if how == _AS_NODES:
        if sum(numbers) > _LARGEST_KEY:
            raise foreign_cursor_error()
        return Passed(frozenset(accumulate(numbers)), always=common)
    if how > _MOST_FIRST or len(numbers) != 1:
        raise foreign_cursor_error()
    nodes = kept.find(numbers[0])
    if nodes is None:
        return Passed(first=how, hash=numbers[0], always=common)
    return Passed(nodes, always=common)


def _pack(keys: Iterable[int]) -> bytes:
    return array("q", sorted(keys)).tobytes()


def _hash_keys(packed: bytes) -> int:
    return int.from_bytes(blake2b(packed, digest_size=_HASH_BYTES).digest(), "big")
