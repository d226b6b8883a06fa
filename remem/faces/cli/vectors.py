"""The commands `recall`, `embed` and `reembed`: the context for a question, and the vectors that meaning lives on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from remem.faces import wire
from remem.faces.cli.commands import NameList, command, join_names, json_option, list_kinds
from remem.faces.cli.output import clean_text, count, print_json, print_lines, say
from remem.faces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from remem.records import WorkState

MIN_BUDGET = 60


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
@click.option(
    "--kind", "kinds", type=NameList(list_kinds), multiple=True, help="Only what holds nodes of these kinds: A,B."
)
@click.option("--tag", "tags", type=NameList(tuple), multiple=True, help="Only what carries all of these tags: A,B.")
@click.option("--source", "sources", metavar="FILE", multiple=True, help="Only in this file, folder or source.")
@click.option("--root", "roots", metavar="NAME", multiple=True, help="Only in this root; several are alternatives.")
@json_option
@pass_session
def recall_command(
    session: Session,
    query: Sequence[str],
    budget: int,
    kinds: Sequence[Sequence[str]],
    tags: Sequence[Sequence[str]],
    sources: Sequence[str],
    roots: Sequence[str],
    as_json: bool,
) -> None:
    """Tell what the store knows about a QUERY: whole sections within a budget, each with the reason it is there."""
    found = session.run(
        lambda remem: remem.recall(
            " ".join(query), budget, kinds=join_names(kinds), tags=join_names(tags), sources=sources, roots=roots
        )
    )
    if as_json:
        return print_json(wire.show_recall(found))
    print_lines([clean_text(found.text)])


@command(
    "embed",
    """
    $ remem embed
    36 texts to embed
    embedded: 135 passages
    """,
)
@json_option
@pass_session
def embed_command(session: Session, as_json: bool) -> None:
    """Embed all memories and all passages of notes that have no vectors yet, so that search finds them by meaning."""
    tell_work(session.run(lambda remem: remem.embed(progress=make_progress())), as_json)


@command(
    "reembed",
    """
    $ remem reembed
    …
    embedded: … passages
    """,
)
@json_option
@pass_session
def reembed_command(session: Session, as_json: bool) -> None:
    """Make all vectors anew with the embedder that the settings name now."""
    tell_work(session.run(lambda remem: remem.reembed(progress=make_progress())), as_json)


def tell_work(state: WorkState, as_json: bool) -> None:
    """What is embedded now, and what is left to do."""
    if as_json:
        return print_json(wire.show_work(state))
    print_lines([f"embedded: {count(state.embedded, 'passage')}"])
    if state.embed:
        say(f"{count(state.embed, 'text')} could not be embedded and will be tried again")


def make_progress(step: int = 500) -> Callable[[WorkState], None]:
    """Says now and then how much is left to do."""
    told: list[int] = []

    def tell(state: WorkState) -> None:
        left = state.embed
        if left and (not told or told[-1] - left >= step):
            told.append(left)
            say(f"{count(left, 'text')} to embed")

    return tell
