"""Memories and entities in the doctor: does what stands in the store follow from their rows and texts? It can be
rebuilt. Links of theirs lead where the rules say like all others; `service` looks after that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import orjson

from remem.ingest.memories import hash_memory, read_memory
from remem.keys import strict_key
from remem.limits import LONGEST_TTL
from remem.records import (
    BY_CALL,
    BY_EXPIRY,
    DEFAULT_IMPORTANCE,
    LONG_TERM,
    SHORT_TERM,
    EntityRow,
    Finding,
    MemoryRow,
    NodeRow,
)
from remem.redaction.marks import MARK_START
from remem.storage import checking
from remem.storage import entities as entity_rows
from remem.storage import links as link_rows
from remem.storage import memories as memory_rows
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows
from remem.storage.lists import json_list
from remem.writing.lifecycle import compose
from remem.writing.naming import EARLIER_KINDS
from remem.writing.singles import Single, draft_links, rewrite_single

if TYPE_CHECKING:
    from sqlite3 import Connection

CHUNK = 500
BYS = (BY_CALL, BY_EXPIRY)
HOUR = 3_600_000
"""How long a short-term memory lives of which that is not known, in milliseconds."""


def check_memories(connection: Connection) -> Iterator[Finding]:
    """Compares each living memory, and each entity, with what its row and text make."""
    for node, row in _iterate_living(connection):
        single = _compose(connection, node, row)
        wrong = _list_wrong(connection, node, single)
        if wrong:
            yield Finding("memories", True, f"{', '.join(wrong)} of {node.id} do not follow from its text", node.id)

    for entity in _list_misnamed(connection):
        yield Finding("memories", True, f"an entity is known by another key than its name: {entity.key}")
    for id, _ in _list_misknown(connection):
        yield Finding("memories", True, f"the hash of {id} is not that of its text", id)


def _list_misnamed(connection: Connection) -> list[EntityRow]:
    """Entities whose keys are not those of their names."""
    rows = entity_rows.load_entities(connection)
    nodes = node_rows.load_nodes(connection, [row.node for row in rows])
    known = [(row, nodes[row.node]) for row in rows if row.node in nodes]
    return [row for row, node in known if row.key != strict_key(node.label or node.id)]


def _list_misknown(connection: Connection) -> list[tuple[str, bytes]]:
    """(id, hash of its text) of memories that have another hash. What was redacted has one of what was given, which
    nothing tells."""
    hashed = memory_rows.iterate_hashed(connection)
    found = [(id, hash, hash_memory(text)) for id, hash, text in hashed if text and MARK_START not in text]
    return [(id, wanted) for id, hash, wanted in found if hash != wanted]


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
    _mend_values(connection, now)
    for node, row in _iterate_living(connection):
        single = _compose(connection, node, row)
        if _list_wrong(connection, node, single):
            rewrite_single(connection, single, now)


def _mend_fields(row: MemoryRow, now: int) -> MemoryRow:
    """A row all of whose fields are within bounds."""
    is_short = row.type == SHORT_TERM
    ttl = min(max(row.ttl or HOUR, 1), round(LONGEST_TTL * 1000)) if is_short else None
    return row._replace(
        type=SHORT_TERM if is_short else LONG_TERM,
        importance=min(max(row.importance, 0.0), 1.0),
        metadata=row.metadata if isinstance(_read_json(row.metadata), dict) else "{}",
        tags=_mend_tags(row.tags),
        ttl=ttl,
        expires_at=None if ttl is None else now + ttl if row.expires_at is None else row.expires_at,
        archived_by=None if row.archived_at is None else row.archived_by if row.archived_by in BYS else BY_CALL,
    )


def _read_json(text: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _mend_tags(text: str) -> str:
    """A JSON array of those of the tags that are texts."""
    value = _read_json(text)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return text
    return json_list(item for item in value if isinstance(item, str)) if isinstance(value, list) else "[]"


def _compose(connection: Connection, node: NodeRow, row: MemoryRow | None) -> Single:
    if row is None:
        return Single(node._replace(document=node.key, station=node.key, parent=None, position=0, last=0))
    return compose(connection, row._replace(tags=_mend_tags(row.tags)), read_memory(node.content))


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
            entity_rows.insert_entity(connection, EntityRow(node.key, strict_key(node.label or node.id), ""))
        else:
            row = MemoryRow(
                node.key, node.id, LONG_TERM, DEFAULT_IMPORTANCE, "", "{}", "[]", hash_memory(node.content), now, now
            )
            memory_rows.insert_memory(connection, row)
    for row in checking.find_astray(connection):
        if node_rows.find_node(connection, row.id) is not None:
            memory_rows.update_memory(connection, row._replace(archived_at=None, archived_by=None))
        elif memory_rows.load_text(connection, row.node) is not None:
            memory_rows.update_memory(connection, row._replace(archived_at=now, archived_by=BY_CALL))
        else:
            memory_rows.delete_memory(connection, row.node)
    entity_rows.delete_lost_entities(connection)


def _mend_values(connection: Connection, now: int) -> None:
    """Fields out of range, hashes and keys that follow from texts and names."""
    for id in checking.find_breaches(connection, checking.SELECT_MEMORIES_OUT_OF_RANGE):
        row = memory_rows.find_memory(connection, id)
        if row is not None:
            memory_rows.update_memory(connection, _mend_fields(row, now))
    memory_rows.save_hashes(connection, _list_misknown(connection))
    for entity in _list_misnamed(connection):
        node = node_rows.load_nodes(connection, [entity.node])[entity.node]
        entity_rows.rename_entity(connection, entity.node, strict_key(node.label or node.id))


def _load_alone(connection: Connection) -> Sequence[NodeRow]:
    return list(node_rows.load_nodes(connection, checking.find_alone(connection)).values())
