"""Statements that show the tree: nodes with root, source and tags as callers see them. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection


class ShownNode(NamedTuple):
    """A node with where it stands. `label` is None where it follows from the content; `opening` are the first 400
    characters of the content then."""

    key: int
    id: str
    kind: str
    parent: int | None
    parent_id: str | None
    document: int
    position: int
    last: int
    tokens: int
    label: str | None
    opening: str | None
    root: str
    source: str


class Spot(NamedTuple):
    """What orders a node in the index: root and source ('' for memories), the id of its document, its position."""

    root: str
    source: str
    document: str
    position: int


Twig: TypeAlias = tuple[int, int, int, int, int | None]
"""(document, position, last, key, parent): a plain tuple, since they are made by the hundred thousand."""

SectionRow: TypeAlias = tuple[int, int, int, int, int | None, str, str, int, str | None, str | None]
"""(document, position, last, key, parent, id, kind, tokens, label, opening), the last two as in `ShownNode`."""

SELECT_DOCUMENT_SPOTS = """
SELECT coalesce(r.name, ''), coalesce(d.source, ''), n.id, n.key, n.last
FROM nodes AS n
LEFT JOIN documents AS d ON d.node = n.key
LEFT JOIN roots AS r ON r.key = d.root
WHERE n.parent IS NULL
ORDER BY coalesce(r.name, ''), coalesce(d.source, ''), n.id
"""
SELECT_TWIGS = """
SELECT document, position, last, key, parent
FROM nodes
"""
SELECT_INNER_TWIGS = """
SELECT document, position, last, key, parent
FROM nodes
WHERE last > position
   OR parent IS NULL
"""
# A heading inside a list or a quote is no section: its station is another node.
SELECT_SECTION_TWIGS = """
SELECT document, position, last, key, parent
FROM nodes
WHERE station = key
   OR (kind = 'heading' AND parent = document AND station = document)
"""
SELECT_SECTIONS = """
SELECT document, position, last, key, parent, id, kind, tokens, label,
       CASE WHEN label IS NULL THEN substr(content, 1, 400) END
FROM nodes
WHERE station = key
   OR (kind = 'heading' AND parent = document AND station = document)
"""
SELECT_PLACES = """
SELECT d.node, r.name, d.source
FROM documents AS d
JOIN roots AS r ON r.key = d.root
"""
SELECT_TWIGS_BELOW = """
SELECT document, position, last, key, parent
FROM nodes
WHERE document = :document
  AND position BETWEEN :first AND :last
  AND (:blocks OR kind = 'heading' OR position = :first)
"""
SELECT_SPOT = """
SELECT coalesce(r.name, ''), coalesce(d.source, ''), t.id, n.position
FROM nodes AS n
JOIN nodes AS t ON t.key = n.document
LEFT JOIN documents AS d ON d.node = n.document
LEFT JOIN roots AS r ON r.key = d.root
WHERE n.key = :key
UNION ALL
SELECT g.root, g.source, coalesce(t.id, f.id, ''), g.position
FROM removed AS g
LEFT JOIN nodes AS t ON t.key = g.document
LEFT JOIN removed AS f ON f.key = g.document
WHERE g.key = :key
"""
SELECT_ID = """
SELECT id
FROM nodes
WHERE key = :key
UNION ALL
SELECT id
FROM removed
WHERE key = :key
"""
SELECT_ARRIVALS = """
SELECT k.value, coalesce((SELECT a.at FROM arrivals AS a WHERE a.last >= k.value ORDER BY a.last LIMIT 1), 0)
FROM json_each(:keys) AS k
"""
SELECT_USED_BRANCHES = """
WITH RECURSIVE above (node, used) AS (
    SELECT u.node, u.node
    FROM usage AS u
    UNION ALL
    SELECT n.parent, a.used
    FROM above AS a
    JOIN nodes AS n ON n.key = a.node
    WHERE n.parent IS NOT NULL
)
SELECT node, used
FROM above
"""
SELECT_SHOWN = """
SELECT n.key, n.id, n.kind, n.parent, p.id, n.document, n.position, n.last, n.tokens, n.label,
       CASE WHEN n.label IS NULL THEN substr(n.content, 1, 400) END, coalesce(r.name, ''), coalesce(d.source, '')
