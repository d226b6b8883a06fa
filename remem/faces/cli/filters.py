"""The options that restrict what `search` and `recall` may find, and how they follow the graph. Searches nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypedDict, TypeVar, cast

import click

from remem.errors import InvalidInputError
from remem.faces.cli.commands import NameList, join_names, list_kinds
from remem.faces.wire import read_time
from remem.limits import DEFAULT_SPREAD

Function = TypeVar("Function", bound=Callable[..., object])


class Filters(TypedDict, total=False):
    """What the options give the engine, by its names."""

    spread: float
    related_to: str | None
    kinds: tuple[str, ...] | None
    tags: tuple[str, ...] | None
    sources: Sequence[str]
    roots: Sequence[str]
    memory_type: str | None
    importance_min: float | None
    importance_max: float | None
    created_after: int | None
    created_before: int | None


class Instant(click.ParamType):  # type: ignore[type-arg]
    """A date or time in ISO 8601, in UTC where it names no zone, as milliseconds since 1970."""

    name = "date"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The milliseconds; of a date, those at which it begins."""
        if isinstance(value, int):
            return value
        try:
            return read_time(self.name, str(value))
        except InvalidInputError:
            self.fail(f"{value!r} is no date or time like 2026-05-03 or 2026-05-03T08:10:00+02:00", param, ctx)


OPTIONS = (
    click.option(
        "--kind",
        "kinds",
        type=NameList(list_kinds),
        multiple=True,
        help="Only hits of these kinds, or that hold blocks of these kinds: A,B.",
    ),
    click.option("--tag", "tags", type=NameList(tuple), multiple=True, help="Only what has all of these tags: A,B."),
    click.option(
        "--source",
        "sources",
        metavar="FILE",
        multiple=True,
        help="Only in this file or folder, or of this source; several are alternatives.",
    ),
    click.option(
        "--root", "roots", metavar="NAME", multiple=True, help="Only in this root; several are alternatives."
    ),
    click.option("--type", "memory_type", metavar="TYPE", help="Only memories of this type: long_term or short_term."),
    click.option("--importance-min", type=float, help="Only of at least this importance, 0 to 1; notes have 0.5."),
    click.option("--importance-max", type=float, help="Only of at most this importance."),
    click.option(
        "--created-after", type=Instant(), metavar="DATE", help="Only memories stored after this date or time."
    ),
    click.option("--created-before", type=Instant(), metavar="DATE", help="Only memories stored before it."),
    click.option(
        "--spread",
        type=float,
        default=DEFAULT_SPREAD,
        show_default=True,
        help="How much the graph counts beside the text, 0 to 1; 0 follows no links.",
    ),
    click.option("--related-to", metavar="ID", help="Begin at this node as well when links are followed."),
)  # fmt: skip


def filter_options(function: Function) -> Function:
    """Adds the options; the function gets them as keywords and hands them to `read_filters`."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def read_filters(given: dict[str, Any]) -> Filters:
    """The options as the engine takes them."""
    return cast("Filters", {**given, "kinds": join_names(given["kinds"]), "tags": join_names(given["tags"])})


@contextmanager
def hush_log() -> Iterator[None]:
    """Keeps warnings out of the output of a call whose answer says the same in its notes."""
    logger = logging.getLogger("remem")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
