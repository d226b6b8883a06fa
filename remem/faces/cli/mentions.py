"""The command `mentions`: what texts name without a link to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from remem.faces import wire
from remem.faces.cli.commands import command, json_option, page_options
from remem.faces.cli.output import clean_label, count, paint, print_json, print_lines, print_page, say
from remem.faces.cli.session import Session, pass_session
from remem.faces.cli.shapes import show_place
from remem.rendering.lines import show_number

if TYPE_CHECKING:
    from remem.records import Mention, PageRequest


@command(
    "mentions",
    """
    $ remem mentions
    gangway/architecture/offline-ticketing.md
      pier reserve: Pier reserve 8uoeVX8mctn  0.295308, 2 texts, from L2VbiqWvfKo
    gangway/architecture/seat-inventory.md
      lane metre: Lane metre HvbDzC1fHZ0  0.295308, 2 texts, from 0cRnVz5pWIe
    …
    """,
)
@page_options
@json_option
@pass_session
def mentions_command(session: Session, page: PageRequest, as_json: bool) -> None:
    """List the nodes that texts name without a link to them, text by text.

    Each such name is an edge from the first block that has it. `unrelate` takes one away until a text changes,
    `relate` with the type references makes it an edge of your own.
    """
    mentions = session.run(lambda remem: remem.mentions(*page))
    if as_json:
        return print_json(wire.show_mentions(mentions) | wire.show_rest(mentions))
    if not page.is_whole:
        return print_page(mentions)
    if not mentions:
        say("nothing is mentioned")
    print_lines(list_mentions(mentions))


def list_mentions(mentions: Sequence[Mention]) -> Iterator[str]:
    """The mentions, under the file of each."""
    for place, group in groupby(mentions, lambda mention: (mention.root, mention.path)):
        yield paint(show_place(*place) or "memories", "label")
        for mention in group:
            target = f"{clean_label(mention.target_label)} {paint(mention.target_id, 'id')}"
            told = f"{show_number(mention.weight)}, {count(mention.texts, 'text')}, from"
            yield f"  {clean_label(mention.name)}: {target}  {paint(told, 'dim')} {paint(mention.source_id, 'id')}"
