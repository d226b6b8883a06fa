"""Rows of `jobs` and `claims`: the work owed, and which process does it. Decides nothing about the work."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from remem.records import Job
from remem.storage import meta, owners
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

EMBED, DISCOVER = "embed", "discover"
VECTORS = "vectors"
"""The work that a claim is on: embedding and discovery."""
SCOPE_KEY = "discovery_scope"
LONGEST_PAUSE = 3_600_000
"""Milliseconds after which work that failed is tried again at the latest: an instant that lies farther ahead was set by
a clock that ran ahead."""

SELECT_DUE = """
SELECT kind, node, stamp, attempts
FROM jobs
WHERE kind = :kind
  AND (due_at <= :now OR due_at > :latest)
ORDER BY attempts, node
LIMIT :limit
"""
COUNT_JOBS = """
SELECT kind, count(*), coalesce(sum(due_at > :now AND due_at <= :latest), 0)
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
  AND until > :now
"""
FORGET_CLAIM = """
DELETE FROM claims
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
SELECT_NOTES = """
SELECT p.document, count(*), sum(EXISTS (SELECT 1 FROM vectors AS v WHERE v.passage = p.key)),
       EXISTS (SELECT 1 FROM jobs AS j WHERE j.kind = 'embed' AND j.node = p.document)
FROM passages AS p
JOIN documents AS d ON d.node = p.document
GROUP BY p.document
"""
QUEUE_ABSENT = """
INSERT OR IGNORE INTO jobs (kind, node)
SELECT 'embed', value
FROM json_each(:nodes)
"""
QUEUE_SECTIONS = """
INSERT OR IGNORE INTO jobs (kind, node)
SELECT DISTINCT 'discover', p.section
FROM vectors AS v
JOIN passages AS p ON p.key = v.passage
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
    rows = connection.execute(SELECT_DUE, {"kind": kind, "now": now, "latest": now + LONGEST_PAUSE, "limit": limit})
    return [Job._make(row) for row in rows]


def count_jobs(connection: Connection, now: int) -> dict[str, tuple[int, int]]:
    """By kind: how much is owed, and how much of it waits for another attempt."""
    parameters = {"now": now, "latest": now + LONGEST_PAUSE}
    return {kind: (owed, waiting) for kind, owed, waiting in connection.execute(COUNT_JOBS, parameters)}


def queue_jobs(connection: Connection, kind: str, nodes: Iterable[int]) -> None:
    """Owes work on nodes; what was owed already counts as changed."""
    connection.execute(QUEUE_JOBS, {"kind": kind, "nodes": json_list(nodes)})


def queue_missing(connection: Connection, *, notes: int | None) -> None:
    """Owes the vectors of all memories that have none, and of passages of notes as long as at most `notes` of them have
    some then (None: all). Documents are taken whole, oldest first."""
    connection.execute(QUEUE_MEMORIES)
    if notes == 0:
        return
    rows = connection.execute(SELECT_NOTES).fetchall()
    room = None if notes is None else notes - sum(count if owed else embedded for _, count, embedded, owed in rows)
    wanted = []
    for document, count, embedded, owed in rows:
        missing = 0 if owed else count - embedded
        if missing and (room is None or missing <= room):
            wanted.append(document)
            room = None if room is None else room - missing
    connection.execute(QUEUE_ABSENT, {"nodes": json_list(wanted)})


def queue_scope(connection: Connection, scope: str) -> None:
    """Remembers what discovery relates; where that is all from now on, it owes that of the sections that have vectors
    already."""
    if is_scope(connection, scope):
        return
    if scope == "all":
        connection.execute(QUEUE_SECTIONS)
    meta.save_value(connection, SCOPE_KEY, scope)


def is_scope(connection: Connection, scope: str) -> bool:
    """Whether that is what discovery is known to relate."""
    return scope == (meta.find_value(connection, SCOPE_KEY) or "memories")


def queue_all(connection: Connection) -> None:
    """Owes all vectors that are missing, and has what failed tried at once."""
    queue_missing(connection, notes=None)
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
    """Takes or keeps the claim on work for `span` milliseconds; false where another process that lives has it. One of
    this machine that has ended, and one whose time is over, has it no more.

    A claim that ends later than `span` from now was made by a clock that ran ahead, and does not count.
    """
    holder = find_holder(connection, work, now)
    if holder is None:
        connection.execute(FORGET_CLAIM, {"work": work})
    until = now + span
    parameters = {"work": work, "owner": owner, "until": until, "now": now, "latest": until}
    connection.execute(CLAIM_WORK, parameters)
    return find_holder(connection, work, now) == owner


def find_holder(connection: Connection, work: str, now: int) -> str | None:
    """The process that has the claim on work at an instant; None where none has, or it has ended."""
    row = connection.execute(SELECT_OWNER, {"work": work, "now": now}).fetchone()
    return None if row is None or owners.is_gone(row[0]) else str(row[0])


def release_work(connection: Connection, work: str, owner: str) -> None:
    """Gives a claim back."""
    connection.execute(RELEASE_WORK, {"work": work, "owner": owner})
