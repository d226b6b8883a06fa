"""The commands `backup`, `restore`, `import` and `migrate`: whole stores, and what other stores and programs wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from remem.faces import wire
from remem.faces.cli.commands import command, json_option, wait_option
from remem.faces.cli.output import clean_label, count, print_json, say
from remem.faces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from remem.records import ImportReport, MigrationState

SHOWN_PROBLEMS = 20


@command(
    "backup",
    """
    $ remem backup memory-copy.db
    … bytes written to memory-copy.db
    """,
    path="FILE",
)
@click.argument("file")
@click.option("--force", "-f", is_flag=True, help="Replace a store that is no copy of this one.")
@json_option
@pass_session
def backup_command(session: Session, file: str, force: bool, as_json: bool) -> None:
    """Copy the store to FILE as it is at one instant, while servers and others go on with it.

    The copy is a store like any other. An earlier copy of this store is replaced, at once and as a
    whole; another store only with --force, and what is no store never.
    """
    made = session.run(lambda remem: remem.backup(file, force=force))
    if as_json:
        return print_json(wire.show_backup(made))
    say(f"{count(made.bytes, 'byte')} written to {file}")


@command(
    "restore",
    """
    $ remem backup memory-copy.db
    …
    $ remem restore memory-copy.db
    memory.db is memory-copy.db now; the former store is kept as memory.db.before-restore-…
    """,
    backup="FILE",
)
@click.argument("file")
@json_option
@pass_session
def restore_command(session: Session, file: str, as_json: bool) -> None:
    """Put a copy of the backup FILE in the place of the store.

    No process may have the store open: end servers, MCP clients and other commands first. The
    former store is kept beside it; whatever happens, one of the two is in its place, whole.
    """
    import asyncio

    from remem.engine import Remem

    path = session.find_store()
    restored = asyncio.run(Remem.restore(path, file))
    if as_json:
        return print_json(wire.show_restored(restored))
    beside = os.path.join(os.path.dirname(path), os.path.basename(restored.kept or ""))
    say(f"{path} is {file} now" + (f"; the former store is kept as {beside}" if restored.kept else ""))


@command(
    "import",
    """
    $ remem export --format jsonl --out memory.jsonl
    …
    $ remem --db other.db import memory.jsonl
    jsonl: 36 files of notes compiled
    """,
    path="FILE",
)
@click.argument("file")
@click.option("--strict", is_flag=True, help="Exit with 1 where any line could not be taken in.")
@wait_option
@json_option
@pass_session
def import_command(session: Session, file: str, strict: bool, no_wait: bool, as_json: bool) -> int:
    """Take in what another store or program wrote: an export (JSON, JSONL), or an MCP memory server's file.

    Of an export, memories keep ids, times, tags and metadata; manual edges and the files of notes are
    made again. What is there already stays as it is, so an import can be repeated. Of a knowledge graph,
    each entity becomes a memory with its observations as a list and its relations as links. Bad lines are
    told, the others taken in; where all are bad, it ends with 1.
    """
    report = session.run(lambda remem: remem.import_file(file), create=True, settle=not no_wait)
    if as_json:
        print_json(wire.show_import(report))
    else:
        for line in tell_import(report):
            say(line)
    taken = report.stored + report.updated + report.unchanged + report.documents + report.edges + report.waiting
    return wire.FAILED if report.problems and (strict or not taken) else wire.DONE


def tell_import(report: ImportReport) -> Iterator[str]:
    """What an import did, and the first lines that it could not take in."""
    done = [
        (report.stored, "memory", "memories", "stored"),
        (report.updated, "memory", "memories", "changed"),
        (report.unchanged, "memory", "memories", "there already"),
        (report.documents, "file", "files", "of notes compiled"),
        (report.edges, "edge", "edges", "made"),
        (report.waiting, "edge", "edges", "waiting for a target"),
    ]
    told = [f"{count(number, one, many)} {what}" for number, one, many, what in done if number]
    yield f"{report.form}: {', '.join(told) or 'nothing new'}"
    for problem in report.problems[:SHOWN_PROBLEMS]:
        yield clean_label(f"line {problem.line}: {problem.message}" if problem.line else problem.message)
    if len(report.problems) > SHOWN_PROBLEMS:
        yield f"… {len(report.problems) - SHOWN_PROBLEMS} more; --json lists them all"


@command(
    "migrate",
    """
    $ remem migrate
    memory.db has version …, the newest
    """,
)
@click.option("--dry-run", is_flag=True, help="Tell what is missing; change nothing.")
@json_option
@pass_session
def migrate_command(session: Session, dry_run: bool, as_json: bool) -> None:
    """Bring the store to the version of this Remem, after a copy of it was made beside it.

    Any command that opens the store does the same; this one says what is done.
    """
    import asyncio

    from remem.engine import Remem

    path = session.find_store()
    state = asyncio.run(Remem.migrate(path, dry_run=dry_run))
    if as_json:
        return print_json(wire.show_migration(state))
    for line in tell_migration(state, path):
        say(line)


def tell_migration(state: MigrationState, path: str) -> Iterator[str]:
    """What is missing, or was."""
    if not state.missing:
        yield f"{path} has version {state.version or state.newest}, the newest"
        return
    steps = ", ".join(state.missing)
    if not state.done:
        yield f"{path} has version {state.version} of {state.newest}; missing: {steps}"
        return
    yield f"{path} was brought from version {state.version} to {state.newest}: {steps}"
    if state.backup:
        yield f"a copy of it as it was is {state.backup}"
