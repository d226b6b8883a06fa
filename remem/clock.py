"""The clock: the instant of now as it is stored, and how long a day is in it."""

from __future__ import annotations

import time

DAY = 86_400_000
"""Milliseconds."""


def read_clock() -> int:
    """Milliseconds since 1970 in UTC."""
    return time.time_ns() // 1_000_000
