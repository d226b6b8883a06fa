"""The command `recall`: the context for a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from remem.faces import wire
from remem.faces.cli.commands import command, json_option
from remem.faces.cli.filters import filter_options, hush_log, read_filters
from remem.faces.cli.output import clean_text, print_json, print_lines
from remem.faces.cli.session import Session, pass_session
from remem.limits import MIN_BUDGET


@command(
    "recall",
    """
    $ remem recall "why was the timetable wrong" --budget 300
    ## Stored in UTC [heading] LxQJUP5zxhJ
    gangway/incidents/2026-05-03-stale-timetable.md · The stale timetable › Causes · found by its text (1.00)
    …
    """,
)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--budget", type=click.IntRange(MIN_BUDGET), default=1500, show_default=True, help="The most tokens of text."
)
@filter_options
@click.option("--cursor", help="Go on where the context ended that gave this cursor.")
@json_option
@pass_session
def recall_command(
    session: Session, /, query: Sequence[str], budget: int, cursor: str | None, as_json: bool, **given: Any
) -> None:
    """Tell what the store knows about a QUERY: whole sections within a budget, each with the reason it is there.

    No text is told twice. What is left out for want of room is named at the end, with the cursor that goes on there;
    what scores less than a twentieth of the best is left out whatever room there is.
    """
    filters = read_filters(given)
    with hush_log():
        found = session.run(lambda remem: remem.recall(" ".join(query), budget, cursor, **filters))
    if as_json:
        return print_json(wire.show_recall(found))
    print_lines([clean_text(found.text)])
