"""Pages of what a traversal finds. How to walk is given to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from remem.reading import find
from remem.reading.cursors import mark_request
from remem.reading.pages import Listing, make_page
from remem.reading.passed import Passed, ShownNodes, read_passed, write_passed
from remem.reading.tree import shown_label
from remem.records import NodeRow, PageRequest, Related, RelatedPage, TraversalRequest
from remem.rendering.related import render_related
from remem.storage import outline

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.graph.telling import ToldPaths


Walk: TypeAlias = "Callable[[Connection, TraversalRequest], ToldPaths]"
"""Gives all that a traversal finds."""


def walk_from(
    connection: Connection,
    anchor: object,
    traversal: TraversalRequest,
    request: PageRequest,
    walk: Walk,
    kept: ShownNodes,
) -> tuple[RelatedPage, list[int]]:
    """A page of what is found from an anchor given by id or label, and the keys of the nodes on it.

    The cursor goes on with the best of what was not shown before, as all rank by then. Raises NotFoundError,
    AmbiguousError, InvalidInputError (for a cursor of another request, too).
    """
    start = find.get_node(connection, anchor, "anchor")
    traversal = replace(traversal, anchor=start.key)
    mark = mark_request("related", traversal)
    found = walk(connection, traversal)
    passed = Passed() if request.cursor is None else read_passed(mark, request.cursor, kept)
    before = passed.join(found.keys[: passed.first])
    items = found.leave_out(before)
    if request.budget is None:
        items.tell_all()
    listing = _list_items(
        connection,
        start,
        items,
        len(found),
        lambda count: write_passed(mark, before.union(items.keys[:count]), request.budget),
    )
    page = make_page(listing, request.budget)
    shown = list(items.keys[: len(page)])
    if page.left_out:
        kept.keep(before.union(shown))
    return RelatedPage(page.items, page.total, page.left_out, page.cursor, page.printer, start.id), shown


def _list_items(
    connection: Connection, start: NodeRow, items: Sequence[Related], total: int, follow: Callable[[int], str]
) -> Listing[Related]:
    """What pages are made of; `follow` makes the cursor that goes on after so many items."""
    label = shown_label(outline.load_shown(connection, [start.key])[start.key])

    def render(item: Related) -> str:
        return render_related(start.id, label, item)

    nothing = f"nothing is related to {label} {start.id}"
    return Listing(items, len(items), total, render, cache(lambda number: follow(number + 1)), nothing)
