"""What the background work is at, as the file tells it: what is owed, who has the claim, what went wrong last. Does
none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.records import WorkState
from remem.storage import embedded, jobs, meta

if TYPE_CHECKING:
    from sqlite3 import Connection

PROBLEM_KEY = "work_problem"

COUNT_MENTIONS = """
SELECT count(*)
FROM mention_work
"""


def read_work(connection: Connection, now: int, owner: str, problem: str | None = None) -> WorkState:
    """What is owed at an instant (milliseconds), and who does it: `owner` is the claimant that asks. `problem` is what
    keeps that one from the work; None: what the last process that tried said, while anything is owed."""
    owed = jobs.count_jobs(connection, now)
    embed, discover = owed.get(jobs.EMBED, (0, 0)), owed.get(jobs.DISCOVER, (0, 0))
    if problem is None:
        problem = find_problem(connection) if embed[0] + discover[0] else ""
    holder = jobs.find_holder(connection, jobs.VECTORS, now)
    unclaimed = "waiting" if embed[0] + discover[0] else "idle"
    return WorkState(
        embed=embed[0],
        discover=discover[0],
        waiting=embed[1] + discover[1],
        embedded=embedded.count_embedded(connection),
        active=holder is not None and holder == owner,
        embedder=embedded.find_name(connection),
        problem=problem,
        mentions=int(connection.execute(COUNT_MENTIONS).fetchone()[0]),
        worker=unclaimed if holder is None else "working" if holder == owner else "elsewhere",
    )


def find_problem(connection: Connection) -> str:
    """Why the process that tried last could do nothing, "" where it could."""
    return meta.find_value(connection, PROBLEM_KEY) or ""


def save_problem(connection: Connection, problem: str) -> None:
    """Tells other processes what keeps this one from the work; "": nothing."""
    if problem:
        meta.save_value(connection, PROBLEM_KEY, problem)
    else:
        meta.delete_value(connection, PROBLEM_KEY)
