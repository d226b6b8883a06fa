"""Payloads: texts that calls give to be written, checked and parsed; and what `write` and `summarise` make of them,
whatever they are about: a memory, or a node of a note."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from remem.checks import check_choice, check_text
from remem.errors import InvalidInputError
from remem.ids import text_hash
from remem.ingest.labels import label_row
from remem.ingest.memories import read_memory
from remem.ingest.redacted import parse_redacted
from remem.reading.expiry import Uses
from remem.records import (
    WRITE_FORMATS,
    ChangedNode,
    Edited,
    Memory,
    MemoryChange,
    NodeRow,
    Payload,
    SummaryRow,
)
from remem.storage import links as link_rows
from remem.storage import summaries as summary_rows
from remem.storage import versions
from remem.writing import edits, given, memories, summaries
from remem.writing.guard import OPEN, Guard
from remem.writing.kept import choose_kept, pack_links
from remem.writing.revising import find_spot, find_target

if TYPE_CHECKING:
    from sqlite3 import Connection

LONGEST_PAYLOAD = 1_000_000
"""Characters."""


def check_payload(payload: object, format: object, max_tokens: int, guard: Guard = OPEN) -> Payload:
    """A text to be written, parsed like a file, without the secrets that `guard` finds. Raises InvalidInputError."""
    chosen = check_choice("format", format, WRITE_FORMATS)
    text = check_text("payload", payload, longest=LONGEST_PAYLOAD)
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    parsed = parse_redacted(guard.redactor, "", plain, chosen, max_tokens=max_tokens)
    cleaned = guard.clean(text)
    return Payload(cleaned, chosen, parsed, None if cleaned == text else guard.hash_text(text, cleaned))


def check_summary(text: object, guard: Guard = OPEN) -> MemoryChange:
    """A summary, as the new text that it would be of a memory. Raises InvalidInputError."""
    return given.check_content(text, guard, "text")


def write(
    connection: Connection, payload: Payload, anchor: str | None, parent: str | None, now: int, uses: Uses
) -> Edited:
    """Writes a text in the place of `anchor`, or below `parent`, or as a memory where neither is given. One snapshot.

    Raises NotFoundError, AmbiguousError; ConflictError for an entity, and for a memory that would have the same text as
    another one; InvalidInputError for what cannot stand there.
    """
    if anchor is None and parent is None:
        return _store(connection, payload, now, uses)
    node = find_target(connection, anchor if anchor is not None else parent)
    if node.kind == "memory":
        if anchor is None:
            raise InvalidInputError(f"{node.id} is a memory, below which nothing can lie", field="parent")
        text = _check_memory(payload)
        change = MemoryChange(text=read_memory(text), raw=text, hash=payload.hash)
        return _update(connection, node, change, now, uses)
    spot = find_spot(connection, node)
    put = edits.replace_section if anchor is not None else edits.append_section
    return put(connection, spot, payload, now)


def summarise(connection: Connection, reference: str, change: MemoryChange, now: int, uses: Uses) -> Edited:
    """Replaces what a node says by a summary: its id and label stay, links that it does not repeat too. One snapshot.

    Raises NotFoundError, AmbiguousError; ConflictError for an entity, front matter, and for a memory that would have
    the same text as another one.
    """
    node = find_target(connection, reference)
    if node.kind == "memory":
        return _summarise_memory(connection, node, change, now, uses)
    return summaries.summarise_node(connection, find_spot(connection, node), change.raw or "", now)


# --- memories ---------------------------------------------------------------------------------------------------------


def _check_memory(payload: Payload) -> str:
    """The payload as the text of a memory: of HTML its readable text."""
    if payload.format == "html":
        text = "\n\n".join(item.node.content for item in edits.list_new(payload) if item.node.content)
        return check_text("payload", text)
    return check_text("payload", payload.text)


def _store(connection: Connection, payload: Payload, now: int, uses: Uses) -> Edited:
    before = _newest(connection)
    draft = given.check_draft(_check_memory(payload))
    draft = draft if payload.hash is None else replace(draft, hash=payload.hash)
    memory = memories.store_memories(connection, [draft], now, uses)[0]
    edited, told = _tell(connection, memory, before)
    return edited if memory.existing else replace(edited, added=told)


def _update(connection: Connection, node: NodeRow, change: MemoryChange, now: int, uses: Uses) -> Edited:
    before = _newest(connection)
    memory = memories.update_memory(connection, node.id, change, now, uses)
    edited, told = _tell(connection, memory, before)
    return edited if edited.snapshot is None else replace(edited, modified=told)


def _summarise_memory(connection: Connection, node: NodeRow, change: MemoryChange, now: int, uses: Uses) -> Edited:
    assert change.text is not None
    links = link_rows.load_links_of_nodes(connection, [node.key])
    kept = choose_kept(links, change.text.links, [node.key])
    row = SummaryRow(node.key, text_hash(change.text.content), node.label, pack_links(kept))
    if change.text.content != node.content:
        summary_rows.save_summary(connection, row)
    return _update(connection, node, change, now, uses)


def _newest(connection: Connection) -> int:
    newest = versions.find_newest_snapshot(connection)
    return newest.id if newest else 0


def _tell(connection: Connection, memory: Memory, before: int) -> tuple[Edited, tuple[ChangedNode, ...]]:
    """What was done to a memory so far as its snapshot tells, and the memory as a changed node."""
    node = find_target(connection, memory.id)
    label, after = label_row(node), _newest(connection)
    edited = Edited(node.id, node.kind, label, "", "", after if after != before else None)
    return edited, (ChangedNode(node.id, node.kind, label),)
