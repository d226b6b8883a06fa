"""Keeps one check from ending the others: rows that contradict each other make rules stumble where none looked."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from remem.records import Finding

if TYPE_CHECKING:
    from sqlite3 import Connection

Check = Callable[["Connection"], Iterator[Finding]]

STUMBLES = (ArithmeticError, LookupError, TypeError, ValueError, zlib.error)
"""What rules raise that meet what cannot be; errors of SQLite go on."""


def run_check(check: Check, connection: Connection) -> list[Finding]:
    """What a check finds; that it could not go on is a fault itself."""
    found: list[Finding] = []
    try:
        for finding in check(connection):
            found.append(finding)
    except STUMBLES as error:
        found.append(Finding("rows", True, f"rows contradict others so that they cannot be read ({tell(error)})"))
    return found


def tell(error: Exception) -> str:
    """What went wrong, without any content."""
    return type(error).__name__
