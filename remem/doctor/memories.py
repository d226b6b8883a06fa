"""Memories and entities in the doctor: does what stands in the store follow from their rows and texts? It can be
rebuilt. Links of theirs lead where the rules say like all others; `service` looks after that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from remem.ingest.memories import hash_memory, read_memory
from remem.keys import strict_key
from remem.records import (
    BY_CALL,
    DEFAULT_IMPORTANCE,
    LONG_TERM,
    EntityRow,
    Finding,
    MemoryRow,
    NodeRow,
)
from remem.storage import links as link_rows
from remem.storage import memories as memory_rows
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows
from remem.writing.lifecycle import compose
from remem.writing.naming import EARLIER_KINDS
from remem.writing.singles import Single, draft_links, rewrite_single

if TYPE_CHECKING:
    from sqlite3 import Connection

CHUNK = 500


def check_memories(connection: Connection) -> Iterator[Finding]:
    """Compares each living memory, and each entity, with what its row and text make."""
    for node, row in _iterate_living(connection):
        single = _compose(connection, node, row)
        wrong = _list_wrong(connection, node, single)
        if wrong:
            yield Finding("memories", True, f"{', '.join(wrong)} of {node.id} do not follow from its text", node.id)


def _list_wrong(connection: Connection, node: NodeRow, single: Single) -> list[str]:
    wrong = [] if node == single.row else ["the fields"]
    if node_rows.load_node_tags(connection, [node.key]).get(node.key, ()) != single.tags:
        wrong.append("the tags")
    names = [name for name in name_rows.load_node_names(connection, [node.key]) if name.kind not in EARLIER_KINDS]
    if names != single.names:
        wrong.append("the names")
    stored = [row[1:13] for row in link_rows.load_links_of_nodes(connection, [node.key])]
    if stored != [row[1:13] for row, _ in draft_links(connection, single)]:
        wrong.append("the links")
    return wrong


def repair_memories(connection: Connection, now: int) -> None:
    """Gives every memory and entity the row, tags, names and links that it should have."""
    _mend_rows(connection, now)
    for node, row in _iterate_living(connection):
        single = _compose(connection, node, row)
        if _list_wrong(connection, node, single):
            rewrite_single(connection, single, now)


def _compose(connection: Connection, node: NodeRow, row: MemoryRow | None) -> Single:
    if row is None:
        return Single(node._replace(document=node.key, station=node.key, parent=None, position=0, last=0))
    return compose(connection, row, read_memory(node.content))


def _iterate_living(connection: Connection) -> Iterator[tuple[NodeRow, MemoryRow | None]]:
    """The nodes of memories with their rows, and those of entities."""
    keys = memory_rows.load_single_keys(connection)
    for start in range(0, len(keys), CHUNK):
        chunk = keys[start : start + CHUNK]
        rows = memory_rows.load_memories(connection, chunk)
        for key, node in node_rows.load_nodes(connection, chunk).items():
            if node.kind != "memory" or key in rows:
                yield node, rows.get(key)


def _mend_rows(connection: Connection, now: int) -> None:
    """Rows and nodes that do not fit each other: the node decides whether a memory lives."""
    for node in _load_alone(connection):
        if node.kind == "entity":
            memory_rows.insert_entity(connection, EntityRow(node.key, strict_key(node.label or node.id), ""))
        else:
            row = MemoryRow(
                node.key, node.id, LONG_TERM, DEFAULT_IMPORTANCE, "", "{}", "[]", hash_memory(node.content), now, now
            )
            memory_rows.insert_memory(connection, row)
    for row in memory_rows.find_astray(connection):
        if node_rows.find_node(connection, row.id) is not None:
            memory_rows.update_memory(connection, row._replace(archived_at=None, archived_by=None))
        elif memory_rows.load_text(connection, row.node) is not None:
            memory_rows.update_memory(connection, row._replace(archived_at=now, archived_by=BY_CALL))
        else:
            memory_rows.delete_memory(connection, row.node)
    memory_rows.delete_lost_entities(connection)


def _load_alone(connection: Connection) -> Sequence[NodeRow]:
    return list(node_rows.load_nodes(connection, memory_rows.find_alone(connection)).values())
