"""The commands `relate`, `unrelate` and `pending`: edges that one makes, and those that wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

from remem.errors import NotFoundError
from remem.faces import wire
from remem.faces.cli.commands import command, json_option, page_options
from remem.faces.cli.output import clean_label, count, paint, print_json, print_lines, print_page, say
from remem.faces.cli.session import Session, pass_session
from remem.faces.cli.shapes import show_place
from remem.rendering.lines import show_number
from remem.rendering.relation import tell_relation

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.records import PageRequest, PendingEdge, Relation, Unrelated

source_option = click.option(
    "--source", metavar="FILE", help="The file that TARGET stands in, as a link's source= would name it."
)


@command(
    "relate",
    """
    $ remem relate Deploy "The stale timetable" --type caused_by --weight 2
    made: caused_by 2 from 03sc4DsbqEH to KcponmTAZ8o
    $ remem relate Deploy "Crew rota"
    waiting: related_to 1 from 03sc4DsbqEH to 'Crew rota', which no node is called yet; it is listed as pending
    """,
    source="SOURCE",
    target="TARGET",
    target_label="TARGET",
    target_source="--source",
)
@click.argument("source_node", metavar="SOURCE")
@click.argument("target")
@source_option
@click.option("--type", "type", metavar="TYPE", default="related_to", show_default=True, help="The relationship type.")
@click.option("--weight", type=float, default=1.0, show_default=True, help="From 0 to 1000000.")
@json_option
@pass_session
def relate_command(
    session: Session, source_node: str, target: str, source: str | None, type: str, weight: float, as_json: bool
) -> None:
    """Make or update an edge from SOURCE to TARGET, each an id or a label.

    A TARGET that no node is called is kept as a label and waits for it. The types:
    related_to, caused_by, part_of, references, contradicts, supports, similar_to, derived_from.
    """
    made = session.run(lambda remem: relate_nodes(remem, source_node, target, source, type, weight))
    say(tell_relation(made))
    if as_json:
        print_json(wire.show_relation(made))


async def relate_nodes(remem: Remem, source: str, target: str, place: str | None, type: str, weight: float) -> Relation:
    """Relates to the node of that id or label; where there is none, or with a place, to whatever has that label."""
    if place is None:
        try:
            return await remem.relate(source, target, type=type, weight=weight)
        except NotFoundError:
            await remem.tree(source, depth=0)  # raises where it is the source that does not exist
    return await remem.relate(source, target_label=target, target_source=place, type=type, weight=weight)


@command(
    "unrelate",
    """
    $ remem relate Deploy "The stale timetable"
    made: related_to 1 from 03sc4DsbqEH to KcponmTAZ8o
    $ remem unrelate Deploy "The stale timetable"
    1 edge removed
    """,
    source="SOURCE",
    target="TARGET",
    target_label="TARGET",
    target_source="--source",
)
@click.argument("source_node", metavar="SOURCE")
@click.argument("target")
@source_option
@click.option("--type", "type", metavar="TYPE", help="Only the edge of this type.")
@json_option
@pass_session
def unrelate_command(
    session: Session, source_node: str, target: str, source: str | None, type: str | None, as_json: bool
) -> None:
    """Remove the edges from SOURCE to TARGET but those that are links in a text.

    Those that a call made, and discovered and mentioned ones, which stay away until one of the two texts changes. Where
    no node is called TARGET, those that wait for it. A link in a text goes away with the text alone.
    """
    removed = session.run(lambda remem: unrelate_nodes(remem, source_node, target, source, type))
    say(f"{count(removed.deleted, 'edge')} removed")
    if as_json:
        print_json(wire.show_unrelated(removed))


async def unrelate_nodes(remem: Remem, source: str, target: str, place: str | None, type: str | None) -> Unrelated:
    """Removes the edges to the node of that id or label; where there are none, or with a place, those that wait."""
    if place is not None:
        return await remem.unrelate(source, target_label=target, target_source=place, type=type)
    try:
        return await remem.unrelate(source, target, type=type)
    except NotFoundError as error:
        try:
            return await remem.unrelate(source, target_label=target, type=type)
        except NotFoundError:
            raise error from None


@command(
    "pending",
    """
    $ remem pending
    gangway/architecture/payments.md
      [[What a lost fare costs]]  derived_from 1.5 parsed from 2GPiyrvkzi3
    gangway/architecture/timetable.md
      [[Winter timetable 2027]]  references 1 parsed from LQ5K8D525ca
        did you mean The stale timetable BZDwMDX18sr, Timetable 4WZgUb0I3nj
    …
    """,
)
@page_options
@json_option
@pass_session
def pending_command(session: Session, page: PageRequest, as_json: bool) -> None:
    """List the links and relations that wait for a target, with names that may be meant."""
    edges = session.run(lambda remem: remem.pending(*page))
    if as_json:
        return print_json(wire.show_pending(edges) | wire.show_rest(edges))
    if not page.is_whole:
        return print_page(edges)
    if not edges:
        say("nothing is pending")
    print_lines(list_pending(edges))


def list_pending(edges: Sequence[PendingEdge]) -> Iterator[str]:
    """The edges that wait, under the file of each; what no file says under who does."""
    for place, group in groupby(edges, _tell_place):
        yield paint(place, "label")
        for edge in group:
            yield f"  {_show_target(edge)}  {_show_source(edge)}"
            if edge.suggestions:
                names = (f"{clean_label(label)} {paint(id, 'id')}" for id, label in edge.suggestions)
                yield f"    did you mean {', '.join(names)}"


def _tell_place(edge: PendingEdge) -> str:
    return show_place(edge.root, edge.path) or ("memories" if edge.origin == "parsed" else "made by calls")


def _show_target(edge: PendingEdge) -> str:
    label = clean_label(edge.label + (f"#{edge.anchor}" if edge.anchor else ""))
    hints = "".join(
        f"; {name}={clean_label(value)}" for name, value in (("source", edge.source), ("id", edge.id)) if value
    )
    return f"[[{label}{hints}]]"


def _show_source(edge: PendingEdge) -> str:
    gone = ", which is gone" if edge.source_missing else ""
    told = f"{edge.relationship_type} {show_number(edge.weight)} {edge.origin} from"
    return paint(told, "dim") + f" {paint(edge.source_id, 'id')}{gone}"
