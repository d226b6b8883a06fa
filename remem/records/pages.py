"""A page: what a reading call answers, a part of all that matches or the whole, with the text that is printed of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, NamedTuple, TypeVar, overload

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Printed:
    """A text. `count` gives its cl100k tokens; it is asked once, when somebody wants to know."""

    text: str
    count: Callable[[str], int]

    @cached_property
    def tokens(self) -> int:
        """How many tokens the text has."""
        return self.count(self.text)


class PageRequest(NamedTuple):
    """How much of an answer is wanted: `budget` in tokens (None: all), from where on (`cursor`, None: the start)."""

    budget: int | None = None
    cursor: str | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all of the answer is wanted, from its start on."""
        return self == PageRequest()


@dataclass(frozen=True, eq=False)
class Page(Sequence[T], Generic[T]):
    """A sequence of results, equal to any list of the same results.

    `items` are those of this page, `total` is how many match in all, `left_out` how many come after this page. `cursor`
    continues there, None at the end; it belongs to the request that gave it and outlives the process. With a budget,
    `text` has at most so many tokens and tells exactly of the items; without one it is made when it is first asked for.

    What one item is too long for is cut, and the text says so. Where one item alone is read in parts (`show`), `total`
    and `left_out` count the lines that are printed of it.
    """

    items: tuple[T, ...]
    total: int
    left_out: int
    cursor: str | None
    printer: Callable[[], Printed] = field(repr=False)

    @cached_property
    def printed(self) -> Printed:
        """The text with its tokens."""
        return self.printer()

    @property
    def text(self) -> str:
        """The page as text for people and models: lines without an end of line after the last."""
        return self.printed.text

    @property
    def tokens(self) -> int:
        """How many cl100k tokens `text` has, counted exactly."""
        return self.printed.tokens

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self.items[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Page):
            return self.items == other.items
        return list(self.items) == list(other) if isinstance(other, list | tuple) else NotImplemented
