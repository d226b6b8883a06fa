"""Memories: stores them, or returns those that say the same already; changes their fields. One snapshot for each call
that changes what a memory says. How they come and go otherwise is decided in `lifecycle`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from remem.errors import ConflictError, RememError
from remem.ids import encode_id
from remem.ingest.memories import hash_memory, read_memory
from remem.keys import strict_key
from remem.limits import MOST_TAGS
from remem.reading.expiry import Uses
from remem.reading.memories import tell_memory
from remem.records import (
    LONG_TERM,
    SHORT_TERM,
    START_TEMPERATURE,
    ExtractionReport,
    Memory,
    MemoryChange,
    MemoryDraft,
    MemoryRow,
    UsageRow,
)
from remem.storage import memories as memory_rows
from remem.storage import nodes as node_rows
from remem.storage import usage as usage_rows
from remem.storage import versions
from remem.storage.lists import json_list
from remem.writing import lifecycle
from remem.writing.entities import write_extraction
from remem.writing.given import name_item
from remem.writing.lifecycle import compose, get_living, load_living, refresh_after, tell_living
from remem.writing.singles import Single, Work, change_single, put_single

if TYPE_CHECKING:
    from sqlite3 import Connection

DEFAULT_TTL = 3_600_000
"""So long a short-term memory lives where nothing else is said, in milliseconds."""
ID_BYTES = 8


@dataclass(frozen=True, slots=True)
class _Stored:
    """A memory after a call to store it."""

    row: MemoryRow
    single: Single
    existing: bool
    extraction: ExtractionReport | None


def store_memories(connection: Connection, drafts: Sequence[MemoryDraft], now: int, uses: Uses) -> list[Memory]:
    """Stores memories, all or none, under one snapshot. Must run inside a write transaction.

    Raises ConflictError for an id that something else has; of several memories, the error names the item.
    """
    work = Work(connection, now)
    lifecycle.sweep_due(work, uses)
    stored: list[_Stored] = []
    for number, draft in enumerate(drafts):
        try:
            stored.append(_store(work, draft))
        except RememError as error:
            raise error if len(drafts) == 1 else name_item(error, number) from None
    first = stored[0].row.id
    work.finish(f"store {first}" if len(stored) == 1 else f"store {len(stored)} memories")
    return [_tell(connection, item, now, uses) for item in stored]


def _store(work: Work, draft: MemoryDraft) -> _Stored:
    found = _find_existing(work.connection, draft)
    row, single = add_memory(work, draft) if found is None else _repeat(work, found, draft)
    extraction = None if draft.extraction is None else write_extraction(work, single.row, draft.extraction)
    return _Stored(row, single, found is not None, extraction)


def _tell(connection: Connection, item: _Stored, now: int, uses: Uses) -> Memory:
    row, single = item.row, item.single
    new = UsageRow(row.node, START_TEMPERATURE, now)
    use = uses.read(connection, [row.node])[row.node] if item.existing else new
    return tell_memory(
        row, single.row, single.tags, use, now, uses.half_life, existing=item.existing, extraction=item.extraction
    )


# --- who is who -------------------------------------------------------------------------------------------------------


def _find_existing(connection: Connection, draft: MemoryDraft) -> MemoryRow | None:
    """The memory that says the same already, archived or not. Raises ConflictError for an id of something else."""
    if draft.id is not None:
        row = memory_rows.find_memory(connection, draft.id)
        if row is not None and row.hash == draft.hash:
            return row
        if row is not None:
            raise _taken_error(row)
        refuse_foreign(connection, draft.id)
    return memory_rows.find_same(connection, draft.hash, draft.source)


def _taken_error(row: MemoryRow) -> ConflictError:
    if row.archived_at is None:
        message = f"{row.id} is a memory with other content; update it, or leave the id out"
    else:
        message = f"{row.id} is an archived memory with other content; unarchive and update it, or leave the id out"
    return ConflictError(message, id=row.id)


def refuse_foreign(connection: Connection, id: str) -> None:
    """Raises ConflictError for an id that a node of another kind has, or had: it is none for a memory."""
    node = node_rows.find_node(connection, id)
    gone = versions.find_removed(connection, id) if node is None else None
    kind = node.kind if node else gone.kind if gone else "memory"
    if node is not None or kind != "memory":
        raise ConflictError(f"{id} is the id of another node ({kind}); choose another one", id=id)


def _choose_identity(connection: Connection, id: str | None) -> tuple[int, str, bool]:
    """Key and id of a new memory, and whether both were those of one that was removed for good."""
    if id is not None and (gone := versions.find_removed(connection, id)) is not None:
        return gone.key, id, True
    while id is None:
        made = encode_id(int.from_bytes(os.urandom(ID_BYTES), "big"))
        id = None if node_rows.find_used_ids(connection, [made]) else made
    return node_rows.last_key(connection) + 1, id, False


# --- storing ----------------------------------------------------------------------------------------------------------


def add_memory(work: Work, draft: MemoryDraft) -> tuple[MemoryRow, Single]:
    """Stores a memory that is not there yet, living and made now. Raises ConflictError."""
    key, id, returns = _choose_identity(work.connection, draft.id)
    ttl = (draft.ttl or DEFAULT_TTL) if draft.type == SHORT_TERM else None
    row = MemoryRow(
        node=key,
        id=id,
        type=draft.type,
        importance=draft.importance,
        source=draft.source,
        metadata=draft.metadata,
        tags=json_list(draft.tags),
        hash=draft.hash,
        created_at=work.now,
        updated_at=work.now,
        ttl=ttl,
        expires_at=None if ttl is None else work.now + ttl,
    )
    memory_rows.insert_memory(work.connection, row)
    single = compose(work.connection, row, draft.text)
    if returns:
        usage_rows.save_usage(work.connection, [UsageRow(key, START_TEMPERATURE, work.now)])
    put_single(work, single, is_known=returns)
    work.changes.added.append(key)
    work.described.add(key)
    work.move_state(None, single.tree())
    if returns:
        refresh_after(work.connection, row)
    return row, single


def _repeat(work: Work, row: MemoryRow, draft: MemoryDraft) -> tuple[MemoryRow, Single]:
    """A memory that is stored again: tags united, ttl begun anew, the greater importance, long_term wins, an archived
    one is brought back."""
    tags = _unite_tags(orjson.loads(row.tags), draft.tags)
    new = row._replace(importance=max(row.importance, draft.importance), tags=json_list(tags))
    new = lifecycle.make_lasting(new) if LONG_TERM in (row.type, draft.type) else _restart(new, draft.ttl, work.now)
    if new._replace(expires_at=row.expires_at) != row or row.archived_at is not None:
        new = new._replace(updated_at=work.now)
    if row.archived_at is not None:
        return lifecycle.bring_back(work, row, new)
    return new, _change(work, row, new, None)


def _unite_tags(old: Sequence[str], new: Sequence[str]) -> list[str]:
    known = set(map(strict_key, old))
    united = [*old, *(tag for tag in new if strict_key(tag) not in known)]
    if len(united) > MOST_TAGS:
        raise ConflictError(
            f"the memory exists, and would have {len(united)} tags with these; at most {MOST_TAGS} are kept",
            field="tags",
        )
    return united


def _restart(row: MemoryRow, ttl: int | None, now: int) -> MemoryRow:
    """The row of a short-term memory whose time begins anew."""
    lifetime = ttl or row.ttl or DEFAULT_TTL
    return row._replace(type=SHORT_TERM, ttl=lifetime, expires_at=now + lifetime)


# --- changing ---------------------------------------------------------------------------------------------------------


def update_memory(connection: Connection, reference: object, change: MemoryChange, now: int, uses: Uses) -> Memory:
    """Replaces the given fields of a living memory; where nothing changes, nothing is written.

    Raises NotFoundError, AmbiguousError; ConflictError for a node that is no memory, and where another memory of that
    source says the same already.
    """
    work = Work(connection, now)
    lifecycle.sweep_due(work, uses)
    row, single = change_memory(work, reference, change)
    work.finish(f"update {row.id}")
    return tell_living(connection, row, single, now, uses)


def change_memory(work: Work, reference: object, change: MemoryChange) -> tuple[MemoryRow, Single]:
    """The same as a part of other work: the row and the node as they are now. Raises as `update_memory`."""
    row = get_living(work.connection, reference)
    new = _apply(row, change, work.now)
    if (new.hash, new.source) != (row.hash, row.source):
        lifecycle.refuse_double(work.connection, new)
    if new != row:
        new = new._replace(updated_at=work.now)
    return new, _change(work, row, new, change)


def _apply(row: MemoryRow, change: MemoryChange, now: int) -> MemoryRow:
    new = row._replace(
        hash=row.hash if change.raw is None else change.hash or hash_memory(change.raw),
        importance=row.importance if change.importance is None else change.importance,
        tags=row.tags if change.tags is None else json_list(change.tags),
        source=row.source if change.source is None else change.source,
        metadata=row.metadata if change.metadata is None else change.metadata,
    )
    if change.type == LONG_TERM:
        return lifecycle.make_lasting(new)
    if change.type == SHORT_TERM and (change.ttl is not None or row.type != SHORT_TERM):
        return _restart(new, change.ttl, now)
    return new


def _change(work: Work, row: MemoryRow, new: MemoryRow, change: MemoryChange | None) -> Single:
    """Writes what became of a living memory; returns its node as it is now."""
    connection = work.connection
    old = load_living(connection, row)
    if new == row:
        return old
    memory_rows.update_memory(connection, new)
    if (new.hash, new.source, new.tags) == (row.hash, row.source, row.tags):
        return old
    given = None if change is None or new.hash == row.hash else change.text
    single = compose(connection, new, given or read_memory(old.row.content))
    change_single(work, old, single)
    if (single.row, single.tags) != (old.row, old.tags):
        work.describe(old, "mod")
        work.changes.modified.append(row.node)
        work.move_state(old.tree(), single.tree())
    if new.source != row.source:
        refresh_after(connection, row)
    if new.source != row.source or new.hash != row.hash:
        refresh_after(connection, new)
    return single
