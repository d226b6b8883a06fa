"""The commands `write` and `summarise`: notes changed in the store, whose files stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from remem.faces import wire
from remem.faces.cli.arguments import read_text
from remem.faces.cli.commands import command, json_option, wait_option
from remem.faces.cli.compiled import list_diagnostics
from remem.faces.cli.output import clean_label, print_json, say
from remem.faces.cli.session import Session, pass_session
from remem.faces.cli.shapes import show_place
from remem.records import WRITE_FORMATS

if TYPE_CHECKING:
    from remem.records import Edited


@command(
    "write",
    """
    $ remem write "Tell the pier office before a rollback." --parent Deploy
    written: Tell the pier office before a rollback.  text EVUqeOiONJY  gangway/runbooks/deploy.md
    nodes: 1 added; snapshot 2
    """,
    format="--format",
)
@click.argument("payload", metavar="TEXT")
@click.option("--anchor", metavar="ID", help="The section, block, document or memory that it takes the place of.")
@click.option("--parent", metavar="ID", help="The section or document that it is added to.")
@click.option(
    "--format",
    "form",
    type=click.Choice(WRITE_FORMATS),
    default="markdown",
    show_default=True,
    help="What the text is.",
)
@wait_option
@json_option
@pass_session
def write_command(
    session: Session, payload: str, anchor: str | None, parent: str | None, form: str, no_wait: bool, as_json: bool
) -> None:
    """Write TEXT into the notes of the store as if it stood in a file; `-` reads it from stdin.

    It takes the place of --anchor, or is added to --parent; with neither it becomes a memory. Heading
    levels are moved to fit. The files are never written: the text stays until its file changes.
    """
    text, create = read_text(payload), anchor is None and parent is None
    edited = session.run(
        lambda remem: remem.write(text, anchor, parent, form),  # type: ignore[arg-type]
        create=create,
        settle=not no_wait,
    )
    tell_edited("written", edited, as_json)


@command(
    "summarise",
    """
    $ remem summarise 0faGfDKIgKh "Times are stored with their zone, and a copy shows its age."
    summarised: What was changed  heading 0faGfDKIgKh  gangway/incidents/2026-05-03-stale-timetable.md
    …
    """,
)
@click.argument("node", metavar="ID")
@click.argument("text")
@wait_option
@json_option
@pass_session
def summarise_command(session: Session, node: str, text: str, no_wait: bool, as_json: bool) -> None:
    """Replace what a node says by TEXT, with its id and label kept; `-` reads it from stdin.

    Of a section or document, all below it becomes one node. Links that the text does not repeat
    stay. What was said before stays in the history (`remem history`).
    """
    summary = read_text(text)
    edited = session.run(lambda remem: remem.summarise(node, summary), settle=not no_wait)
    tell_edited("summarised", edited, as_json)


def tell_edited(what: str, edited: Edited, as_json: bool) -> None:
    """Says which node holds the text now and what became of the others."""
    for line in list_edited(what, edited):
        say(line)
    if as_json:
        print_json(wire.show_edited(edited))


def list_edited(what: str, edited: Edited) -> Iterator[str]:
    """The node, the counts of nodes by fate, the problems of the text."""
    yield from list_diagnostics(edited.diagnostics)
    name = [clean_label(edited.label), f"{edited.kind} {edited.id}", show_place(edited.root, edited.source)]
    yield f"{what}: {'  '.join(part for part in name if part)}"
    counts = [(name, len(getattr(edited, name))) for name in wire.FATES]
    done = ", ".join(f"{number} {name}" for name, number in counts if number)
    yield f"nodes: {done}; snapshot {edited.snapshot}" if edited.snapshot is not None else "nothing changed"
