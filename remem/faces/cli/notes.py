"""The commands `compile`, `roots` and `drop`: which notes a store holds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from shlex import quote
from typing import TYPE_CHECKING

import click

from remem.faces import wire
from remem.faces.cli.arguments import can_ask
from remem.faces.cli.commands import command, json_option, page_options
from remem.faces.cli.compiled import list_summary
from remem.faces.cli.output import clean_label, count, print_json, print_page, print_table, say
from remem.faces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from remem.records import CompileProgress, CompileReport, PageRequest


@command(
    "compile",
    """
    $ remem compile gangway
    gangway: 36 files added
    364 nodes added; 160 links, 12 pending, 1 ambiguous
    0.1 s
    """,
)
@click.argument("path")
@click.option("--root", metavar="NAME", help="The name of the root. Default: that of the folder.")
@click.option("--moved", is_flag=True, help="Confirm that the root lies in another place now.")
@click.option("--prune", is_flag=True, help="Confirm that many files were deleted on purpose.")
@click.option("--strict", is_flag=True, help="Exit with 1 where a file has a problem.")
@click.option("--dry-run", is_flag=True, help="Tell what would change; write nothing.")
@click.option("--no-discover", is_flag=True, help="Leave what texts mention to the next compile or server.")
@click.option("--watch", is_flag=True, help="Go on: compile again whenever something changes, until Ctrl+C.")
@json_option
@pass_session
def compile_command(
    session: Session, path: str, root: str | None, moved: bool, prune: bool, strict: bool, dry_run: bool,
    no_discover: bool, watch: bool, as_json: bool,
) -> int:  # fmt: skip
    """Compile a file or a folder of notes into the store; only what changed is read.

    With --watch it goes on: each later compile is one line, and with --json one line of JSON. A folder
    that vanishes is waited for.
    """
    if watch:
        check_watch(path, dry_run=dry_run, strict=strict)
    seen: list[int] = []
    with show_progress() as tell:

        def progress(now: CompileProgress) -> None:
            if now.phase == "parse":
                seen.append(now.total)
            tell(now)

        with session.keep_absent(when=dry_run):
            report = session.run(
                lambda remem: remem.compile(
                    path, root, moved=moved, prune=prune, dry_run=dry_run, discover=not no_discover, progress=progress
                ),
                create=True,
            )
    for line in list_summary(report, max(seen, default=0)):
        say(line)
    if root is None and report.files_added and not report.files_unchanged:
        tell_renamed(session, report, path)
    if as_json:
        print_json(wire.show_compile(report))
    if watch:
        # Loaded where it is wanted: it needs what follows folders.
        import_module("remem.faces.cli.watching").follow_folder(session, path, as_json=as_json)
    return wire.FAILED if strict and report.diagnostics else wire.DONE


def tell_renamed(session: Session, report: CompileReport, path: str) -> None:
    """Says how a root whose folder is gone becomes the one that was just compiled for the first time."""
    if not os.path.exists(session.find_store()):  # a dry run made none
        return
    for old in session.run(lambda remem: remem.roots()):
        if old.name != report.root and old.path and not os.path.exists(old.path):
            drop = "" if report.dry_run else f"`remem drop {quote(report.root)}`, then "
            steps = f"{drop}`remem compile {quote(path)} --root {quote(old.name)} --moved`"
            place = f"root {old.name} lies at {old.path}, where no folder is"
            say(clean_label(f"{place}. If it was renamed to {path}: {steps} keeps its ids, edges and history"))


def check_watch(path: str, *, dry_run: bool, strict: bool) -> None:
    """Refuses what does not go with --watch. Raises click.UsageError."""
    if dry_run or strict:
        raise click.UsageError(f"--watch does not go with --{'dry-run' if dry_run else 'strict'}")
    if os.path.isfile(path):
        raise click.UsageError(f"--watch follows a folder, and {path} is a file")


@contextmanager
def show_progress() -> Iterator[Callable[[CompileProgress], None]]:
    """A bar on stderr where that is a terminal; gives what is to be called."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda now: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("scan", total=None)
        yield lambda now: bar.update(task, description=now.phase, completed=now.done, total=now.total or None)


@command(
    "roots",
    """
    $ remem roots
    gangway  36 documents  2026-03-02T09:30:00.000Z  /notes/gangway
    """,
)
@page_options
@json_option
@pass_session
def roots_command(session: Session, page: PageRequest, as_json: bool) -> None:
    """List the roots: what they hold, when they were compiled last, where they lie."""
    roots = session.run(lambda remem: remem.roots(*page))
    if as_json:
        return print_json(wire.show_roots(roots) | wire.show_rest(roots))
    if not page.is_whole:
        return print_page(roots)
    if not roots:
        say("nothing is compiled yet: `remem compile FOLDER`")
    rows = [
        (
            clean_label(root.name),
            count(root.documents, "document"),
            wire.show_time(root.compiled_at),
            clean_label(root.path),
        )
        for root in roots
    ]
    print_table(("root", "holds", "compiled", "place"), rows)


@command(
    "drop",
    """
    $ remem drop gangway --yes
    gangway: 36 documents and 364 nodes removed from the store; the files stay
    """,
)
@click.argument("root")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@pass_session
def drop_command(session: Session, root: str, yes: bool, as_json: bool) -> int:
    """Remove a root and its documents from the store, never from the disk.

    Links to them wait. On a terminal it asks first.
    """
    if not yes and can_ask() and not _confirm(session, root):
        say("nothing was removed")
        return wire.FAILED
    report = session.run(lambda remem: remem.drop(root))
    nodes = count(report.nodes, "node")
    say(f"{report.root}: {count(report.documents, 'document')} and {nodes} removed from the store; the files stay")
    if as_json:
        print_json(wire.show_drop(report))
    return wire.DONE


def _confirm(session: Session, root: str) -> bool:
    found = [known for known in session.run(lambda remem: remem.roots()) if known.name == root]
    if not found:
        return True
    documents = count(found[0].documents, "document")
    return click.confirm(f"Remove {clean_label(root)} with {documents} from the store?", err=True)
