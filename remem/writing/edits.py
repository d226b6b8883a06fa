"""Edits: writes a text that a call gives into a note: in the place of a section or block, or below a section. The text
was parsed like a file; nodes keep their ids by the rules by which they keep them when a file is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from remem.errors import InvalidInputError
from remem.ingest.html.marks import LINES
from remem.ingest.levels import shift_levels, top_level
from remem.ingest.splice import Splice, find_prefix, flatten_sections, indent_nodes, replace_nodes
from remem.matching.diff import match_documents
from remem.records import (
    Diagnostic,
    Edited,
    KeyedNode,
    NewDocument,
    OldDocument,
    OldNode,
    ParsedDocument,
    ParsedNode,
    Payload,
)
from remem.writing.revising import Spot, revise, tell_edit
from remem.writing.standing import find_front, nest_nodes

if TYPE_CHECKING:
    from sqlite3 import Connection


class _Fitted(NamedTuple):
    """The nodes of a payload on the levels of their place, and what is to be told of them."""

    nodes: list[KeyedNode]
    problems: tuple[Diagnostic, ...]


def replace_section(connection: Connection, spot: Spot, payload: Payload, now: int) -> Edited:
    """Puts a text in the place of a section (its heading and all below), of a block, or of a whole document.

    Raises InvalidInputError where the text holds no block, or front matter for another place than the top.
    """
    standing, nodes = spot.standing, spot.standing.splice.nodes
    anchor = nodes[spot.index].node
    whole = spot.index == 0
    at_top = whole or 0 < spot.index < standing.front
    _check(payload, at_top=at_top)
    first = 1 if at_top else spot.index
    last = len(nodes) - 1 if whole else standing.front - 1 if at_top else anchor.last
    parent = 0 if at_top else anchor.parent
    fitted = _Fitted(list_new(payload, at_top=at_top), ()) if at_top else _fit(spot, payload, parent, anchor)
    new = _match(spot, first, last, payload.parsed, fitted.nodes)
    after = replace_nodes(standing.splice, first, last, parent, new, payload.parsed.tail)
    top = payload.parsed if at_top else None
    if whole:
        after = Splice(after.nodes, payload.parsed.tail)
    elif bool(anchor.level) != bool(fitted.nodes[0].node.level) or (not anchor.level and top_level(fitted.nodes)):
        after = nest_nodes(standing, after)
    outcome = revise(connection, spot, after, f"write {spot.row.id}", now, top=top)
    kept = [index for index, item in enumerate(after.nodes) if item.key == spot.row.key]
    edited = tell_edit(connection, spot, kept[0] if kept else first, outcome)
    return replace(edited, diagnostics=(*payload.parsed.diagnostics, *fitted.problems))


def append_section(connection: Connection, spot: Spot, payload: Payload, now: int) -> Edited:
    """Adds a text below a section or document: what stands before its first heading behind the section's own text, and
    so before the sections below it; the rest at the end.

    Raises InvalidInputError where nothing can lie below the node, and as `replace_section`.
    """
    _check(payload, at_top=False)
    parent = _find_parent(spot)
    nodes = spot.standing.splice.nodes
    fitted = _fit(spot, payload, parent, None)
    count = next((index for index, item in enumerate(fitted.nodes) if item.node.level), len(fitted.nodes))
    lead, rest = fitted.nodes[:count], [_move_up(item, count) for item in fitted.nodes[count:]]
    end = nodes[parent].node.last + 1
    first = next((i for i in range(parent + 1, end) if nodes[i].node.parent == parent and nodes[i].node.level), end)
    after, behind = spot.standing.splice, payload.parsed.tail
    if lead:
        after = replace_nodes(after, first, first - 1, parent, lead, "" if rest else behind)
    if rest:
        end += len(lead)
        after = replace_nodes(after, end, end - 1, parent, rest, behind)
    outcome = revise(connection, spot, after, f"write below {spot.row.id}", now)
    edited = tell_edit(connection, spot, first if lead else end, outcome)
    return replace(edited, diagnostics=(*payload.parsed.diagnostics, *fitted.problems))


# --- the place --------------------------------------------------------------------------------------------------------


def _check(payload: Payload, *, at_top: bool) -> None:
    nodes = payload.parsed.nodes
    if not list_new(payload, at_top=at_top):
        raise InvalidInputError("the payload holds no text that makes a node", field="payload")
    if not at_top and payload.format == "markdown" and find_front(nodes) > 1:
        message = "front matter stands at the top of a document only: give the document as anchor, or leave it out"
        raise InvalidInputError(message, field="payload")


def _find_parent(spot: Spot) -> int:
    """The place of the node that a text is added to: below a document with a title heading, all lies below that."""
    nodes = spot.standing.splice.nodes
    node = nodes[spot.index].node
    if spot.index == 0:
        title = spot.standing.document.title_heading
        return next((index for index, item in enumerate(nodes) if title is not None and item.key == title), 0)
    if not node.level:
        message = f"{spot.row.id} is a {spot.row.kind}, below which nothing can lie; give a heading or a document"
        raise InvalidInputError(message, field="parent")
    return spot.index


def _fit(spot: Spot, payload: Payload, parent: int, anchor: ParsedNode | None) -> _Fitted:
    """The payload's nodes for a place below `parent`, there in the place of `anchor` (None: at the end)."""
    new = list_new(payload)
    above = spot.standing.splice.nodes[parent].node
    if parent and not above.level:
        assert anchor is not None
        return _Fitted(indent_nodes(flatten_sections(new), find_prefix(anchor.gap, anchor.prefixes)), ())
    new, clamped = shift_levels(new, _find_shift(spot, top_level(new), parent, anchor))
    message = "a heading lies deeper than level 6, and stands on level 6 now"
    return _Fitted(new, tuple(Diagnostic("", node.line, "heading-level", message) for node in clamped))


