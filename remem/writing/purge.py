"""Purge: takes texts out of the history for good, with all that is left of them in the file. What is there now stays.

A text that is purged goes wherever the history holds it. The changes stay and say that their text was purged; a
snapshot that needs one cannot be returned to. A purge is no snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from remem.errors import InvalidInputError
from remem.ids import text_hash
from remem.ingest.labels import label_row
from remem.reading.expiry import Uses
from remem.reading.states import get_snapshot
from remem.reading.versions import find_any_key
from remem.records import PURGED
from remem.storage import former, layouts, purging, summaries
from remem.storage import memories as memory_rows
from remem.storage import nodes as node_rows
from remem.storage import relations as relation_rows
from remem.storage import states as state_rows
from remem.storage.purging import Grave, TextChange
from remem.versioning.layouts import unpack_layout
from remem.writing.lifecycle import forget_memory
from remem.writing.linking import Concern, relink
from remem.writing.relations import key_relation, settle_relations

if TYPE_CHECKING:
    from sqlite3 import Connection


class Purged(NamedTuple):
    """How many texts went, and how many changes tell theirs no more."""

    texts: int
    changes: int


def check_target(snapshot: object, node: object) -> None:
    """Raises InvalidInputError unless one of the two is given."""
    if (snapshot is None) == (node is None):
        raise InvalidInputError("give a `snapshot` or a `node`, one of the two: what is to be purged", field="snapshot")


def purge_texts(connection: Connection, snapshot: object, node: object, now: int, uses: Uses) -> Purged:
    """Purges the texts that no snapshot after `snapshot` holds, or all former texts of a node and of what is, or went
    from, below it. Must run inside a write transaction. Raises InvalidInputError, NotFoundError, AmbiguousError."""
    check_target(snapshot, node)
    purging.overwrite_deleted(connection)
    if node is None:
        purged = _purge_snapshots(connection, get_snapshot(connection, "snapshot", snapshot), now)
    else:
        purged = _purge_node(connection, node, now, uses)
    purging.wipe_freed_vectors(connection)
    purging.merge_texts(connection)
    purging.leave_deleted(connection)
    return purged


# --- which texts ------------------------------------------------------------------------------------------------------


def _purge_snapshots(connection: Connection, snapshot: int, now: int) -> Purged:
    # What a snapshot changed was there until the one before.
    until = snapshot + 1
    held = purging.load_held_hashes(connection, until)
    rows = [row for row in purging.load_changes_until(connection, until) if _is_unheld(row, held)]
    rows = _without_standing(connection, rows)
    graves = [
        one for one in purging.load_graves_until(connection, until) if one.kind == "document" or one.content not in held
    ]
    purging.wipe_layouts_until(connection, until)
    return _wipe(connection, rows, graves, now)


def _is_unheld(row: TextChange, held: Set[bytes]) -> bool:
    return row.kind == "document" or row.content not in held


def _without_standing(connection: Connection, rows: Sequence[TextChange]) -> list[TextChange]:
    """The rows but for moves of nodes that say still what they said."""
    moved = {row.node for row in rows if row.op == "move"}
    standing = {
        key: text_hash(row.content) for key, row in state_rows.load_present(connection, moved).items()
    }  # fmt: skip
    return [row for row in rows if row.op != "move" or standing.get(row.node) != row.content]


def _purge_node(connection: Connection, node: object, now: int, uses: Uses) -> Purged:
    key = find_any_key(connection, node)
    memory = memory_rows.load_memories(connection, [key]).get(key)
    if memory is not None and memory.archived_at is not None:
        forget_memory(connection, memory.id, True, now, uses)
    graves = purging.load_graves_below(connection, key)
    keys = {key, *(grave.key for grave in graves), *_list_living_below(connection, key)}
    rows = _without_standing(connection, purging.load_changes_of(connection, keys))
    hashes = {row.content for row in rows if row.kind != "document"} | {grave.content for grave in graves}
    hashes -= {PURGED, text_hash("")} | set(purging.load_archived_hashes(connection).values())
    rows += [row for row in purging.load_changes_alike(connection, hashes) if row.node not in keys]
    known = {grave.key for grave in graves}
    graves += [grave for grave in purging.load_graves_alike(connection, hashes) if grave.key not in known]
    _wipe_layouts(connection, rows)
    return _wipe(connection, _without_standing(connection, rows), graves, now)


def _list_living_below(connection: Connection, key: int) -> Iterable[int]:
    row = node_rows.load_nodes(connection, [key]).get(key)
    return [] if row is None else [node.key for node in node_rows.load_subtree(connection, row)]


def _wipe_layouts(connection: Connection, rows: Sequence[TextChange]) -> None:
    """Forgets the layouts of documents at times when a node in them said what is purged: its gaps tell of it."""
    wiped = {(row.node, row.snapshot) for row in rows}
    nodes = {row.node for row in rows}
    gone: list[tuple[int, int]] = []
    for layout in layouts.load_all_layouts(connection, state_rows.list_documents_of(connection, nodes)):
        inside = nodes & {node.key for node in unpack_layout(layout.nodes).nodes} if layout.nodes else set()
        following = purging.load_next_changes(connection, inside, layout.snapshot)
        if not wiped.isdisjoint(following.items()):
            gone.append((layout.document, layout.snapshot))
    purging.wipe_layouts(connection, gone)


# --- wiping -----------------------------------------------------------------------------------------------------------


def _wipe(connection: Connection, rows: Sequence[TextChange], graves: Sequence[Grave], now: int) -> Purged:
    purging.wipe_changes(connection, [(row.snapshot, row.node) for row in rows])
    purging.wipe_graves(connection, [grave.key for grave in graves])
    former.forget_former(connection, [grave.key for grave in graves])
    labels = {(row.node, row.label) for row in rows} | {(grave.key, grave.label) for grave in graves}
    nodes = {node for node, _ in labels}
    _wipe_summaries(connection, nodes)
    texts = purging.delete_unheld_contents(connection)
    keys = purging.delete_earlier_names(connection, [(node, label) for node, label in labels if label])
    keys |= _wipe_relations(connection, nodes, graves)
    if keys:
        # Anchors may have been found by earlier labels of headings.
        outlines = {span.document for span in node_rows.load_spans(connection, nodes).values()}
        relink(connection, Concern(keys=keys, outlines=outlines), now)
        settle_relations(connection, (), (), keys, (), outlines)
    return Purged(texts, len(rows))


def _wipe_summaries(connection: Connection, nodes: Set[int]) -> None:
    standing = {key: text_hash(row.content) for key, row in state_rows.load_present(connection, nodes).items()}
    standing = purging.load_archived_hashes(connection) | standing
    kept = summaries.load_summaries(connection, nodes)
    summaries.delete_summaries(connection, [key for key, row in kept.items() if standing.get(key) != row.hash])


def _wipe_relations(connection: Connection, nodes: Set[int], graves: Sequence[Grave]) -> set[str]:
    """Has relations that were made to a node by its id tell its earlier labels no more: they have the one that it has
    now, and where it is gone they have its id alone, whether they wait or lead to another meanwhile; the name keys that
    this concerns."""
    standing = node_rows.load_nodes(connection, nodes)
    rows = relation_rows.load_relations_to(connection, list(standing))
    now = {node.id: label_row(node) for node in standing.values()}
    # A label that a node took from its text stands in no row of the history, so whatever it is called now counts.
    stale = [row for row in rows if row.label != now.get(row.id, row.label)]
    new = [key_relation(row._replace(label=now[row.id])) for row in stale]
    left = relation_rows.load_relations_by_ids(connection, [grave.id for grave in graves])
    stale += left
    new += [key_relation(row._replace(root="", place="", label="")) for row in left]
    relation_rows.update_relations(connection, new)
    return {row.name_key for row in [*stale, *new]}
