"""The life of memories after they are stored: archived and brought back, promoted, removed for good, and what becomes
of them when their time has come.

An archived memory is out of `nodes` like anything that was removed, so no walk, search or link finds it; its row in
`memories` stays. What has merely expired counts as living in the history: it makes no snapshot and moves no state hash.
The changes that a call makes are told by their `op`: archive, unarchive, rem (from among the living), and discard (of
one that a call had archived).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import orjson

from remem.checks import check_text
from remem.errors import ConflictError, NotFoundError
from remem.ingest.memories import read_memory
from remem.limits import LONGEST_REFERENCE
from remem.reading import find, places
from remem.reading.expiry import READS_TO_PROMOTE, Uses
from remem.reading.memories import tell_memory
from remem.reading.nodes import make_single, order_tags
from remem.records import (
    BY_CALL,
    BY_EXPIRY,
    LONG_TERM,
    SHORT_TERM,
    Forgotten,
    Memory,
    MemoryRow,
    MemoryText,
    NodeRow,
    Swept,
)
from remem.rendering.lines import show_count
from remem.storage import memories as memory_rows
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows
from remem.storage import relations as relation_rows
from remem.storage import usage as usage_rows
from remem.storage import versions
from remem.storage.purging import wipe_freed_vectors
from remem.writing import history
from remem.writing.kept import find_kept, unpack_links
from remem.writing.relations import derive_manual_edges, key_relation
from remem.writing.singles import Single, Work, bury_single, put_single, take_single, write_passage

if TYPE_CHECKING:
    from sqlite3 import Connection

CONTEXT_LENGTH = 2000
"""So many characters of the memory before it in the same source help to find a memory."""


# --- the node of a memory ---------------------------------------------------------------------------------------------


def compose(connection: Connection, row: MemoryRow, text: MemoryText) -> Single:
    """The node that a memory's row and text make."""
    kept = find_kept(connection, row.node, text.content)
    title = kept.label if kept and kept.label else text.title
    node = make_single(row.node, row.id, "memory", title, text.content, text.tokens)
    tags = order_tags([*orjson.loads(row.tags), *text.tags])
    links = (*text.links, *unpack_links(kept.links)) if kept else text.links
    return Single(node, tags, links, find_context(connection, row))


def find_context(connection: Connection, row: MemoryRow) -> str:
    """What helps to find a memory without being part of it: the text of the one before it in the same source."""
    return memory_rows.find_text_before(connection, row)[:CONTEXT_LENGTH]


def load_contexts(connection: Connection, nodes: Iterable[int]) -> dict[int, str]:
    """The same of those of the nodes that are memories of a source, by key."""
    rows = memory_rows.load_memories(connection, nodes).values()
    return {row.node: find_context(connection, row) for row in rows if row.source}


def load_living(connection: Connection, row: MemoryRow) -> Single:
    """The node of a living memory as it stands, without its links."""
    node = node_rows.load_nodes(connection, [row.node])[row.node]
    return Single(node, node_rows.load_node_tags(connection, [row.node]).get(row.node, ()))


def load_archived(connection: Connection, row: MemoryRow) -> Single:
    """The node that an archived memory had. Raises NotFoundError where its text was purged."""
    content = memory_rows.load_text(connection, row.node)
    if content is None:
        raise NotFoundError(f"the text of the archived memory {row.id} is gone for good", id=row.id)
    return compose(connection, row, read_memory(content))


def refresh_after(connection: Connection, row: MemoryRow) -> None:
    """Brings the passage up to date of the memory that comes after this one in its source."""
    after = memory_rows.find_after(connection, row)
    if after is not None:
        own = memory_rows.load_memories(connection, [after])[after]
        write_passage(connection, load_living(connection, own)._replace(context=find_context(connection, own)))


def tell_living(connection: Connection, row: MemoryRow, single: Single, now: int, uses: Uses) -> Memory:
    """A living memory as the calls that change one give it back."""
    use = uses.read(connection, [row.node])[row.node]
    return tell_memory(row, single.row, single.tags, use, now, uses.half_life)


# --- which memory is meant --------------------------------------------------------------------------------------------


