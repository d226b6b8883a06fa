"""Which parts of a data file make one node: small neighbours together, the others alone. Spans in, groups out.

A run of small parts is cut where, of all places at which a group could end, the key has the lowest hash. So a key that
is added changes the groups around it, and further on the cuts are where they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from zlib import crc32

from remem.ingest.data.parts import Part

MOST = 1000
"""A group has at most so many characters."""
_HASHED = 64
_SMALL_RECORD = 120


def group_parts(text: str, parts: Sequence[Part], limit: int, *, records: bool = False) -> Iterator[Sequence[Part]]:
    """The parts in groups of about 300 to 1000 characters (fewer where nodes of `limit` tokens are smaller than that).

    A part of 333 characters stands alone, a record (an item that is a whole of its own) of 120; so does what cannot be
    read.
    """
    most = min(MOST, 2 * limit)
    least = most // 3
    alone = min(_SMALL_RECORD, least) if records else least
    run: list[Part] = []
    for part in parts:
        if part.end - part.start < alone and part.kind != "code":
            run.append(part)
            continue
        yield from _cut_run(text, run, least, most)
        run = []
        yield [part]
    yield from _cut_run(text, run, least, most)


def _cut_run(text: str, run: Sequence[Part], least: int, most: int) -> Iterator[Sequence[Part]]:
    sizes = [0, *accumulate(part.end - part.start for part in run)]
    signs = [_hash_part(text, part) for part in run] if sizes[-1] > most else []
    start = 0
    while sizes[-1] - sizes[start] > most:
        stop = start + 1
        while sizes[stop] - sizes[start] < least:
            stop += 1
        best = stop
        while stop < len(run) and sizes[stop] - sizes[start] <= most:
            best = stop if signs[stop - 1] < signs[best - 1] else best
            stop += 1
        yield run[start:best]
        start = best
    if start < len(run):
        yield run[start:]


def _hash_part(text: str, part: Part) -> int:
    """A number that follows from the key; for an item of a list from its text."""
    sign = part.key if part.key is not None else text[part.start : min(part.end, part.start + _HASHED)]
    return crc32(sign[:_HASHED].encode("utf-8", "surrogatepass"))
