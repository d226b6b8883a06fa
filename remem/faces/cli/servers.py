"""The commands `mcp` and `install`: Remem as the memory of a program that talks to a model."""

from __future__ import annotations

import os
import shutil
import sys
from importlib import import_module
from pathlib import Path

import click

from remem.errors import RefusedError
from remem.faces.cli.clients import CLIENTS, make_config, write_config
from remem.faces.cli.commands import command, json_option
from remem.faces.cli.output import print_json, print_lines, say
from remem.faces.cli.session import Session, pass_session


@command(
    "mcp",
    """
    $ remem --db memory.db mcp
    """,
)
@click.option("--url", metavar="URL", help="Forward to the server there instead, with the key in REMEM_API_KEY.")
@pass_session
def mcp_command(session: Session, url: str | None) -> None:
    """Serve the store over MCP on stdin and stdout, for the program that starts this one.

    `remem install CLIENT` prints what such a program has to know. The store is made where there is
    none. With --url there is no store here: all goes to a running `remem serve`. It ends when the client
    closes stdin, or on a signal.
    """
    if url is not None and session.db is not None:
        raise click.UsageError("--db names a store here, --url a server that has one: give one of them")
    settings = session.load_settings()
    if sys.stdin is None:
        raise RefusedError("stdin is closed: there is no client to serve")
    if os.isatty(0):
        say("this speaks MCP on stdin and stdout, for a client that starts it: see `remem install --help`")
    # Faces do not import each other; this one is started by name, as the commands are.
    if url is not None:
        import_module("remem.faces.mcp.forward").run_forward(settings, url)
    import_module("remem.faces.mcp.stdio").run_stdio(settings)


@command(
    "install",
    """
    $ remem --db memory.db install codex
    [mcp_servers.remem]
    command = "…/bin/python"
    args = ["-m", "remem", "--db", "…/memory.db", "mcp"]
    for ~/.codex/config.toml
    """,
)
@click.argument("client", type=click.Choice(sorted(CLIENTS)))
@json_option
@pass_session
def install_command(session: Session, client: str, as_json: bool) -> None:
    """Print what a CLIENT wants in its configuration to use this store over MCP.

    Nothing is written. All paths are absolute, since a client starts the server wherever it likes; with
    a configuration file, that is named too.
    """
    wanted = CLIENTS[client]
    line = make_line(session)
    if as_json:
        shape = {"client": client, "file": wanted.file, "format": wanted.form, "config": make_config(wanted, line)}
        return print_json(shape)
    print_lines([write_config(wanted, line)])
    say(f"for {wanted.file}")


def make_line(session: Session) -> list[str]:
    """The command that a client starts, with absolute paths."""
    from remem.config import find_config

    db = os.path.abspath(session.find_store())
    config = find_config(None if session.config is None else Path(session.config), os.environ)
    options = ["--db", db] if config is None else ["--db", db, "--config", os.path.abspath(config)]
    return [*find_program(), *options, "mcp"]


def find_program() -> list[str]:
    """How this program is started: by the interpreter that runs it, else by its own name."""
    if sys.executable:
        return [os.path.abspath(sys.executable), "-m", "remem"]
    return [os.path.abspath(shutil.which("remem") or "remem")]
