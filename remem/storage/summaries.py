"""Rows of `summaries`: what a summary keeps of the text that it replaced, as long as the node has just its text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from remem.records import SummaryRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

UPSERT_SUMMARY = """
INSERT INTO summaries (node, hash, label, links)
VALUES (?, ?, ?, ?)
ON CONFLICT (node) DO UPDATE
SET hash = excluded.hash, label = excluded.label, links = excluded.links
"""
SELECT_SUMMARIES = """
SELECT s.node, s.hash, s.label, s.links
FROM json_each(:nodes) AS k
JOIN summaries AS s ON s.node = k.value
"""
DELETE_SUMMARIES = """
DELETE FROM summaries
WHERE node IN (SELECT value FROM json_each(:nodes))
"""
SELECT_EVERY_SUMMARY = """
SELECT node, hash, label, links
FROM summaries
ORDER BY node
"""


def save_summary(connection: Connection, row: SummaryRow) -> None:
    """Keeps what a summary keeps; an earlier one of the node is forgotten."""
    connection.execute(UPSERT_SUMMARY, row)


def load_summaries(connection: Connection, nodes: Iterable[int]) -> dict[int, SummaryRow]:
    """What summaries keep, by node, be these alive or not."""
    rows = connection.execute(SELECT_SUMMARIES, {"nodes": json_list(nodes)})
    return {row[0]: SummaryRow._make(row) for row in rows}


def load_every_summary(connection: Connection) -> list[SummaryRow]:
    """All rows."""
    return [SummaryRow._make(row) for row in connection.execute(SELECT_EVERY_SUMMARY)]


def delete_summaries(connection: Connection, nodes: Iterable[int]) -> None:
    """Keeps nothing for these nodes any longer."""
    connection.execute(DELETE_SUMMARIES, {"nodes": json_list(nodes)})
