"""Rows of `passages` and their full-text index: written together, ranked, shown. Knows nothing of queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.records import PassageRow
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

SELECT_PASSAGES = """
SELECT p.key, p.document, p.section, p.first, p.last, p.tokens, p.hash
FROM json_each(:documents) AS d
JOIN passages AS p ON p.document = d.value
ORDER BY p.document, p.first, p.key
"""
SELECT_LAST_KEY = """
SELECT coalesce(max(key), 0)
FROM passages
"""
SELECT_LOST_DOCUMENTS = """
SELECT DISTINCT p.document
FROM passages AS p
WHERE NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = p.document)
"""
INSERT_PASSAGE = """
INSERT INTO passages (key, document, section, first, last, tokens, hash)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""
UPDATE_PASSAGE = """
UPDATE passages
SET document = ?2, section = ?3, first = ?4, last = ?5, tokens = ?6, hash = ?7
WHERE key = ?1
"""
DELETE_PASSAGES = """
DELETE FROM passages
WHERE key IN (SELECT value FROM json_each(:keys))
"""
INSERT_TEXT = """
INSERT INTO passages_text (rowid, content, label, breadcrumb, tags, context)
VALUES (?, ?, ?, ?, ?, ?)
"""
DELETE_TEXTS = """
DELETE FROM passages_text
WHERE rowid IN (SELECT value FROM json_each(:keys))
"""
CLEAR_TEXTS = """
INSERT INTO passages_text (passages_text)
VALUES ('delete-all')
"""
# Sorting by bm25() is twice as fast as by the hidden column `rank`, which computes it a second time.
RANK_ALL = """
SELECT rowid, -bm25(passages_text, 1.0, 2.0, 1.0, 2.0, 0.5) AS score
FROM passages_text
WHERE passages_text MATCH :query
ORDER BY score DESC
LIMIT :limit
"""
COUNT_ALL = """
SELECT count(DISTINCT p.section)
FROM passages_text AS t
CROSS JOIN passages AS p ON p.key = t.rowid
WHERE t.passages_text MATCH :query
"""
RANK_FILTERED = """
WITH tagged (key) AS MATERIALIZED (
    SELECT p.key
    FROM json_each(:tags) AS g
    JOIN tags AS t ON t.key = g.value
    JOIN nodes AS n ON n.key = t.node
    JOIN passages AS p ON p.document = n.document AND p.first <= n.last AND p.last >= n.position
    GROUP BY p.key
    HAVING count(DISTINCT t.key) = json_array_length(:tags)
)
SELECT t.rowid, -bm25(passages_text, 1.0, 2.0, 1.0, 2.0, 0.5) AS score
FROM passages_text AS t
CROSS JOIN passages AS p ON p.key = t.rowid
WHERE t.passages_text MATCH :query
  AND (:documents IS NULL OR p.document IN (SELECT value FROM json_each(:documents)))
  AND (:tags IS NULL OR p.key IN (SELECT key FROM tagged))
  AND (:kinds IS NULL OR EXISTS (
      SELECT 1
      FROM nodes AS s
      WHERE s.key = p.section
        AND s.kind IN (SELECT value FROM json_each(:kinds))
  ) OR EXISTS (
      SELECT 1
      FROM nodes AS n
      WHERE n.document = p.document
        AND n.position BETWEEN p.first AND p.last
        AND n.kind NOT IN ('document', 'heading')
        AND n.kind IN (SELECT value FROM json_each(:kinds))
  ))
ORDER BY score DESC
LIMIT :limit
"""
COUNT_FILTERED = """
WITH tagged (key) AS MATERIALIZED (
    SELECT p.key
    FROM json_each(:tags) AS g
    JOIN tags AS t ON t.key = g.value
    JOIN nodes AS n ON n.key = t.node
    JOIN passages AS p ON p.document = n.document AND p.first <= n.last AND p.last >= n.position
    GROUP BY p.key
    HAVING count(DISTINCT t.key) = json_array_length(:tags)
)
SELECT count(DISTINCT p.section), count(*)
FROM passages AS p
WHERE (:query IS NULL OR p.key IN (SELECT rowid FROM passages_text WHERE passages_text MATCH :query))
  AND (:documents IS NULL OR p.document IN (SELECT value FROM json_each(:documents)))
  AND (:tags IS NULL OR p.key IN (SELECT key FROM tagged))
  AND (:kinds IS NULL OR EXISTS (
      SELECT 1
      FROM nodes AS s
      WHERE s.key = p.section
        AND s.kind IN (SELECT value FROM json_each(:kinds))
  ) OR EXISTS (
      SELECT 1
      FROM nodes AS n
      WHERE n.document = p.document
        AND n.position BETWEEN p.first AND p.last
        AND n.kind NOT IN ('document', 'heading')
        AND n.kind IN (SELECT value FROM json_each(:kinds))
  ))
"""
SELECT_PASSING = """
WITH tagged (key) AS MATERIALIZED (
    SELECT p.key
    FROM json_each(:tags) AS g
    JOIN tags AS t ON t.key = g.value
    JOIN nodes AS n ON n.key = t.node
    JOIN passages AS p ON p.document = n.document AND p.first <= n.last AND p.last >= n.position
    GROUP BY p.key
    HAVING count(DISTINCT t.key) = json_array_length(:tags)
)
SELECT p.key
FROM passages AS p
WHERE (:documents IS NULL OR p.document IN (SELECT value FROM json_each(:documents)))
  AND (:tags IS NULL OR p.key IN (SELECT key FROM tagged))
  AND (:kinds IS NULL OR EXISTS (
      SELECT 1
      FROM nodes AS s
      WHERE s.key = p.section
        AND s.kind IN (SELECT value FROM json_each(:kinds))
  ) OR EXISTS (
      SELECT 1
      FROM nodes AS n
      WHERE n.document = p.document
        AND n.position BETWEEN p.first AND p.last
        AND n.kind NOT IN ('document', 'heading')
        AND n.kind IN (SELECT value FROM json_each(:kinds))
  ))
"""
SELECT_OF_SECTIONS = """
SELECT p.section, p.key
FROM json_each(:sections) AS k
CROSS JOIN nodes AS s ON s.key = k.value
CROSS JOIN passages AS p ON p.document = s.document AND p.first BETWEEN s.position AND s.last
WHERE p.section = s.key
ORDER BY p.section, p.first
"""
SELECT_PLACES = """
SELECT p.key, p.document, p.section, p.first, p.last, p.tokens, coalesce(r.name, ''), coalesce(d.source, ''),
       s.id, s.kind, s.label, CASE WHEN s.label IS NULL THEN substr(s.content, 1, 400) END
FROM json_each(:keys) AS k
JOIN passages AS p ON p.key = k.value
JOIN nodes AS s ON s.key = p.section
LEFT JOIN documents AS d ON d.node = p.document
LEFT JOIN roots AS r ON r.key = d.root
"""
SELECT_BLOCKS = """
SELECT p.key, n.id, n.kind, n.content, n.key = p.section OR n.key = d.title_heading
FROM json_each(:keys) AS k
JOIN passages AS p ON p.key = k.value
JOIN nodes AS n ON n.document = p.document AND n.position BETWEEN p.first AND p.last
LEFT JOIN documents AS d ON d.node = p.document
ORDER BY p.key, n.position
"""
# A document's title heading stands for the document, so it is no step of its own.
SELECT_BREADCRUMBS = """
WITH RECURSIVE above (section, key, parent, id, label, is_section, height) AS (
    SELECT n.key, n.key, n.parent, n.id, n.label, FALSE, 0
    FROM json_each(:sections) AS s
    JOIN nodes AS n ON n.key = s.value
    UNION ALL
    SELECT a.section, n.key, n.parent, n.id, n.label, n.station = n.key, a.height + 1
    FROM above AS a
    JOIN nodes AS n ON n.key = a.parent
)
SELECT section, id, coalesce(label, '')
FROM above
WHERE is_section
ORDER BY section, height DESC
"""
SELECT_SOURCES = """
SELECT d.node, d.source
FROM json_each(:documents) AS k
JOIN documents AS d ON d.node = k.value
"""
COUNT_SEARCHED = """
SELECT (SELECT count(*) FROM passages), (SELECT count(*) FROM nodes)
"""
SELECT_WORDS = """
SELECT doc, term, col, "offset"
FROM passages_words
"""
SELECT_INDEX_DEFINITION = """
SELECT sql
FROM sqlite_schema
WHERE name IN ('passages_text', 'passages_words')
ORDER BY name
"""


