"""An array that grows at its end. What was read of it before stays as it was; no entry ever changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Tape:
    """A one-dimensional array in a buffer with room at its end."""

    def __init__(self, values: NDArray[Any], dtype: DTypeLike | None = None) -> None:
        self._buffer = np.asarray(values, dtype)
        self._length = len(self._buffer)

    @property
    def values(self) -> NDArray[Any]:
        """All entries, without a copy."""
        return self._buffer[: self._length]

    @property
    def nbytes(self) -> int:
        """Bytes held, room included."""
        return self._buffer.nbytes

    def __len__(self) -> int:
        return self._length

    def append(self, values: NDArray[Any]) -> None:
        """Adds entries. A value that the type does not hold widens all to 64 bits."""
        if not np.can_cast(values.dtype, self._buffer.dtype, "safe") and not self._holds(values):
            self._buffer = self._buffer.astype(np.int64)
        end = self._length + len(values)
        if end > len(self._buffer):
            grown = np.empty(end + max(end // 8, 1024), self._buffer.dtype)
            grown[: self._length] = self.values
            self._buffer = grown
        self._buffer[self._length : end] = values
        self._length = end

    def _holds(self, values: NDArray[Any]) -> bool:
        if not len(values) or self._buffer.dtype == np.bool_:
            return True
        limits = np.iinfo(self._buffer.dtype)
        return bool(values.min() >= limits.min and values.max() <= limits.max)


def shrink(values: NDArray[np.int64]) -> NDArray[Any]:
    """The values in 32 bits where they fit, which they mostly do."""
    if not len(values) or (values.min() >= -(2**31) and values.max() < 2**31):
        return values.astype(np.int32)
    return values
