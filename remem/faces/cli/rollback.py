"""The commands `rollback` and `purge`: back to what was, and away with what was, for good."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from remem.faces import wire
from remem.faces.cli.arguments import can_ask
from remem.faces.cli.commands import command, json_option, wait_option
from remem.faces.cli.output import clean_label, count, paint, print_json, print_lines, say
from remem.faces.cli.session import Session, pass_session
from remem.faces.cli.shapes import show_named, show_place

if TYPE_CHECKING:
    from remem.records import RollbackReport

SHOWN_CHANGES = 20


@command(
    "rollback",
    """
    $ remem forget Deploy --mode cascade
    6wN62Z7xzrZ is forgotten, 7 below it as well
    $ remem rollback 1 --dry-run
    …
    dry run, nothing is written: notes back to 1: 8 added
    …
    $ remem rollback 1
    …
    notes back to 1: 8 added; snapshot 3
    compile leaves alone until they change: gangway/runbooks/deploy.md
    """,
)
@click.argument("snapshot", type=int)
@click.option(
    "--scope",
    default="notes",
    show_default=True,
    help="notes (all but memories), all, a root, a document, a node with all below it, or a memory.",
)
@click.option("--dry-run", is_flag=True, help="Tell what would change; write nothing.")
@wait_option
@json_option
@pass_session
def rollback_command(
    session: Session, snapshot: int, scope: str, dry_run: bool, no_wait: bool, as_json: bool
) -> None:  # fmt: skip
    """Take the notes, or a part of the store, back to what they were at SNAPSHOT, as a new snapshot.

    The files stay as they are. Rolling that back restores what there was.
    """
    settle = not no_wait and not dry_run
    report = session.run(lambda remem: remem.rollback(snapshot, scope, dry_run=dry_run), settle=settle)
    if as_json:
        print_json(wire.show_rollback(report))
    else:
        print_lines(list_changes(report))
    for line in tell_rollback(report):
        say(line)


def list_changes(report: RollbackReport) -> Iterator[str]:
    """The first nodes that a rollback changed, one a line, then documents that stand elsewhere now, and how many more
    there are."""
    for change in report.changes[:SHOWN_CHANGES]:
        place = paint("archived" if change.archived else show_place(change.root, change.source), "dim")
        yield "  ".join(part for part in (change.op.ljust(4), *show_named(change), place) if part)
    if len(report.changes) > SHOWN_CHANGES:
        yield f"… {len(report.changes) - SHOWN_CHANGES} more; --json shows all"
    for one in report.renamed[:SHOWN_CHANGES]:
        place = paint(f"{clean_label(one.was)} → {clean_label(one.now)}", "dim")
        yield "  ".join(("file", paint(clean_label(one.label), "label"), paint(one.id, "id"), place))
    if len(report.renamed) > SHOWN_CHANGES:
        yield f"… {len(report.renamed) - SHOWN_CHANGES} more; --json shows all"


def tell_rollback(report: RollbackReport) -> Iterator[str]:
    """What a rollback did, and which files compile leaves alone."""
    counts = [(name, getattr(report, name)) for name in wire.FATES]
    done = [f"{number} {name}" for name, number in counts if number]
    done += [f"{len(report.renamed)} renamed"] if report.renamed else []
    told = ", ".join(done) or "nothing changes"
    where = f"; snapshot {report.snapshot}" if report.snapshot is not None else ""
    start = "dry run, nothing is written: " if report.dry_run else ""
    yield f"{start}{clean_label(report.scope)} back to {report.to}: {told}{where}"
    if report.held:
        names = ", ".join(map(clean_label, report.held[:SHOWN_CHANGES]))
        more = f" and {len(report.held) - SHOWN_CHANGES} more" if len(report.held) > SHOWN_CHANGES else ""
        yield f"compile leaves alone until they change: {names}{more}"


@command(
    "purge",
    """
    $ remem store "The password is swordfish." --id secret
    stored: secret
    $ remem update secret --text "The password is in the vault."
    updated: secret
    $ remem purge --node secret --yes
    1 text is removed from the history for good; nothing of the purged texts is left in the file
    """,
)
@click.option("--snapshot", type=int, metavar="N", help="Purge the texts that no snapshot after N holds.")
@click.option("--node", metavar="ID", help="Purge the former texts of a node and of all that is or was below it.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@pass_session
def purge_command(session: Session, snapshot: int | None, node: str | None, yes: bool, as_json: bool) -> int:
    """Remove texts from the history for good, as for a secret; what is there now stays.

    On a terminal it asks first. The file is written anew. Files of notes and backups are not touched.
    """
    if (snapshot is None) == (node is None):
        raise click.UsageError("say what is to be purged: --snapshot N or --node ID")
    what = f"the former texts of {clean_label(node)}" if node is not None else f"the texts up to snapshot {snapshot}"
    if not yes and can_ask() and not click.confirm(f"Remove {what} from the history for good?", err=True):
        say("nothing was removed")
        return wire.FAILED
    report = session.run(lambda remem: remem.purge(snapshot=snapshot, node=node))
    say(f"{count(report.texts, 'text is', 'texts are')} removed from the history for good; {report.message}")
    if as_json:
        print_json(wire.show_purge(report))
    return wire.DONE if report.complete else wire.FAILED
