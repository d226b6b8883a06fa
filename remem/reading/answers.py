"""Pages of search answers. It ranks nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from remem.errors import InvalidInputError
from remem.reading.cursors import mark_request, read_cursor, write_cursor
from remem.reading.pages import Listing, make_page
from remem.records import PageRequest, SearchAnswer, SearchPage, SearchRequest
from remem.rendering.hits import render_hit, render_notes
from remem.storage import versions

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_HITS = 200

Search: TypeAlias = "Callable[[Connection, SearchRequest], tuple[SearchAnswer, list[int]]]"
"""Gives an answer and the keys of the nodes of its hits."""


def page_search(
    connection: Connection, asked: SearchRequest, request: PageRequest, search: Search
) -> tuple[SearchPage, list[int]]:
    """A page of an answer, at most `asked.limit` hits, and the keys of the nodes on it.

    The cursor goes on at the next hit, on a store that has changed since after the hit that was shown last, wherever
    that ranks now. Raises InvalidInputError for a cursor of another request, or beside an offset.
    """
    mark = mark_request("search", replace(asked, offset=0, limit=1, explain=False))
    newest = versions.find_newest_snapshot(connection)
    snapshot = 0 if newest is None else newest.id
    if request.cursor is not None:
        after = read_cursor(mark, request.cursor, 3)
        asked = replace(asked, offset=_find_offset(connection, asked, after, snapshot, search))
    answer, keys = search(connection, asked)

    def follow(number: int) -> str:
        return write_cursor(mark, (asked.offset + number + 1, snapshot, keys[number]))

    left = max(answer.total - asked.offset, 0) if answer.hits else 0
    listing = Listing(
        answer.hits, left, answer.total, render_hit, follow, tail=render_notes(answer.searched, answer.notes)
    )
    page = make_page(listing, request.budget)
    shown = len(page)
    following = asked.offset + shown if page.left_out else None
    told = SearchPage(
        page.items, page.total, page.left_out, page.cursor, page.printer,
        answer.mode, answer.searched, answer.notes, following,
    )  # fmt: skip
    return told, keys[:shown]


def _find_offset(
    connection: Connection, asked: SearchRequest, after: tuple[int, ...], snapshot: int, search: Search
) -> int:
    """How many hits are passed over to go on after the one of a cursor."""
    if asked.offset:
        raise InvalidInputError("give a cursor or an offset, not both", field="offset")
    offset, seen, last = after
    if seen == snapshot:
        return offset
    _, keys = search(connection, replace(asked, limit=min(offset + asked.limit, MOST_HITS)))
    return keys.index(last) + 1 if last in keys else offset
