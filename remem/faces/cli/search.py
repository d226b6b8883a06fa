"""The command `search`: the sections that answer a query best, with the part of each that matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from remem.faces import wire
from remem.faces.cli.commands import command, json_option, page_options
from remem.faces.cli.filters import filter_options, hush_log, read_filters
from remem.faces.cli.output import (
    clean_label,
    count,
    paint,
    paint_spans,
    print_json,
    print_lines,
    print_page,
    say,
    wrap_words,
)
from remem.faces.cli.session import Session, pass_session
from remem.faces.cli.shapes import show_named, show_place, show_step
from remem.limits import MOST_HITS, SEARCH_MODES

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.records import Memory, PageRequest, SearchExplanation, SearchHit, SearchPage

INDENT = " " * 6


@command(
    "search",
    """
    $ remem search "why was the timetable wrong" --limit 1
    1.00  Stored in UTC  heading LxQJUP5zxhJ  gangway/incidents/2026-05-03-stale-timetable.md
          The stale timetable › Causes
          The winter sailings had been stored as instants. The telephone line's copy was made before the clock change …
    …
    """,
)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--mode",
    type=click.Choice(SEARCH_MODES),
    default="hybrid",
    show_default=True,
    help="By words and meaning, by words alone, or by meaning alone.",
)
@click.option("--limit", type=click.IntRange(1, MOST_HITS), default=10, show_default=True, help="The most hits.")
@filter_options
@click.option("--explain", is_flag=True, help="Tell the parts of each score.")
@page_options
@json_option
@pass_session
def search_command(
    session: Session,
    /,
    query: Sequence[str],
    mode: str,
    limit: int,
    explain: bool,
    page: PageRequest,
    as_json: bool,
    **given: Any,
) -> None:
    """Find the sections that answer a QUERY best, best first.

    A query is words; "phrases", AND OR NOT and prefix* work, and anything else is looked for as words. A hit gives
    score (the best has 1), label, kind, id and file, what the section lies in, the part of it that matches, and by
    which way it came where it owes its place to the graph.
    """
    filters = read_filters(given)

    async def find(remem: Remem) -> tuple[SearchPage, list[Memory | None]]:
        found = await remem.search(" ".join(query), mode, limit, 0, *page, explain=explain, **filters)
        return found, await remem.get_batch([hit.id for hit in found]) if as_json else []

    with hush_log():
        found, memories = session.run(find)
    if as_json:
        return print_json(wire.show_found(found, memories))
    if not page.is_whole:
        return print_page(found)
    print_lines(list_hits(found.items))
    for line in list_summary(found):
        say(line)


def list_hits(hits: Sequence[SearchHit]) -> Iterator[str]:
    """The hits: a line with score, label, kind, id and file, and below it where it stands, and what matches."""
    for hit in hits:
        parts = paint(f"{hit.score:.2f}", "good"), *show_named(hit), paint(show_place(hit.root, hit.source), "dim")
        yield "  ".join(part for part in parts if part)
        if hit.breadcrumb:
            yield INDENT + paint(" › ".join(clean_label(crumb.label) for crumb in hit.breadcrumb), "dim")
        if hit.snippet:
            yield from wrap_words(paint_spans(clean_label(hit.snippet), hit.spans), INDENT)
        if hit.reason:
            yield INDENT + "  ".join([paint(clean_label(hit.reason), "dim"), *map(show_step, hit.via)])
        if hit.explanation:
            yield INDENT + paint(tell_score(hit.explanation), "dim")


def tell_score(parts: SearchExplanation) -> str:
    """The parts of a score on one line: words that stand there and words that do not, then numbers."""
    missed = f", not {', '.join(parts.missed)}" if parts.missed else ""
    words = f"words: {', '.join(parts.matched) or 'none'}{missed}"
    use = None if parts.use == 1 else parts.use
    numbers = {"bm25": parts.bm25, "cosine": parts.cosine, "use": use, "graph": parts.activation}
    return clean_label("; ".join([words, *(f"{name} {value:.2f}" for name, value in numbers.items() if value)]))


def list_summary(page: SearchPage) -> Iterator[str]:
    """What is said of an answer: how many sections match, how to go on, what was searched and what was not."""
    shown = f", {len(page)} shown; --cursor {page.cursor} goes on" if page.cursor else ""
    yield count(page.total, "section") + shown
    yield from page.notes
    if page.searched is not None:
        passages = count(page.searched.passages, "passage")
        yield f"searched {passages} of {count(page.searched.nodes, 'node')}"