class PassagePlace(NamedTuple):
    """A passage with its section and where that stands. `label` is None where it follows from the content, of which
    `opening` are the first 400 characters then."""

    key: int
    document: int
    section: int
    first: int
    last: int
    tokens: int
    root: str
    source: str
    section_id: str
    kind: str
    label: str | None
    opening: str | None


class Block(NamedTuple):
    """A node of a passage. `is_title` where its text is the label of the section."""

    id: str
    kind: str
    content: str
    is_title: bool


class Filters(NamedTuple):
    """What a search is restricted to, each a JSON array or None: document keys, keys of tags (all of them must stand
    on or above a node of the passage), kinds (of the section, or of a node of the passage that is neither
    document nor heading)."""

    documents: str | None = None
    tags: str | None = None
    kinds: str | None = None


NO_FILTERS = Filters()


# --- writing ----------------------------------------------------------------------------------------------------------


def load_passages(connection: Connection, documents: Iterable[int]) -> list[PassageRow]:
    """The passages of the documents, by document and position."""
    return [PassageRow._make(row) for row in connection.execute(SELECT_PASSAGES, {"documents": json_list(documents)})]


def last_passage(connection: Connection) -> int:
    """The greatest key of a passage, 0 where there is none."""
    return int(connection.execute(SELECT_LAST_KEY).fetchone()[0])