def get_living(connection: Connection, reference: object) -> MemoryRow:
    """The living memory of an id or label. Raises NotFoundError, AmbiguousError, and ConflictError for another node."""
    node = find.get_node(connection, reference)
    if node.kind != "memory":
        _refuse_other(connection, node)
    return memory_rows.load_memories(connection, [node.key])[node.key]


def _refuse_other(connection: Connection, node: NodeRow) -> None:
    file = places.find_file(connection, node)
    if file is None:
        raise ConflictError(f"{node.id} is an {node.kind}, not a memory", id=node.id)
    message = f"{node.id} is a {node.kind} of {file}: change the file and compile it, or write over the node"
    raise ConflictError(message, id=node.id, place=places.find_place(connection, node))


def get_any(connection: Connection, reference: object, field: str = "node") -> MemoryRow:
    """The memory of an id, archived or not, or the living one of a label. Raises as `get_living`."""
    id = check_text(field, reference, longest=LONGEST_REFERENCE)
    return memory_rows.find_memory(connection, id) or get_living(connection, id)


def refuse_double(connection: Connection, row: MemoryRow) -> None:
    """Raises ConflictError where another living memory of that source has that content."""
    same = memory_rows.find_same(connection, row.hash, row.source)
    if same is not None and same.node != row.node and same.archived_at is None:
        message = f"the memory {same.id} has the same content in the same source; remove one of the two first"
        raise ConflictError(message, id=same.id)


# --- calls ------------------------------------------------------------------------------------------------------------


def forget_memory(connection: Connection, reference: object, hard: bool, now: int, uses: Uses) -> Forgotten:
    """Archives a living memory, or removes one for good, archived or not. One snapshot.

    Raises NotFoundError, AmbiguousError, ConflictError for a node that is no memory.
    """
    work = Work(connection, now)
    sweep_due(work, uses)
    if hard:
        row = get_any(connection, reference)
        remove_memory(work, row)
        wipe_freed_vectors(connection)
    else:
        row = get_living(connection, reference)
        archive_memory(work, row)
    snapshot = work.finish(f"{'delete' if hard else 'archive'} {row.id}")
    return Forgotten(row.id, hard, snapshot or 0)


def unarchive_memory(connection: Connection, reference: object, now: int, uses: Uses) -> Memory:
    """Brings an archived memory back under its id, with its edges that calls made; the time of a short-term one begins
    anew. One that lives stays as it is, and makes no snapshot.

    Raises NotFoundError; ConflictError where another memory of that source says the same meanwhile.
    """
    work = Work(connection, now)
    sweep_due(work, uses)
    row = get_any(connection, reference, "id")
    if row.archived_at is None:
        single = load_living(connection, row)
    else:
        refuse_double(connection, row)
        row, single = bring_back(work, row, row._replace(updated_at=now))
        work.finish(f"unarchive {row.id}")
    return tell_living(connection, row, single, now, uses)


def promote_memory(connection: Connection, reference: object, now: int, uses: Uses) -> Memory:
    """Makes a living memory long-term. No snapshot. Raises as `get_living`."""
    sweep_due(Work(connection, now), uses)
    row = get_living(connection, reference)
    if row.type != LONG_TERM:
        row = make_lasting(row)._replace(updated_at=now)
        memory_rows.update_memory(connection, row)
    return tell_living(connection, row, load_living(connection, row), now, uses)


def sweep_memories(connection: Connection, now: int, uses: Uses, keep: int | None) -> Swept:
    """Archives or promotes what has expired; removes for good what has been archived for `keep` milliseconds (None:
    nothing), under one snapshot."""
    work = Work(connection, now)
    archived, promoted = sweep_due(work, uses)
    old = [] if keep is None else memory_rows.load_old(connection, now - keep)
    for row in old:
        remove_memory(work, row)
    if old:
        wipe_freed_vectors(connection)
    work.finish(f"delete {show_count(len(old), 'archived memory', 'archived memories')}")
    return Swept(archived, promoted, len(old))


# --- steps ------------------------------------------------------------------------------------------------------------


def make_lasting(row: MemoryRow) -> MemoryRow:
    """The row of a memory that never expires."""
    return row._replace(type=LONG_TERM, ttl=None, expires_at=None)