def _find_shift(spot: Spot, level: int, parent: int, anchor: ParsedNode | None) -> int:
    """By how many levels headings move so that, read as text, they lie where they are put."""
    nodes = spot.standing.splice.nodes
    above = nodes[parent].node
    if not level:
        return 0
    if anchor is not None and anchor.level:
        return anchor.level - level
    if anchor is not None:
        return max(0, above.level + 1 - level)
    beside = [
        item.node.level for item in nodes[parent + 1 : above.last + 1] if item.node.parent == parent and item.node.level
    ]
    if level <= above.level:
        return above.level + 1 - level
    return min(0, beside[-1] - level) if beside else 0


def list_new(payload: Payload, *, at_top: bool = False) -> list[KeyedNode]:
    """The payload's nodes without their document; of HTML without what its head says, unless it goes to the top."""
    nodes = payload.parsed.nodes
    first = find_front(nodes) if payload.format == "html" and not at_top else 1
    return [_lift(node, first) for node in nodes[first:]]


def _lift(node: ParsedNode, first: int) -> KeyedNode:
    """A node of a parsed payload among its fellows, without the lines by which pages of HTML tell their anchors."""
    gap = LINES.sub("", node.gap) if "<!--#" in node.gap else node.gap
    return KeyedNode(node._replace(parent=max(node.parent - first, -1), last=node.last - first, gap=gap))


def _move_up(item: KeyedNode, count: int) -> KeyedNode:
    node = item.node
    return KeyedNode(node._replace(parent=node.parent - count if node.parent >= 0 else -1), item.key)


# --- who is who -------------------------------------------------------------------------------------------------------


def _match(spot: Spot, first: int, last: int, parsed: ParsedDocument, new: Sequence[KeyedNode]) -> list[KeyedNode]:
    """The new nodes with the keys of those in the places `first` to `last` that they continue. The node that the call
    names is what stands first in its place now, where no other node continues it."""
    rows = spot.standing.old.nodes
    document = rows[0]
    old = [OldNode(document.key, "document", document.label or "", "", -1, last - first + 1, 0)]
    for row, item in zip(rows[first : last + 1], spot.standing.splice.nodes[first : last + 1], strict=True):
        above = max(0, item.node.parent - first + 1)
        old.append(OldNode(row.key, row.kind, row.label or "", row.content, above, row.last - first + 1, row.piece))
    top = parsed.nodes[0]._replace(label=document.label or "")
    nodes = (top, *(_drop(item.node) for item in new))
    source = spot.standing.document.source
    before = OldDocument(document.key, spot.root.name, source, top.label, b"old", old)
    after = NewDocument(source, b"new", replace(parsed, source=source, nodes=nodes))
    keys = match_documents([before], [after]).nodes[0][1:]
    keys = [None if key == document.key else key for key in keys]
    return [KeyedNode(item.node, key) for item, key in zip(new, _pin(spot, new, keys), strict=True)]


def _drop(node: ParsedNode) -> ParsedNode:
    return node._replace(parent=node.parent + 1, last=node.last + 1)


def _pin(spot: Spot, new: Sequence[KeyedNode], keys: list[int | None]) -> list[int | None]:
    row = spot.row
    if spot.index == 0 or row.key in keys:
        return keys
    is_heading = row.kind == "heading"
    for index, item in enumerate(new):
        if (item.node.kind == "heading") == is_heading and item.node.parent < 0:
            if keys[index] is None:
                keys[index] = row.key
            break
    return keys
