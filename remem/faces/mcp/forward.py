"""`remem mcp --url`: carries the messages of a client on stdin and stdout to a running server and its answers back. It
opens no store and understands no more of a message than it takes to send it."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any, NoReturn
from urllib.parse import urlsplit

import httpx2
from mcp.shared.inbound import NAME_BEARING_METHODS, encode_header_value

from remem.errors import InvalidInputError
from remem.faces.mcp.messages import INTERNAL_ERROR, LASTING, dump_error
from remem.faces.mcp.stdio import FINISHING_SECONDS, run_until_end
from remem.faces.mcp.wires import LineReader, LineWriter, Wires, claim_wires
from remem.faces.running.logs import start_log
from remem.faces.wire import FAILED
from remem.settings import Settings

SESSION, VERSION = "mcp-session-id", "mcp-protocol-version"
VERSION_IN_META = "io.modelcontextprotocol/protocolVersion"
CONNECT_SECONDS = 5.0
RETRY_SECONDS = 1.0
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")

Message = dict[str, Any]


def run_forward(settings: Settings, url: str) -> NoReturn:
    """Carries messages until the client leaves or a signal asks to end; then the process ends with status 0.

    The key is that of the settings. Raises InvalidInputError for an address that is none.
    """
    place = complete_url(url)
    wires = claim_wires()
    start_log(settings.logging.level, settings.logging.format)
    asyncio.run(forward_wires(wires, place, settings.server.api_key))
    raise SystemExit(FAILED)


def complete_url(url: str) -> str:
    """The address of the MCP endpoint of a server: without a path, that is `/mcp`. Raises InvalidInputError."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid:
        raise InvalidInputError(f"--url must be like http://127.0.0.1:4545, not {url[:200]}", field="url")
    return url if parts.path.strip("/") else url.rstrip("/") + "/mcp"


