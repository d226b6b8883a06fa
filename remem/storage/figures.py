"""Figures of a store: how large it is, and how much of each kind it holds. Tells nothing of any one node."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import Connection

COUNT_KINDS = """
SELECT kind, count(*), sum(tokens)
FROM nodes
GROUP BY kind
ORDER BY kind
"""
COUNT_EDGES = """
SELECT y.name, o.name, count(*)
FROM edges AS e
JOIN relationship_types AS y ON y.code = e.type
JOIN origins AS o ON o.code = e.origin
GROUP BY e.type, e.origin
ORDER BY o.code, y.code
"""
COUNT_LINK_STATES = """
SELECT state, count(*), coalesce(sum(ambiguous), 0), coalesce(sum(stale), 0)
FROM links
GROUP BY state
"""
COUNT_WAITING_RELATIONS = """
SELECT count(*)
FROM relations AS r
WHERE r.target IS NULL
   OR r.partial = 1
   OR NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = r.source)
"""
COUNT_TAGS = """
SELECT count(DISTINCT key)
FROM tags
"""
COUNT_DIAGNOSTICS = """
SELECT count(*)
FROM diagnostics
"""
COUNT_HELD = """
SELECT (SELECT count(*) FROM passages),
       (SELECT count(*) FROM usage AS u JOIN nodes AS n ON n.key = u.node WHERE u.pinned),
       (SELECT count(*) FROM memories WHERE archived_at IS NOT NULL)
"""
READ_PAGES = "PRAGMA page_count"
READ_PAGE_SIZE = "PRAGMA page_size"
READ_SCHEMA_VERSION = "PRAGMA user_version"


def count_bytes(connection: Connection) -> int:
    """The size of the store in bytes."""
    return int(connection.execute(READ_PAGES).fetchone()[0] * connection.execute(READ_PAGE_SIZE).fetchone()[0])


def get_schema_version(connection: Connection) -> int:
    """The number of the newest migration that the store has."""
    return int(connection.execute(READ_SCHEMA_VERSION).fetchone()[0])


def count_kinds(connection: Connection) -> list[tuple[str, int, int]]:
    """(kind, nodes, tokens)."""
    return connection.execute(COUNT_KINDS).fetchall()


def count_edges(connection: Connection) -> list[tuple[str, str, int]]:
    """(type, origin, edges)."""
    return connection.execute(COUNT_EDGES).fetchall()


def count_link_states(connection: Connection) -> list[tuple[str, int, int, int]]:
    """(state, links, ambiguous, stale)."""
    return connection.execute(COUNT_LINK_STATES).fetchall()


def count_rest(connection: Connection) -> tuple[int, int, int]:
    """(waiting relations, different tags, diagnostics)."""
    waiting, tags, diagnostics = (
        connection.execute(statement).fetchone()[0]
        for statement in (COUNT_WAITING_RELATIONS, COUNT_TAGS, COUNT_DIAGNOSTICS)
    )
    return waiting, tags, diagnostics


def count_held(connection: Connection) -> tuple[int, int, int]:
    """(passages, pinned nodes, archived memories)."""
    passages, pinned, archived = connection.execute(COUNT_HELD).fetchone()
    return passages, pinned, archived
