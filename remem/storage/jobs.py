"""Rows of `jobs` and `claims`: the work owed, and which process does it. Decides nothing about the work."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from remem.records import Job
from remem.storage.nodes import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

EMBED, DISCOVER = "embed", "discover"

SELECT_DUE = """
SELECT kind, node, stamp, attempts
FROM jobs
WHERE kind = :kind
  AND due_at <= :now
ORDER BY attempts, node
LIMIT :limit
"""
COUNT_JOBS = """
SELECT kind, count(*), coalesce(sum(due_at > :now), 0)
FROM jobs
GROUP BY kind
"""
QUEUE_JOBS = """
INSERT INTO jobs (kind, node)
SELECT :kind, value
FROM json_each(:nodes)
WHERE TRUE
ON CONFLICT (kind, node) DO UPDATE
SET stamp = stamp + 1, attempts = 0, due_at = 0
"""
FINISH_JOB = """
DELETE FROM jobs
WHERE kind = ?
  AND node = ?
  AND stamp = ?
"""
POSTPONE_JOB = """
UPDATE jobs
SET attempts = attempts + 1, due_at = ?4
WHERE kind = ?1
  AND node = ?2
  AND stamp = ?3
"""
RETRY_ALL = """
UPDATE jobs
SET stamp = stamp + 1, attempts = 0, due_at = 0
"""
CLAIM_WORK = """
INSERT INTO claims (work, owner, until)
VALUES (:work, :owner, :until)
ON CONFLICT (work) DO UPDATE
SET owner = excluded.owner, until = excluded.until
WHERE owner = excluded.owner OR until <= :now OR until > :latest
"""
SELECT_OWNER = """
SELECT owner
FROM claims
WHERE work = :work
"""
RELEASE_WORK = """
DELETE FROM claims
WHERE work = :work
  AND owner = :owner
"""
QUEUE_MEMORIES = """
INSERT INTO jobs (kind, node)
SELECT 'embed', m.node
FROM memories AS m
WHERE m.archived_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM passages AS p JOIN vectors AS v ON v.passage = p.key WHERE p.document = m.node)
ON CONFLICT (kind, node) DO NOTHING
"""
QUEUE_NOTES = """
INSERT INTO jobs (kind, node)
SELECT DISTINCT 'embed', p.document
FROM passages AS p
JOIN documents AS d ON d.node = p.document
WHERE NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.passage = p.key)
ON CONFLICT (kind, node) DO NOTHING
"""
QUEUE_EMBEDDED = """
INSERT INTO jobs (kind, node)
SELECT DISTINCT 'embed', p.document
FROM vectors AS v
JOIN passages AS p ON p.key = v.passage
WHERE TRUE
ON CONFLICT (kind, node) DO UPDATE
SET stamp = stamp + 1, attempts = 0, due_at = 0
"""


def load_due(connection: Connection, kind: str, now: int, limit: int) -> list[Job]:
    """Work of a kind that may be tried now, what has failed last."""
    rows = connection.execute(SELECT_DUE, {"kind": kind, "now": now, "limit": limit})
    return [Job._make(row) for row in rows]


def count_jobs(connection: Connection, now: int) -> dict[str, tuple[int, int]]:
    """By kind: how much is owed, and how much of it waits for another attempt."""
    return {kind: (owed, waiting) for kind, owed, waiting in connection.execute(COUNT_JOBS, {"now": now})}


def queue_jobs(connection: Connection, kind: str, nodes: Iterable[int]) -> None:
    """Owes work on nodes; what was owed already counts as changed."""
    connection.execute(QUEUE_JOBS, {"kind": kind, "nodes": json_list(nodes)})


def queue_missing(connection: Connection, *, notes: bool) -> None:
    """Owes the vectors of all memories that have none; with `notes` of the passages of notes as well."""
    connection.execute(QUEUE_MEMORIES)
    if notes:
        connection.execute(QUEUE_NOTES)


def queue_all(connection: Connection) -> None:
    """Owes all vectors that are missing, and has what failed tried at once."""
    queue_missing(connection, notes=True)
    retry_all(connection)


def queue_embedded(connection: Connection) -> None:
    """Owes again all vectors that there are."""
    connection.execute(QUEUE_EMBEDDED)


def finish_jobs(connection: Connection, jobs: Iterable[Job]) -> None:
    """Strikes off what is done, unless it was owed again in between."""
    connection.executemany(FINISH_JOB, [job[:3] for job in jobs])


def postpone_jobs(connection: Connection, jobs: Iterable[tuple[Job, int]]) -> None:
    """Has work tried again later: (job, instant)."""
    connection.executemany(POSTPONE_JOB, [(*job[:3], due) for job, due in jobs])


def retry_all(connection: Connection) -> None:
    """Has all that is owed tried at once; what is under way counts as owed again."""
    connection.execute(RETRY_ALL)


def claim_work(connection: Connection, work: str, owner: str, now: int, span: int) -> bool:
    """Takes or keeps the claim on work for `span` milliseconds; false where another process that lives has it.

    A claim that ends later than `span` from now was made by a clock that ran ahead, and does not count.
    """
    until = now + span
    parameters = {"work": work, "owner": owner, "until": until, "now": now, "latest": until}
    connection.execute(CLAIM_WORK, parameters)
    row = connection.execute(SELECT_OWNER, {"work": work}).fetchone()
    return row is not None and row[0] == owner


def release_work(connection: Connection, work: str, owner: str) -> None:
    """Gives a claim back."""
    connection.execute(RELEASE_WORK, {"work": work, "owner": owner})
