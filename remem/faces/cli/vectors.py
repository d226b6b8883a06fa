"""The commands `embed` and `reembed`: the vectors that meaning lives on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from remem.faces import wire
from remem.faces.cli.commands import command, json_option
from remem.faces.cli.output import count, print_json, print_lines, say
from remem.faces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from remem.records import WorkState


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
    """Make all vectors anew with the embedder that the settings name now.

    Where it is stopped on the way, whoever has the store open next goes on, as `remem embed` does; a second
    `reembed` begins anew. Search goes on by words meanwhile.
    """
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
