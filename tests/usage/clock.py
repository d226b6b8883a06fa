"""A clock that tests turn, and looks into a store from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from remem.clock import DAY
from remem.storage.sqlite import choose

START = 1_800_000_000_000


class Clock:
    """Milliseconds since 1970 that stand still until they are turned."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def turn(self, days: float) -> None:
        """Moves on, or back for a negative number."""
        self.now += round(days * DAY)


def look(path: str | Path, statement: str) -> list[tuple[Any, ...]]:
    """What a statement gives on a connection of its own."""
    connection = choose().connect(str(path), isolation_level=None)
    try:
        rows: list[tuple[Any, ...]] = connection.execute(statement).fetchall()
        return rows
    finally:
        connection.close()
