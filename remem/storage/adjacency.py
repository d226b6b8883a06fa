"""The graph as columns: all nodes and edges at once, and those that changed. Decides nothing, and sees also the nodes
that are hidden from a connection.

Many rows come as one BLOB of hexadecimal numbers made by SQLite: a quarter of the time that rows take, and none of it
under the interpreter's lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from remem.records import KINDS
from remem.storage.lists import json_list

if TYPE_CHECKING:
    from sqlite3 import Connection

IntArray = NDArray[np.int64]

SELECT_LOG_ENDS = """
SELECT coalesce((SELECT min(seq) FROM graph_changes), 0), coalesce((SELECT max(seq) FROM graph_changes), 0)
"""
SELECT_LOG = """
SELECT source, target
FROM graph_changes
WHERE seq > :seq
"""
SELECT_SOURCES = """
SELECT coalesce(min(source), 0), coalesce(max(source), 0)
FROM edges
"""
READ_SIZE = """
SELECT c.page_count * s.page_size
FROM pragma_page_count AS c
CROSS JOIN pragma_page_size AS s
"""
# Two numbers stand for an edge: keys of nodes have at most 31 bits, and a weight fewer than 41.
SELECT_EDGES = """
SELECT unhex(group_concat(printf('%016x%016x', (source << 32) | target, (weight << 5) | (type << 2) | origin), ''))
FROM edges
WHERE source BETWEEN :low AND :high
"""
SELECT_NODES = """
SELECT unhex(group_concat(
    printf('%08x%08x%08x%08x%08x%08x%04x%04x', n.key, n.document, n.position, n.last, n.station, coalesce(n.parent, 0),
           instr(:kinds, '|' || n.kind || '|'), n.key IS d.title_heading), ''))
FROM (SELECT * FROM main.nodes INDEXED BY nodes_by_document ORDER BY document, position) AS n
LEFT JOIN documents AS d ON d.node = n.document
"""
SELECT_KEYS_BY_ID = """
SELECT unhex(group_concat(printf('%08x', key), ''))
FROM (SELECT key FROM main.nodes ORDER BY id)
"""
SELECT_NODES_OF = """
SELECT n.key, n.document, n.position, n.last, n.station, coalesce(n.parent, 0),
       instr(:kinds, '|' || n.kind || '|'), n.key IS d.title_heading
FROM json_each(:documents) AS k
CROSS JOIN main.nodes AS n ON n.document = k.value
LEFT JOIN documents AS d ON d.node = n.document
ORDER BY n.document, n.position
"""
SELECT_EDGES_AT = """
SELECT e.source, e.target, (e.type << 2) | e.origin, e.weight
FROM json_each(:nodes) AS k
CROSS JOIN edges AS e ON e.source = k.value
UNION
SELECT e.source, e.target, (e.type << 2) | e.origin, e.weight
FROM json_each(:nodes) AS k
CROSS JOIN edges AS e ON e.target = k.value
LIMIT :limit
"""
SELECT_EDGES_BETWEEN = """
SELECT e.source, e.target, (e.type << 2) | e.origin, e.weight
FROM json_each(:pairs) AS k
CROSS JOIN edges AS e ON e.source = k.value >> 32 AND e.target = k.value & 4294967295
"""
SELECT_NEIGHBOURS_BY_ID = """
SELECT n.key,
       (SELECT p.key FROM main.nodes AS p WHERE p.id < n.id ORDER BY p.id DESC LIMIT 1),
       (SELECT p.key FROM main.nodes AS p WHERE p.id > n.id ORDER BY p.id LIMIT 1)
FROM json_each(:nodes) AS k
CROSS JOIN main.nodes AS n ON n.key = k.value
ORDER BY n.id
"""

FIND_VIEW = """
SELECT 1
FROM temp.sqlite_schema
WHERE type = 'view'
  AND name = 'nodes'
"""
SELECT_HIDDEN = """
SELECT m.node
FROM memories AS m INDEXED BY memories_by_expiry
WHERE m.expires_at IS NOT NULL
  AND m.archived_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM nodes AS n WHERE n.key = m.node)
