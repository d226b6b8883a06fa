"""Pages of search answers. It ranks nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from remem.errors import InvalidInputError
from remem.reading import find
from remem.reading.cursors import mark_request
from remem.reading.pages import Listing, make_page
from remem.reading.passed import Passed, ShownNodes, read_passed, write_passed
from remem.records import PageRequest, SearchAnswer, SearchPage, SearchRequest
from remem.rendering.hits import render_hit, render_notes

if TYPE_CHECKING:
    from sqlite3 import Connection

Search: TypeAlias = "Callable[[Connection, SearchRequest], tuple[SearchAnswer, list[int]]]"
"""Gives an answer and the keys of the nodes of its ranking, from the first that was not shown to the last hit."""


def page_search(
    connection: Connection, asked: SearchRequest, request: PageRequest, search: Search, kept: ShownNodes
) -> tuple[SearchPage, list[int]]:
    """A page of an answer, at most `asked.limit` hits, and the keys of the nodes on it.

    The cursor goes on with the best hits that were not shown before, as all rank by then: none is repeated, and none
    is left out, whatever has changed since. Raises InvalidInputError for a cursor of another request, beside an offset,
    or where what was shown is not known any more; NotFoundError and AmbiguousError for `related_to`, in modes that do
    not use it, too.
    """
    if asked.related_to is not None:
        find.get_node(connection, asked.related_to, "related_to")
    mark = mark_request("search", replace(asked, offset=0, limit=1, explain=False))
    passed = Passed(first=asked.offset)
    if request.cursor is not None:
        if asked.offset:
            raise InvalidInputError("give a `cursor` or an `offset`, not both", field="offset")
        passed = read_passed(mark, request.cursor, kept)
    answer, ranked = search(connection, replace(asked, offset=passed.first, shown=passed.nodes))
    before, keys = passed.join(ranked[: passed.first]), ranked[passed.first :]

    @cache
    def follow(number: int) -> str:
        return write_passed(mark, before.union(keys[: number + 1]), request.budget)

    left = max(answer.total - answer.passed - passed.first, 0) if answer.hits else 0
    tail = render_notes(answer.searched, answer.notes)
    page = make_page(Listing(answer.hits, left, answer.total, render_hit, follow, tail=tail), request.budget)
    shown = keys[: len(page)]
    following = None
    if page.left_out:
        following = len(before) + len(shown)
        kept.keep(before.union(shown))
    told = SearchPage(
        page.items, page.total, page.left_out, page.cursor, page.printer,
        answer.mode, answer.searched, answer.notes, following,
    )  # fmt: skip
    return told, shown
