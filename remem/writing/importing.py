"""Takes what a file holds into the store: entities, memories under their ids and with their times, manual edges. One
transaction. Files of notes are compiled before it; what is there already stays as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from remem.checks import check_choice, check_text, check_weight
from remem.errors import RememError
from remem.reading.expiry import Uses
from remem.records import (
    BY_CALL,
    MICRO,
    RELATIONSHIP_TYPES,
    SHORT_TERM,
    EntityGiven,
    ImportedEdge,
    ImportedEntity,
    ImportedMemory,
    ImportedNote,
    ImportFile,
    ImportProblem,
    MemoryChange,
    MemoryDraft,
    RelationRow,
)
from remem.rendering.lines import show_count
from remem.storage import memories as memory_rows
from remem.storage import nodes as node_rows
from remem.storage import relations as relation_rows
from remem.storage import transfer
from remem.writing import given, lifecycle
from remem.writing.authoring import check_target, relate_nodes
from remem.writing.entities import find_or_make
from remem.writing.guard import OPEN, Guard
from remem.writing.history import find_open
from remem.writing.memories import add_memory, change_memory, refuse_foreign
from remem.writing.relations import derive_manual_edges
from remem.writing.singles import Work, rewrite_single

if TYPE_CHECKING:
    from sqlite3 import Connection


class Checked(NamedTuple):
    """A memory whose fields have been checked and whose text was parsed."""

    given: ImportedMemory
    draft: MemoryDraft


@dataclass
class TakenIn:
    """What an import did so far. `ids` tells under which ids the nodes of the file stand in the store, `new` which
    memories were stored; `guard` takes secrets out."""

    guard: Guard = OPEN
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[ImportProblem] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    new: set[str] = field(default_factory=set)

    def refuse(self, line: int, error: RememError) -> None:
        """Notes what could not be taken in."""
        self.problems.append(ImportProblem(line, self.guard.clean(error.message)))


def check_memories(
    found: Sequence[ImportedMemory], problems: list[ImportProblem], guard: Guard = OPEN
) -> list[Checked]:
    """The memories of a file in the order in which they were made; what cannot be stored is a problem."""
    checked = []
    for memory in sorted(found, key=lambda memory: memory.created_at or 0):
        try:
            checked.append(Checked(memory, given.check_draft(**memory.fields, guard=guard)))
        except RememError as error:
            problems.append(ImportProblem(memory.line, guard.clean(error.message)))
    return checked


def take_in(
    connection: Connection, file: ImportFile, memories: Sequence[Checked], now: int, uses: Uses, guard: Guard = OPEN
) -> TakenIn:
    """Stores what a file holds. Must run inside a write transaction of its own; one snapshot for what is new or says
    something else, that of the notes which were compiled before where there are such."""
    taken = TakenIn(guard)
    work = Work(connection, now)
    lifecycle.sweep_due(work, uses)
    for entity in file.entities:
        _take_entity(work, entity, taken)
    changed = [checked for checked in memories if not _take_memory(work, checked, taken)]
    for checked in changed:
        _renew(work, checked, taken)
    told = show_count(taken.counts["stored"] + taken.counts["updated"], "memory", "memories")
    work.finish(f"import {told}", find_open(connection))
    _put_away(connection, memories, taken.new, now)
    taken.ids |= _find_notes(connection, file.notes)
    _take_edges(connection, file.edges, taken, now)
    return taken


# --- entities and memories --------------------------------------------------------------------------------------------


def _take_entity(work: Work, entity: ImportedEntity, taken: TakenIn) -> None:
    try:
        clean = taken.guard.clean
        name = clean(check_text("name", entity.name, longest=given.LONGEST_NAME).strip())
        type = clean(check_text("entity_type", entity.type, longest=given.LONGEST_NAME, empty=True).strip())
        said = clean(check_text("content", entity.description, empty=True))
    except RememError as error:
        return taken.refuse(entity.line, error)
    node, _, _ = find_or_make(work, EntityGiven(name, type, said))
    taken.ids[entity.id] = node.id


def _take_memory(work: Work, checked: Checked, taken: TakenIn) -> bool:
    """Stores a memory that is new; False where the file may change the one that is there."""
    draft, connection = checked.draft, work.connection
    row = memory_rows.find_memory(connection, draft.id or "")
    if row is not None and row.hash != draft.hash and checked.given.renewed and row.archived_at is None:
        return False
    if row is not None and row.hash != draft.hash:
        message = f"the store has a memory {row.id} that says something else, which stays as it is"
        taken.problems.append(ImportProblem(checked.given.line, message))
        return True
    same = row or memory_rows.find_same(connection, draft.hash, draft.source)
    if same is not None:
        taken.counts["unchanged"] += 1
        taken.ids[draft.id or same.id] = same.id
        return True
    try:
        _add(work, checked)
        taken.counts["stored"] += 1
        taken.new.add(draft.id or "")
    except RememError as error:
        taken.refuse(checked.given.line, error)
    return True


def _add(work: Work, checked: Checked) -> None:
    """Stores a memory and gives it the times that it had."""
    found, connection = checked.given, work.connection
    refuse_foreign(connection, checked.draft.id or "")
    row, _ = add_memory(work, checked.draft)
    made = row.created_at if found.created_at is None else found.created_at
    new = row._replace(created_at=made, updated_at=found.updated_at or made)
    if row.type == SHORT_TERM and found.expires_at is not None:
        new = new._replace(expires_at=found.expires_at)
    memory_rows.update_memory(connection, new)
    if new.source:  # what stood before it in its source helps to find it
        rewrite_single(connection, lifecycle.compose(connection, new, checked.draft.text), work.now)
        lifecycle.refresh_after(connection, new)


def _put_away(connection: Connection, memories: Sequence[Checked], new: Collection[str], now: int) -> None:
    """Archives again the memories of the file that were, of those that are new here; under a snapshot of its own, since
    they lived in the one before."""
    work = Work(connection, now)
    for found, draft in memories:
        row = memory_rows.find_memory(connection, draft.id or "") if draft.id in new else None
        if found.archived_at is not None and row is not None:
            lifecycle.archive_memory(work, row)
            memory_rows.update_memory(connection, row._replace(archived_at=found.archived_at, archived_by=BY_CALL))
    work.finish("import archived memories")


def _renew(work: Work, checked: Checked, taken: TakenIn) -> None:
    """Has a memory say what the file says now."""
    draft = checked.draft
    change = MemoryChange(
        text=draft.text, raw=draft.text.content, tags=draft.tags, source=draft.source, metadata=draft.metadata,
        hash=draft.hash,
    )  # fmt: skip
    try:
        change_memory(work, draft.id, change)
        taken.counts["updated"] += 1
    except RememError as error:
        taken.refuse(checked.given.line, error)


# --- edges ------------------------------------------------------------------------------------------------------------


def _find_notes(connection: Connection, notes: Iterable[ImportedNote]) -> dict[str, str]:
    """Under which ids the nodes of files stand here: by their places, since a tree follows from its text alone."""
    return transfer.find_at_places(connection, ((note.id, note.root, note.source, note.position) for note in notes))


def _take_edges(connection: Connection, edges: Iterable[ImportedEdge], taken: TakenIn, now: int) -> None:
    sources: set[int] = set()
    # Those that wait come first: while one waits for its heading it makes an edge, which the file tells of as well.
    for edge in sorted(edges, key=lambda edge: edge.target_id is not None):
        try:
            sources |= _take_edge(connection, edge, taken, now)
        except RememError as error:
            taken.refuse(edge.line, error)
    derive_manual_edges(connection, sources)


def _take_edge(connection: Connection, edge: ImportedEdge, taken: TakenIn, now: int) -> set[int]:
    """Makes an edge that is not there yet, with the times that it had; gives the key of the node it leaves."""
    type = check_choice("relationship_type", edge.type, RELATIONSHIP_TYPES)
    weight = check_weight("weight", edge.weight)
    source = taken.ids.get(edge.source_id, edge.source_id)
    end = None if edge.target_id is None else taken.ids.get(edge.target_id, edge.target_id)
    label, place = taken.guard.clean(edge.label), taken.guard.clean(edge.place)
    target = check_target(end, None if end is not None else label, place or None if end is None else None)
    if end is not None and (meant := _find_waiting(connection, source, end, type, weight)):
        return _give_times(connection, [row for row in meant if row.created_at == now], edge)
    made = relate_nodes(connection, source, target, type, weight, edge.updated_at or now)
    if not made.created:
        return set()
    taken.counts["waiting" if made.pending else "edges"] += 1
    start = node_rows.find_node(connection, made.source_id)
    if start is None:
        return set()
    rows = relation_rows.load_relations_from(connection, [start.key])
    return _give_times(connection, [max(rows, key=lambda row: row.key)], edge)


def _find_waiting(connection: Connection, source: str, target: str, type: str, weight: float) -> list[RelationRow]:
    """The relations that wait for their heading and make an edge meanwhile, if that is just this one."""
    start, end = node_rows.find_node(connection, source), node_rows.find_node(connection, target)
    if start is None or end is None:
        return []
    wanted = (end.key, RELATIONSHIP_TYPES.index(type))
    rows = relation_rows.load_relations_from(connection, [start.key])
    waiting = [row for row in rows if row.partial and (row.target, row.type) == wanted]
    return waiting if round(weight * MICRO) in {row.weight for row in waiting} else []


def _give_times(connection: Connection, rows: Sequence[RelationRow], edge: ImportedEdge) -> set[int]:
    """Gives new relations the times that the edge of the file had; the keys of the nodes that they leave."""
    if edge.created_at is None:
        return set()
    updated = edge.updated_at or edge.created_at
    relation_rows.update_relations(
        connection, [row._replace(created_at=edge.created_at, updated_at=updated) for row in rows]
    )
    return {row.source for row in rows}
