"""What waits: links and relations without a target, with the names they may mean, whole or by pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from remem.ingest.labels import find_label
from remem.reading.cursors import lost_cursor_error, mark_request, read_cursor, write_cursor
from remem.reading.pages import Listing, make_page, take_items
from remem.records import MICRO, Hint, Page, PageRequest, PendingEdge
from remem.rendering.pending import render_pending
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows
from remem.storage import outline, waiting
from remem.storage.waiting import WaitingLink

if TYPE_CHECKING:
    from sqlite3 import Connection


def list_pending(connection: Connection, *, suggest: bool = True, limit: int | None = None) -> list[PendingEdge]:
    """All pending edges, or the first `limit`: those of texts in their order, then relations, oldest first. With
    `suggest`, each with up to three (id, label) of nodes whose names are close."""
    return _tell(connection, _load_rows(connection)[:limit], suggest=suggest)


def page_pending(connection: Connection, request: PageRequest, *, suggest: bool = True) -> Page[PendingEdge]:
    """A page of the same. Raises InvalidInputError for a cursor of another request."""
    rows, mark = _load_rows(connection), mark_request("pending", suggest)
    start = 0 if request.cursor is None else _find_start(connection, rows, read_cursor(mark, request.cursor, 3))
    shown = take_items(rows, start, request.budget)
    edges = _tell(connection, shown, suggest=suggest)

    def follow(number: int) -> str:
        row = shown[number]
        return write_cursor(mark, (int(_is_relation(row)), row.key, row.ordinal))

    listing = Listing(edges, len(rows) - start, len(rows), render_pending, follow, "nothing is pending")
    return make_page(listing, request.budget)


def _load_rows(connection: Connection) -> list[WaitingLink]:
    return [*waiting.load_pending_links(connection), *waiting.load_pending_relations(connection)]


def _is_relation(row: WaitingLink) -> bool:
    return row.form == "relation"


def _rank(row: WaitingLink) -> Any:
    """What orders the rows, links before relations."""
    if _is_relation(row):
        return (1, row.key)
    return (0, row.root, row.path, row.place, row.position, row.ordinal)


def _find_start(connection: Connection, rows: Sequence[WaitingLink], after: tuple[int, ...]) -> int:
    """The number of the first row after the one of a cursor, be that one still among them or not."""
    relation, key, ordinal = after
    if relation:
        return bisect_right(rows, (1, key), key=_rank)
    spot = outline.find_spot(connection, key)
    if spot is None:
        raise lost_cursor_error()
    return bisect_right(rows, (0, *spot, ordinal), key=_rank)


def _tell(connection: Connection, rows: Sequence[WaitingLink], *, suggest: bool) -> list[PendingEdge]:
    offers = _suggest(connection, rows) if suggest and rows else {}
    return [_pending(row, offers.get(_hint(row), ())) for row in rows]


def _hint(row: WaitingLink) -> Hint:
    label, anchor = row.label, row.anchor
    if row.form == "relation":
        label, _, anchor = (part.strip() for part in row.label.partition("#"))
    return Hint(label, anchor, row.source)


def _suggest(connection: Connection, rows: Sequence[WaitingLink]) -> dict[Hint, tuple[tuple[str, str], ...]]:
    from remem.graph.suggest import SuggestionIndex  # loads numpy, which most calls do not need

    index = SuggestionIndex(name_rows.load_every_name(connection))
    found = {hint: index.find(hint) for hint in {_hint(row) for row in rows}}
    keys = {name.node for names in found.values() for name in names}
    ids = {key: row.id for key, row in node_rows.load_nodes(connection, keys).items()}
    return {hint: tuple((ids[name.node], name.text) for name in names) for hint, names in found.items()}


def _pending(row: WaitingLink, suggestions: tuple[tuple[str, str], ...]) -> PendingEdge:
    return PendingEdge(
        source_id=row.source_id,
        source_label=find_label(row.source_label, row.source_kind, row.opening),
        root=row.root,
        path=row.path,
        label=row.label,
        source=row.source,
        id=row.id,
        anchor=row.anchor,
        relationship_type=row.type,
        origin="manual" if row.form == "relation" else "parsed",
        weight=row.weight / MICRO,
        source_missing=bool(row.missing),
        suggestions=suggestions,
    )
