"""Rows of `nodes` and `tags`: loading trees, writing them. Knows nothing of what a change means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.records import NodeRef, NodeRow, NodeShift, Place
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection


class Span(NamedTuple):
    """A node with all below it: the positions from its own to `last` in its document. `title` is the key of the title
    heading of that."""

    document: int
    position: int
    last: int
    title: int | None


SELECT_TREES = """
SELECT n.key, n.id, n.kind, n.document, n.parent, n.position, n.last, n.station, n.piece, n.tokens,
       n.label, n.content, n.gap, n.prefix
FROM json_each(:documents) AS d
JOIN nodes AS n ON n.document = d.value
ORDER BY n.document, n.position
"""
SELECT_BY_KEYS = """
SELECT n.key, n.id, n.kind, n.document, n.parent, n.position, n.last, n.station, n.piece, n.tokens,
       n.label, n.content, n.gap, n.prefix
FROM json_each(:keys) AS k
JOIN nodes AS n ON n.key = k.value
"""
SELECT_BY_ID = """
SELECT key, id, kind, document, parent, position, last, station, piece, tokens, label, content, gap, prefix
FROM nodes
WHERE id = :id
"""
SELECT_SUBTREE = """
SELECT key, id, kind, document, parent, position, last, station, piece, tokens, label, content, gap, prefix
FROM nodes
WHERE document = :document
  AND position BETWEEN :first AND :last
ORDER BY position
"""
SELECT_IDS_IN_USE = """
SELECT i.value
FROM json_each(:ids) AS i
WHERE EXISTS (SELECT 1 FROM nodes WHERE id = i.value)
   OR EXISTS (SELECT 1 FROM removed WHERE id = i.value)
"""
SELECT_REFS = """
SELECT n.id, n.key, n.document
FROM json_each(:ids) AS i
JOIN nodes AS n ON n.id = i.value
"""
SELECT_SPANS = """
SELECT n.key, n.document, n.position, n.last, d.title_heading
FROM json_each(:keys) AS k
JOIN nodes AS n ON n.key = k.value
LEFT JOIN documents AS d ON d.node = n.document
"""
SELECT_PLACES = """
SELECT n.key, r.name, coalesce(d.source, ''), n.document
FROM json_each(:keys) AS k
JOIN nodes AS n ON n.key = k.value
LEFT JOIN documents AS d ON d.node = n.document
LEFT JOIN roots AS r ON r.key = d.root
"""
SELECT_PIECES = """
SELECT n.document, n.piece, n.content
FROM json_each(:documents) AS d
JOIN nodes AS n ON n.document = d.value
WHERE n.piece > 0
   OR EXISTS (
       SELECT 1
       FROM nodes AS m
       WHERE m.document = n.document
         AND m.position = n.last + 1
         AND m.piece = 1
   )
ORDER BY n.document, n.position
"""
SELECT_FIRST_PIECE = """
SELECT content
FROM nodes
WHERE document = :document
  AND position < :position
  AND parent IS :parent
  AND piece = 0
ORDER BY position DESC
LIMIT 1
"""
SELECT_LAST_KEY = """
SELECT max((SELECT coalesce(max(key), 0) FROM nodes), (SELECT coalesce(max(key), 0) FROM removed))
"""
SELECT_TAGS = """
SELECT t.node, t.tag
FROM json_each(:documents) AS d
JOIN nodes AS n ON n.document = d.value
JOIN tags AS t ON t.node = n.key
ORDER BY t.node, t.key
"""
SELECT_NODE_TAGS = """
SELECT t.node, t.tag
FROM json_each(:keys) AS k
JOIN tags AS t ON t.node = k.value
ORDER BY t.node, t.key
"""
INSERT_NODE = """
INSERT INTO nodes (key, id, kind, document, parent, position, last, station, piece, tokens, label, content, gap, prefix)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
UPDATE_NODE = """
UPDATE nodes
SET kind = ?3, document = ?4, parent = ?5, position = ?6, last = ?7, station = ?8, piece = ?9, tokens = ?10,
    label = ?11, content = ?12, gap = ?13, prefix = ?14
WHERE key = ?1
  AND id = ?2
"""
UPDATE_PLACE = """
UPDATE nodes
SET position = ?2, last = ?3
WHERE key = ?1
"""
DELETE_NODES = """
DELETE FROM nodes
WHERE key IN (SELECT value FROM json_each(:keys))
"""
DELETE_TAGS = """
DELETE FROM tags
WHERE node IN (SELECT value FROM json_each(:keys))
"""
INSERT_TAG = """
INSERT OR REPLACE INTO tags (node, key, tag)
VALUES (?, ?, ?)
"""


def load_trees(connection: Connection, documents: Iterable[int]) -> dict[int, list[NodeRow]]:
    """All nodes of the documents, by document key, each list in pre-order."""
    trees: dict[int, list[NodeRow]] = {}
    make = NodeRow._make
    for row in connection.execute(SELECT_TREES, {"documents": json_list(documents)}):
        trees.setdefault(row[3], []).append(make(row))
    return trees


