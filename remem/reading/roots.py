"""Pages of the roots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.reading.cursors import mark_request, read_cursor, write_cursor
from remem.reading.pages import Listing, make_page
from remem.records import Page, PageRequest, Root
from remem.rendering.roots import render_root
from remem.storage import documents as document_rows

if TYPE_CHECKING:
    from sqlite3 import Connection

EMPTY = "nothing is compiled yet"


def page_roots(connection: Connection, request: PageRequest) -> Page[Root]:
    """The roots by name. Raises InvalidInputError for a cursor of another request."""
    roots, mark = document_rows.load_counted_roots(connection), mark_request("roots")
    start = 0
    if request.cursor is not None:
        number, key = read_cursor(mark, request.cursor, 2)
        known = [index for index, root in enumerate(roots) if root.key == key]
        start = known[0] + 1 if known else number  # the last one was dropped: as many are before it as were shown
    items = roots[start:]

    def follow(number: int) -> str:
        return write_cursor(mark, (start + number, items[number].key))

    return make_page(Listing(items, len(items), len(roots), render_root, follow, EMPTY), request.budget)
