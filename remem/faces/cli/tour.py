"""The command `demo`: a guided tour of real output on the sample notes that come with the package."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from remem.errors import RefusedError
from remem.faces.cli.commands import command
from remem.faces.cli.output import paint, print_lines, say
from remem.faces.cli.serving import start_server
from remem.faces.cli.session import Session, pass_session
from remem.scratch import make_scratch, remove_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = "gangway"
QUERY = "why was the timetable wrong"
STEPS = (
    (
        "Folders of notes become a tree of documents and sections. Here is one of the 36 documents:",
        ("tree", "Seat inventory"),
    ),
    (
        "Words find the sections that answer, each with the part that matches:",
        ("search", "why was the timetable wrong", "--limit", "2"),
    ),
    (
        "Links between notes become weighted edges. What matters to this incident, two hops around, and by which way?",
        ("related", "The double-booked deck", "--depth", "2", "--limit", "6"),
    ),
    (
        "The best path between two notes that do not link to each other:",
        ("path", "The stale timetable", "Amina Okafor"),
    ),
    (
        "Links to notes that nobody has written yet wait, and heal by themselves when the note appears:",
        ("pending",),
    ),
)
NEXT = """Try next, on notes of your own:
  remem compile FOLDER                   into ./memory.db
  remem tree                             what is there
  remem search WORDS                     where it is written
  remem related "A NOTE" --depth 2       what else matters
  remem relate "A NOTE" "ANOTHER" --type caused_by --weight 2
  remem --help                           everything else"""


@command(
    "demo",
    """
    $ remem demo
    …
    1. Folders of notes become a tree of documents and sections. Here is one of the 36 documents:
    $ remem tree 'Seat inventory'
    …
    """,
)
@click.option("--serve", is_flag=True, help="Serve the store of the demo over HTTP then, until Ctrl+C.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), help="With --serve. Default: [server] port, 4545. 0: any free one."
)
@click.option("--copy", type=click.Path(path_type=Path), metavar="FOLDER", help="Only copy the sample notes to FOLDER.")
@pass_session
def demo_command(session: Session, serve: bool, port: int | None, copy: Path | None) -> None:
    """Show what Remem does on sample notes: tree, search, relations with paths, pending links.

    The store is a temporary one, unless --db names one to keep.
    """
    if port is not None and not serve:
        raise click.UsageError("--port goes with --serve")
    if copy is not None:
        if serve:
            raise click.UsageError("--copy does not go with --serve")
        copy_samples(copy)
        return
    if session.db is not None:
        refuse_other_notes(session)
        show_tour(session.db, session.config)
        say(f"the store of the demo is {session.db}")
        if serve:
            serve_demo(session, port)
        return
    with make_scratch("demo") as folder:
        temporary = Session(str(folder / "demo.db"), session.config)
        show_tour(str(temporary.db), session.config)
        if serve:
            serve_demo(temporary, port, lambda: remove_folder(str(folder)))


def copy_samples(folder: Path) -> None:
    """Copies the sample notes. Raises RefusedError where there is anything of that name, or it cannot be made."""
    from remem.datafiles import find_samples

    try:
        shutil.copytree(find_samples(), folder)
    except FileExistsError as error:
        raise RefusedError(f"{folder} exists: choose another folder", path=str(folder)) from error
    except (OSError, shutil.Error) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise RefusedError(f"cannot write {folder}: {getattr(error, 'strerror', None) or error}") from error
    count = sum(path.is_file() for path in folder.rglob("*"))
    say(f"{count} files copied to {folder}; take them in with: remem compile {shlex.quote(str(folder))}")


def serve_demo(session: Session, port: int | None, leave: Callable[[], object] | None = None) -> None:
    """Serves the store of the demo until a signal comes; the process ends then, after `leave`."""
    print_lines([""])
    start_server(session.load_settings({"server.port": port}), QUERY, leave)


def refuse_other_notes(session: Session) -> None:
    """Raises RefusedError where the store holds other notes than the samples."""
    others = [root.name for root in session.run(lambda remem: remem.roots(), create=True) if root.name != ROOT]
    if others:
        raise RefusedError(f"{session.db} holds other notes ({', '.join(others)}); give the demo a new file")


def show_tour(db: str, config: str | None) -> None:
    """Compiles the samples and runs the steps, each as the command that a person would type."""
    from remem.datafiles import find_samples

    options = ["--db", db, *(["--config", config] if config else [])]
    run_command([*options, "compile", str(find_samples()), "--root", ROOT])
    for number, (told, arguments) in enumerate(STEPS, 1):
        typed = f"$ remem {shlex.join(arguments)}"
        print_lines(["", paint(f"{number}. {told}", "label"), paint(typed, "dim"), ""])
        run_command([*options, *arguments])
    print_lines(["", *NEXT.splitlines()])


def run_command(arguments: Sequence[str]) -> None:
    """Runs a command line within this process; errors are raised."""
    from remem.faces.cli.app import cli

    cli.main(args=list(arguments), prog_name="remem", standalone_mode=False)