def load_lost_documents(connection: Connection) -> list[int]:
    """Keys of documents that are gone but have passages."""
    return [row[0] for row in connection.execute(SELECT_LOST_DOCUMENTS)]


def insert_passages(connection: Connection, rows: Sequence[PassageRow]) -> None:
    """Adds passages; their texts go in by `insert_texts`."""
    connection.executemany(INSERT_PASSAGE, rows)


def update_passages(connection: Connection, rows: Sequence[PassageRow]) -> None:
    """Rewrites rows whose text is the same."""
    connection.executemany(UPDATE_PASSAGE, rows)


def insert_texts(connection: Connection, texts: Iterable[tuple[int, str, str, str, str, str]]) -> None:
    """Indexes folded texts: key, content, label, breadcrumb, tags, context."""
    connection.executemany(INSERT_TEXT, texts)


def delete_passages(connection: Connection, keys: Sequence[int]) -> None:
    """Takes passages and their texts away."""
    parameters = {"keys": json_list(keys)}
    connection.execute(DELETE_TEXTS, parameters)
    connection.execute(DELETE_PASSAGES, parameters)


def clear_texts(connection: Connection) -> None:
    """Empties the full-text index, whatever its state."""
    connection.execute(CLEAR_TEXTS)


# --- searching --------------------------------------------------------------------------------------------------------


def rank_passages(connection: Connection, query: str, filters: Filters, limit: int) -> list[tuple[int, float]]:
    """(key, BM25) of the best passages, greatest first; ties in no order."""
    if filters == NO_FILTERS:
        return connection.execute(RANK_ALL, {"query": query, "limit": limit}).fetchall()
    return connection.execute(RANK_FILTERED, {"query": query, "limit": limit, **filters._asdict()}).fetchall()


def count_sections(connection: Connection, query: str, filters: Filters) -> int:
    """How many sections have a passage that matches."""
    if filters == NO_FILTERS:
        return int(connection.execute(COUNT_ALL, {"query": query}).fetchone()[0])
    return int(connection.execute(COUNT_FILTERED, {"query": query, **filters._asdict()}).fetchone()[0])


def count_searched(connection: Connection, filters: Filters) -> tuple[int, int]:
    """(passages that the filters let through, all nodes)."""
    passages, nodes = connection.execute(COUNT_SEARCHED).fetchone()
    if filters != NO_FILTERS:
        passages = connection.execute(COUNT_FILTERED, {"query": None, **filters._asdict()}).fetchone()[1]
    return int(passages), int(nodes)


def list_passing(connection: Connection, filters: Filters) -> list[int]:
    """The keys of all passages that the filters let through."""
    return [row[0] for row in connection.execute(SELECT_PASSING, filters._asdict())]


def load_of_sections(connection: Connection, sections: Iterable[int]) -> dict[int, list[int]]:
    """The passages of each of the sections in order, those of sections below it left out."""
    found: dict[int, list[int]] = {}
    for section, key in connection.execute(SELECT_OF_SECTIONS, {"sections": json_list(sections)}):
        found.setdefault(section, []).append(key)
    return found


def load_places(connection: Connection, keys: Iterable[int]) -> dict[int, PassagePlace]:
    """Where the passages stand, by key."""
    rows = connection.execute(SELECT_PLACES, {"keys": json_list(keys)})
    return {row[0]: PassagePlace._make(row) for row in rows}


def load_blocks(connection: Connection, keys: Iterable[int]) -> dict[int, list[Block]]:
    """The nodes of the passages in order, by passage."""
    blocks: dict[int, list[Block]] = {}
    for key, id, kind, content, is_title in connection.execute(SELECT_BLOCKS, {"keys": json_list(keys)}):
        blocks.setdefault(key, []).append(Block(id, kind, content, bool(is_title)))
    return blocks


def load_breadcrumbs(connection: Connection, sections: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
    """(id, label) of what each section lies in, outermost first, by section; those that lie in nothing are left out."""
    found: dict[int, list[tuple[str, str]]] = {}
    for section, id, label in connection.execute(SELECT_BREADCRUMBS, {"sections": json_list(sections)}):
        found.setdefault(section, []).append((id, label))
    return found


def load_sources(connection: Connection, documents: Iterable[int]) -> dict[int, str]:
    """The sources of those of the documents that come from files, by key."""
    return dict(connection.execute(SELECT_SOURCES, {"documents": json_list(documents)}))


def iterate_words(connection: Connection) -> Iterator[tuple[int, str, str, int]]:
    """(passage, word, column, place) of all that the index holds."""
    return iter(connection.execute(SELECT_WORDS))


def load_index_definition(connection: Connection) -> list[str]:
    """The statements that make the full-text index."""
    return [row[0] for row in connection.execute(SELECT_INDEX_DEFINITION)]
