"""Rows of `documents`, `roots` and `diagnostics`: which files the store knows, and as what it read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from remem.records import Diagnostic, DocumentRow, FileStat, Root, RootRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_COUNTED_ROOTS = """
SELECT r.key, r.name, r.path, count(d.node), r.compiled_at
FROM roots AS r
LEFT JOIN documents AS d ON d.root = r.key
GROUP BY r.key
ORDER BY r.name
"""
SELECT_ROOTS = """
SELECT key, name, path
FROM roots
ORDER BY name
"""
INSERT_ROOT = """
INSERT INTO roots (name, path, compiled_at)
VALUES (:name, :path, :compiled_at)
RETURNING key
"""
UPDATE_ROOT = """
UPDATE roots
SET path = :path, compiled_at = :compiled_at
WHERE key = :key
"""
DELETE_ROOT = """
DELETE FROM roots
WHERE key = :key
"""
SELECT_DOCUMENTS = """
SELECT node, root, source, format, title_heading, tail, hash, size, mtime, inode, seen_at, settings
FROM documents
WHERE root = :root
ORDER BY source
"""
# A cross join keeps its order: the other way round the list would be read once for each document of the root.
SELECT_DOCUMENTS_AT = """
SELECT d.node, d.root, d.source, d.format, d.title_heading, d.tail, d.hash, d.size, d.mtime, d.inode, d.seen_at,
       d.settings
FROM json_each(:sources) AS s
CROSS JOIN documents AS d ON d.root = :root AND d.source = s.value
ORDER BY d.source
"""
SELECT_DOCUMENT = """
SELECT node, root, source, format, title_heading, tail, hash, size, mtime, inode, seen_at, settings
FROM documents
WHERE node = :node
"""
SELECT_DOCUMENT_ROWS = """
SELECT d.node, d.root, d.source, d.format, d.title_heading, d.tail, d.hash, d.size, d.mtime, d.inode, d.seen_at,
       d.settings
FROM json_each(:nodes) AS k
JOIN documents AS d ON d.node = k.value
"""
SELECT_TITLE_HEADINGS = """
SELECT d.node, d.title_heading
FROM json_each(:documents) AS k
JOIN documents AS d ON d.node = k.value
WHERE d.title_heading IS NOT NULL
"""
UPSERT_DOCUMENT = """
INSERT INTO documents (node, root, source, format, title_heading, tail, hash, size, mtime, inode, seen_at, settings)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (node) DO UPDATE
SET root = excluded.root, source = excluded.source, format = excluded.format, title_heading = excluded.title_heading,
    tail = excluded.tail, hash = excluded.hash, size = excluded.size, mtime = excluded.mtime, inode = excluded.inode,
    seen_at = excluded.seen_at, settings = excluded.settings
"""
UPDATE_STAT = """
UPDATE documents
SET size = ?2, mtime = ?3, inode = ?4, seen_at = ?5
WHERE node = ?1
"""
DELETE_DOCUMENTS = """
DELETE FROM documents
WHERE node IN (SELECT value FROM json_each(:documents))
"""
# In two steps: behind a mark first, so that no source meets that of a document that has not moved yet.
MARK_SOURCES = """
UPDATE documents
SET source = '//' || source
WHERE root = :former
"""
MOVE_DOCUMENTS = """
UPDATE documents
SET root = :root, source = :prefix || substr(source, 3)
WHERE root = :former
"""
DELETE_DIAGNOSTICS = """
DELETE FROM diagnostics
WHERE document IN (SELECT value FROM json_each(:documents))
"""
INSERT_DIAGNOSTIC = """
INSERT INTO diagnostics (document, line, code, message)
VALUES (?, ?, ?, ?)
"""
SELECT_DIAGNOSTICS = """
SELECT d.source, g.line, g.code, g.message
FROM documents AS d
JOIN diagnostics AS g ON g.document = d.node
WHERE d.root = :root
ORDER BY d.source, g.line, g.code
"""
SELECT_DOCUMENT_DIAGNOSTICS = """
SELECT line, code, message
FROM diagnostics
WHERE document = :node
ORDER BY line, code
"""


def load_counted_roots(connection: Connection) -> list[Root]:
    """All roots, by name, with their documents counted: linear in these."""
    return [Root(*row) for row in connection.execute(SELECT_COUNTED_ROOTS)]


def load_roots(connection: Connection) -> list[RootRow]:
    """All roots, by name."""
    return [RootRow._make(row) for row in connection.execute(SELECT_ROOTS)]


def save_root(connection: Connection, key: int | None, name: str, path: str, now: int) -> int:
    """Records where a root lies and that it was compiled; returns its key. `key` None: a new root."""
    if key is None:
        row = connection.execute(INSERT_ROOT, {"name": name, "path": path, "compiled_at": now}).fetchone()
        return int(row[0])
    connection.execute(UPDATE_ROOT, {"key": key, "path": path, "compiled_at": now})
    return key


def delete_root(connection: Connection, key: int) -> None:
    """Forgets a root. Its documents must be gone or moved before."""
    connection.execute(DELETE_ROOT, {"key": key})


def load_documents(connection: Connection, root: int) -> dict[str, DocumentRow]:
    """The documents of a root, by source."""
    return {row[2]: DocumentRow._make(row) for row in connection.execute(SELECT_DOCUMENTS, {"root": root})}


def load_documents_at(connection: Connection, root: int, sources: Iterable[str]) -> list[DocumentRow]:
    """Those of a root's documents that stand at one of the sources, by source."""
    rows = connection.execute(SELECT_DOCUMENTS_AT, {"root": root, "sources": json_list(sources)})
    return [DocumentRow._make(row) for row in rows]