"""

LARGEST_PART = 10**9

_KINDS = "|" + "|".join(KINDS) + "|"
_CODES = np.full(len(_KINDS) + 1, 255, np.int64)
_CODES[[_KINDS.index(f"|{kind}|") + 1 for kind in KINDS]] = np.arange(len(KINDS))
_NODE_TYPE = np.dtype([(f"c{at}", ">u4") for at in range(6)] + [("c6", ">u2"), ("c7", ">u2")])


class Changes(NamedTuple):
    """What the log holds since a number: documents whose nodes changed, and pairs of nodes whose edges did (keys)."""

    documents: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]


def find_log_ends(connection: Connection) -> tuple[int, int]:
    """(oldest, newest) number in the log of changes; 0 where it is empty."""
    first, last = connection.execute(SELECT_LOG_ENDS).fetchone()
    return int(first), int(last)


def load_changes(connection: Connection, seq: int) -> Changes:
    """What changed after the number `seq`, each once."""
    rows = set(connection.execute(SELECT_LOG, {"seq": seq}).fetchall())
    documents = sorted(source for source, target in rows if target is None)
    return Changes(tuple(documents), tuple(sorted(row for row in rows if row[1] is not None)))


def load_edge_columns(connection: Connection) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """All edges: keys of source and target, type * 4 + origin, weight in millionths."""
    low, high = connection.execute(SELECT_SOURCES).fetchone()
    # A part of so many bytes holds at most twenty million edges, whose digits SQLite can still put into one text.
    parts = int(connection.execute(READ_SIZE).fetchone()[0]) // LARGEST_PART + 1
    width = (high - low) // parts + 1
    blobs = [
        _read_blob(connection, SELECT_EDGES, np.dtype(">i8"), {"low": at, "high": at + width - 1})
        for at in range(low, high + 1, width)
    ]
    numbers = np.concatenate(blobs).astype(np.int64)
    ends, rest = numbers[0::2], numbers[1::2]
    return ends >> 32, ends & 0xFFFFFFFF, rest & 31, rest >> 5


def load_node_columns(connection: Connection) -> tuple[IntArray, ...]:
    """All nodes by document and position: key, document, position, last, station, parent (0: none), code of kind, 1 for
    a title heading."""
    table = _read_blob(connection, SELECT_NODES, _NODE_TYPE, {"kinds": _KINDS})
    columns = [table[name].astype(np.int64) for name in _NODE_TYPE.names or ()]
    columns[6] = _CODES[columns[6]]
    return tuple(columns)


def load_keys_by_id(connection: Connection) -> IntArray:
    """The keys of all nodes in the order of their ids."""
    return _read_blob(connection, SELECT_KEYS_BY_ID, np.dtype(">u4"), {}).astype(np.int64)


def load_nodes_of(connection: Connection, documents: Iterable[int]) -> tuple[IntArray, ...]:
    """The nodes of some documents, as `load_node_columns`."""
    rows = connection.execute(SELECT_NODES_OF, {"documents": json_list(documents), "kinds": _KINDS}).fetchall()
    table = np.array(rows, np.int64).reshape(-1, 8)
    table[:, 6] = _CODES[table[:, 6]]
    return tuple(table.T)


def load_edges_of(
    connection: Connection, nodes: Iterable[int], pairs: Sequence[tuple[int, int]], limit: int
) -> tuple[IntArray, ...]:
    """The edges at some nodes (at most `limit`) and those of some pairs, each once, as `load_edge_columns`."""
    rows = connection.execute(SELECT_EDGES_AT, {"nodes": json_list(nodes), "limit": limit}).fetchall()
    ends = json_list((source << 32) + target for source, target in pairs)
    found = set(rows).union(connection.execute(SELECT_EDGES_BETWEEN, {"pairs": ends}).fetchall())
    return tuple(np.array(sorted(found), np.int64).reshape(-1, 4).T)


def load_neighbours_by_id(connection: Connection, nodes: Iterable[int]) -> list[tuple[int, int | None, int | None]]:
    """(key, key of the node with the next lower id, with the next higher id), in the order of ids."""
    return connection.execute(SELECT_NEIGHBOURS_BY_ID, {"nodes": json_list(nodes)}).fetchall()


def load_hidden(connection: Connection) -> list[int]:
    """The keys of memories that have expired but still lie in the table: a view hides them from the connection."""
    if connection.execute(FIND_VIEW).fetchone() is None:
        return []
    return [row[0] for row in connection.execute(SELECT_HIDDEN).fetchall()]


def _read_blob(
    connection: Connection, statement: str, dtype: np.dtype[Any], parameters: dict[str, Any]
) -> NDArray[Any]:
    (blob,) = connection.execute(statement, parameters).fetchone()
    return np.frombuffer(blob or b"", dtype)
