"""Pages of an ordered answer: as many items as the budget holds, with the cursor that goes on after them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Generic, TypeVar

from remem.ingest.tokens import count_tokens
from remem.records import Page, Printed
from remem.rendering.budget import Fitted, cut_text, fit_lines, shorten_text
from remem.rendering.lines import NO_MORE, NOTHING, show_rest

T = TypeVar("T")

CUT = "… (cut: too long for the budget)"

_SHORTEST_ITEM = 8
_SHARE_OF_TAIL = 4
"""What is told below the items takes no more than this part of a budget."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """What pages are made of: the next items in order, of `rest` that come from here on and `total` in all; how one is
    rendered (one or several lines, the first not blank), and the cursor that goes on after the one of a number. `empty`
    is the text where nothing matches, `tail` what is told of the answer below the items."""

    items: Sequence[T]
    rest: int
    total: int
    render: Callable[[T], str]
    follow: Callable[[int], str]
    empty: str = NOTHING
    tail: str = ""

    def compose(self, units: Sequence[str], left: int) -> str:
        """The text with some units, at least as far as the first item, and `left` items after them."""
        return "\n".join(part for part in (*units, self.close(left)) if part)

    def close(self, left: int) -> str:
        """What stands below the items where `left` come after them."""
        closing = show_rest(left, self.follow(self.rest - left - 1)) if left > 0 and self.items else ""
        return "\n".join(part for part in (self.tail, closing) if part)


def make_page(listing: Listing[T], budget: int | None) -> Page[T]:
    """The page. At least one item is on it, cut where it alone is too long."""
    items = listing.items
    if budget is not None and listing.tail:
        listing = replace(listing, tail=shorten_text(listing.tail, budget // _SHARE_OF_TAIL))
    if not items:
        text = listing.compose([NO_MORE if listing.total else listing.empty], 0)
        return _finish(listing, 0, lambda: count_text(text if budget is None else shorten_text(text, budget)))
    if budget is None:
        left = listing.rest - len(items)
        return _finish(listing, len(items), lambda: count_text(listing.compose([*map(listing.render, items)], left)))
    show = cache(lambda number: listing.render(items[number]))
    fitted = fit_lines(len(items), show, lambda count: listing.close(listing.rest - max(count, 1)), budget)
    printed = show_fitted(fitted) if fitted.units else _cut_first(listing, show(0), budget)
    return _finish(listing, max(fitted.units, 1), lambda: printed)


def limit_items(budget: int | None) -> int | None:
    """How many items are enough for a page of a budget; None for all. None has fewer tokens than a label and an id."""
    return None if budget is None else budget // _SHORTEST_ITEM + 1


def take_items(rows: Sequence[T], start: int, budget: int | None) -> Sequence[T]:
    """The rows from a number on, as many as are enough for a page of a budget."""
    most = limit_items(budget)
    return rows[start:] if most is None else rows[start : start + most]


def count_text(text: str) -> Printed:
    """The text with its tokens."""
    return Printed(text, count_tokens)


def show_fitted(fitted: Fitted) -> Printed:
    """The same of a text that was counted when it was put together."""
    return Printed(fitted.text, lambda _: fitted.tokens)


def _finish(listing: Listing[T], count: int, printer: Callable[[], Printed]) -> Page[T]:
    left = listing.rest - count
    cursor = listing.follow(count - 1) if left > 0 and count else None
    return Page(tuple(listing.items[:count]), listing.total, left, cursor, printer)


def _cut_first(listing: Listing[T], unit: str, budget: int) -> Printed:
    def compose(start: str) -> str:
        return listing.compose([start + CUT], listing.rest - 1)

    return count_text(compose(cut_text(unit, compose, budget)))