def find_document(connection: Connection, node: int) -> DocumentRow | None:
    """The document of that node key, or None."""
    row = connection.execute(SELECT_DOCUMENT, {"node": node}).fetchone()
    return None if row is None else DocumentRow._make(row)


def load_document_rows(connection: Connection, nodes: Iterable[int]) -> dict[int, DocumentRow]:
    """The documents among the node keys, by key."""
    rows = connection.execute(SELECT_DOCUMENT_ROWS, {"nodes": json_list(nodes)})
    return {row[0]: DocumentRow._make(row) for row in rows}


def load_title_headings(connection: Connection, documents: Iterable[int]) -> dict[int, int]:
    """The title headings of those of the documents that have one."""
    return dict(connection.execute(SELECT_TITLE_HEADINGS, {"documents": json_list(documents)}))


def save_documents(connection: Connection, rows: Sequence[DocumentRow]) -> None:
    """Adds or rewrites documents. Where sources change hands, `delete_documents` comes first."""
    connection.executemany(UPSERT_DOCUMENT, rows)


def touch_documents(connection: Connection, stats: Iterable[tuple[int, FileStat]], now: int) -> None:
    """Records the stat of files that were read again and hold the same bytes."""
    connection.executemany(UPDATE_STAT, [(node, s.size, s.mtime, s.inode, now) for node, s in stats])


def delete_documents(connection: Connection, documents: Iterable[int]) -> None:
    """Forgets documents and their diagnostics (not their nodes)."""
    parameters = {"documents": json_list(documents)}
    connection.execute(DELETE_DIAGNOSTICS, parameters)
    connection.execute(DELETE_DOCUMENTS, parameters)


def move_documents(connection: Connection, former: int, root: int, prefix: str) -> None:
    """Gives all documents of a root to another one, their sources behind a prefix."""
    connection.execute(MARK_SOURCES, {"former": former})
    connection.execute(MOVE_DOCUMENTS, {"former": former, "root": root, "prefix": prefix})


def replace_diagnostics(
    connection: Connection, documents: Iterable[int], rows: Sequence[tuple[int, int, str, str]]
) -> None:
    """Gives the documents these diagnostics and no others: (document, line, code, message)."""
    connection.execute(DELETE_DIAGNOSTICS, {"documents": json_list(documents)})
    connection.executemany(INSERT_DIAGNOSTIC, rows)


def load_diagnostics(connection: Connection, root: int) -> tuple[Diagnostic, ...]:
    """All diagnostics of a root's files, by source and line."""
    return tuple(Diagnostic(*row) for row in connection.execute(SELECT_DIAGNOSTICS, {"root": root}))


def load_document_diagnostics(connection: Connection, node: int, source: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of one file, by line."""
    rows = connection.execute(SELECT_DOCUMENT_DIAGNOSTICS, {"node": node})
    return tuple(Diagnostic(source, *row) for row in rows)
