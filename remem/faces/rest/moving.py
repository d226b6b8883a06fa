"""Bodies in which only the figures of use move: made once in parts, and put together with the figures of now."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from remem.clock import read_clock
from remem.faces.wire import Json, dump_json, show_time
from remem.usage.temperature import DECIMALS, measure

if TYPE_CHECKING:
    from remem.records import UsageRow

FIGURES = ("access_count", "accessed_at", "pinned", "temperature")
MARK = "\x00"
"""No text of a store holds it."""

_show_moment = lru_cache(4096)(show_time)


def make_moving(value: Json, memories: Sequence[Json]) -> tuple[bytes, ...]:
    """The parts of the body of `value` between the figures of the memories in it, in their order."""
    for number, memory in enumerate(memories):
        for name in FIGURES:
            memory.pop(name, None)
        memory[MARK] = number
    body, parts = dump_json(value, newline=False), []
    for number in range(len(memories)):
        part, _, body = body.partition(b'"\\u0000":%d' % number)
        parts.append(part)
    return (*parts, body)


def join_moving(parts: Sequence[bytes], rows: Sequence[UsageRow], half_life: float) -> bytes:
    """The body with the figures of now."""
    now = read_clock()
    joined = [parts[0]]
    for row, part in zip(rows, parts[1:], strict=True):
        joined += (_tell(row, now, half_life), part)
    return b"".join(joined)


def _tell(row: UsageRow, now: int, half_life: float) -> bytes:
    read_at = row.accessed_at
    moment = b"null" if read_at is None else b'"%s"' % _show_moment(read_at).encode()
    return b'"access_count":%d,"accessed_at":%s,"pinned":%s,"temperature":%s' % (
        row.accesses,
        moment,
        b"true" if row.pinned else b"false",
        repr(round(measure(row, now, half_life), DECIMALS)).encode(),
    )
