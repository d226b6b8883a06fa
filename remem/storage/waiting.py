"""Statements that show what waits or is doubtful: pending edges, ambiguous and stale links. Writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sqlite3 import Connection


class WaitingLink(NamedTuple):
    """A link, or a relation, that waits. `source_id` is that of a removed node where `missing` is 1. `key` is that of
    the link's node, or of the relation; a link stands in the document with the id `place`, at `position`, `ordinal`."""

    source_id: str
    source_label: str | None
    source_kind: str
    opening: str
    root: str
    path: str
    label: str
    source: str
    id: str
    anchor: str
    type: str
    weight: int
    form: str
    missing: int
    document: int
    key: int
    place: str
    position: int
    ordinal: int


class DoubtfulLink(NamedTuple):
    """A link whose target was one of several, or is known by an earlier name only."""

    source_id: str
    root: str
    path: str
    label: str
    anchor: str
    target_id: str
    target_label: str | None
    ambiguous: int
    stale: int


SELECT_PENDING_LINKS = """
SELECT n.id, n.label, n.kind, substr(n.content, 1, 400), coalesce(r.name, ''), coalesce(d.source, ''), l.label,
       l.source, l.id, l.anchor, y.name, l.weight, l.form, 0, n.document, n.key, t.id, n.position, l.ordinal
FROM links AS l
JOIN nodes AS n ON n.key = l.node
JOIN nodes AS t ON t.key = n.document
JOIN relationship_types AS y ON y.code = l.type
LEFT JOIN documents AS d ON d.node = n.document
LEFT JOIN roots AS r ON r.key = d.root
WHERE l.state IN ('pending', 'partial', 'missing')
ORDER BY r.name, d.source, t.id, n.position, l.ordinal
"""
SELECT_PENDING_RELATIONS = """
SELECT coalesce(n.id, g.id), coalesce(n.label, g.label), coalesce(n.kind, g.kind),
       substr(coalesce(n.content, ''), 1, 400),
       coalesce(r.name, g.root, ''), coalesce(d.source, g.source, ''), q.label, q.place, q.id, '', y.name, q.weight,
       'relation', n.key IS NULL, coalesce(n.document, 0), q.key, '', 0, 0
FROM relations AS q
JOIN relationship_types AS y ON y.code = q.type
LEFT JOIN nodes AS n ON n.key = q.source
LEFT JOIN removed AS g ON g.key = q.source
LEFT JOIN documents AS d ON d.node = n.document
LEFT JOIN roots AS r ON r.key = d.root
WHERE n.key IS NULL
   OR q.target IS NULL
   OR q.partial = 1
ORDER BY q.key
"""
SELECT_DOUBTFUL_LINKS = """
SELECT n.id, coalesce(r.name, ''), coalesce(d.source, ''), l.label, l.anchor, t.id, t.label, l.ambiguous, l.stale
FROM links AS l
JOIN nodes AS n ON n.key = l.node
JOIN nodes AS t ON t.key = l.target
LEFT JOIN documents AS d ON d.node = n.document
LEFT JOIN roots AS r ON r.key = d.root
WHERE l.ambiguous = 1
   OR l.stale = 1
ORDER BY r.name, d.source, n.position, l.ordinal
"""


def load_pending_links(connection: Connection) -> list[WaitingLink]:
    """Links whose target, or whose heading, was not found, in order of the texts."""
    return [WaitingLink._make(row) for row in connection.execute(SELECT_PENDING_LINKS)]


def load_pending_relations(connection: Connection) -> list[WaitingLink]:
    """Relations whose target was not found or whose source is gone, oldest first."""
    return [WaitingLink._make(row) for row in connection.execute(SELECT_PENDING_RELATIONS)]


def load_doubtful_links(connection: Connection) -> list[DoubtfulLink]:
    """Ambiguous and stale links, in order of the texts."""
    return [DoubtfulLink._make(row) for row in connection.execute(SELECT_DOUBTFUL_LINKS)]
