"""Rows of the mentions: the names that texts are searched for, their uses, refusals. What counts as a name, and what it
names, is decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.storage import meta
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

VERSION_KEY = "mention_names"


class MentionName(NamedTuple):
    """A row of `mention_names`."""

    key: int
    name: str
    name_key: str
    texts: int


class MentionUse(NamedTuple):
    """A row of `mention_uses`."""

    document: int
    name: int
    node: int
    spelling: str
    target: int | None


class Refusal(NamedTuple):
    """A row of `mention_refusals`: hashes of what the two texts said."""

    document: int
    target: int
    source_text: bytes
    target_text: bytes


class ShownMention(NamedTuple):
    """A mentioned edge with its ends. `label` is None where it follows from the kind and the opening of the content;
    `document` is the id of the text, `source` and `target` are keys."""

    id: str
    label: str | None
    kind: str
    opening: str
    root: str
    path: str
    name: str
    target_id: str
    target_label: str
    weight: int
    texts: int
    created_at: int
    document: str
    position: int
    source: int
    target: int


class DocumentEdge(NamedTuple):
    """An edge that leaves a node of a document."""

    document: int
    source: int
    target: int
    type: int
    origin: int
    weight: int


SELECT_KINDS = """
SELECT n.key, n.kind, n.text
FROM json_each(:keys) AS k
JOIN names AS n ON n.key = k.value
WHERE n.kind IN ('title', 'stem', 'alias', 'heading', 'memory', 'entity')
"""
SELECT_NAMES_BY_KEY = """
SELECT m.key, m.name, m.name_key, m.texts
FROM json_each(:keys) AS k
JOIN mention_names AS m ON m.name_key = k.value
"""
SELECT_NAMES_BY_HEAD = """
SELECT m.key, m.name, m.name_key, m.texts
FROM json_each(:heads) AS h
JOIN mention_names AS m ON m.head = h.value
"""
SELECT_NAMES_OF = """
SELECT m.key, m.name, m.name_key, m.texts
FROM json_each(:names) AS k
JOIN mention_names AS m ON m.key = k.value
"""
SELECT_EVERY_NAME = """
SELECT key, name, name_key, texts
FROM mention_names
"""
SELECT_NAME_HEADS = """
SELECT name, name_key, head
FROM mention_names
"""
INSERT_NAME = """
INSERT INTO mention_names (name, name_key, head)
VALUES (?, ?, ?)
"""
DELETE_NAMES = """
DELETE FROM mention_names
WHERE key IN (SELECT value FROM json_each(:names))
"""
ADD_TEXTS = """
UPDATE mention_names
SET texts = texts + ?2
WHERE key = ?1
"""
SELECT_PROSE = """
SELECT n.document, n.position, n.key, n.kind, n.content
FROM json_each(:documents) AS d
JOIN nodes AS n ON n.document = d.value
"""
SELECT_OWN_NAMES = """
SELECT t.document, n.text
FROM json_each(:documents) AS d
JOIN nodes AS t ON t.document = d.value
JOIN names AS n ON n.node = t.key
WHERE n.kind IN ('title', 'stem', 'alias', 'heading', 'memory', 'entity')
"""
SELECT_DOCUMENTS_OF_PHRASE = """
SELECT DISTINCT p.document
FROM passages_text AS t
CROSS JOIN passages AS p ON p.key = t.rowid
WHERE t.passages_text MATCH :phrase
"""
SELECT_USES_OF_DOCUMENTS = """
SELECT u.document, u.name, u.node, u.spelling, u.target
FROM json_each(:documents) AS d
JOIN mention_uses AS u ON u.document = d.value
"""
SELECT_USES_OF_NAMES = """
SELECT u.document, u.name, u.node, u.spelling, u.target
FROM json_each(:names) AS k
JOIN mention_uses AS u ON u.name = k.value
"""
SELECT_EVERY_USE = """
SELECT document, name, node, spelling, target
FROM mention_uses
"""
UPSERT_USE = """
INSERT INTO mention_uses (document, name, node, spelling, target)
VALUES (?, ?, ?, ?, ?)
ON CONFLICT (document, name) DO UPDATE
SET node = excluded.node, spelling = excluded.spelling, target = excluded.target
"""
DELETE_USE = """
DELETE FROM mention_uses
WHERE document = ?
  AND name = ?
