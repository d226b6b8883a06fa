"""Memories and entities rolled back: each goes back to what it was, be it there, archived or gone, then and now. What
has merely expired counts as there, and stays expired. Makes no snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from remem.errors import ConflictError, RefusedError
from remem.ids import text_hash
from remem.ingest.memories import hash_memory, read_memory
from remem.ingest.tokens import count_tokens
from remem.keys import strict_key
from remem.reading.nodes import make_single
from remem.reading.states import resolve_texts
from remem.records import (
    BY_CALL,
    DEFAULT_IMPORTANCE,
    LONG_TERM,
    ChangeRow,
    EntityRow,
    MemoryRow,
    MemoryText,
    NodeState,
)
from remem.storage import entities as entity_rows
from remem.storage import former, versions
from remem.storage import memories as memory_rows
from remem.storage import nodes as node_rows
from remem.storage import states as state_rows
from remem.storage.lists import json_list
from remem.writing import history
from remem.writing.lifecycle import (
    archive_memory,
    compose,
    load_archived,
    load_living,
    refresh_after,
)
from remem.writing.singles import Single, Work, bury_single, change_single, put_single, take_single

if TYPE_CHECKING:
    from sqlite3 import Connection


def restore_singles(work: Work, states: Mapping[int, NodeState], snapshot: int) -> None:
    """Takes memories and entities (by key) back to their states at a snapshot. What goes, goes first.

    Raises RefusedError where a text was purged, ConflictError where two memories of a source would say the same.
    """
    there = {key: state for key, state in states.items() if state.presence != "absent"}
    texts = resolve_texts(work.connection, there)
    ids = state_rows.load_ids(work.connection, states)
    for key in states:
        if key in there and texts[key] is None:
            message = f"snapshot {snapshot} needs a text of {ids.get(key, key)} that was purged from the history"
            raise RefusedError(message, snapshot=snapshot, id=ids.get(key, ""))
    for key, state in sorted(states.items(), key=lambda item: (item[1].presence != "absent", item[0])):
        kind = state.kind or _find_kind(work.connection, key)
        if kind == "entity":
            _restore_entity(work, key, ids[key], state, texts.get(key) or "")
        else:
            _restore_memory(work, key, ids.get(key, ""), state, texts.get(key) or "")
    for id, other in memory_rows.find_doubles(work.connection, there):
        raise ConflictError(
            f"{id} would say the same as {other} in the same source: remove {other} first, or roll back both", id=other
        )


def _find_kind(connection: Connection, key: int) -> str:
    row = node_rows.load_nodes(connection, [key]).get(key)
    return "memory" if row is None else row.kind


# --- memories ---------------------------------------------------------------------------------------------------------


def _restore_memory(work: Work, key: int, id: str, state: NodeState, content: str) -> None:
    row = memory_rows.load_memories(work.connection, [key]).get(key)
    if state.presence == "absent":
        if row is not None:
            _remove(work, row)
        return
    text = read_memory(content)
    if row is None:
        _return(work, _revive_row(work, key, id, state, text), state, text)
    elif row.archived_at is None:
        _change_living(work, row, state, text)
    else:
        _change_archived(work, row, state, text)


def _give(row: MemoryRow, old: bytes | None, state: NodeState, text: MemoryText, now: int) -> MemoryRow:
    """The row of a memory that says what it said; `old` is the hash of what it says now. The row's own hash is that of
    the text before redaction, and stays with its text."""
    own = set(text.tags)
    tags = json_list(tag for tag in state.tags if tag not in own)
    new = row._replace(hash=row.hash if old == state.content else hash_memory(text.content), tags=tags)
    return row if new == row else new._replace(updated_at=now)


def _says(single: Single, state: NodeState) -> bool:
    return (text_hash(single.row.content), single.tags) == (state.content, state.tags)


def _revive_row(work: Work, key: int, id: str, state: NodeState, text: MemoryText) -> MemoryRow:
    row = former.find_former_memory(work.connection, key)
    if row is None:
        row = MemoryRow(
            key, id, LONG_TERM, DEFAULT_IMPORTANCE, "", "{}", "[]", hash_memory(text.content), work.now, work.now
        )
    gone = versions.find_removed(work.connection, id)
    return _give(row, None if gone is None else gone.content, state, text, work.now)


def _return(work: Work, row: MemoryRow, state: NodeState, text: MemoryText) -> None:
    """Brings a memory back that was removed for good, or archived since and then removed."""
    connection = work.connection
    former.forget_former(connection, [row.node])
    row = row._replace(expires_at=None if row.ttl is None else work.now + row.ttl)
    single = compose(connection, row, text)
    if state.presence == "archived":
        memory_rows.insert_memory(connection, row._replace(archived_at=work.now, archived_by=BY_CALL))
        _bury_again(work, single)
        work.changes.rows.append(ChangeRow(0, row.node, "restore"))
        work.changes.modified.append(row.node)
        work.move_state(None, single.tree(archived=True))
        return
    memory_rows.insert_memory(connection, row)
    put_single(work, compose(connection, row, text), is_known=True)
    work.changes.added.append(row.node)
    work.described.add(row.node)
    work.move_state(None, single.tree())
    refresh_after(connection, row)


def _bury_again(work: Work, single: Single) -> None:
    """Gives an archived memory another text."""
    versions.delete_removed(work.connection, [single.row.key])
    bury_single(work, single)


def _change_living(work: Work, row: MemoryRow, state: NodeState, text: MemoryText) -> None:
    old = load_living(work.connection, row)
    archives = state.presence == "archived"
    if archives:
        work.describe(old, "archive")
    if not _says(old, state):
        new = _give(row, text_hash(old.row.content), state, text, work.now)
        memory_rows.update_memory(work.connection, new)
        single = compose(work.connection, new, text)
        change_single(work, old, single)
        work.describe(old, "mod")
        work.changes.modified.append(row.node)
        work.move_state(old.tree(), single.tree())
        refresh_after(work.connection, new)
        row = new
    if archives:
        archive_memory(work, row)


def _change_archived(work: Work, row: MemoryRow, state: NodeState, text: MemoryText) -> None:
    """A memory that is archived now, or has expired, which counts as living."""
    connection, by_call = work.connection, row.archived_by == BY_CALL
    old = load_archived(connection, row)
    same, lives = _says(old, state), state.presence == "living"
    if same and lives != by_call:
        return
    new = row if same else _give(row, text_hash(old.row.content), state, text, work.now)
    ops = {(True, True): "unarchive", (True, False): "amend", (False, True): "mod", (False, False): "archive"}
    work.describe(old, ops[by_call, lives])
    work.changes.modified.append(row.node)
    if by_call and lives:
        new = new._replace(archived_at=None, archived_by=None, updated_at=work.now)
        new = new._replace(expires_at=None if new.ttl is None else work.now + new.ttl)
        memory_rows.update_memory(connection, new)
        versions.delete_removed(connection, [row.node])
        put_single(work, compose(connection, new, text), is_known=True)
        refresh_after(connection, new)
    else:
        memory_rows.update_memory(connection, new if lives else new._replace(archived_by=BY_CALL))
        if not same:
            _bury_again(work, compose(connection, new, text))
    single = compose(connection, new, text)
    work.move_state(old.tree(archived=by_call), single.tree(archived=not lives))


def _remove(work: Work, row: MemoryRow) -> None:
    """Takes a memory out of the store. What calls related it to waits for it."""
    connection, by_call = work.connection, row.archived_by == BY_CALL
    old = load_living(connection, row) if row.archived_at is None else load_archived(connection, row)
    work.describe(old, "discard" if by_call else "rem")
    work.move_state(old.tree(archived=by_call), None)
    memory_rows.delete_memory(connection, row.node)
    if row.archived_at is not None:
        work.changes.modified.append(row.node)
        return
    work.changes.removed.append(old.row)
    work.changes.graves.append(history.make_grave(old.tree(), 0))
    take_single(work, old)
    refresh_after(connection, row)


# --- entities ---------------------------------------------------------------------------------------------------------


def _restore_entity(work: Work, key: int, id: str, state: NodeState, content: str) -> None:
    connection = work.connection
    row = node_rows.load_nodes(connection, [key]).get(key)
    if state.presence == "absent":
        if row is not None:
            _remove_entity(work, Single(row))
        return
    new = Single(make_single(key, id, "entity", state.label or "", content, count_tokens(content)))
    if row is None:
        name = former.find_former_entity(connection, key) or EntityRow(key, strict_key(state.label or ""), "")
        former.forget_former(connection, [key])
        entity_rows.insert_entity(connection, name)
        put_single(work, new, is_known=True)
        work.changes.added.append(key)
        work.described.add(key)
        work.move_state(None, new.tree())
    elif row != new.row:
        old = Single(row)
        change_single(work, old, new)
        work.describe(old, "mod")
        work.changes.modified.append(key)
        work.move_state(old.tree(), new.tree())


def _remove_entity(work: Work, old: Single) -> None:
    work.describe(old, "rem")
    work.changes.removed.append(old.row)
    work.changes.graves.append(history.make_grave(old.tree(), 0))
    work.move_state(old.tree(), None)
    entity_rows.delete_entity(work.connection, old.row.key)
    take_single(work, old)
