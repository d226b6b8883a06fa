"""Pages of what a traversal finds. How to walk is given to it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from remem.reading import find
from remem.reading.cursors import (
    lost_cursor_error,
    mark_request,
    pack_float,
    read_cursor,
    unpack_float,
    write_cursor,
)
from remem.reading.pages import Listing, make_page
from remem.reading.tree import shown_label
from remem.records import Page, PageRequest, Related, RelatedPage, TraversalRequest
from remem.rendering.related import render_related
from remem.storage import nodes as node_rows
from remem.storage import outline

if TYPE_CHECKING:
    from sqlite3 import Connection


Walk: TypeAlias = "Callable[[Connection, TraversalRequest], Sequence[Related]]"
"""Gives all that a traversal finds."""


def walk_from(
    connection: Connection, anchor: object, traversal: TraversalRequest, request: PageRequest, walk: Walk
) -> tuple[RelatedPage, list[int]]:
    """A page of what is found from an anchor given by id or label, and the keys of the nodes on it.

    Raises NotFoundError, AmbiguousError, InvalidInputError.
    """
    start = find.get_node(connection, anchor)
    traversal = replace(traversal, anchor=start.key)
    found = page_related(connection, traversal, walk(connection, traversal), request)
    page = RelatedPage(found.items, found.total, found.left_out, found.cursor, found.printer, start.id)
    return page, [key for key, _ in node_rows.find_refs(connection, [item.node.id for item in page]).values()]


def page_related(
    connection: Connection, traversal: TraversalRequest, found: Sequence[Related], request: PageRequest
) -> Page[Related]:
    """A page of all that a traversal found, in its order. Raises InvalidInputError for a cursor of another request."""
    mark = mark_request("related", traversal)
    start = 0 if request.cursor is None else _find_start(connection, found, read_cursor(mark, request.cursor, 4))
    items = found[start:]
    anchor = outline.load_shown(connection, [traversal.anchor])[traversal.anchor]
    label = shown_label(anchor)

    @cache
    def follow(number: int) -> str:
        last = items[number]
        key, _ = node_rows.find_refs(connection, [last.node.id])[last.node.id]
        return write_cursor(mark, (pack_float(last.score), last.distance, last.hops, key))

    def render(item: Related) -> str:
        return render_related(anchor.id, label, item)

    listing = Listing(items, len(items), len(found), render, follow, f"nothing is related to {label} {anchor.id}")
    return make_page(listing, request.budget)


def _find_start(connection: Connection, found: Sequence[Related], after: tuple[int, ...]) -> int:
    """The number of the first result that ranks after the one of a cursor."""
    score, distance, hops, key = after
    id = outline.find_id(connection, key)
    if id is None:
        raise lost_cursor_error()
    return bisect_right(found, (-unpack_float(score), distance, hops, id), key=_rank)


def _rank(item: Related) -> tuple[float, int, int, str]:
    return -item.score, item.distance, item.hops, item.node.id