FROM json_each(:keys) AS k
JOIN nodes AS n ON n.key = k.value
LEFT JOIN nodes AS p ON p.key = n.parent
LEFT JOIN documents AS d ON d.node = n.document
LEFT JOIN roots AS r ON r.key = d.root
"""
SELECT_EVERY_DOCUMENT_KEY = """
SELECT n.key
FROM nodes AS n
LEFT JOIN documents AS d ON d.node = n.key
LEFT JOIN roots AS r ON r.key = d.root
WHERE n.parent IS NULL
ORDER BY r.name, d.source, n.id
"""
SELECT_ANCESTORS = """
WITH RECURSIVE above (key, parent, height) AS (
    SELECT n.key, n.parent, 0
    FROM nodes AS n
    WHERE n.key = :key
    UNION ALL
    SELECT n.key, n.parent, a.height + 1
    FROM above AS a
    JOIN nodes AS n ON n.key = a.parent
)
SELECT n.id, n.label, n.kind
FROM above AS a
JOIN nodes AS n ON n.key = a.key
WHERE a.height > 0
ORDER BY a.height DESC
"""


def load_document_spots(connection: Connection) -> list[tuple[str, str, str, int, int]]:
    """(root, source, id, key, last) of all documents, memories and entities, by root, source and id."""
    return connection.execute(SELECT_DOCUMENT_SPOTS).fetchall()


def load_twigs(connection: Connection, *, blocks: bool) -> list[Twig]:
    """All nodes, or without `blocks` documents and the headings of sections alone (memories and entities too), in no
    order that counts. One statement, without texts: half a microsecond a node."""
    return connection.execute(SELECT_TWIGS if blocks else SELECT_SECTION_TWIGS).fetchall()


def load_inner_twigs(connection: Connection) -> list[Twig]:
    """All nodes below which something lies, and all documents: about a sixth of all, in a quarter of the time."""
    return connection.execute(SELECT_INNER_TWIGS).fetchall()


def load_sections(connection: Connection) -> list[SectionRow]:
    """Documents and the headings of sections with what is shown of them, in no order that counts: two microseconds
    each."""
    return connection.execute(SELECT_SECTIONS).fetchall()


def load_places(connection: Connection) -> dict[int, tuple[str, str]]:
    """Root and source of all documents that come from files, by key."""
    return {key: (root, source) for key, root, source in connection.execute(SELECT_PLACES)}


def load_twigs_below(connection: Connection, document: int, first: int, last: int, *, blocks: bool) -> list[Twig]:
    """The nodes of a document whose positions lie in the interval; without `blocks`, the first one and headings."""
    parameters = {"document": document, "first": first, "last": last, "blocks": blocks}
    return connection.execute(SELECT_TWIGS_BELOW, parameters).fetchall()


def find_spot(connection: Connection, key: int) -> Spot | None:
    """Where a node stands, or stood before it was removed; None where nothing is known of it."""
    row = connection.execute(SELECT_SPOT, {"key": key}).fetchone()
    return None if row is None else Spot._make(row)


def find_id(connection: Connection, key: int) -> str | None:
    """The id of a node, or of one that was removed; None where nothing is known of it."""
    row = connection.execute(SELECT_ID, {"key": key}).fetchone()
    return None if row is None else row[0]


def load_arrivals(connection: Connection, keys: Iterable[int]) -> dict[int, int]:
    """When nodes were first seen (milliseconds, 0 where that is unknown), by key."""
    return dict(connection.execute(SELECT_ARRIVALS, {"keys": json_list(keys)}).fetchall())


def load_used_branches(connection: Connection) -> list[tuple[int, int]]:
    """Each node whose use is kept, and each node that it lies in: (node, used node)."""
    return connection.execute(SELECT_USED_BRANCHES).fetchall()


def load_shown(connection: Connection, keys: Iterable[int]) -> dict[int, ShownNode]:
    """The nodes of those keys, by key."""
    rows = connection.execute(SELECT_SHOWN, {"keys": json_list(keys)})
    return {row[0]: ShownNode._make(row) for row in rows}


def iterate_documents(connection: Connection) -> Iterator[int]:
    """The keys of all documents, memories and entities, by root, source and id."""
    return (row[0] for row in connection.execute(SELECT_EVERY_DOCUMENT_KEY).fetchall())


def load_ancestors(connection: Connection, key: int) -> list[tuple[str, str | None, str]]:
    """(id, label, kind) of what a node lies in, outermost first."""
    return connection.execute(SELECT_ANCESTORS, {"key": key}).fetchall()
