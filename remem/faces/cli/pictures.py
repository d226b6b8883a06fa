"""The command `graph`: a picture of what lies around a node, as a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from remem.faces import wire
from remem.faces.cli.commands import command, json_option
from remem.faces.cli.files import force_option, refuse_file, write_file
from remem.faces.cli.output import count, print_json, say
from remem.faces.cli.session import Session, pass_session
from remem.limits import DEEPEST_WALK

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.records import Neighbourhood, Picture

MOST_NODES = 400
ENDINGS = (".html", ".htm", ".svg")


def check_ending(context: click.Context, parameter: click.Parameter, value: Path | None) -> Path | None:
    """The file to write, whose ending says what is drawn."""
    if value is not None and value.suffix.lower() not in ENDINGS:
        raise click.BadParameter(f"{value.name} must end in .html or .svg")
    return value


@command(
    "graph",
    """
    $ remem graph "Seat inventory" --depth 2 --out seats.html
    42 nodes, 76 edges: seats.html
    """,
    nodes="NODE",
)
@click.argument("node")
@click.option("--out", type=click.Path(path_type=Path), callback=check_ending, help="The file: FILE.html or FILE.svg.")
@click.option(
    "--depth", type=click.IntRange(0, DEEPEST_WALK), default=1, show_default=True, help="How many hops around the node."
)
@click.option(
    "--limit",
    type=click.IntRange(1, MOST_NODES),
    default=60,
    show_default=True,
    help="The most nodes; the nearest stay.",
)
@force_option
@json_option
@pass_session
def graph_command(
    session: Session, node: str, out: Path | None, depth: int, limit: int, force: bool, as_json: bool
) -> None:
    """Draw what lies around a NODE (an id or a label): labels, weights, types and directions of edges, what waits.

    The file needs nothing else: no network, no script but its own. With --json instead of --out, the nodes and edges.
    """
    if as_json:

        async def view(remem: Remem) -> Neighbourhood:
            return await remem.neighbourhood([node], depth, limit)

        return print_json(wire.show_neighbourhood(session.run(view)))
    if out is None:
        raise click.UsageError("say where the picture goes: --out FILE.html or FILE.svg (or --json)")

    async def read(remem: Remem) -> Picture:
        return await remem.picture([node], depth, limit)

    write_picture(session.run(read), out, force)


def write_picture(picture: Picture, out: Path, force: bool) -> None:
    """Writes the file as a whole or not at all. Raises RefusedError where one is there already."""
    from remem.rendering.drawing.page import draw_page
    from remem.rendering.drawing.svg import draw_svg

    refuse_file(out, force)
    text = draw_svg(picture) + "\n" if out.suffix.lower() == ".svg" else draw_page(picture)
    write_file(out, text.encode())
    more = f"; {count(picture.left_out, 'more was', 'more were')} left out (--limit)" if picture.left_out else ""
    say(f"{count(len(picture.nodes), 'node')}, {count(len(picture.edges), 'edge')}: {out}{more}")