"""
COUNT_TEXTS = """
SELECT u.target, count(DISTINCT u.document)
FROM json_each(:targets) AS t
JOIN mention_uses AS u ON u.target = t.value
GROUP BY u.target
"""
SELECT_EDGES_OF_DOCUMENTS = """
SELECT n.document, e.source, e.target, e.type, e.origin, e.weight
FROM json_each(:documents) AS d
JOIN nodes AS n ON n.document = d.value
JOIN edges AS e ON e.source = n.key
WHERE e.origin IN (0, 1, 3)
"""
SELECT_POSITIONS = """
SELECT n.key, n.position
FROM json_each(:nodes) AS k
JOIN nodes AS n ON n.key = k.value
"""
UPDATE_WEIGHTS = """
UPDATE edges
SET weight = :weight, updated_at = :now
WHERE target = :target
  AND origin = 3
  AND weight <> :weight
"""
SELECT_MENTIONS = """
SELECT s.id, s.label, s.kind, substr(s.content, 1, 400), coalesce(r.name, ''), coalesce(d.source, ''),
       min(u.spelling), t.id, coalesce(t.label, ''), e.weight,
       (SELECT count(DISTINCT o.document) FROM mention_uses AS o WHERE o.target = e.target), e.created_at,
       c.id, s.position, e.source, e.target
FROM mention_uses AS u
JOIN edges AS e ON e.source = u.node AND e.target = u.target AND e.type = 3 AND e.origin = 3
JOIN nodes AS s ON s.key = e.source
JOIN nodes AS t ON t.key = e.target
JOIN nodes AS c ON c.key = s.document
LEFT JOIN documents AS d ON d.node = s.document
LEFT JOIN roots AS r ON r.key = d.root
WHERE u.target IS NOT NULL
GROUP BY e.source, e.target
ORDER BY coalesce(r.name, ''), coalesce(d.source, ''), c.id, s.position, e.target
"""
SELECT_REFUSALS = """
SELECT r.document, r.target, r.source_text, r.target_text
FROM json_each(:documents) AS d
JOIN mention_refusals AS r ON r.document = d.value
"""
SELECT_REFUSING = """
SELECT r.document
FROM mention_refusals AS r
JOIN nodes AS n ON n.key = r.target
WHERE n.document IN (SELECT value FROM json_each(:documents))
"""
UPSERT_REFUSAL = """
INSERT OR REPLACE INTO mention_refusals (document, target, source_text, target_text)
VALUES (?, ?, ?, ?)
"""
DELETE_REFUSAL = """
DELETE FROM mention_refusals
WHERE document = ?
  AND target = ?
"""


def load_kinds(connection: Connection, keys: Iterable[str]) -> list[tuple[str, str, str]]:
    """(name key, kind, text) of the names under the keys that texts may use."""
    return connection.execute(SELECT_KINDS, {"keys": json_list(keys)}).fetchall()


def load_names_by_key(connection: Connection, keys: Iterable[str]) -> list[MentionName]:
    """The searched names under the name keys."""
    return [MentionName._make(row) for row in connection.execute(SELECT_NAMES_BY_KEY, {"keys": json_list(keys)})]


def load_names_by_head(connection: Connection, heads: Iterable[str]) -> list[MentionName]:
    """The searched names that begin with these words."""
    return [MentionName._make(row) for row in connection.execute(SELECT_NAMES_BY_HEAD, {"heads": json_list(heads)})]


def load_names(connection: Connection, names: Iterable[int]) -> list[MentionName]:
    """The searched names of these keys."""
    return [MentionName._make(row) for row in connection.execute(SELECT_NAMES_OF, {"names": json_list(names)})]


def load_every_name(connection: Connection) -> list[MentionName]:
    """All searched names."""
    return [MentionName._make(row) for row in connection.execute(SELECT_EVERY_NAME)]


def load_name_heads(connection: Connection) -> list[tuple[str, str, str]]:
    """(name, name key, head) of all searched names."""
    return connection.execute(SELECT_NAME_HEADS).fetchall()


def insert_names(connection: Connection, names: Iterable[tuple[str, str, str]]) -> None:
    """Adds names to search for: (name, name key, head)."""
    connection.executemany(INSERT_NAME, names)
    meta.advance_number(connection, VERSION_KEY)


def delete_names(connection: Connection, names: Iterable[int]) -> None:
    """Takes searched names away. Their uses must be gone before."""
    connection.execute(DELETE_NAMES, {"names": json_list(names)})
    meta.advance_number(connection, VERSION_KEY)


def find_version(connection: Connection) -> int:
    """Another number whenever the searched names have changed."""
    return meta.find_number(connection, VERSION_KEY) or 0


def add_texts(connection: Connection, changes: Iterable[tuple[int, int]]) -> None:
    """Changes how many texts use names: (name, difference)."""
    connection.executemany(ADD_TEXTS, changes)


def load_prose(connection: Connection, documents: Iterable[int]) -> list[tuple[int, int, int, str, str]]:
    """(document, position, node, kind, content) of the documents' nodes in order."""
    # Sorted here: the temporary table of an ORDER BY would hold all texts.
    return sorted(connection.execute(SELECT_PROSE, {"documents": json_list(documents)}))


