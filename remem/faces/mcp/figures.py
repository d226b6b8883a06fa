"""The figures of a store as text, line by line, by pages. Asks for none itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from remem.reading.cursors import mark_request, read_cursor, write_cursor
from remem.reading.pages import Listing, make_page
from remem.records import PageRequest
from remem.rendering.lines import show_count, show_label

if TYPE_CHECKING:
    from remem.records import Page, Root, Stats


class StatsLine(NamedTuple):
    """A line of the figures. `root` is the number of the root that it tells of, None for any other line."""

    text: str
    root: int | None = None


def page_stats(stats: Stats, roots: Sequence[Root], request: PageRequest) -> Page[StatsLine]:
    """A page of the figures and roots, line by line. Raises InvalidInputError for a cursor of another request."""
    lines = [*map(StatsLine, list_figures(stats)), *(_tell_root(number, root) for number, root in enumerate(roots))]
    mark = mark_request("stats")
    start = 0 if request.cursor is None else read_cursor(mark, request.cursor, 1)[0]
    rest = lines[start:]

    def follow(number: int) -> str:
        return write_cursor(mark, (start + number + 1,))

    return make_page(Listing(rest, len(rest), len(lines), lambda line: line.text, follow), request.budget)


def _tell_root(number: int, root: Root) -> StatsLine:
    documents = show_count(root.documents, "document")
    return StatsLine(f"root {show_label(root.name)}: {documents} in {show_label(root.path)}", number)


def tell_stats(stats: Stats, roots: Sequence[Root]) -> str:
    """The figures in a few lines."""
    return page_stats(stats, roots, PageRequest()).text


def list_figures(stats: Stats) -> list[str]:
    """The figures without the roots."""
    kinds = ", ".join(f"{nodes} {kind}" for kind, nodes, _ in stats.kinds)
    edges = ", ".join(f"{count} {type} {origin}" for type, origin, count in stats.edges)
    return [
        ", ".join(
            show_count(number, noun)
            for number, noun in (
                (stats.documents, "document"),
                (stats.nodes, "node"),
                (stats.tokens, "token"),
                (stats.snapshots, "snapshot"),
            )
        ),
        f"nodes: {kinds or 'none'}",
        f"edges: {edges or 'none'}",
        f"{stats.pending} pending, {stats.ambiguous} ambiguous, {show_count(stats.stale, 'stale link')};"
        f" {show_count(stats.tags, 'tag')}; {show_count(stats.diagnostics, 'diagnostic')}",
    ]
