"""The life of a server process: opens store and port, serves until a signal comes, and ends within five seconds with
everything saved. What is answered stands in the faces."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import uvicorn

from remem.engine import Remem
from remem.errors import RememError, StoreReadOnlyError
from remem.faces.mcp.http import McpEndpoint
from remem.faces.rest.app import App, build_app
from remem.faces.rest.options import read_options
from remem.faces.running.ends import end_process, listen_signals
from remem.faces.running.logs import start_log
from remem.faces.serve.doors import check_keys, find_addresses, open_sockets, show_address
from remem.faces.serve.folders import compiled_folders
from remem.faces.serve.patience import PatientProtocol
from remem.faces.serve.streams import StreamKeeper
from remem.faces.web.files import GraphPage
from remem.faces.wire import DONE, FAILED
from remem.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

GRACE_SECONDS = 4
"""How long requests that are under way may take to end."""
STREAM_SECONDS = 0.5
ANSWER_SECONDS = 0.2
"""So long those that did not may take to tell their clients."""
CLOSING_SECONDS = 2.0
DEADLINE_SECONDS = 4.8
"""After so long the process ends, whatever it waits for."""

Tell = Callable[[str], object]


def run_server(settings: Settings, tell: Tell, warn: Tell, leave: Callable[[], object] | None = None) -> None:
    """Serves the store of the settings until a signal asks to end; then the process ends with status 0.

    `tell` gets the address once the port is taken, `warn` what should be otherwise; `leave` is called before the end.
    Raises ConfigError, ConflictError, RefusedError, StoreError and its subclasses before it listens.
    """
    server = settings.server
    start_log(settings.logging.level, settings.logging.format)
    addresses = find_addresses(server.host)
    for warning in check_keys(server, addresses):
        warn(warning)
    sockets = open_sockets(server.host, server.port, addresses)
    try:
        with asyncio.Runner(loop_factory=choose_loop()) as runner:
            runner.run(serve_until_end(settings, sockets, tell, leave))
    finally:
        for each in sockets:
            each.close()


def choose_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the event loop: uvloop where there is one."""
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop


async def serve_until_end(
    settings: Settings, sockets: Sequence[socket.socket], tell: Tell, leave: Callable[[], object] | None
) -> NoReturn:
    """Serves the store, and ends the process. Raises what keeps it from serving."""
    await serve_store(settings, sockets, tell)
    if leave is not None:
        leave()
    end_process(DONE)  # here: leaving the loop would wait for its threads


async def serve_store(settings: Settings, sockets: Sequence[socket.socket], tell: Tell) -> None:
    """Opens the store, serves it on the sockets until a signal comes, and closes it."""
    remem = await Remem(settings, serving=True).start()
    try:
        if remem.storage.read_only:
            raise StoreReadOnlyError(f"store {remem.storage.path}: this process may not write the file or its folder.")
        mcp = McpEndpoint(remem)
        app = build_app(remem, read_options(settings), {"/mcp": mcp, "/": GraphPage()})
        keeper = StreamKeeper(app)
        server = SilentServer(make_config(keeper))
        stop_on_signal(server, partial(end_streams, app, keeper))
        if settings.compile.watch:
            await remem.watch_roots()
        once = () if settings.compile.watch else settings.compile.roots
        async with mcp.run(), compiled_folders(remem, once):
            tell(show_address(settings.server.host, sockets))
            await server.serve(sockets=list(sockets))
            if server.server_state.tasks:
                await asyncio.wait(server.server_state.tasks, timeout=ANSWER_SECONDS)
    finally:
        with suppress(TimeoutError, RememError):
            async with asyncio.timeout(CLOSING_SECONDS):
                await remem.close()


def make_config(app: ASGIApp) -> uvicorn.Config:
    """How requests are read."""
    return uvicorn.Config(
        app,
        http=PatientProtocol,
        loop="none",
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=True,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


class SilentServer(uvicorn.Server):
    """Leaves the signals to whoever runs it: uvicorn would send them once more, so that the process dies by them."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield


async def end_streams(app: App, keeper: StreamKeeper) -> None:
    """Ends what would go on for ever: first as each of it ends by itself, then whatever is still open."""
    with suppress(TimeoutError):
        async with asyncio.timeout(STREAM_SECONDS):
            await app.close()
    keeper.end()


def stop_on_signal(server: uvicorn.Server, end: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Has a signal stop the server. `end` is run when it stops."""
    loop = asyncio.get_running_loop()
    ending: list[asyncio.Task[None]] = []  # a task that nobody holds may vanish

    def stop() -> None:
        server.should_exit = True
        start_deadline()
        loop.call_soon_threadsafe(lambda: ending.append(loop.create_task(end())))
        # What is cancelled after the grace is no error.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)

    listen_signals(stop)


def start_deadline() -> None:
    """Has the process end in time even if something never comes to its end. What was acknowledged is in the file."""
    timer = threading.Timer(DEADLINE_SECONDS, os._exit, (FAILED,))
    timer.daemon = True
    timer.start()
