"""The commands `store`, `update`, `forget`, `unarchive`, `promote`, `pin` and `unpin`: facts that no file owns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from remem.faces import wire
from remem.faces.cli.arguments import read_file, read_object, read_text
from remem.faces.cli.commands import NameList, command, join_names, json_option, wait_option
from remem.faces.cli.output import clean_label, count, print_json, say
from remem.faces.cli.session import Session, pass_session
from remem.records import FORGET_MODES
from remem.redaction.marks import MARK_START

if TYPE_CHECKING:
    from remem.records import ForgetMode, Memory, NodeUsage


@command(
    "store",
    """
    $ remem store "The deploy key rotates on Fridays. See [[Deploy]]." --id rotation --tag ops
    stored: rotation
    $ remem store "The deploy key rotates on Fridays. See [[Deploy]]." --tag keys
    known already: rotation
    """,
    content="TEXT",
    graph_extraction="--graph",
)
@click.argument("text")
@click.option("--id", "id", metavar="ID", help="1 to 64 letters, digits, _ and -. Default: one is made.")
@click.option("--type", "memory_type", metavar="TYPE", help="long_term (the default) or short_term.")
@click.option("--ttl", type=float, metavar="SECONDS", help="How long it lives; makes it short_term.")
@click.option("--importance", type=float, default=0.5, show_default=True, help="From 0 to 1.")
@click.option("--tag", "tags", type=NameList(tuple), multiple=True, help="A tag, several with commas or repeated.")
@click.option("--source", default="", help="Where it comes from; the same text twice in one source is one memory.")
@click.option("--metadata", metavar="JSON", help="An object of whatever goes with it.")
@click.option(
    "--graph", metavar="JSON|FILE", help='{"entities": [{name, type, description}], "relationships": [...]}, or a file.'
)
@wait_option
@json_option
@pass_session
def store_command(
    session: Session,
    text: str,
    id: str | None,
    memory_type: str | None,
    ttl: float | None,
    importance: float,
    tags: Sequence[Sequence[str]],
    source: str,
    metadata: str | None,
    graph: str | None,
    no_wait: bool,
    as_json: bool,
) -> None:
    """Store TEXT as a memory; `-` reads it from stdin. Links in it are followed.

    With --graph, what was read out of the text becomes nodes and edges: each entity is one
    node, and a relationship, {source, target, relationship_type, strength}, is an edge between
    two entities by name.
    """
    fields = {
        "content": read_text(text),
        "id": id,
        "memory_type": memory_type,
        "ttl": ttl,
        "importance": importance,
        "tags": join_names(tags) or (),
        "source": source,
        "metadata": read_object("metadata", metadata),
        "graph_extraction": read_object("graph", read_file(graph)),
    }
    memory = session.run(lambda remem: remem.store(**fields), create=True, settle=not no_wait)  # type: ignore[arg-type]
    tell_memory("known already" if memory.existing else "stored", memory, as_json)
    tell_secrets(fields["content"], memory)


@command(
    "update",
    """
    $ remem store "The deploy key rotates on Fridays. See [[Deploy]]." --id rotation
    stored: rotation
    $ remem update rotation --text "The deploy key rotates on Mondays. See [[Deploy]]." --importance 0.8
    updated: rotation
    """,
)
@click.argument("node", metavar="ID")
@click.option("--text", "content", metavar="TEXT", help="The new text; `-` reads it from stdin.")
@click.option("--type", "memory_type", metavar="TYPE", help="long_term or short_term.")
@click.option("--ttl", type=float, metavar="SECONDS", help="How long it lives from now on; makes it short_term.")
@click.option("--importance", type=float, help="From 0 to 1.")
@click.option("--tag", "tags", type=NameList(tuple), multiple=True, help="The tags, in the place of the old ones.")
@click.option("--no-tags", is_flag=True, help="Take all tags away that were given; so does --tag ''.")
@click.option("--source", help="Where it comes from.")
@click.option("--metadata", metavar="JSON", help="An object, in the place of the old one.")
@wait_option
@json_option
@pass_session
def update_command(
    session: Session,
    node: str,
    content: str | None,
    memory_type: str | None,
    ttl: float | None,
    importance: float | None,
    tags: Sequence[Sequence[str]],
    no_tags: bool,
    source: str | None,
    metadata: str | None,
    no_wait: bool,
    as_json: bool,
) -> None:
    """Replace the given fields of a memory; edges that were made by calls stay."""
    given = {
        "content": None if content is None else read_text(content),
        "memory_type": memory_type,
        "ttl": ttl,
        "importance": importance,
        "tags": choose_tags(join_names(tags), no_tags),
        "source": source,
        "metadata": read_object("metadata", metadata),
    }
    fields = {name: value for name, value in given.items() if value is not None}
    if not fields:
        raise click.UsageError("say what is to be changed: --text, --importance, --tag, or another option")
    memory = session.run(lambda remem: remem.update(node, **fields), settle=not no_wait)
    tell_memory("updated", memory, as_json)
    tell_secrets(given["content"], memory)


@command(
    "forget",
    """
    $ remem store "The deploy key rotates on Fridays. See [[Deploy]]." --id rotation
    stored: rotation
    $ remem forget rotation
    rotation is archived
    $ remem forget rotation --hard
    rotation is removed for good
    $ remem forget 0faGfDKIgKh --mode cascade
    0faGfDKIgKh is forgotten, 1 below it as well
    """,
)
@click.argument("node", metavar="ID")
@click.option("--hard", is_flag=True, help="Remove a memory for good, archived or not.")
@click.option(
    "--mode",
    type=click.Choice(FORGET_MODES),
    default="strict",
    show_default=True,
    help="What becomes of nodes below one of a note: refuse, take them along, lift them.",
)
@json_option
@pass_session
def forget_command(session: Session, node: str, hard: bool, mode: ForgetMode, as_json: bool) -> None:
    """Archive a memory, which `unarchive` takes back, or remove it for good; take a node out of a note.

    The text stays in the history in all cases. A node of a note stays away until its own text in the
    file changes; the file is not touched.
    """
    shown = wire.show_forgotten(session.run(lambda remem: remem.forget(node, mode, hard=hard)))
    say(str(shown["message"]))
    if as_json:
        print_json(shown)


@command(
    "unarchive",
    """
    $ remem store "The deploy key rotates on Fridays. See [[Deploy]]." --id rotation
    stored: rotation
    $ remem forget rotation
    rotation is archived
    $ remem unarchive rotation
    back: rotation
    """,
)
@click.argument("id", metavar="ID")
@json_option
@pass_session
def unarchive_command(session: Session, id: str, as_json: bool) -> None:
    """Bring an archived or expired memory back under its id, with its edges."""
    tell_memory("back", session.run(lambda remem: remem.unarchive(id), settle=True), as_json)


@command(
    "promote",
    """
    $ remem store "The deploy key rotates on Fridays. See [[Deploy]]." --id rotation --ttl 60
    stored: rotation
    $ remem promote rotation
    long-term: rotation
    """,
)
@click.argument("node", metavar="ID")
@json_option
@pass_session
def promote_command(session: Session, node: str, as_json: bool) -> None:
    """Make a memory long-term: it never expires."""
    tell_memory("long-term", session.run(lambda remem: remem.promote(node)), as_json)


@command(
    "pin",
    """
    $ remem pin Deploy
    pinned: Deploy 03sc4DsbqEH
    """,
)
@click.argument("node", metavar="ID")
@json_option
@pass_session
def pin_command(session: Session, node: str, as_json: bool) -> None:
    """Keep a node from cooling until it is unpinned."""
    tell_usage("pinned", session.run(lambda remem: remem.pin(node)), as_json)


@command(
    "unpin",
    """
    $ remem unpin Deploy
    unpinned: Deploy 03sc4DsbqEH
    """,
)
@click.argument("node", metavar="ID")
@json_option
@pass_session
def unpin_command(session: Session, node: str, as_json: bool) -> None:
    """Let a node cool again."""
    tell_usage("unpinned", session.run(lambda remem: remem.unpin(node)), as_json)


def tell_memory(what: str, memory: Memory, as_json: bool) -> None:
    """Says what became of a memory and of the entities that came with it, and prints it as JSON where that is asked
    for."""
    say(f"{what}: {memory.id}")
    if memory.extraction is not None:
        made = memory.extraction
        entities = count(len(made.entities), "entity", "entities")
        say(f"{entities}, {count(len(made.relationships), 'relationship')}")
        for refused in made.refused:
            say(f"left out: {clean_label(refused.item)}: {clean_label(refused.reason)}")
    if as_json:
        print_json(wire.show_stored(memory))


def tell_usage(what: str, usage: NodeUsage, as_json: bool) -> None:
    """Says what became of a node, and prints it as JSON where that is asked for."""
    say(f"{what}: {clean_label(usage.label)} {usage.id}")
    if as_json:
        print_json(wire.show_usage(usage))


def tell_secrets(given: object, memory: Memory) -> None:
    """Says where a secret of the given text, if there is one, was left out."""
    if isinstance(given, str) and memory.content.count(MARK_START) > given.count(MARK_START):
        say(f"a secret was left out; {MARK_START}…] stands in its place")


def choose_tags(tags: Sequence[str] | None, no_tags: bool) -> Sequence[str] | None:
    """The tags that an update gives: none at all for `--no-tags` and for one empty tag; None where it gives no tags.
    Raises UsageError where it says both."""
    if no_tags and tags:
        raise click.UsageError("--no-tags takes the tags away that --tag gives")
    return () if no_tags or tags == ("",) else tags