def load_subtree(connection: Connection, node: NodeRow) -> list[NodeRow]:
    """The node and all below it, in pre-order."""
    parameters = {"document": node.document, "first": node.position, "last": node.last}
    return [NodeRow._make(row) for row in connection.execute(SELECT_SUBTREE, parameters)]


def load_nodes(connection: Connection, keys: Iterable[int]) -> dict[int, NodeRow]:
    """The living nodes among the keys, by key."""
    rows = connection.execute(SELECT_BY_KEYS, {"keys": json_list(keys)})
    return {row[0]: NodeRow._make(row) for row in rows}


def find_node(connection: Connection, id: str) -> NodeRow | None:
    """The living node of that id, or None."""
    row = connection.execute(SELECT_BY_ID, {"id": id}).fetchone()
    return None if row is None else NodeRow._make(row)


def find_used_ids(connection: Connection, ids: Iterable[str]) -> set[str]:
    """Those of the ids that a living or removed node has."""
    return {row[0] for row in connection.execute(SELECT_IDS_IN_USE, {"ids": json_list(ids)})}


def find_refs(connection: Connection, ids: Iterable[str]) -> dict[str, NodeRef]:
    """Those of the ids that live."""
    return {row[0]: NodeRef(row[1], row[2]) for row in connection.execute(SELECT_REFS, {"ids": json_list(ids)})}


def load_spans(connection: Connection, keys: Iterable[int]) -> dict[int, Span]:
    """The spans of the living nodes among the keys, by key."""
    return {row[0]: Span._make(row[1:]) for row in connection.execute(SELECT_SPANS, {"keys": json_list(keys)})}


def load_places(connection: Connection, keys: Iterable[int]) -> dict[int, Place]:
    """Where the living nodes among the keys stand, by key."""
    return {row[0]: Place._make(row[1:]) for row in connection.execute(SELECT_PLACES, {"keys": json_list(keys)})}


def find_first_piece(connection: Connection, row: NodeRow) -> str:
    """What the first piece of a split block says, of which a node is a later one; "" where it is none."""
    at = {"document": row.document, "position": row.position, "parent": row.parent}
    found = connection.execute(SELECT_FIRST_PIECE, at).fetchone() if row.piece else None
    return "" if found is None else str(found[0])


def load_pieces(connection: Connection, documents: Iterable[int]) -> dict[int, list[list[str]]]:
    """By document, the contents of the pieces of each split block, in order."""
    blocks: dict[int, list[list[str]]] = {}
    for document, piece, content in connection.execute(SELECT_PIECES, {"documents": json_list(documents)}):
        known = blocks.setdefault(document, [])
        if piece == 0:
            known.append([content])
        elif known:
            known[-1].append(content)
    return blocks


def last_key(connection: Connection) -> int:
    """The greatest key that any node has or had. Keys are never reused but by the node itself."""
    return int(connection.execute(SELECT_LAST_KEY).fetchone()[0])


def load_tags(connection: Connection, documents: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """The tags of all nodes of the documents, by node key."""
    return _group_tags(connection.execute(SELECT_TAGS, {"documents": json_list(documents)}))


def load_node_tags(connection: Connection, keys: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """The tags of the nodes, by node key."""
    return _group_tags(connection.execute(SELECT_NODE_TAGS, {"keys": json_list(keys)}))


def _group_tags(rows: Iterable[Sequence[object]]) -> dict[int, tuple[str, ...]]:
    grouped: dict[int, list[str]] = {}
    for node, tag in rows:
        grouped.setdefault(node, []).append(tag)  # type: ignore[arg-type]
    return {node: tuple(tags) for node, tags in grouped.items()}


def insert_nodes(connection: Connection, rows: Sequence[NodeRow]) -> None:
    """Adds nodes."""
    connection.executemany(INSERT_NODE, rows)


def update_nodes(connection: Connection, rows: Sequence[NodeRow]) -> None:
    """Rewrites nodes whole."""
    connection.executemany(UPDATE_NODE, rows)


def shift_nodes(connection: Connection, shifts: Sequence[NodeShift]) -> None:
    """Moves nodes within their document's numbering: (key, position, last)."""
    connection.executemany(UPDATE_PLACE, shifts)


def delete_nodes(connection: Connection, keys: Sequence[int]) -> None:
    """Takes nodes and their tags away."""
    parameters = {"keys": json_list(keys)}
    connection.execute(DELETE_TAGS, parameters)
    connection.execute(DELETE_NODES, parameters)


def replace_tags(connection: Connection, nodes: Iterable[int], tags: Sequence[tuple[int, str, str]]) -> None:
    """Gives the nodes these tags and no others: (node, key of the tag, tag as written)."""
    connection.execute(DELETE_TAGS, {"keys": json_list(nodes)})
    connection.executemany(INSERT_TAG, tags)
