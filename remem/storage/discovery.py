"""Rows that discovery reads and writes: passages with the memory or section they belong to, discovered edges, refusals.
Decides nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from remem.records import EdgeRow
from remem.storage.nodes import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_SECTIONS = """
SELECT p.key, p.section, s.kind = 'memory'
FROM json_each(:passages) AS k
JOIN passages AS p ON p.key = k.value
JOIN nodes AS s ON s.key = p.section
"""
SELECT_KEYS_OF_SECTIONS = """
SELECT p.section, v.key
FROM json_each(:sections) AS k
JOIN nodes AS s ON s.key = k.value
JOIN passages AS p ON p.document = s.document AND p.section = s.key
JOIN vectors AS v ON v.passage = p.key
"""
SELECT_DISCOVERED = """
SELECT source, target, type, origin, weight, links, ambiguous, created_at, updated_at
FROM edges
WHERE origin = 2
  AND (source = :node OR target = :node)
"""
COUNT_DISCOVERED = """
SELECT k.value, count(e.origin)
FROM json_each(:nodes) AS k
LEFT JOIN edges AS e ON e.origin = 2 AND (e.source = k.value OR e.target = k.value)
GROUP BY k.value
"""
SELECT_REFUSED = """
SELECT source + target - :node
FROM discovery_refusals
WHERE source = :node
   OR target = :node
"""
DELETE_DISCOVERED = """
DELETE FROM edges
WHERE source = :source
  AND target = :target
  AND origin = 2
"""
INSERT_REFUSAL = """
INSERT OR IGNORE INTO discovery_refusals (source, target)
VALUES (:source, :target)
"""
SELECT_MEMORY_KEYS = """
SELECT m.node, n.id, v.key
FROM memories AS m
JOIN nodes AS n ON n.key = m.node
JOIN passages AS p ON p.document = m.node
JOIN vectors AS v ON v.passage = p.key
ORDER BY m.created_at, m.node, v.chunk
"""


class SectionOf(NamedTuple):
    """The memory or section that a passage belongs to."""

    section: int
    is_memory: bool


def load_sections(connection: Connection, passages: Iterable[int]) -> dict[int, SectionOf]:
    """What the passages belong to, by passage."""
    rows = connection.execute(SELECT_SECTIONS, {"passages": json_list(passages)})
    return {key: SectionOf(section, bool(is_memory)) for key, section, is_memory in rows}


def load_vector_keys(connection: Connection, sections: Iterable[int]) -> dict[int, list[int]]:
    """The keys of the vectors of memories or sections."""
    found: dict[int, list[int]] = {}
    for section, key in connection.execute(SELECT_KEYS_OF_SECTIONS, {"sections": json_list(sections)}):
        found.setdefault(section, []).append(key)
    return found


def load_discovered(connection: Connection, node: int) -> list[EdgeRow]:
    """The discovered edges at a node."""
    return [EdgeRow._make(row) for row in connection.execute(SELECT_DISCOVERED, {"node": node})]


def count_discovered(connection: Connection, nodes: Iterable[int]) -> dict[int, int]:
    """How many discovered edges each node has."""
    return dict(connection.execute(COUNT_DISCOVERED, {"nodes": json_list(nodes)}).fetchall())


def find_refused(connection: Connection, node: int) -> set[int]:
    """The nodes whose discovered edge with this one a call removed."""
    return {row[0] for row in connection.execute(SELECT_REFUSED, {"node": node})}


def refuse_edge(connection: Connection, source: int, target: int) -> int:
    """Removes the discovered edge from one node to another, and remembers it; how many there were (0 or 1)."""
    ends = {"source": source, "target": target}
    deleted = connection.execute(DELETE_DISCOVERED, ends).rowcount
    if deleted:
        connection.execute(INSERT_REFUSAL, ends)
    return int(deleted)


def list_memory_keys(connection: Connection) -> list[tuple[int, str, int]]:
    """(memory, its id, key of a vector) of all embedded memories in order of creation."""
    return connection.execute(SELECT_MEMORY_KEYS).fetchall()
