"""Rows that discovery reads and writes: passages with the memory or section they belong to, discovered edges, refusals.
Decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from remem.records import EdgeRow
from remem.storage.lists import json_list

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
SELECT_REFUSALS = """
SELECT source, target, source_text, target_text
FROM discovery_refusals
WHERE source = :node
   OR target = :node
"""
SELECT_TEXTS = """
SELECT s.key, n.kind, n.content
FROM json_each(:sections) AS k
JOIN nodes AS s ON s.key = k.value
JOIN passages AS p ON p.document = s.document AND p.section = s.key
JOIN nodes AS n ON n.document = p.document AND n.position BETWEEN p.first AND p.last
ORDER BY s.key, n.position
"""
DELETE_DISCOVERED = """
DELETE FROM edges
WHERE source = :source
  AND target = :target
  AND origin = 2
"""
DELETE_FROM_SECTIONS = """
DELETE FROM edges
WHERE origin = 2
  AND source IN (SELECT value FROM json_each(:sections))
"""
DELETE_TO_SECTIONS = """
DELETE FROM edges
WHERE origin = 2
  AND target IN (SELECT value FROM json_each(:sections))
"""
UPSERT_REFUSAL = """
INSERT OR REPLACE INTO discovery_refusals (source, target, source_text, target_text)
VALUES (?, ?, ?, ?)
"""
DELETE_REFUSAL = """
DELETE FROM discovery_refusals
WHERE source = ?
  AND target = ?
"""
SELECT_MEMORY_KEYS = """
SELECT m.node, n.id, v.key
FROM memories AS m
JOIN nodes AS n ON n.key = m.node
JOIN passages AS p ON p.document = m.node
JOIN vectors AS v ON v.passage = p.key
ORDER BY m.created_at, m.node, v.chunk
"""


SELECT_OWING = """
SELECT s.key
FROM json_each(:sections) AS k
CROSS JOIN nodes AS s ON s.key = k.value
CROSS JOIN jobs AS j ON j.kind = 'embed' AND j.node = s.document
"""
SELECT_UNSETTLED = """
SELECT s.key
FROM json_each(:sections) AS k
JOIN nodes AS s ON s.key = k.value
WHERE EXISTS (SELECT 1 FROM jobs AS j WHERE j.kind = 'embed' AND j.node = s.document)
   OR EXISTS (SELECT 1 FROM jobs AS j WHERE j.kind = 'discover' AND j.node = s.key)
"""
SELECT_ALIKE = """
SELECT e.source, a.id, e.target, b.id, e.weight
FROM edges AS e
JOIN memories AS m ON m.node = e.source
JOIN memories AS o ON o.node = e.target
JOIN nodes AS a ON a.key = e.source
JOIN nodes AS b ON b.key = e.target
WHERE e.origin = 2
  AND e.weight >= :least
"""
COUNT_MEMORY_KEYS = """
SELECT count(*)
FROM memories AS m
JOIN passages AS p ON p.document = m.node
JOIN vectors AS v ON v.passage = p.key
"""

HASH_BYTES = 16


class DiscoveryRefusal(NamedTuple):
    """A row of `discovery_refusals`: hashes of what the two texts said; None in rows of older files."""

    source: int
    target: int
    source_text: bytes | None
    target_text: bytes | None


class AlikePair(NamedTuple):
    """A discovered edge between two memories: keys and ids of both, and its weight in millionths."""

    source: int
    source_id: str
    target: int
    target_id: str
    weight: int


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


def delete_discovered(connection: Connection, sections: Iterable[int]) -> None:
    """Takes away the discovered edges that one of the nodes is an end of."""
    parameters = {"sections": json_list(sections)}
    connection.execute(DELETE_FROM_SECTIONS, parameters)
    connection.execute(DELETE_TO_SECTIONS, parameters)


def count_discovered(connection: Connection, nodes: Iterable[int]) -> dict[int, int]:
    """How many discovered edges each node has."""
    return dict(connection.execute(COUNT_DISCOVERED, {"nodes": json_list(nodes)}).fetchall())


def load_refusals(connection: Connection, node: int) -> list[DiscoveryRefusal]:
    """The discovered edges at a node that a call removed."""
    return [DiscoveryRefusal._make(row) for row in connection.execute(SELECT_REFUSALS, {"node": node})]


def save_refusals(connection: Connection, refusals: Iterable[DiscoveryRefusal]) -> None:
    """Records, or records anew, that edges were removed."""
    connection.executemany(UPSERT_REFUSAL, refusals)


def delete_refusals(connection: Connection, refusals: Iterable[DiscoveryRefusal]) -> None:
    """Forgets that edges were removed."""
    connection.executemany(DELETE_REFUSAL, [refusal[:2] for refusal in refusals])


def refuse_edge(connection: Connection, source: int, target: int) -> int:
    """Removes the discovered edge from one node to another, and remembers it with what the two texts say; how many
    there were (0 or 1)."""
    deleted = connection.execute(DELETE_DISCOVERED, {"source": source, "target": target}).rowcount
    if deleted:
        hashes = hash_texts(connection, (source, target))
        save_refusals(connection, [DiscoveryRefusal(source, target, hashes.get(source), hashes.get(target))])
    return int(deleted)


def hash_texts(connection: Connection, sections: Sequence[int]) -> dict[int, bytes]:
    """A hash of what each of the living memories or sections says, whatever is embedded."""
    hashes: dict[int, blake2b] = {}
    for section, kind, content in connection.execute(SELECT_TEXTS, {"sections": json_list(sections)}):
        hash = hashes.setdefault(section, blake2b(digest_size=HASH_BYTES))
        hash.update(f"{kind}\x00{content}\x00".encode("utf-8", "surrogatepass"))
    return {section: hash.digest() for section, hash in hashes.items()}


def list_memory_keys(connection: Connection) -> list[tuple[int, str, int]]:
    """(memory, its id, key of a vector) of all embedded memories in order of creation."""
    return connection.execute(SELECT_MEMORY_KEYS).fetchall()


def count_memory_keys(connection: Connection) -> int:
    """How many vectors memories have."""
    return int(connection.execute(COUNT_MEMORY_KEYS).fetchone()[0])


def list_alike(connection: Connection, least: int) -> list[AlikePair]:
    """The discovered edges of at least that weight (millionths) between memories."""
    return [AlikePair._make(row) for row in connection.execute(SELECT_ALIKE, {"least": least})]


def find_owing(connection: Connection, sections: Iterable[int]) -> set[int]:
    """Which of the memories or sections still owe vectors."""
    return {row[0] for row in connection.execute(SELECT_OWING, {"sections": json_list(sections)})}


def find_unsettled(connection: Connection, sections: Iterable[int]) -> set[int]:
    """Which of the memories or sections still owe vectors or discovery."""
    return {row[0] for row in connection.execute(SELECT_UNSETTLED, {"sections": json_list(sections)})}
