"""What texts mention: the edges by names without a link, whole or by pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from remem.ingest.labels import find_label
from remem.reading.cursors import lost_cursor_error, mark_request, read_cursor, write_cursor
from remem.reading.pages import Listing, make_page, take_items
from remem.records import MICRO, Mention, Page, PageRequest
from remem.rendering.mentions import render_mention
from remem.storage import mentions as mention_rows
from remem.storage import outline
from remem.storage.mentions import ShownMention

if TYPE_CHECKING:
    from sqlite3 import Connection


def page_mentions(connection: Connection, request: PageRequest) -> Page[Mention]:
    """A page of all mentions, text by text. Raises InvalidInputError for a cursor of another request."""
    rows, mark = mention_rows.load_mentions(connection), mark_request("mentions")
    start = 0 if request.cursor is None else _find_start(connection, rows, read_cursor(mark, request.cursor, 2))
    shown = take_items(rows, start, request.budget)

    def follow(number: int) -> str:
        return write_cursor(mark, (shown[number].source, shown[number].target))

    items = [_mention(row) for row in shown]
    listing = Listing(items, len(rows) - start, len(rows), render_mention, follow, "nothing is mentioned")
    return make_page(listing, request.budget)


def _rank(row: ShownMention) -> tuple[str, str, str, int, int]:
    return (row.root, row.path, row.document, row.position, row.target)


def _find_start(connection: Connection, rows: Sequence[ShownMention], after: tuple[int, ...]) -> int:
    """The number of the first row after the one of a cursor, be that one still among them or not."""
    source, target = after
    spot = outline.find_spot(connection, source)
    if spot is None:
        raise lost_cursor_error()
    return bisect_right(rows, (*spot, target), key=_rank)


def _mention(row: ShownMention) -> Mention:
    return Mention(
        source_id=row.id,
        source_label=find_label(row.label, row.kind, row.opening),
        root=row.root,
        path=row.path,
        name=row.name,
        target_id=row.target_id,
        target_label=row.target_label,
        weight=row.weight / MICRO,
        texts=row.texts,
        created_at=row.created_at,
    )
