"""Rows of `usage`, and of `arrivals`, which tell when a node was first seen. Knows no formula."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.records import UsageRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection


class CandidateRow(NamedTuple):
    """A document, heading or memory that may be cold. `document` is the key of the document whose title heading it is,
    None for all others."""

    key: int
    document: int | None


# coalesce stops at its first value: only nodes without a row are looked up in `arrivals`.
SELECT_USAGE = """
SELECT k.value, coalesce(u.temperature, :start),
       coalesce(u.at, (SELECT a.at FROM arrivals AS a WHERE a.last >= k.value ORDER BY a.last LIMIT 1), :now),
       coalesce(u.accesses, 0), u.accessed_at, coalesce(u.pinned, 0)
FROM json_each(:keys) AS k
LEFT JOIN usage AS u ON u.node = k.value
"""
SELECT_USED_BETWEEN = """
SELECT node, temperature, at, accesses, accessed_at, pinned
FROM usage
WHERE node BETWEEN :low AND :high
"""
SELECT_ARRIVALS_BETWEEN = """
SELECT last, at
FROM arrivals
WHERE last >= :low
  AND last <= coalesce((SELECT min(a.last) FROM arrivals AS a WHERE a.last >= :high), last)
ORDER BY last
"""
SAVE_USAGE = """
INSERT INTO usage (node, temperature, at, accesses, accessed_at, pinned)
VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (node) DO UPDATE
SET temperature = excluded.temperature, at = excluded.at, accesses = excluded.accesses,
    accessed_at = excluded.accessed_at, pinned = excluded.pinned
"""
DELETE_USAGE = """
DELETE FROM usage
WHERE node IN (SELECT value FROM json_each(:keys))
"""
SELECT_CANDIDATES = """
SELECT n.key, t.node
FROM nodes AS n
LEFT JOIN documents AS t ON t.node = n.document AND t.title_heading = n.key
WHERE n.kind IN ('document', 'heading', 'memory')
  AND (n.key <= :last OR t.node <= :last)
"""
SELECT_LAST_ARRIVED = """
SELECT max(last)
FROM arrivals
WHERE at <= :at
"""
SELECT_SECTION_TOKENS = """
SELECT n.key, (
    SELECT sum(m.tokens)
    FROM nodes AS m
    WHERE m.document = n.document
      AND m.position BETWEEN n.position AND n.last
)
FROM json_each(:keys) AS k
JOIN nodes AS n ON n.key = k.value
"""


def load_usage(connection: Connection, keys: Iterable[int], start: float, now: int) -> dict[int, UsageRow]:
    """The usage of the nodes, by key. A node without a row has temperature `start` as of when it was first seen, or of
    `now` (milliseconds) where that is unknown."""
    parameters = {"keys": json_list(keys), "start": start, "now": now}
    return {row[0]: UsageRow._make(row) for row in connection.execute(SELECT_USAGE, parameters)}


def load_used_between(connection: Connection, low: int, high: int) -> list[UsageRow]:
    """The rows of those nodes that were used or pinned whose keys lie in the interval."""
    return [UsageRow._make(row) for row in connection.execute(SELECT_USED_BETWEEN, {"low": low, "high": high})]


def load_arrivals_between(connection: Connection, low: int, high: int) -> list[tuple[int, int]]:
    """When the nodes whose keys lie in the interval were first seen: (up to which key, milliseconds), in order."""
    return connection.execute(SELECT_ARRIVALS_BETWEEN, {"low": low, "high": high}).fetchall()


def save_usage(connection: Connection, rows: Sequence[UsageRow]) -> None:
    """Writes rows, new or not."""
    connection.executemany(SAVE_USAGE, rows)


def delete_usage(connection: Connection, keys: Iterable[int]) -> None:
    """Forgets the usage of nodes that are gone for good."""
    connection.execute(DELETE_USAGE, {"keys": json_list(keys)})


def load_candidates(connection: Connection, at: int) -> list[CandidateRow]:
    """The documents, headings and memories that were there at an instant (milliseconds), with the title headings of
    these documents."""
    (last,) = connection.execute(SELECT_LAST_ARRIVED, {"at": at}).fetchone()
    if last is None:
        return []
    return [CandidateRow._make(row) for row in connection.execute(SELECT_CANDIDATES, {"last": last})]


def load_section_tokens(connection: Connection, keys: Iterable[int]) -> dict[int, int]:
    """The tokens of the nodes and of all below them, by key."""
    return dict(connection.execute(SELECT_SECTION_TOKENS, {"keys": json_list(keys)}).fetchall())
