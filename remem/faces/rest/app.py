"""The service as one ASGI application: the routes below `/api/v1`, other applications beside them, and what guards
them all. It opens no store and no port."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from remem.errors import NotFoundError
from remem.faces.rest.changes import ChangeFeed
from remem.faces.rest.compiles import CompileTasks
from remem.faces.rest.copies import clear_copies
from remem.faces.rest.documents import make_documents
from remem.faces.rest.frame import Frame
from remem.faces.rest.gate import Gate
from remem.faces.rest.limits import BodyLimit
from remem.faces.rest.metrics import Metrics
from remem.faces.rest.operations import BASE, Context
from remem.faces.rest.router import Router
from remem.faces.rest.routes import OPERATIONS
from remem.faces.rest.service import ROUTE, Service

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from remem.engine import Remem
    from remem.faces.rest.options import ServerOptions

DOCS = "/docs"
PAGE_PATHS = ("/", "/static/", "/favicon.ico", DOCS)
"""What is shown without a key beside the open operations: the page and its files, which hold no data."""


class App:
    """The whole service. Lifespan events are answered here and passed to nobody: who mounts an application runs what it
    needs. `close` ends what calls have begun; a lifespan's end does so too."""

    def __init__(self, remem: Remem, options: ServerOptions, others: Mapping[str, ASGIApp]) -> None:
        self.compiles = CompileTasks(remem)
        self.changes = ChangeFeed(remem)
        self._path = remem.settings.storage.path
        metrics = Metrics()
        context = Context(remem, options, self.compiles, self.changes, metrics, make_documents(OPERATIONS))
        self._service = Service(context, Router(OPERATIONS))
        limits = options.max_body_bytes, options.body_timeout
        self._others = {path.rstrip("/"): BodyLimit(app, *limits) for path, app in others.items()}
        self._framed = Frame(Gate(self._choose, options, list_open_paths()), metrics)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request, or follows a lifespan."""
        if scope["type"] == "http":
            await self._framed(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def close(self) -> None:
        """Ends the streams of events, and the compiles that are under way. May be called again."""
        await self.changes.close()
        await self.compiles.close()

    async def _choose(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path.startswith(BASE + "/"):
            await self._service(scope, receive, send)
            return
        if path == DOCS:
            await _redirect(BASE + DOCS, send)
            return
        for prefix, app in self._others.items():
            if prefix and (path == prefix or path.startswith(prefix + "/")):
                scope[ROUTE] = prefix
                await app(scope, receive, send)
                return
        page = self._others.get("")
        if page is None:
            raise NotFoundError(f"there is nothing at this address; the service is below {BASE}, see {BASE}{DOCS}")
        scope[ROUTE] = "/"
        await page(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await asyncio.to_thread(clear_copies, self._path)
                await send({"type": "lifespan.startup.complete"})
            else:
                await asyncio.shield(self.close())
                await send({"type": "lifespan.shutdown.complete"})
                return


def build_app(remem: Remem, options: ServerOptions, others: Mapping[str, ASGIApp] | None = None) -> App:
    """The application that serves an open store.

    `others` are applications with the path below which they stand (`{"/mcp": app}`; `"/"` takes all the rest). They see
    the whole path, and are behind the same checks of key, Host, Origin, body and rate. `/`, `/static/`, `/docs` and the
    operations that say so ask for no key.
    """
    return App(remem, options, others or {})


def list_open_paths() -> Collection[str]:
    """The addresses that ask for no key."""
    return [*PAGE_PATHS, *(BASE + operation.path for operation in OPERATIONS if operation.open)]


async def _redirect(place: str, send: Send) -> None:
    headers = [(b"location", place.encode()), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 307, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