def load_own_names(connection: Connection, documents: Iterable[int]) -> list[tuple[int, str]]:
    """(document, text) of the names of the documents' nodes."""
    return connection.execute(SELECT_OWN_NAMES, {"documents": json_list(documents)}).fetchall()


def find_documents_of_phrase(connection: Connection, phrase: str) -> list[int]:
    """The documents with a passage that holds a phrase of the full-text index."""
    return [row[0] for row in connection.execute(SELECT_DOCUMENTS_OF_PHRASE, {"phrase": phrase})]


def load_uses(connection: Connection, documents: Iterable[int]) -> list[MentionUse]:
    """The uses in the documents."""
    rows = connection.execute(SELECT_USES_OF_DOCUMENTS, {"documents": json_list(documents)})
    return [MentionUse._make(row) for row in rows]


def load_uses_of_names(connection: Connection, names: Iterable[int]) -> list[MentionUse]:
    """The uses of the names."""
    return [MentionUse._make(row) for row in connection.execute(SELECT_USES_OF_NAMES, {"names": json_list(names)})]


def load_every_use(connection: Connection) -> list[MentionUse]:
    """All uses."""
    return [MentionUse._make(row) for row in connection.execute(SELECT_EVERY_USE)]


def save_uses(connection: Connection, uses: Iterable[MentionUse]) -> None:
    """Adds uses, or rewrites them."""
    connection.executemany(UPSERT_USE, uses)


def delete_uses(connection: Connection, uses: Iterable[MentionUse]) -> None:
    """Takes uses away."""
    connection.executemany(DELETE_USE, [(use.document, use.name) for use in uses])


def count_texts(connection: Connection, targets: Iterable[int]) -> dict[int, int]:
    """How many texts name each of the nodes; those that none names are left out."""
    return dict(connection.execute(COUNT_TEXTS, {"targets": json_list(targets)}))


def load_document_edges(connection: Connection, documents: Iterable[int]) -> list[DocumentEdge]:
    """The manual, parsed and mentioned edges that leave nodes of the documents."""
    rows = connection.execute(SELECT_EDGES_OF_DOCUMENTS, {"documents": json_list(documents)})
    return [DocumentEdge._make(row) for row in rows]


def load_mentions(connection: Connection) -> list[ShownMention]:
    """All mentioned edges, text by text, in the order of each."""
    return [ShownMention._make(row) for row in connection.execute(SELECT_MENTIONS)]


def load_positions(connection: Connection, nodes: Iterable[int]) -> dict[int, int]:
    """The position of each living node in its document."""
    return dict(connection.execute(SELECT_POSITIONS, {"nodes": json_list(nodes)}))


def update_weights(connection: Connection, weights: Sequence[tuple[int, int]], now: int) -> None:
    """Gives the mentioned edges that lead to nodes their weight: (target, weight in millionths)."""
    connection.executemany(UPDATE_WEIGHTS, [{"target": t, "weight": w, "now": now} for t, w in weights])


def load_refusals(connection: Connection, documents: Iterable[int]) -> list[Refusal]:
    """The removed mentions of the documents."""
    return [Refusal._make(row) for row in connection.execute(SELECT_REFUSALS, {"documents": json_list(documents)})]


def find_refusing(connection: Connection, documents: Iterable[int]) -> set[int]:
    """The documents with a removed mention of a node of these documents."""
    return {row[0] for row in connection.execute(SELECT_REFUSING, {"documents": json_list(documents)})}


def save_refusal(connection: Connection, refusal: Refusal) -> None:
    """Records that a mention was removed."""
    connection.execute(UPSERT_REFUSAL, refusal)


def delete_refusals(connection: Connection, refusals: Iterable[Refusal]) -> None:
    """Forgets that mentions were removed."""
    connection.executemany(DELETE_REFUSAL, [(refusal.document, refusal.target) for refusal in refusals])
