"""The commands `mcp` and `install`: Remem as the memory of a program that talks to a model."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from remem.faces.cli.clients import CLIENTS, make_config, write_config
from remem.faces.cli.commands import command, json_option
from remem.faces.cli.output import print_json, print_lines, say
from remem.faces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from remem.settings import Settings

END_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP")


@command(
    "mcp",
    """
    $ remem --db memory.db mcp
    """,
)
@pass_session
def mcp_command(session: Session) -> None:
    """Serve the store over MCP on stdin and stdout, for the program that starts this one.

    `remem install CLIENT` prints what such a program has to know. The store is made where there is
    none. It ends when the client closes stdin, or on a signal.
    """
    settings = load_session(session)
    if os.isatty(0):
        say("this speaks MCP on stdin and stdout, for a client that starts it: see `remem install --help`")
    for name in END_SIGNALS:
        if hasattr(signal, name):  # until the server is loaded, which takes over
            signal.signal(getattr(signal, name), _leave)
    # Faces do not import each other; this one is started by name, as the commands are.
    import_module("remem.faces.mcp.stdio").run_stdio(settings)


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(0)


def load_session(session: Session) -> Settings:
    """The settings of a run, without the engine. Raises ConfigError."""
    from remem.config import load_settings

    config = None if session.config is None else Path(session.config)
    return load_settings(config, overrides={"storage.path": session.db})


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

    db = os.path.abspath(load_session(session).storage.path)
    config = find_config(None if session.config is None else Path(session.config), os.environ)
    options = ["--db", db] if config is None else ["--db", db, "--config", os.path.abspath(config)]
    return [*find_program(), *options, "mcp"]


def find_program() -> list[str]:
    """How this program is started: by the interpreter that runs it, else by its own name."""
    if sys.executable:
        return [os.path.abspath(sys.executable), "-m", "remem"]
    return [os.path.abspath(shutil.which("remem") or "remem")]
