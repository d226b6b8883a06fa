"""A real embedding service on loopback, good or bad as a test wants it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Reply = tuple[int, dict[str, str], bytes]


class Request(NamedTuple):
    """What arrived."""

    path: str
    body: dict[str, Any]
    key: str | None


class Service(ThreadingHTTPServer):
    """Answers each request by the next of `replies`, and by the last one from then on. It never does where `hangs`."""

    daemon_threads = True

    def __init__(self, *replies: Callable[[Request], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = list(replies)
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self.drips = False
        self.hangs = False
        self.cuts = False

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = Request(self.path, body, self.headers["Authorization"])
        service = self.server
        reply = service.replies[min(len(service.requests), len(service.replies) - 1)]
        service.requests.append(request)
        if service.hangs:
            service.closing.wait()
            return
        status, headers, content = reply(request)
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if service.drips:
            self.drip(content)
        else:
            self.wfile.write(content[: len(content) // 2] if service.cuts else content)

    def drip(self, content: bytes) -> None:
        """One byte after the other until the client goes."""
        for byte in content:
            if self.server.closing.wait(0.02):
                return
            try:
                self.wfile.write(bytes([byte]))
            except OSError:
                return

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: tests read what was asked from `requests`."""


@contextmanager
def serve(*replies: Callable[[Request], Reply]) -> Iterator[Service]:
    """A running service."""
    service = Service(*replies)
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        service.closing.set()
        service.shutdown()
        thread.join()
        service.server_close()


def answer_json(value: object, status: int = 200, **headers: str) -> Reply:
    """A reply that holds JSON."""
    return status, {name.replace("_", "-"): told for name, told in headers.items()}, json.dumps(value).encode()


def make_vector(text: str) -> list[float]:
    """Three numbers that tell texts apart, far from unit length."""
    return [float(len(text)), float(sum(text.encode()) % 97), 7.0]


def reply_openai(request: Request) -> Reply:
    """A good answer, its items in another order than the texts."""
    items = [{"index": place, "embedding": make_vector(text)} for place, text in enumerate(request.body["input"])]
    return answer_json({"data": items[::-1]})


def reply_ollama(request: Request) -> Reply:
    """A good answer of Ollama."""
    return answer_json({"embeddings": [make_vector(text) for text in request.body["input"]]})


def reply_vectors(*vectors: object) -> Callable[[Request], Reply]:
    """Whatever vectors, in order."""
    return lambda request: answer_json({"data": [{"index": n, "embedding": v} for n, v in enumerate(vectors)]})


def reply_status(status: int, **headers: str) -> Callable[[Request], Reply]:
    """An error whose body repeats what was sent, as careless services do."""
    return lambda request: answer_json({"error": request.body, "key": request.key}, status, **headers)
