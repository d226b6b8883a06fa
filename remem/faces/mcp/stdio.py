"""`remem mcp`: one MCP connection over stdin and stdout, from the first byte to the end of the process. It decides how
that ends; what is answered stands in `server`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from remem.errors import RememError
from remem.faces.mcp.feed import ResourceFeed
from remem.faces.mcp.host import StoreHost
from remem.faces.mcp.messages import INTERNAL_ERROR, LASTING, dump_error, parse_message, refuse_message
from remem.faces.mcp.server import build_server
from remem.faces.mcp.wires import LineReader, LineWriter, Wires, claim_wires
from remem.faces.running.ends import end_process, listen_signals
from remem.faces.running.logs import start_log
from remem.faces.wire import DONE, FAILED
from remem.settings import Settings

logger = logging.getLogger(__name__)

CLOSING_SECONDS = 5.0
"""How long the end of a process may take."""
FINISHING_SECONDS = 2.5
"""So much of it calls that are under way have to finish and be answered."""


def run_stdio(settings: Settings) -> NoReturn:
    """Serves the store of the settings until the client leaves or a signal asks to end; then the process ends with
    status 0, the store closed and what was to be written behind written."""
    wires = claim_wires()
    start_log(settings.logging.level, settings.logging.format)
    asyncio.run(serve_wires(settings, wires))
    raise SystemExit(FAILED)


async def serve_wires(settings: Settings, wires: Wires) -> NoReturn:
    """Serves until the client leaves or a signal comes, closes the store, and ends the process."""
    host, calls = StoreHost(settings), OpenCalls()
    await run_until_end(serve_connection(host, wires, calls), calls.finish, host.close)


async def run_until_end(
    connection: Coroutine[Any, Any, None],
    finish: Callable[[], Awaitable[None]],
    close: Callable[[], Awaitable[None]],
) -> NoReturn:
    """Runs a connection until it ends, or until a signal comes and `finish` is done; then `close`, and ends the
    process."""
    stopped = watch_signals()
    ends = [asyncio.ensure_future(connection), asyncio.ensure_future(stopped.wait())]
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    deadline = asyncio.get_running_loop().time() + CLOSING_SECONDS
    if not ends[0].done():
        ends.append(asyncio.ensure_future(finish()))
        await asyncio.wait([ends[0], ends[-1]], return_when=asyncio.FIRST_COMPLETED)
    failure = ends[0].exception() if ends[0].done() else None
    if failure is not None:
        logger.error("the connection ended by an unexpected %s", type(failure).__name__)
    for task in ends:
        task.cancel()
    with suppress(TimeoutError, RememError):
        async with asyncio.timeout_at(deadline):
            await asyncio.gather(*ends, return_exceptions=True)
            await close()
    end_process(DONE if failure is None else FAILED)


def watch_signals() -> asyncio.Event:
    """An event that a signal to end sets."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    listen_signals(partial(loop.call_soon_threadsafe, stopped.set))
    return stopped


async def serve_connection(host: StoreHost, wires: Wires, calls: OpenCalls) -> None:
    """Serves one client until it closes its end and what it asked is answered, or until it no longer reads. Calls that
    are under way after that are cancelled."""
    feed = ResourceFeed(host)
    server = build_server(host, feed)
    inbox, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, outbox = anyio.create_memory_object_stream[SessionMessage](0)
    writer = LineWriter(wires.outgoing)
    reader = LineReader(wires.incoming, LineParser(inbox, writer, calls).deliver)
    writer.start()
    async with anyio.create_task_group() as group:

        async def end_when(event: asyncio.Event, *, finish: bool) -> None:
            await event.wait()
            if finish:
                await calls.finish()
            await inbox.aclose()

        async def serve() -> None:
            try:
                await server.run(incoming, outgoing, server.create_initialization_options())
            finally:
                await feed.close()
            group.cancel_scope.cancel()

        group.start_soon(send_messages, outbox, writer, calls)
        group.start_soon(partial(end_when, reader.ended, finish=True))
        group.start_soon(partial(end_when, writer.broken, finish=False))
        group.start_soon(serve)
        reader.start()


async def send_messages(
    outbox: MemoryObjectReceiveStream[SessionMessage], writer: LineWriter, calls: OpenCalls
) -> None:
    """Writes what the server says, a line a message."""
    async with outbox:
        async for item in outbox:
            await writer.write(dump_message(item.message))
            calls.note_written(item.message)


class OpenCalls:
    """The requests that are to be answered before a connection ends: all but those that the client gave up, and those
    that last until it does."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._none_left = asyncio.Event()
        self._none_left.set()

    def note_read(self, message: JSONRPCMessage) -> None:
        """Takes a message of the client."""
        if isinstance(message, JSONRPCRequest) and message.method != LASTING:
            self._ids.add(str(message.id))
            self._none_left.clear()
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._strike((message.params or {}).get("requestId"))

    def note_written(self, message: JSONRPCMessage) -> None:
        """Takes a message of the server that the client can read now."""
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._strike(message.id)

    def _strike(self, id: object) -> None:
        self._ids.discard(str(id))
        if not self._ids:
            self._none_left.set()

    async def finish(self) -> None:
        """Waits until all are answered, for as long as the end of a process leaves time for it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FINISHING_SECONDS):
                await self._none_left.wait()


def dump_message(message: JSONRPCMessage) -> bytes:
    """A message as one line of JSON. What cannot be said in JSON (half a surrogate pair) becomes an error."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    except ValueError:
        id = message.id if isinstance(message, JSONRPCResponse | JSONRPCRequest | JSONRPCError) else None
        return dump_error(id, INTERNAL_ERROR, "the answer holds text that is no valid Unicode")


class LineParser:
    """Makes messages of lines. A request that is no message is answered with an error where its id can be read, so that
    no client waits for it; any other line that is no message is passed over."""

    def __init__(
        self, inbox: MemoryObjectSendStream[SessionMessage | Exception], writer: LineWriter, calls: OpenCalls
    ) -> None:
        self._inbox = inbox
        self._writer = writer
        self._calls = calls
        self._warned = False

    async def deliver(self, lines: list[bytes]) -> None:
        """Takes lines as they came; returns when the server has them."""
        for line in lines:
            if not line.strip():
                continue
            message = parse_message(line)
            if message is None:
                await self._refuse(line)
                continue
            self._calls.note_read(message)
            with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                await self._inbox.send(SessionMessage(message))

    async def _refuse(self, line: bytes) -> None:
        if not self._warned:
            logger.warning("a line that is no JSON-RPC message was passed over; further ones will be without a word")
            self._warned = True
        error, known = refuse_message(line)
        if known:
            await self._writer.write(error)
