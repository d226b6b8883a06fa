"""The commands `related` and `path`: what else matters, how strongly, and by which way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from remem.faces import wire
from remem.faces.cli.commands import (
    NameList,
    command,
    join_names,
    json_option,
    list_kinds,
    list_origins,
    list_types,
    page_options,
)
from remem.faces.cli.output import clean_label, print_json, print_lines, print_page, say
from remem.faces.cli.session import Session, pass_session
from remem.faces.cli.shapes import list_related
from remem.limits import DEEPEST_WALK, DIRECTIONS, RANKS, SCOPES

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.records import Direction, Page, PageRequest, Rank, Related, Scope, TreeLine

rank_help = "How paths are compared: by the sum of weights, or by the product of weights up to 1."


@command(
    "related",
    """
    $ remem related "The stale timetable" --weight-min 2 --limit 2
    3      1 hop   One export of the timetable  document LLxNHn5sCKS  gangway/decisions/0006-one-export.md
           The stale timetable <--caused_by 3 parsed-- One export of the timetable
    2      1 hop   Time zones  heading 7qRfrZQ0kjT  gangway/architecture/timetable.md
           The stale timetable --references 2 parsed--> Time zones
    """,
    anchor="NODE",
)
@click.argument("node")
@click.option(
    "--depth", type=click.IntRange(1, DEEPEST_WALK), default=1, show_default=True, help="How many hops to walk."
)
@click.option(
    "--direction",
    type=click.Choice(DIRECTIONS),
    default="both",
    show_default=True,
    help="Follow edges forward, backward, or either way.",
)
@click.option("--weight-min", type=float, default=0.0, help="Leave out edges below this weight.")
@click.option("--type", "types", type=NameList(list_types), multiple=True, help="Only edges of these types: A,B.")
@click.option("--origin", "origins", type=NameList(list_origins), multiple=True, help="Only edges of these origins.")
@click.option("--kind", "kinds", type=NameList(list_kinds), multiple=True, help="Report only nodes of these kinds.")
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="section",
    show_default=True,
    help="What one stop of a walk is.",
)
@click.option("--rank", type=click.Choice(RANKS), default="sum", show_default=True, help=rank_help)
@click.option("--limit", type=click.IntRange(1), default=100, show_default=True, help="The most results.")
@page_options
@json_option
@pass_session
def related_command(
    session: Session,
    node: str,
    depth: int,
    direction: Direction,
    weight_min: float,
    types: Sequence[Sequence[str]],
    origins: Sequence[Sequence[str]],
    kinds: Sequence[Sequence[str]],
    scope: Scope,
    rank: Rank,
    limit: int,
    page: PageRequest,
    as_json: bool,
) -> None:
    """Walk from a NODE (an id or a label) along the edges; best results first.

    A result gives score, hops, label, kind, id and file. An arrow of its path bears type, weight and origin of the edge
    and points the way of the edge: A --supports 2 parsed--> B <--caused_by 1 manual-- C.
    """

    async def walk(remem: Remem) -> tuple[TreeLine, Page[Related]]:
        anchor = (await remem.tree(node, depth=0))[0]
        names = join_names(types), join_names(origins), join_names(kinds)
        asked = direction, depth, weight_min, *names, scope, rank, limit
        return anchor, await remem.related(anchor.id, *asked, *page)

    anchor, found = session.run(walk)
    if as_json:
        return print_json(wire.show_all_related(anchor.id, found) | ({} if page.is_whole else wire.show_rest(found)))
    if not page.is_whole:
        return print_page(found)
    if not found:
        say(f"nothing is reached from {clean_label(anchor.label)} {anchor.id}")
    print_lines(list_related(anchor.label, found))


@command(
    "path",
    """
    $ remem path "The stale timetable" "Amina Okafor"
    0.8    2 hops  Amina Okafor  document 1gGMQoH81Rp  gangway/people/amina-okafor.md
           The stale timetable --similar_to 1 parsed--> The double-booked deck --references 1 parsed--> Amina Okafor
    """,
)
@click.argument("source")
@click.argument("target")
@click.option("--rank", type=click.Choice(RANKS), default="strength", show_default=True, help=rank_help)
@json_option
@pass_session
def path_command(session: Session, source: str, target: str, rank: Rank, as_json: bool) -> None:
    """Find the best path of at most five hops from SOURCE to TARGET (ids or labels)."""

    async def find(remem: Remem) -> tuple[TreeLine, TreeLine, Related | None]:
        found = await remem.path(source, target, rank)
        start, end = [(await remem.tree(name, depth=0))[0] for name in (source, target)]
        return start, end, found

    start, end, found = session.run(find)
    if as_json:
        return print_json(wire.show_path(start.id, end.id, found))
    if found is None:
        return say(f"no path of at most {DEEPEST_WALK} hops leads from {start.label} to {end.label}")
    print_lines(list_related(start.label, [found]))
