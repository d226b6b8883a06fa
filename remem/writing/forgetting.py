"""Forgetting: takes nodes of notes out of the store on request, alone, with all below them, or so that their children
rise. They stay away until their own text in the file changes. How memories are forgotten is decided in `lifecycle`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from remem.checks import check_text
from remem.errors import ConflictError, InvalidInputError
from remem.ingest.parse import parse_source
from remem.ingest.splice import remove_nodes
from remem.keys import strict_key
from remem.limits import LONGEST_REFERENCE
from remem.reading.expiry import Uses
from remem.records import Forgotten, NodeRow
from remem.rendering.lines import show_count
from remem.storage import memories as memory_rows
from remem.storage import nodes as node_rows
from remem.writing import lifecycle
from remem.writing.revising import Spot, find_spot, find_target, remove_document, revise

if TYPE_CHECKING:
    from sqlite3 import Connection


def forget_node(connection: Connection, reference: object, mode: str, hard: bool, now: int, uses: Uses) -> Forgotten:
    """Forgets a node of a note, or a memory (archived; with `hard`, removed for good). One snapshot.

    Raises NotFoundError, AmbiguousError; ConflictError for a node with others below it under `strict`, and for an
    entity; InvalidInputError for a document under `reparent`, and for a node of a note with `hard`.
    """
    if hard and memory_rows.find_memory(connection, check_text("node", reference, longest=LONGEST_REFERENCE)):
        return lifecycle.forget_memory(connection, reference, True, now, uses)  # an archived one too
    node = find_target(connection, reference)
    if node.kind == "memory":
        return lifecycle.forget_memory(connection, reference, hard, now, uses)
    spot = find_spot(connection, node)
    if mode != "reparent" and _means_document(spot, str(reference)):
        node = spot.standing.old.nodes[0]
        spot = replace(spot, row=node, index=0)
    _check(spot, mode, hard)
    rows = node_rows.load_subtree(connection, node)
    children = [row for row in rows[1:] if row.parent == node.key]
    lifted = children if mode == "reparent" else []
    gone = rows[:1] if mode == "reparent" else rows
    message = f"forget {node.id}"
    if node.kind == "document":
        outcome = remove_document(connection, spot, message, now)
    else:
        places = {row.position for row in gone}
        after = remove_nodes(spot.standing.splice, places)
        # Without its front matter a document has no aliases and no tags of its own.
        top = None if places.isdisjoint(range(1, spot.standing.front)) else parse_source("", "", "markdown")
        outcome = revise(connection, spot, after, message, now, forgotten={row.key for row in gone}, top=top)
    return Forgotten(
        node.id, False, outcome.snapshot or 0, mode, tuple(row.id for row in gone), tuple(row.id for row in lifted)
    )


def _means_document(spot: Spot, reference: str) -> bool:
    """Whether a name that leads to a title heading, as a link would, is the document's and not the heading's alone."""
    row, document = spot.row, spot.standing.old.nodes[0]
    if row.key != spot.standing.document.title_heading or reference == row.id:
        return False
    key = strict_key(reference)
    return key != strict_key(row.label or "") or key == strict_key(document.label or "")


def _check(spot: Spot, mode: str, hard: bool) -> None:
    node, place = spot.row, f"{spot.root.name}/{spot.standing.document.source}"
    if hard:
        message = f"{node.id} is a {node.kind} of {place}: only memories are removed for good; purge removes old texts"
        raise InvalidInputError(message, field="hard")
    if mode == "reparent" and node.kind == "document":
        raise InvalidInputError(f"{node.id} is a document: nothing lies above it; use `mode=cascade`", field="mode")
    below = node.last - node.position
    if mode == "strict" and below:
        raise ConflictError(_refuse(node, below), id=node.id, below=below)


def _refuse(node: NodeRow, below: int) -> str:
    more = show_count(below, "node lies", "nodes lie")
    lift = "" if node.kind == "document" else ", or `mode=reparent` to keep them"
    return f"{more} below {node.id} ({node.kind}); use `mode=cascade` to forget them too{lift}"