async def forward_wires(wires: Wires, url: str, key: str) -> NoReturn:
    """Carries messages until the client leaves or a signal comes, and ends the process."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    limits = httpx2.Limits(max_connections=None)
    own = urlsplit(url).hostname in LOCAL_HOSTS  # no proxy leads to this machine
    async with httpx2.AsyncClient(
        headers=headers, timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS), limits=limits, trust_env=not own
    ) as client:
        writer = LineWriter(wires.outgoing)
        forwarder = Forwarder(client, url, writer)
        reader = LineReader(wires.incoming, forwarder.deliver)
        await run_until_end(forwarder.run(reader), forwarder.finish, forwarder.close)


class Forwarder:
    """Sends each message as a request of its own. Where the server has forgotten the session, as after a restart, it is
    begun anew as the client began it, and the message is sent again."""

    def __init__(self, client: httpx2.AsyncClient, url: str, writer: LineWriter) -> None:
        self._client = client
        self._url = url
        self._writer = writer
        self._greeting: Message | None = None
        self._session: dict[str, str] = {}
        self._calls: dict[Any, asyncio.Task[None]] = {}
        self._lasting: set[asyncio.Task[None]] = set()
        self._held: list[Message] | None = None
        self._notices: asyncio.Task[None] | None = None
        self._renewal = asyncio.Lock()

    async def run(self, reader: LineReader) -> None:
        """Carries messages until the client closes its end and what it asked is answered, or until it no longer
        reads."""
        self._writer.start()
        reader.start()

        async def finish() -> None:
            await reader.ended.wait()
            await self.finish()

        ends = [asyncio.ensure_future(end) for end in (finish(), self._writer.broken.wait())]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)

    async def finish(self) -> None:
        """Waits until all calls are answered but those that last as long as the client wants, for as long as the end
        of a process leaves time for it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FINISHING_SECONDS):
                while calls := set(self._calls.values()) - self._lasting:
                    await asyncio.wait(calls)

    async def close(self) -> None:
        """Ends what is under way, and the session."""
        tasks = [*self._calls.values(), *([self._notices] if self._notices else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if SESSION in self._session:
            with suppress(httpx2.HTTPError):
                await self._client.delete(self._url, headers=self._session, timeout=RETRY_SECONDS)

    async def deliver(self, lines: list[bytes]) -> None:
        """Takes lines as they came; what is no message is passed over."""
        for line in lines:
            with suppress(ValueError, RecursionError):
                message = json.loads(line)
                if isinstance(message, dict):
                    await self._take(message)

    async def _take(self, message: Message) -> None:
        if self._held is None:
            await self._carry(message)
        else:
            self._held.append(message)

    async def _carry(self, message: Message) -> None:
        method, id = message.get("method"), message.get("id")
        if method == "notifications/cancelled" and SESSION not in self._session:
            self._give_up(message)
        elif method is not None and isinstance(id, str | int | float):
            self._begin(message, id)
        else:
            await self._pass_on(message)

    def _begin(self, message: Message, id: object) -> None:
        """Has a request sent. What comes after the one that begins a session waits for it: it is of that session."""
        if greets := message["method"] == "initialize" and self._held is None:
            self._held = []
        task = asyncio.create_task(self._greet(message, id) if greets else self._call(message, id))
        self._calls[id] = task
        if message["method"] == LASTING:
            self._lasting.add(task)
        task.add_done_callback(lambda task: self._forget(id, task))

    async def _greet(self, message: Message, id: object) -> None:
        try:
            await self._call(message, id)
            while self._held:
                await self._carry(self._held.pop(0))
        finally:
            self._held = None

    def _give_up(self, message: Message) -> None:
        """Without a session, a call is cancelled by hanging up."""
        params = message.get("params")
        id = params.get("requestId") if isinstance(params, dict) else None
        task = self._calls.get(id) if isinstance(id, str | int | float) else None
        if task is not None:
            task.cancel()

    def _forget(self, id: object, task: asyncio.Task[None]) -> None:
        self._lasting.discard(task)
        if self._calls.get(id) is task:
            del self._calls[id]

    async def _pass_on(self, message: Message) -> None:
        """Sends a notification or an answer. What becomes of it nobody is told."""
        with suppress(httpx2.HTTPError):
            await self._client.post(self._url, json=message, headers=self._make_headers(message))
        if message.get("method") == "notifications/initialized" and self._notices is None:
            self._notices = asyncio.create_task(self._listen())

    async def _call(self, message: Message, id: object) -> None:
        try:
            if await self._send(message):
                return
            await self._renew(self._session.get(SESSION))
            if not await self._send(message):
                await self._refuse(id, "the server does not know this session, though it was begun anew")
        except httpx2.HTTPError as error:
            reason = f"the server at {self._url} does not answer ({type(error).__name__}); is `remem serve` running?"
            await self._refuse(id, reason)

    async def _send(self, message: Message) -> bool:
        """Sends a request and writes what comes back. False where the server does not know the session."""
        greets = message["method"] == "initialize"
        if greets:
            self._greeting, self._session = message, {}
        headers = self._make_headers(message)
        async with self._client.stream("POST", self._url, json=message, headers=headers) as response:
            if response.status_code == 404 and SESSION in headers:
                return False
            if greets and SESSION in response.headers:
                self._session[SESSION] = response.headers[SESSION]
            if response.headers.get("content-type", "").startswith("text/event-stream"):
                await self._write_events(response, greets)
            else:
                await self._write_body(message["id"], response, greets)
        return True

    async def _write_events(self, response: httpx2.Response, greets: bool) -> None:
        async for event in httpx2.EventSource(response, max_event_size=None):
            if event.data:
                await self._write(event.data.encode(), greets)

    async def _write_body(self, id: object, response: httpx2.Response, greets: bool) -> None:
        body = await response.aread()
        with suppress(ValueError):
            told = json.loads(body)
            if isinstance(told, dict) and told.get("jsonrpc") == "2.0":
                if told.get("id") is None:  # refused before its id was read
                    body = json.dumps({**told, "id": id}).encode()
                return await self._write(body, greets)
            if isinstance(told, dict) and "detail" in told:
                return await self._refuse(id, f"{told.get('code')}: {told['detail']}")
        await self._refuse(id, f"the server at {self._url} answered with status {response.status_code}")

    async def _write(self, line: bytes, greets: bool = False) -> None:
        if greets:
            with suppress(ValueError, KeyError, TypeError):
                self._session[VERSION] = json.loads(line)["result"]["protocolVersion"]
        await self._writer.write(line.replace(b"\n", b""))

    async def _refuse(self, id: Any, reason: str) -> None:
        await self._writer.write(dump_error(id, INTERNAL_ERROR, reason))

    async def _renew(self, forgotten: str | None) -> None:
        """Begins the session anew as it was begun, unless another call has done so."""
        async with self._renewal:
            if self._greeting is None or self._session.get(SESSION) != forgotten:
                return
            headers = self._make_headers(self._greeting) | {SESSION: ""}
            del headers[SESSION]
            response = await self._client.post(self._url, json=self._greeting, headers=headers)
            if SESSION in response.headers:
                self._session[SESSION] = response.headers[SESSION]
                ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
                await self._client.post(self._url, json=ready, headers=self._make_headers(ready))

    async def _listen(self) -> None:
        """Writes what the server says without being asked, as long as there is a session."""
        while SESSION in self._session:
            with suppress(httpx2.HTTPError):
                async with self._client.stream("GET", self._url, headers=self._make_headers({})) as response:
                    if response.status_code == 405:
                        return
                    if response.status_code == 200:
                        await self._write_events(response, False)
            await asyncio.sleep(RETRY_SECONDS)

    def _make_headers(self, message: Message) -> dict[str, str]:
        """The headers of a message: those of the session, or those that a message without one asks for."""
        headers = {"accept": "application/json, text/event-stream"}
        given, method = message.get("params"), str(message.get("method"))
        params: Message = given if isinstance(given, dict) else {}
        meta = params.get("_meta")
        version = meta.get(VERSION_IN_META) if isinstance(meta, dict) else None
        if not isinstance(version, str):
            return headers | self._session
        headers |= {VERSION: version, "mcp-method": encode_header_value(method)}
        name = params.get(NAME_BEARING_METHODS.get(method, ""))
        return headers | ({"mcp-name": encode_header_value(name)} if isinstance(name, str) else {})
