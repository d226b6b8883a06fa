"""The commands `snapshots`, `delta`, `diff` and `history`: what changed, and when. They change nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from remem.faces import wire
from remem.faces.cli.commands import command, json_option, page_options
from remem.faces.cli.output import clean_text, has_colour, paint, print_json, print_lines, print_page
from remem.faces.cli.session import Session, pass_session
from remem.limits import MOST_SNAPSHOTS

if TYPE_CHECKING:
    from remem.records import Page, PageRequest


@command(
    "snapshots",
    """
    $ remem snapshots
    - 1 … UTC compile gangway: 364 add
    """,
)
@click.option(
    "--limit",
    type=click.IntRange(1, MOST_SNAPSHOTS),
    default=20,
    show_default=True,
    help="So many at most, newest first.",
)
@page_options
@json_option
@pass_session
def snapshots_command(session: Session, limit: int, page: PageRequest, as_json: bool) -> None:
    """List the snapshots: each call that changed what the store says, with how many nodes it changed."""
    found = session.run(lambda remem: remem.snapshots(limit, page.cursor, budget=page.budget))
    print_trail(found, wire.show_snapshots(found) | wire.show_rest(found), as_json)


@command(
    "delta",
    """
    $ remem store "The deploy key rotates on Fridays." --id rotation
    stored: rotation
    $ remem delta 1
    - add The deploy key rotates on Fridays. [memory] rotation
      The deploy key rotates on Fridays.
    """,
)
@click.argument("since", type=int)
@page_options
@json_option
@pass_session
def delta_command(session: Session, since: int, page: PageRequest, as_json: bool) -> None:
    """Show what changed since a snapshot, net: one entry a node, with what it says now.

    SINCE is the number of a snapshot (`remem snapshots`); 0 is the empty store.
    """
    found = session.run(lambda remem: remem.delta(since, *page))
    print_trail(found, wire.show_delta(found) | wire.show_rest(found), as_json)


@command(
    "diff",
    """
    $ remem store "The deploy key rotates on Fridays." --id rotation
    stored: rotation
    $ remem update rotation --text "The deploy key rotates on Mondays."
    updated: rotation
    $ remem diff 2 3
    - mod The deploy key rotates on Mondays. [memory] rotation
      --- rotation snapshot 2
      +++ rotation snapshot 3
      @@ -1 +1 @@
      -The deploy key rotates on Fridays.
      +The deploy key rotates on Mondays.
    """,
)
@click.argument("a", type=int)
@click.argument("b", type=int)
@page_options
@json_option
@pass_session
def diff_command(session: Session, a: int, b: int, page: PageRequest, as_json: bool) -> None:
    """Show what changed from snapshot A to snapshot B, net, with a unified diff of each node.

    A may be the later one.
    """
    found = session.run(lambda remem: remem.diff(a, b, *page))
    print_trail(found, wire.show_diff(found) | wire.show_rest(found), as_json)


@command(
    "history",
    """
    $ remem store "The deploy key rotates on Fridays." --id rotation
    stored: rotation
    $ remem history rotation
    - 2 … UTC add store rotation: The deploy key rotates on Fridays.
      after:
        The deploy key rotates on Fridays.
    """,
)
@click.argument("node", metavar="ID")
@page_options
@json_option
@pass_session
def history_command(session: Session, node: str, page: PageRequest, as_json: bool) -> None:
    """Show the changes of one node, newest first, with the texts before and after.

    Across renames and moves. A node that is removed is known by its id, by what it was called, and a
    document by where its file stood; an archived memory by its id.
    """
    found = session.run(lambda remem: remem.history(node, *page))
    print_trail(found, wire.show_history(found) | wire.show_rest(found), as_json)


def print_trail(page: Page[Any], shown: wire.Json, as_json: bool) -> None:
    """A page of the version trail, as JSON or as text."""
    if as_json:
        return print_json(shown)
    if not has_colour():
        return print_page(page)
    print_lines(paint_trail(clean_text(page.text)))


def paint_trail(text: str) -> Iterator[str]:
    """The text with what a diff adds and takes away in the colours of these, and the heads of entries bold."""
    for line in text.split("\n"):
        style = {"- ": "label", "  +": "good", "  -": "bad", "  @": "dim"}
        yield paint(line, next((style[start] for start in style if line.startswith(start)), "")) if line else line
