"""Rows of `meta`: single values of the store, each under its key. Knows none of them, and makes no condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_VALUE = """
SELECT value
FROM meta
WHERE key = :key
"""
SELECT_NUMBER = """
SELECT CAST(value AS INTEGER)
FROM meta
WHERE key = :key
"""
SAVE_VALUE = """
INSERT INTO meta (key, value)
VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE
SET value = excluded.value
"""
ADD_VALUE = """
INSERT INTO meta (key, value)
VALUES (:key, :value)
ON CONFLICT (key) DO NOTHING
"""
ADVANCE_NUMBER = """
INSERT INTO meta (key, value)
VALUES (:key, '1')
ON CONFLICT (key) DO UPDATE
SET value = CAST(value AS INTEGER) + 1
RETURNING CAST(value AS INTEGER)
"""
DELETE_VALUE = """
DELETE FROM meta
WHERE key = :key
"""


def find_value(connection: Connection, key: str) -> str | None:
    """The value under a key, None where there is none."""
    row = connection.execute(SELECT_VALUE, {"key": key}).fetchone()
    return None if row is None else str(row[0])


def find_number(connection: Connection, key: str) -> int | None:
    """The number under a key, None where there is none."""
    row = connection.execute(SELECT_NUMBER, {"key": key}).fetchone()
    return None if row is None else int(row[0])


def save_value(connection: Connection, key: str, value: str) -> None:
    """Puts a value under a key, in place of the one that is there."""
    connection.execute(SAVE_VALUE, {"key": key, "value": value})


def add_value(connection: Connection, key: str, value: str) -> None:
    """Puts a value under a key where there is none."""
    connection.execute(ADD_VALUE, {"key": key, "value": value})


def advance_number(connection: Connection, key: str) -> int:
    """Makes the number under a key one larger (from 0 where there is none), and returns it."""
    return int(connection.execute(ADVANCE_NUMBER, {"key": key}).fetchone()[0])


def delete_value(connection: Connection, key: str) -> None:
    """Takes a value away."""
    connection.execute(DELETE_VALUE, {"key": key})
