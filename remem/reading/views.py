"""Pages of one node to read: parts of its section's text that end with a line, then the edges at it, then the index
below. The parts of all pages joined are the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from remem.errors import InvalidInputError
from remem.ingest.tokens import count_tokens, fits_limit
from remem.reading import find
from remem.reading.cursors import mark_request, read_cursor, write_cursor
from remem.reading.nodes import view_node
from remem.reading.pages import CUT, count_text, show_fitted
from remem.records import Node, NodeView, Page, PageRequest, Printed
from remem.rendering.budget import cut_text, fit_units, shorten_text
from remem.rendering.lines import show_label, show_name, show_rest
from remem.rendering.node import BELOW, EDGES, render_child, render_edge, render_head
from remem.usage.temperature import Thermometer

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.records import Memory

GOES_ON = "… (the line goes on)"
SHARE_OF_HEAD = 3
"""The head of a page takes no more than this part of its budget."""

_LINE = re.compile("\n")


class Place(NamedTuple):
    """Where a page begins: characters of the text, edges, and lines below that were shown before."""

    text: int = 0
    edges: int = 0
    below: int = 0


def read_view(
    connection: Connection, reference: object, depth: int, request: PageRequest, thermometer: Thermometer
) -> tuple[int, Page[NodeView]]:
    """The key of a node given by id or label, and a page of it with the lines below it down to `depth`.

    Raises NotFoundError, AmbiguousError, InvalidInputError.
    """
    row = find.get_node(connection, reference)
    return row.key, page_view(view_node(connection, row, depth, thermometer=thermometer), depth, request)


def view_archived(memory: Memory) -> NodeView:
    """An archived memory, which is no node any more, as a node to read: it has no edges."""
    node = Node(
        memory.id, memory.kind, memory.label, memory.content, "", "", None, 0, 0, memory.tokens, memory.tags,
        memory.temperature, memory.pinned,
    )  # fmt: skip
    return NodeView(node, (), memory.content, (), ())


def page_view(view: NodeView, depth: int, request: PageRequest) -> Page[NodeView]:
    """A page with the node as its one item, of which it holds just what the page prints.

    Raises InvalidInputError for a cursor of another request, and where the node has changed since.
    """
    mark = mark_request("show", view.node.id, depth)
    state = _digest(view)
    start = Place()
    if request.cursor is not None:
        *place, seen = read_cursor(mark, request.cursor, 4)
        start = Place(*place)
        if seen != state:
            raise InvalidInputError(
                "the node has changed since the cursor was given: leave the cursor out to read it anew", field="cursor"
            )
    return _Pages(view, start, mark, state).make(request.budget)


def _digest(view: NodeView) -> int:
    """What tells that a node is not as it was: three bytes of all that its pages show but for temperatures."""
    shown = (view.text, [(edge.source_id, edge.target_id) for edge in view.edges], [line.id for line in view.children])
    return int.from_bytes(blake2b(repr(shown).encode("utf-8", "surrogatepass"), digest_size=3).digest(), "big")


class _Pages:
    """The units of a view from a place on: lines of the text, edges, lines below."""

    def __init__(self, view: NodeView, start: Place, mark: bytes, state: int) -> None:
        self.view, self.start, self.mark, self.state = view, start, mark, state
        self.ends = _end_lines(view.text, start.text)
        self.edges = len(view.edges) - start.edges
        self.units = len(self.ends) + self.edges + len(view.children) - start.below
        self.total = len(_end_lines(view.text, 0)) + len(view.edges) + len(view.children)
        self.head = self._render_head()
        self.show = cache(self._render)

    def make(self, budget: int | None) -> Page[NodeView]:
        """The page."""
        if budget is None:
            return self._finish(self._reach(self.units), 0, lambda: count_text(self._compose(self.units)))
        self.head = self._shorten_head(budget // SHARE_OF_HEAD)
        fitted = fit_units(self.units, self._measure, self._compose, budget)
        if not fitted.units and self.units:
            return self._cut_first(budget)
        printed = show_fitted(fitted)
        return self._finish(self._reach(fitted.units), self.units - fitted.units, lambda: printed)

    def _finish(self, end: Place, left: int, printer: Callable[[], Printed]) -> Page[NodeView]:
        view, start = self.view, self.start
        text = view.text[start.text : end.text]
        whole = not left and start == Place()
        part = NodeView(
            node=view.node if whole or view.node.content in text else replace(view.node, content=""),
            breadcrumb=view.breadcrumb,
            text=text,
            children=view.children[start.below : end.below],
            edges=view.edges[start.edges : end.edges],
            ends=view.ends[start.edges : end.edges],
            total_tokens=view.total_tokens,
        )
        return Page((part,), self.total, left, self._follow(end) if left else None, printer)

    def _reach(self, count: int) -> Place:
        """Where the page ends that holds so many units."""
        lines = min(count, len(self.ends))
        edges = min(count - lines, self.edges)
        text = self.ends[lines - 1] if lines else self.start.text
        return Place(text, self.start.edges + edges, self.start.below + count - lines - edges)

    def _render(self, number: int) -> str:
        if number < len(self.ends):
            return self._read_line(number).rstrip("\n")
        number += self.start.edges - len(self.ends)
        if number < len(self.view.edges):
            return render_edge(self.view.edges[number], self.view.node.id, self.view.ends[number])
        return render_child(self.view, number - len(self.view.edges) + self.start.below)

    def _read_line(self, number: int) -> str:
        return self.view.text[self.ends[number - 1] if number else self.start.text : self.ends[number]]

    def _measure(self, number: int) -> int:
        return count_tokens(self.show(number) + "\n")

    def _compose(self, count: int) -> str:
        left = self.units - count
        end = self._reach(max(count, 1)) if left else None
        return self._join(map(self.show, range(count)), end, left)

    def _join(self, units: Iterable[str], end: Place | None, left: int) -> str:
        parts = [self.head]
        for number, unit in enumerate(units):
            if number in (0, len(self.ends)):
                parts += ["", EDGES] if number == len(self.ends) and self.edges else [""]
            if number == len(self.ends) + self.edges:
                parts += ["", BELOW] if self.edges else [BELOW]
            parts.append(unit)
        return "\n".join([*parts, *([show_rest(left, self._follow(end))] if end else [])])

    def _cut_first(self, budget: int) -> Page[NodeView]:
        """A page of nothing but the start of a unit that is too long. Of a line of the text, the next page has the
        rest; of anything else it is left out."""
        of_text = bool(self.ends)

        def find_end(start: str) -> Place:
            return Place(self.start.text + len(start), *self.start[1:]) if of_text else self._reach(1)

        def compose(start: str) -> str:
            left = self.units - (not of_text)
            return self._join([start + (GOES_ON if of_text else CUT)], find_end(start) if left else None, left)

        start = cut_text(self.show(0), compose, budget)
        printed = count_text(compose(start))
        return self._finish(find_end(start), self.units - (not of_text), lambda: printed)

    def _follow(self, end: Place) -> str:
        return write_cursor(self.mark, (*end, self.state))

    def _shorten_head(self, limit: int) -> str:
        """The head within so many tokens: first the breadcrumb goes, then the facts, then the end of the label."""
        node = self.view.node
        name = show_name("", node.kind, node.id)
        label = cut_text(show_label(node.label) or "…", lambda start: start + "…" + name, limit)
        heads = (self.head, self.head.split("\n")[-1], f"{label}…{name}")
        return next((head for head in heads if fits_limit(head, limit)), shorten_text(heads[-1], limit))

    def _render_head(self) -> str:
        node = self.view.node
        if self.start == Place():
            return "\n".join(render_head(self.view))
        return f"{show_name(node.label, node.kind, node.id)}, continued"


def _end_lines(text: str, start: int) -> list[int]:
    """Where the lines of a text end, from a character on: each after its line feed."""
    ends = [match.end() for match in _LINE.finditer(text, start)]
    return ends if not text or start == len(text) or (ends and ends[-1] == len(text)) else [*ends, len(text)]
