"""The commands `tree` and `show`: the index, and one node to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

import click

from remem.faces import wire
from remem.faces.cli.commands import command, json_option, page_options
from remem.faces.cli.output import clean_label, clean_text, count, paint, print_json, print_lines, print_page, say
from remem.faces.cli.session import Session, pass_session
from remem.faces.cli.shapes import list_index, show_edge, show_place, show_temperature
from remem.limits import DEEPEST_TREE

if TYPE_CHECKING:
    from remem.engine import Remem
    from remem.records import NodeView, Page, PageRequest, TreeLine

SHOWN_EDGES = 20
depth_option = click.option(
    "--depth", type=click.IntRange(0, DEEPEST_TREE), default=5, show_default=True, help="How far below to go."
)
as_of_option = click.option("--as-of", type=click.IntRange(0), metavar="N", help="As it was at snapshot N.")


@command(
    "tree",
    """
    $ remem tree "The stale timetable" --depth 1
    The stale timetable  heading KcponmTAZ8o  229 tokens
      Causes  heading EbjfAZonIQV  90 tokens  +2 below
      What was changed  heading 0faGfDKIgKh  38 tokens
      Similar  heading 96BMMrgt3JY  46 tokens
    """,
)
@click.argument("node", required=False)
@depth_option
@click.option(
    "--all/--sections",
    "blocks",
    default=None,
    help="Show paragraphs, lists and other blocks too, or not.  [default: all with --json]",
)
@as_of_option
@page_options
@json_option
@pass_session
def tree_command(
    session: Session,
    node: str | None,
    depth: int,
    blocks: bool | None,
    as_of: int | None,
    page: PageRequest,
    as_json: bool,
) -> None:
    """Show the documents and their sections, one line each.

    Of the whole store, or below one NODE (an id or a label). A line gives label, kind, id and the
    tokens of the node with all below it; `+12 below` says how many lines lie deeper than was asked.
    A budget takes the upper levels first, of each the branches that were used most lately.
    """
    whole = as_json if blocks is None else blocks
    lines = session.run(lambda remem: remem.tree(node, depth, *page, blocks=whole, as_of=as_of))
    if as_json:
        return print_json(wire.show_tree(lines) | wire.show_rest(lines))
    if not page.is_whole:
        return print_page(lines)
    if not lines:
        say("the store is empty: `remem compile FOLDER`" if as_of is None else f"snapshot {as_of} holds nothing")
    print_lines(list_index(lines))


@command(
    "show",
    """
    $ remem show "Pier reserve"
    Seat inventory > Seat hold > Pier reserve
    heading 8uoeVX8mctn  gangway/architecture/seat-inventory.md  48 tokens  temperature 0.50

    ### Pier reserve

    Four seats and 9 lane metres of each sailing from Holmay are not sold on the web until an hour before departure. …
    what the handhelds may sell while they are cut off. ^pier-reserve

    Edges
      <--references 1 parsed-- Lane metres instead of car slots One statement for a sale: Seat  list Jg3bRL7NNyE
    …
    """,
)
@click.argument("node")
@depth_option
@as_of_option
@page_options
@json_option
@pass_session
def show_command(
    session: Session,
    node: str,
    depth: int,
    as_of: int | None,
    page: PageRequest,
    as_json: bool,
) -> None:
    """Show one NODE (an id or a label): its section's text, its edges, what lies below."""

    async def read(remem: Remem) -> tuple[Page[NodeView], dict[str, TreeLine]]:
        found = await remem.show(node, depth, *page, as_of=as_of)
        return found, await load_ends(remem, found[0]) if page.is_whole and not as_json else {}

    found, ends = session.run(read)
    (view,) = found
    if as_json:
        return print_json(wire.show_view(view) | wire.show_rest(found))
    if not page.is_whole:
        return print_page(found)
    print_lines(list_view(view, ends))


async def load_ends(remem: Remem, view: NodeView) -> dict[str, TreeLine]:
    """The other ends of the edges that are shown, by id."""
    shown = view.edges[:SHOWN_EDGES]
    ids = {id for edge in shown for id in (edge.source_id, edge.target_id)} - {view.node.id}
    return {id: (await remem.tree(id, depth=0))[0] for id in sorted(ids)}


def list_view(view: NodeView, ends: Mapping[str, TreeLine]) -> Iterator[str]:
    """A node as a page: where it stands, its text, its edges, the index below it."""
    node = view.node
    labels = [clean_label(label) for label, _ in groupby([*(crumb.label for crumb in view.breadcrumb), node.label])]
    yield " > ".join([*(paint(label, "dim") for label in labels[:-1]), paint(labels[-1], "label")])
    facts = [paint(f"{node.kind} ", "dim") + paint(node.id, "id"), show_place(node.root, node.source)]
    tokens = view.total_tokens or node.tokens
    facts += [count(tokens, "token") if tokens else "", show_temperature(node)]
    facts += [f"#{clean_label(tag)}" for tag in node.tags]
    yield "  ".join(fact for fact in facts if fact)
    if view.text:
        yield from ("", clean_text(view.text))
    if view.edges:
        yield from ("", paint("Edges", "label"))
        yield from (f"  {show_edge(edge, node.id, ends)}" for edge in view.edges[:SHOWN_EDGES])
        if len(view.edges) > SHOWN_EDGES:
            yield f"  … {len(view.edges) - SHOWN_EDGES} more; --json shows all"
    if view.children:
        yield from ("", paint("Below", "label"))
        yield from list_index(view.children)
