"""The service on a free port of this machine, by uvicorn in a thread."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

import uvicorn

from remem.config import load_settings
from remem.engine import Remem
from remem.faces.rest.app import build_app
from remem.faces.rest.options import ServerOptions


class Listener:
    """A server that listens while it is entered."""

    def __init__(self, path: Path, options: ServerOptions) -> None:
        self._path, self._options = path, options
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._server: uvicorn.Server | None = None

    async def _serve(self) -> None:
        overrides = {"storage.path": str(self._path), "embedding.provider": "none", "storage.synchronous": "normal"}
        async with Remem(load_settings(environ={}, overrides=overrides)) as remem:
            app = build_app(remem, self._options)
            config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=5)
            self._server = uvicorn.Server(config)
            self._started.set()
            await self._server.serve([self._socket])

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(60)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.should_exit = True
        self._thread.join(60)
        assert not self._thread.is_alive()

    def connect(self) -> socket.socket:
        """A connection; what does not answer within a minute hangs."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def exchange(self, request: bytes) -> bytes:
        """All that comes back for some bytes until the server closes."""
        with self.connect() as connection:
            connection.sendall(request)
            return read_all(connection)


def read_all(connection: socket.socket) -> bytes:
    """What comes until the end."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)
