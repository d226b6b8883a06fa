"""Cursors: where a page ended, as a short opaque text that the next call brings back. Pure; knows no store.

A cursor holds what orders the last item that was shown, not its number: so what stayed as it was is neither shown twice
nor left out, whatever else was added, removed or changed in between. Three bytes of hash bind it to its request.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from hashlib import blake2b

from remem.checks import check_int, check_text
from remem.errors import InvalidInputError
from remem.limits import LARGEST_BUDGET, LONGEST_CURSOR, MIN_BUDGET
from remem.records import PageRequest

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}
_MARK_BYTES = 3


def check_page(budget: object, cursor: object) -> PageRequest:
    """The request for a page. Raises InvalidInputError for a budget below 60 and for what is no cursor at all."""
    tokens = None if budget is None else check_int("budget", budget, MIN_BUDGET, LARGEST_BUDGET)
    place = None if cursor is None else check_text("cursor", cursor, longest=LONGEST_CURSOR)
    return PageRequest(tokens, place)


def mark_request(*facts: object) -> bytes:
    """What binds a cursor to its request: a hash of the call's name and of its arguments."""
    return blake2b(repr(facts).encode("utf-8", "surrogatepass"), digest_size=_MARK_BYTES).digest()


def write_cursor(mark: bytes, numbers: Sequence[int]) -> str:
    """A cursor of whole numbers from 0 on: letters and digits alone."""
    data = bytearray(b"\x01" + mark)
    for number in numbers:
        while number > 0x7F:
            data.append(number & 0x7F | 0x80)
            number >>= 7
        data.append(number)
    value, digits = int.from_bytes(data, "big"), ""
    while value:
        value, digit = divmod(value, 62)
        digits = _DIGITS[digit] + digits
    return digits


def read_cursor(mark: bytes, cursor: str, count: int) -> tuple[int, ...]:
    """The `count` numbers of a cursor. Raises InvalidInputError where it was given for another request."""
    numbers = read_numbers(mark, cursor, count)
    if len(numbers) != count:
        raise foreign_cursor_error()
    return numbers


def read_numbers(mark: bytes, cursor: str, least: int) -> tuple[int, ...]:
    """The numbers of a cursor, at least so many. Raises InvalidInputError where it was given for another request."""
    data = _decode(cursor)
    numbers: list[int] = []
    number = shift = 0
    for byte in data[1 + _MARK_BYTES :]:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number = shift = 0
    if data[: 1 + _MARK_BYTES] != b"\x01" + mark or len(numbers) < least or shift:
        raise foreign_cursor_error()
    return tuple(numbers)


def foreign_cursor_error() -> InvalidInputError:
    """What a call raises whose cursor another request has returned."""
    return InvalidInputError(
        "cursor belongs to another request: give the same arguments as in the call that returned it (the budget may"
        " differ), or leave the cursor out to begin anew",
        field="cursor",
    )


def lost_cursor_error() -> InvalidInputError:
    """What a call raises whose cursor points to something of which nothing is known any more."""
    return InvalidInputError(
        "the item that the cursor follows is gone for good, with its history: leave the cursor out to begin anew",
        field="cursor",
    )


def pack_float(value: float) -> int:
    """A float as a whole number, small where it has few binary digits."""
    return int.from_bytes(struct.pack(">d", value), "little")


def unpack_float(number: int) -> float:
    """The float of `pack_float`; any other number gives some float."""
    return float(struct.unpack(">d", (number & (1 << 64) - 1).to_bytes(8, "little"))[0])


def _decode(cursor: str) -> bytes:
    value = 0
    for digit in cursor:
        if digit not in _VALUES:
            raise InvalidInputError("cursor is none that a call has returned", field="cursor")
        value = value * 62 + _VALUES[digit]
    return value.to_bytes((value.bit_length() + 7) // 8, "big")
