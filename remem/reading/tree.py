"""The index: the whole store or what lies below a node, one line a node, all of it or what a budget holds.

A budget takes lines level by level from the top, of each level the hottest branches first; the page after it takes the
next ones. A page shows its lines in the order of the documents all the same. Texts are read of shown lines alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from remem.ingest.labels import find_label
from remem.ingest.tokens import count_tokens
from remem.reading import find
from remem.reading.cursors import mark_request, read_cursor, write_cursor
from remem.reading.pages import CUT, count_text, limit_items, show_fitted
from remem.reading.sections import list_sections, print_sections
from remem.reading.skeleton import Cursor, Order, Ranked, Skeleton, load_skeleton, load_upper_skeleton, rank_lines
from remem.records import Crumb, Heat, NodeRow, Page, PageRequest, Printed, TreeLine
from remem.rendering.budget import cut_text, fit_units
from remem.rendering.lines import NO_MORE, show_rest
from remem.rendering.tree import Branch, render_index, render_line, render_parent
from remem.storage import outline
from remem.storage.outline import ShownNode
from remem.storage.sizes import Span, sum_tokens
from remem.usage.temperature import Thermometer, read_nothing

if TYPE_CHECKING:
    from sqlite3 import Connection

EMPTY = "nothing is stored yet"
SETTLED = 5000
"""Milliseconds after which a use has been written, whichever process saw it."""
EPOCH = 1_700_000_000_000
"""Cursors count milliseconds from here on, so that they are short."""


class Warmth(NamedTuple):
    """How temperatures are read, the half-life by which branches are ordered, and what time it is (milliseconds)."""

    thermometer: Thermometer
    half_life: float
    now: int


def shown_label(node: ShownNode) -> str:
    """The label of a node as listed."""
    return find_label(node.label, node.kind, node.opening)


def list_tree(
    connection: Connection, top: NodeRow, depth: int, *, thermometer: Thermometer = read_nothing
) -> list[TreeLine]:
    """The index below a node (itself at depth 0), down to `depth`."""
    skeleton = load_skeleton(connection, top, depth, blocks=True)
    return _tell_lines(connection, skeleton, _list_all(skeleton), thermometer, blocks=True)


def read_tree(
    connection: Connection, node: object, depth: int, blocks: bool, request: PageRequest, warmth: Warmth
) -> Page[TreeLine]:
    """A page of the same, `node` being an id, a label, or None for the whole store.

    Raises NotFoundError, AmbiguousError, InvalidInputError (for a cursor of another request, too).
    """
    if node is None and not blocks and request.is_whole:
        return _page_sections(list_sections(connection, depth, warmth.thermometer))
    top = None if node is None else find.get_node(connection, node)
    mark = mark_request("tree", top and top.key, depth, blocks)
    after = None if request.cursor is None else _read_cursor(mark, request.cursor)
    until = max(warmth.now - SETTLED, EPOCH) if after is None else after.until
    order = Order(warmth.half_life, until, until + SETTLED)
    skeleton, ranked, rest = _choose_lines(connection, top, depth, blocks, request.budget, after, order)
    lines = _tell_lines(
        connection, skeleton, [(line.number, line.depth) for line in ranked], warmth.thermometer, blocks=blocks
    )
    parents = _load_parents(connection, skeleton, ranked)
    total = skeleton.count_lines()
    return _Pager(skeleton, blocks, mark, until, ranked, lines, parents, rest, total).make_page(request.budget)


def _page_sections(lines: Sequence[TreeLine]) -> Page[TreeLine]:
    """The page of all sections."""
    return Page(tuple(lines), len(lines), 0, None, lambda: count_text(print_sections(lines) or EMPTY))


def _choose_lines(
    connection: Connection,
    top: NodeRow | None,
    depth: int,
    blocks: bool,
    budget: int | None,
    after: Cursor | None,
    order: Order,
) -> tuple[Skeleton, list[Ranked], int]:
    """The lines that may be on a page, in the order in which a budget takes them, and how many there are from here on.
    Without a budget and a cursor, all of them, in the order of the index."""
    most = limit_items(budget)
    if most is not None and top is None and blocks:
        upper = load_upper_skeleton(connection, depth)
        if (chosen := rank_lines(connection, upper, order, after, most)) is not None:
            return upper, *chosen
    skeleton = load_skeleton(connection, top, depth, blocks)
    total = skeleton.count_lines()
    if most is None and after is None:
        return skeleton, [Ranked(level, 0, number) for number, level in _list_all(skeleton)], total
    ranked, rest = rank_lines(connection, skeleton, order, after, most or total) or ([], 0)
    return skeleton, ranked, rest


def _read_cursor(mark: bytes, cursor: str) -> Cursor:
    depth, heat, key, until = read_cursor(mark, cursor, 4)
    return Cursor(depth, heat, key, until + EPOCH)


def _list_all(skeleton: Skeleton) -> list[tuple[int, int]]:
    """(number, depth) of all lines, in the order of the index."""
    return sorted((number, depth) for depth, numbers in enumerate(skeleton.levels) for number in numbers)


def _tell_lines(
    connection: Connection,
    skeleton: Skeleton,
    placed: Sequence[tuple[int, int]],
    thermometer: Thermometer,
    *,
    blocks: bool,
) -> list[TreeLine]:
    keys = [skeleton.twigs[number][3] for number, _ in placed]
    shown = outline.load_shown(connection, keys)
    heats, cold = thermometer(connection, keys), Heat()
    totals = sum_tokens(connection, [Span(key, n.document, n.position, n.last) for key, n in shown.items()])
    lines = []
    for key, (number, depth) in zip(keys, placed, strict=True):
        node = shown[key]
        hidden = _count_below(skeleton, number, blocks=blocks) if depth == skeleton.depth else 0
        lines.append(
            TreeLine(
                node.id, node.kind, shown_label(node), node.root, node.source, node.parent_id, depth, node.tokens,
                hidden, *heats.get(key, cold), totals.get(key, node.tokens),
            )
        )  # fmt: skip
    return lines


def _count_below(skeleton: Skeleton, number: int, *, blocks: bool) -> int:
    """The nodes below a node: all, or sections alone."""
    if not blocks:
        return skeleton.find_end(number) - number - 1
    _, position, last, _, _ = skeleton.twigs[number]
    return last - position


def _load_parents(connection: Connection, skeleton: Skeleton, ranked: Sequence[Ranked]) -> dict[str, Crumb]:
    """What the lines lie in that are not at the top, by id."""
    keys = {skeleton.twigs[line.number][4] or 0 for line in ranked if line.depth}
    keys -= {skeleton.twigs[line.number][3] for line in ranked}
    return {node.id: Crumb(node.id, shown_label(node)) for node in outline.load_shown(connection, keys).values()}


@dataclass(frozen=True, slots=True)
class _Pager:
    """Makes one page of ranked lines, of which `rest` are left and `total` match."""

    skeleton: Skeleton
    blocks: bool
    mark: bytes
    until: int
    ranked: Sequence[Ranked]
    lines: Sequence[TreeLine]
    parents: dict[str, Crumb]
    rest: int
    total: int

    def make_page(self, budget: int | None) -> Page[TreeLine]:
        if not self.lines:
            return Page((), self.total, 0, None, lambda: count_text(NO_MORE if self.total else EMPTY))
        if budget is None:
            return self._finish(len(self.lines), None)
        fitted = fit_units(len(self.lines), self._measure, self._compose, budget)
        if fitted.units:
            return self._finish(fitted.units, show_fitted(fitted))
        return self._finish(1, self._cut_first(budget))

    def _finish(self, count: int, printed: Printed | None) -> Page[TreeLine]:
        items = tuple(self.lines[index] for index in self._order(count))
        left = self.rest - count
        return Page(
            items, self.total, left, self._follow(count) if left else None,
            lambda: printed or count_text(self._compose(count)),
        )  # fmt: skip

    def _order(self, count: int) -> list[int]:
        return sorted(range(count), key=lambda index: self.ranked[index].number)

    def _compose(self, count: int) -> str:
        order = self._order(count)
        numbers = [self.ranked[index].number for index in order]
        text = render_index(self._branch(index, numbers) for index in order)
        return "\n".join(part for part in (text, self._close(max(count, 1))) if part)

    def _branch(self, index: int, printed: Sequence[int]) -> Branch:
        line, number = self.lines[index], self.ranked[index].number
        below = _count_below(self.skeleton, number, blocks=self.blocks)
        if below:
            below -= bisect_left(printed, self.skeleton.find_end(number)) - bisect_left(printed, number + 1)
        return Branch(line, below, self.parents.get(line.parent_id or ""))

    def _measure(self, index: int) -> int:
        branch = self._branch(index, ())
        parent = render_parent(branch)
        return count_tokens(render_line(branch) + "\n") + (count_tokens(parent + "\n") if parent else 0)

    def _close(self, count: int) -> str:
        left = self.rest - count
        return show_rest(left, self._follow(count)) if left > 0 else ""

    def _follow(self, count: int) -> str:
        depth, heat, number = self.ranked[count - 1]
        return write_cursor(self.mark, (depth, heat, self.skeleton.twigs[number][3], self.until - EPOCH))

    def _cut_first(self, budget: int) -> Printed:
        unit, closing = render_index([self._branch(0, ())]), self._close(1)

        def compose(start: str) -> str:
            return "\n".join(part for part in (start + CUT, closing) if part)

        return count_text(compose(cut_text(unit, compose, budget)))
