"""The service on a store of its own, asked within the process: no port, the same application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx2
from anyio.from_thread import start_blocking_portal

from remem.config import load_settings
from remem.engine import Remem
from remem.faces.rest.app import App, build_app
from remem.faces.rest.documents import describe_service
from remem.faces.rest.options import ServerOptions
from remem.faces.rest.routes import OPERATIONS
from tests.faces.rest.shapes import check_answer

T = TypeVar("T")

BASE = "/api/v1"
HOST = "http://localhost:4545"
DOCUMENT: dict[str, Any] = json.loads(json.dumps(describe_service(OPERATIONS)))


class Site:
    """A store at `path` and the service on it. Every answer is held against the description of the service."""

    def __init__(self, path: Path, options: ServerOptions | None = None, **overrides: object) -> None:
        chosen = {"embedding.provider": "none", "storage.synchronous": "normal", **overrides}
        self.settings = load_settings(environ={}, overrides={"storage.path": str(path), **chosen})
        self.options = options or ServerOptions()
        self.headers: dict[str, str] = {}

    def __enter__(self) -> Self:
        self._entered = start_blocking_portal()
        self.portal = self._entered.__enter__()
        self.remem, self.app, self.client = self.portal.call(self._open)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.portal.call(self._close)
        self._entered.__exit__(kind, error, trace)

    async def _open(self) -> tuple[Remem, App, httpx2.AsyncClient]:
        remem = await Remem(self.settings).start()
        app = build_app(remem, self.options)
        transport = httpx2.ASGITransport(app=app)
        return remem, app, httpx2.AsyncClient(transport=transport, base_url=HOST)

    async def _close(self) -> None:
        await self.client.aclose()
        await self.app.close()
        await self.remem.close()

    def run(self, call: Callable[..., Awaitable[T]], *args: object, **kwargs: object) -> T:
        """What a method of the engine gives."""

        async def do() -> T:
            return await call(*args, **kwargs)

        return self.portal.call(do)

    def send(self, method: str, path: str, **kwargs: Any) -> httpx2.Response:
        """The answer to a request, whatever it is; `path` below the base."""

        async def do() -> httpx2.Response:
            headers = {**self.headers, **kwargs.pop("headers", {})}
            return await self.client.request(method, BASE + path, headers=headers, **kwargs)

        answer = self.portal.call(do)
        check_answer(DOCUMENT, method, path.partition("?")[0], answer)
        return answer

    def ask(self, method: str, path: str, status: int = 200, **kwargs: Any) -> Any:
        """The JSON of an answer that has the status."""
        answer = self.send(method, path, **kwargs)
        assert answer.status_code == status, answer.text
        return answer.json()

    def get(self, path: str, **parameters: object) -> Any:
        """The JSON that is read at an address."""
        return self.ask("GET", path, params=parameters)

    def refuse(self, method: str, path: str, status: int, code: str, **kwargs: Any) -> Any:
        """The problem that answers a request which is refused."""
        problem = self.ask(method, path, status, **kwargs)
        assert (problem["status"], problem["code"]) == (status, code), problem
        return problem

    def store(self, id: str, content: str, **fields: object) -> Any:
        """A memory that is stored under an id."""
        return self.ask("POST", "/memories", 201, json={"id": id, "content": content, **fields})

    def wait(self, wanted: Callable[[], T | None], tries: int = 400) -> T:
        """What `wanted` gives as soon as it gives something."""
        for _ in range(tries):
            if (found := wanted()) is not None:
                return found
            self.portal.call(asyncio.sleep, 0.02)
        raise AssertionError("it never came")


def make_scope(method: str = "GET", path: str = "/health", headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A bare request as a server hands it on."""
    named = {"host": "localhost", **(headers or {})}
    return {
        "type": "http",
        "method": method,
        "path": BASE + path,
        "raw_path": (BASE + path).encode(),
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in named.items()],
        "client": ("127.0.0.1", 1),
        "http_version": "1.1",
        "scheme": "http",
        "root_path": "",
    }
