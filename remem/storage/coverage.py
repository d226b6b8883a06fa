"""Counts of what a search cannot reach: texts that owe their vectors, memories that are stored. Searches nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import Connection

COUNT_OWED = """
SELECT count(*), coalesce(sum(j.due_at > :now), 0)
FROM jobs AS j
JOIN nodes AS n ON n.key = j.node
WHERE j.kind = 'embed'
"""
COUNT_MEMORIES = """
SELECT count(*)
FROM memories
"""


def count_owed(connection: Connection, now: int) -> tuple[int, int]:
    """How many living texts still wait for their vectors, and how many of them for another attempt."""
    owed, waiting = connection.execute(COUNT_OWED, {"now": now}).fetchone()
    return int(owed), int(waiting)


def count_memories(connection: Connection) -> int:
    """How many memories are stored, archived and expired ones too."""
    return int(connection.execute(COUNT_MEMORIES).fetchone()[0])
