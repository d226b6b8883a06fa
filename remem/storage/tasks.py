"""Rows of `tasks`: the kinds of background work that are paused, and how each was run last. Does none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sqlite3 import Connection


class TaskRow(NamedTuple):
    """A row of `tasks`: 1 where the work is paused; when it was run last (milliseconds), and what came of it."""

    name: str
    paused: int = 0
    ran_at: int | None = None
    outcome: str = ""


SELECT_TASKS = """
SELECT name, paused, ran_at, outcome
FROM tasks
"""
SELECT_PAUSED = """
SELECT name
FROM tasks
WHERE paused = 1
"""
SAVE_PAUSED = """
INSERT INTO tasks (name, paused)
VALUES (:name, :paused)
ON CONFLICT (name) DO UPDATE
SET paused = excluded.paused
"""
SAVE_RUN = """
INSERT INTO tasks (name, ran_at, outcome)
VALUES (:name, :ran_at, :outcome)
ON CONFLICT (name) DO UPDATE
SET ran_at = excluded.ran_at, outcome = excluded.outcome
"""


def load_tasks(connection: Connection) -> dict[str, TaskRow]:
    """The rows by name; what was never paused or run has none."""
    return {row[0]: TaskRow._make(row) for row in connection.execute(SELECT_TASKS)}


def load_paused(connection: Connection) -> frozenset[str]:
    """The names of the work that is paused."""
    return frozenset(name for (name,) in connection.execute(SELECT_PAUSED))


def save_paused(connection: Connection, name: str, paused: bool) -> None:
    """Pauses work, or lets it go on."""
    connection.execute(SAVE_PAUSED, {"name": name, "paused": int(paused)})


def save_run(connection: Connection, name: str, ran_at: int, outcome: str) -> None:
    """Notes that work was run, and what came of it."""
    connection.execute(SAVE_RUN, {"name": name, "ran_at": ran_at, "outcome": outcome})
