"""What the background work is at, as the file tells it: what is owed, who has the claim, what went wrong last. Does
none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.records import WorkState
from remem.storage import jobs, vectors

if TYPE_CHECKING:
    from sqlite3 import Connection

PROBLEM_KEY = "work_problem"

COUNT_MENTIONS = """
SELECT count(*)
FROM mention_work
"""
SELECT_CLAIM = """
SELECT owner
FROM claims
WHERE work = :work
  AND until > :now
"""
SELECT_PROBLEM = """
SELECT value
FROM meta
WHERE key = :key
"""
SAVE_PROBLEM = """
INSERT INTO meta (key, value)
VALUES (:key, :problem)
ON CONFLICT (key) DO UPDATE
SET value = excluded.value
"""
DELETE_PROBLEM = """
DELETE FROM meta
WHERE key = :key
"""


def read_work(connection: Connection, now: int, owner: str, problem: str | None = None) -> WorkState:
    """What is owed at an instant (milliseconds), and who does it: `owner` is the claimant that asks. `problem` is what
    keeps that one from the work; None: what the last process that tried said, while anything is owed."""
    owed = jobs.count_jobs(connection, now)
    embed, discover = owed.get(jobs.EMBED, (0, 0)), owed.get(jobs.DISCOVER, (0, 0))
    if problem is None:
        problem = find_problem(connection) if embed[0] + discover[0] else ""
    row = connection.execute(SELECT_CLAIM, {"work": jobs.VECTORS, "now": now}).fetchone()
    unclaimed = "waiting" if embed[0] + discover[0] else "idle"
    return WorkState(
        embed=embed[0],
        discover=discover[0],
        waiting=embed[1] + discover[1],
        embedded=vectors.count_embedded(connection),
        active=row is not None and row[0] == owner,
        embedder=vectors.find_name(connection),
        problem=problem,
        mentions=int(connection.execute(COUNT_MENTIONS).fetchone()[0]),
        worker=unclaimed if row is None else "working" if row[0] == owner else "elsewhere",
    )


def find_problem(connection: Connection) -> str:
    """Why the process that tried last could do nothing, "" where it could."""
    row = connection.execute(SELECT_PROBLEM, {"key": PROBLEM_KEY}).fetchone()
    return "" if row is None else str(row[0])


def save_problem(connection: Connection, problem: str) -> None:
    """Tells other processes what keeps this one from the work; "": nothing."""
    if problem:
        connection.execute(SAVE_PROBLEM, {"key": PROBLEM_KEY, "problem": problem})
    else:
        connection.execute(DELETE_PROBLEM, {"key": PROBLEM_KEY})