def sweep_due(work: Work, uses: Uses) -> tuple[int, int]:
    """Archives what has expired, or promotes it where it was read often; how many of each. Every write to memories
    begins with this. One look into an index where there is nothing."""
    due = memory_rows.load_due(work.connection, work.now)
    if not due:
        return 0, 0
    used = uses.read(work.connection, [row.node for row in due])
    promoted = [row for row in due if used[row.node].accesses >= READS_TO_PROMOTE]
    for row in promoted:
        memory_rows.update_memory(work.connection, make_lasting(row))
    for row in due:
        if row not in promoted:
            _expire(work, row)
    return len(due) - len(promoted), len(promoted)


def _expire(work: Work, row: MemoryRow) -> None:
    old = load_living(work.connection, row)
    take_single(work, old)
    bury_single(work, old)
    memory_rows.update_memory(work.connection, row._replace(archived_at=row.expires_at, archived_by=BY_EXPIRY))
    refresh_after(work.connection, row)


def archive_memory(work: Work, row: MemoryRow) -> None:
    """Archives a living memory."""
    old = load_living(work.connection, row)
    _take_from_history(work, old, "archive")
    work.move_state(old.tree(), old.tree(archived=True))
    take_single(work, old)
    memory_rows.update_memory(work.connection, row._replace(archived_at=work.now, archived_by=BY_CALL))
    refresh_after(work.connection, row)


def _take_from_history(work: Work, old: Single, op: str) -> None:
    work.describe(old, op)
    work.changes.removed.append(old.row)
    work.changes.graves.append(history.make_grave(old.tree(), 0))


def bring_back(work: Work, row: MemoryRow, new: MemoryRow) -> tuple[MemoryRow, Single]:
    """Puts an archived memory back in its place, with the fields of `new`; the row and the node as they are now."""
    connection = work.connection
    old = load_archived(connection, row)
    new = new._replace(archived_at=None, archived_by=None)
    if new.type == SHORT_TERM and new.ttl is not None:
        new = new._replace(expires_at=work.now + new.ttl)
    memory_rows.update_memory(connection, new)
    single = compose(connection, new, read_memory(old.row.content))
    versions.delete_removed(connection, [row.node])
    put_single(work, single, is_known=True)
    by_call = row.archived_by == BY_CALL
    if by_call or single.tags != old.tags:
        work.describe(old, "unarchive" if by_call else "mod")
    work.changes.modified.append(row.node)
    work.move_state(old.tree(archived=by_call), single.tree())
    refresh_after(connection, new)
    return new, single


def remove_memory(work: Work, row: MemoryRow) -> None:
    """Removes a memory for good, archived or not: with its own edges that calls made, and its label in those that led
    to it by id, which wait for the id alone from now on. Its text stays in the history."""
    connection = work.connection
    old = load_living(connection, row) if row.archived_at is None else load_archived(connection, row)
    _forget_relations(connection, row)
    if row.archived_at is None:
        _take_from_history(work, old, "rem")
        take_single(work, old)
    else:
        work.describe(old, "discard" if row.archived_by == BY_CALL else "rem")
        work.changes.modified.append(row.node)
    work.move_state(old.tree(archived=row.archived_by == BY_CALL), None)
    memory_rows.delete_memory(connection, row.node)
    name_rows.delete_names(connection, name_rows.load_node_names(connection, [row.node]))
    usage_rows.delete_usage(connection, [row.node])
    if row.archived_at is None:
        refresh_after(connection, row)


def _forget_relations(connection: Connection, row: MemoryRow) -> None:
    own = relation_rows.load_relations_from(connection, [row.node])
    relation_rows.delete_relations(connection, [relation.key for relation in own])
    bare = [
        key_relation(relation._replace(target=None, root="", place="", label="", partial=0, ambiguous=0))
        for relation in relation_rows.load_relations_by_ids(connection, [row.id])
    ]
    relation_rows.update_relations(connection, bare)
    derive_manual_edges(connection, {relation.source for relation in bare})


def list_states(connection: Connection) -> Sequence[history.Tree]:
    """What archived and expired memories add to the state hash: as archived, or as if they lived."""
    return [
        load_archived(connection, row).tree(archived=row.archived_by == BY_CALL)
        for row in memory_rows.load_archived(connection)
        if memory_rows.load_text(connection, row.node) is not None
    ]
