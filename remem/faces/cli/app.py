"""The command `remem`: finds the module of a command when it is used, and turns whatever goes wrong into one line on
stderr and an exit status. It does nothing that a command does."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from remem import __version__
from remem.errors import RefusedError, RememError
from remem.faces import wire
from remem.faces.cli.session import Session

SECTIONS = {
    "Start": {"demo": "tour", "init": "setup"},
    "Notes": {"compile": "notes", "roots": "notes", "drop": "notes"},
    "Changing notes": {"write": "edits", "summarise": "edits"},
    "Reading": {
        "tree": "reading",
        "show": "reading",
        "search": "search",
        "recall": "recall",
        "related": "graph",
        "path": "graph",
        "graph": "pictures",
    },
    "Memories": dict.fromkeys(("store", "update", "forget", "unarchive", "promote", "pin", "unpin"), "memories"),
    "Versions": {
        **dict.fromkeys(("snapshots", "delta", "diff", "history"), "versions"),
        **dict.fromkeys(("rollback", "purge"), "rollback"),
    },
    "Edges": {"relate": "edges", "unrelate": "edges", "pending": "edges", "mentions": "mentions"},
    "The store": {
        "stats": "upkeep",
        "doctor": "upkeep",
        "bench": "bench",
        "export": "upkeep",
        **dict.fromkeys(("import", "backup", "restore", "migrate"), "transfer"),
        "embed": "vectors",
        "reembed": "vectors",
    },
    "For programs": {"serve": "serving", "mcp": "servers", "install": "servers"},
    "The shell": {"completion": "setup"},
}
"""The commands by section of the help, each with the module that holds it."""

MODULES = {name: module for commands in SECTIONS.values() for name, module in commands.items()}
REPORT_REQUEST = "please report this, with what the same command prints under --debug"


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, None where there is none."""
        if cmd_name not in MODULES:
            return None
        module = import_module(f"remem.faces.cli.{MODULES[cmd_name]}")
        command = getattr(module, f"{cmd_name}_command")
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names. Raises UsageError, with a close name where there is one."""
        if args and args[0] not in MODULES and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command {args[0]!r}{_offer_name(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command. A reader that has seen enough (`remem tree | head`) ends it without a word."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return wire.DONE

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands, section by section."""
        for section, names in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name, self._summarize(ctx, name)) for name in names], col_max=14)

    def _summarize(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        return command.get_short_help_str(100) if command else ""


def _offer_name(asked: str) -> str:
    from remem.checks import find_meant

    meant = find_meant(asked, MODULES)
    return f"; did you mean {meant}?" if meant else ""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--db", metavar="PATH", help="The store. Default: $REMEM_DB, then [storage] path, then memory.db.")
@click.option("--config", metavar="FILE", help="The settings. Default: $REMEM_CONFIG, then ./remem-server.toml.")
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
@click.version_option(__version__, prog_name="remem", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, db: str | None, config: str | None, debug: bool) -> None:
    """Keep notes and their relations as one weighted graph in one SQLite file.

    \b
    Example:
      $ remem compile notes
      $ remem related "Deploy" --depth 2

    Data goes to stdout, talk to stderr. Exit status: 0 done, 1 the request failed, 2 wrong usage.
    """
    ctx.obj = Session(db, config)


def run(arguments: Sequence[str]) -> int:
    """Runs one command line; returns the exit status. Prints what went wrong, never a traceback unless asked."""
    if sys.stdout is None:  # as a shell's `>&-` leaves it: the first file that is opened would take its place
        return tell_error(RefusedError("stdout is closed: give it a place, /dev/null if need be"))
    _prepare_streams()
    status: object
    try:
        status = cli.main(args=list(arguments), prog_name="remem", standalone_mode=False)
    except SystemExit as error:
        status = error.code
    except (KeyboardInterrupt, Exception) as error:
        status = tell_error(error, debug="--debug" in arguments)
    return status if isinstance(status, int) else wire.DONE


def _prepare_streams() -> None:
    """What an encoding cannot say is shown by its number instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", "") == "strict":
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def tell_error(error: BaseException, *, debug: bool = False) -> int:
    """Prints one line about an error to stderr; returns the exit status."""
    from remem.faces.cli.output import say

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return wire.WRONG_USAGE
    if _is_interrupt(error):
        click.echo("interrupted", err=True)
        return wire.INTERRUPTED
    if debug and not isinstance(error, (click.ClickException, click.Abort, RememError)):
        import traceback

        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    message, status = describe_error(error)
    say(f"error: {' '.join(message.split())}")
    return status


def _is_interrupt(error: BaseException | None) -> bool:
    return isinstance(error, KeyboardInterrupt) or (
        isinstance(error, click.Abort) and isinstance(error.__cause__ or error.__context__, KeyboardInterrupt)
    )


def describe_error(error: BaseException) -> tuple[str, int]:
    """The message of an error and the exit status. That of an unexpected one may hold content: it is left out."""
    if isinstance(error, RememError):
        return error.message, wire.find_report(error).exit_status
    if isinstance(error, click.UsageError):
        return _describe_usage(error), wire.WRONG_USAGE
    if isinstance(error, click.ClickException):
        return error.format_message(), wire.FAILED
    if isinstance(error, click.Abort):
        return "nothing was answered, nothing was done", wire.FAILED
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror}", wire.FAILED
    return f"unexpected {type(error).__name__}; {REPORT_REQUEST}", wire.FAILED


_KINDS = {"is not a valid float": "is no number", "is not a valid integer": "is no whole number"}
"""What the parser calls values, and what people call them."""


def _describe_usage(error: click.UsageError) -> str:
    message = error.format_message().rstrip(".")
    for said, meant in _KINDS.items():
        message = message.replace(said, meant)
    path = error.ctx.command_path if error.ctx else "remem"
    return f"{message[:1].lower()}{message[1:]} (see `{path} --help`)"
