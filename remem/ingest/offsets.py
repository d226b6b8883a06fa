"""Byte offsets to character offsets. The parser counts UTF-8 bytes, all else in here counts characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast


def index_offsets(text: str, start: int) -> Sequence[int]:
    """For each UTF-8 byte offset of `text`, from 0 up to and with its length, `start` plus the character offset.

    `text` holds no lone surrogates. Free for ASCII, four bytes of memory for each byte of other text.
    """
    if text.isascii():
        return range(start, start + len(text) + 1)
    import numpy as np

    data = np.frombuffer(text.encode(), dtype=np.int8)
    table = np.empty(len(data) + 1, dtype=np.int32)
    table[0] = start
    # Every byte but a continuation byte (0x80 to 0xBF: below -64 as a signed number) begins a character.
    np.cumsum(data >= -64, out=table[1:])
    table[1:] += start
    return cast("Sequence[int]", table.data)
