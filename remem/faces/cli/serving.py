"""The command `serve`, also known as `remem-server`: REST and MCP over one store on one port."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import click

from remem.faces.cli.commands import command
from remem.faces.cli.output import print_lines, say
from remem.faces.cli.session import Session, pass_session

if TYPE_CHECKING:
    from remem.settings import Settings

QUERY = "what changed last week"


@command(
    "serve",
    """
    $ remem serve
    memory.db is served at http://127.0.0.1:4545
    …
    """,
)
@click.option("--host", metavar="ADDRESS", help="Where to listen. Default: [server] host, 127.0.0.1.")
@click.option("--port", type=click.IntRange(0, 65_535), help="Default: [server] port, 4545. 0: any free one.")
@click.option("--db", metavar="PATH", help="As before the command.")
@click.option("--config", metavar="FILE", help="As before the command.")
@pass_session
def serve_command(session: Session, host: str | None, port: int | None, db: str | None, config: str | None) -> None:
    """Serve the store over HTTP: the graph page at /, REST below /api/v1, MCP at /mcp.

    The store is made where there is none. Beyond this machine it listens only with a key, best set
    in REMEM_API_KEY. Ctrl+C or SIGTERM ends it within five seconds, with everything saved.
    """
    session = Session(db or session.db, config or session.config)
    settings = session.load_settings({"server.host": host, "server.port": port})
    start_server(settings, QUERY)


def start_server(settings: Settings, query: str, leave: Callable[[], object] | None = None) -> None:
    """Serves until a signal comes, and ends the process; `leave` is called before that."""

    def tell(address: str) -> None:
        print_lines(describe_server(settings, address, query))
        sys.stdout.flush()  # whoever started it may wait for the address

    # Faces do not import each other; this one is started by name, as the commands are.
    import_module("remem.faces.serve.process").run_server(settings, tell, lambda text: say(f"warning: {text}"), leave)


def describe_server(settings: Settings, address: str, query: str) -> Iterator[str]:
    """Where the server is, and what to try."""
    key = ' -H "Authorization: Bearer $REMEM_API_KEY"' if settings.server.api_key else ""
    json = ' -H "Content-Type: application/json"'
    yield f"{settings.storage.path} is served at {address}"
    yield f"  Graph {address}/"
    yield f"  REST  {address}/api/v1, described at {address}/api/v1/docs"
    yield f"  MCP   {address}/mcp"
    for folder in settings.compile.roots:
        yield f"  Notes {folder}, compiled {'as files change' if settings.compile.watch else 'now'}"
    yield "Try in another terminal:"
    yield f"  curl{key} {address}/api/v1/stats"
    yield f'  curl{key} "{address}/api/v1/tree?depth=1&budget=500"'
    yield f'  curl{key}{json} {address}/api/v1/memories -d \'{{"content": "The ferry sails at noon."}}\''
    yield f'  curl{key}{json} {address}/api/v1/recall -d \'{{"query": "{query}"}}\''
    yield "Ctrl+C ends it."
