"""The service against a bare Starlette route that returns as many bytes, and how it stores while 50 clients write.

    python -m benchmarks.rest [--memories 10000] [--stored 6000] [--seconds 2] [--rounds 3] [--only read|store]

Each server is a process of its own with the same settings of uvicorn (uvloop, httptools); the clients are one process
with connections that are kept open. Figures of the same round are taken one after the other, so the ratios hold where
the machine is busy; of the rounds the median is told. 1000 memories and 100 queries are read in turn while nothing is
written; beside it stands how long an answer takes that is asked for the first time, and how many are read while a
memory is stored ten times a second.

Not measured: TLS, a network, many processes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import uvicorn
import uvloop

from benchmarks.figures import judge

SEED = 20261
HEADS = ("har", "lan", "tor", "mis", "gel", "sur", "bet", "dom", "fel", "kin")
TAILS = ("bour", "tern", "dock", "mast", "rope", "gull", "tide", "mole", "reef", "sand", "pier", "hull")
WORDS = [head + tail for head in HEADS for tail in TAILS]
READERS = 16
WRITERS = 50
WRITE_PAUSE = 0.1
WORK_BEGINS = 2.0
"""Seconds after which the background work of a server has begun."""
BOUND_SHARE = 50
BOUND_STORED = 1500
BOUND_P99 = 150
BOUND_DRAIN = 90
DRAIN_SECONDS = 30.0


# --- servers ----------------------------------------------------------------------------------------------------------


def run_uvicorn(app: Any, port: int) -> None:
    """Serves an application the way `remem serve` does."""
    uvicorn.run(
        app, host="127.0.0.1", port=port, http="httptools", loop="uvloop", access_log=False, log_config=None,
        server_header=False, lifespan="on",
    )  # fmt: skip


def serve_bare(port: int) -> None:
    """A route that returns as many bytes as it is asked for."""
    from starlette.applications import Starlette
    from starlette.requests import Request as Asked
    from starlette.responses import Response
    from starlette.routing import Route

    bodies: dict[int, bytes] = {}

    async def answer(request: Asked) -> Response:
        size = int(request.path_params["size"])
        return Response(bodies.setdefault(size, b"x" * size), media_type="application/json")

    run_uvicorn(Starlette(routes=[Route("/bare/{size}", answer, methods=["GET", "POST"])]), port)


def serve_remem(port: int, path: str, provider: str) -> None:
    """The service on a store."""
    from contextlib import asynccontextmanager

    from remem.config import load_settings
    from remem.engine import Remem
    from remem.faces.rest.app import build_app
    from remem.faces.rest.options import read_options

    settings = load_settings(environ={}, overrides={"storage.path": path, "embedding.provider": provider})

    @asynccontextmanager
    async def open_app() -> Any:
        async with Remem(settings, serving=True) as remem:
            yield build_app(remem, read_options(settings))

    class Late:
        """Opens the store in the server's own loop."""

        app: Any = None

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] != "lifespan":
                await self.app(scope, receive, send)
                return
            async with open_app() as self.app:
                await self.app(scope, receive, send)

    run_uvicorn(Late(), port)


class Server:
    """A server in a process of its own, ended at the end."""

    def __init__(self, *arguments: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = [sys.executable, "-m", "benchmarks.rest", "--serve", str(self.port), *arguments]
        self.process = subprocess.Popen(command)

    def __enter__(self) -> Server:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            time.sleep(0.05)
        raise RuntimeError("the server did not start")

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(30)


# --- clients ----------------------------------------------------------------------------------------------------------


class Client(asyncio.Protocol):
    """One connection that is kept open: sends the next request when the answer is there."""

    def __init__(self, requests: Iterator[bytes], latencies: list[float], done: asyncio.Future[None]) -> None:
        self._requests, self._latencies, self._done = requests, latencies, done
        self._left = 0
        self._head = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport
        self._send()

    def _send(self) -> None:
        request = next(self._requests, None)
        if request is None:
            self._transport.close()
            if not self._done.done():
                self._done.set_result(None)
            return
        self._began = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        if not self._left:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            head, data, self._head = self._head[:end].lower(), self._head[end + 4 :], b""
            assert head[9:11] == b"20", head
            at = head.index(b"content-length:") + 15
            self._left = int(head[at : at + 12].split(b"\r")[0])
        self._left -= len(data)
        if self._left <= 0:
            self._left = 0
            self._latencies.append(time.perf_counter() - self._began)
            self._send()

    def connection_lost(self, error: Exception | None) -> None:
        if not self._done.done():
            self._done.set_exception(error or RuntimeError("the server closed the connection"))


async def load(port: int, clients: int, requests: Iterator[bytes]) -> tuple[float, list[float]]:
    """Seconds for all requests, and how long each took."""
    loop, latencies = asyncio.get_running_loop(), list[float]()
    dones = [loop.create_future() for _ in range(clients)]
    began = time.perf_counter()
    for done in dones:
        await loop.create_connection(partial(Client, requests, latencies, done), "127.0.0.1", port)
    await asyncio.gather(*dones)
    return time.perf_counter() - began, latencies


def repeat(requests: Sequence[bytes], seconds: float) -> Iterator[bytes]:
    """The requests in turn for so long."""
    deadline, number = time.perf_counter() + seconds, 0
    while time.perf_counter() < deadline:
        yield requests[number % len(requests)]
        number += 1


def measure(port: int, requests: Sequence[bytes], seconds: float) -> float:
    """Requests a second."""
    took, latencies = uvloop.run(load(port, READERS, repeat(requests, seconds)))
    return len(latencies) / took


def measure_beside_writes(port: int, requests: Sequence[bytes], seconds: float) -> float:
    """Requests a second while a memory is stored every `WRITE_PAUSE`."""

    async def write() -> None:
        while True:
            request = write_post("/api/v1/memories", {"content": f"written at {time.time_ns()}"})
            await load(port, 1, iter([request]))
            await asyncio.sleep(WRITE_PAUSE)

    async def run() -> float:
        writing = asyncio.ensure_future(write())
        took, latencies = await load(port, READERS, repeat(requests, seconds))
        writing.cancel()
        await asyncio.wait([writing])
        return len(latencies) / took

    return uvloop.run(run())


def write_get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def write_post(path: str, body: object) -> bytes:
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(data)}"
    return head.encode() + b"\r\n\r\n" + data


def ask(port: int, path: str, body: object = None) -> tuple[bytes, int]:
    """An answer and its length."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(f"http://127.0.0.1:{port}{path}", data, {"Content-Type": "application/json"})
    with urlopen(request) as answer:
        told = answer.read()
    return told, len(told)


# --- what is measured -------------------------------------------------------------------------------------------------


async def fill(path: str, memories: int) -> None:
    """A store of memories with about three connections each."""
    from remem.config import load_settings
    from remem.engine import Remem
    from remem.records import RELATIONSHIP_TYPES

    rng = random.Random(SEED)
    settings = load_settings(environ={}, overrides={"storage.path": path, "embedding.provider": "none"})
    async with Remem(settings) as remem:
        for start in range(0, memories, 1000):
            await remem.store_batch([make_memory(rng, number) for number in range(start, min(start + 1000, memories))])
        for _ in range(0, 3 * memories, 1000):
            pairs = [rng.sample(range(memories), 2) for _ in range(1000)]
            calls = [
                remem.connect(f"m{a}", f"m{b}", rng.choice(RELATIONSHIP_TYPES), round(rng.uniform(0.3, 1), 2))
                for a, b in pairs
            ]
            await asyncio.gather(*calls)


def make_memory(rng: random.Random, number: int) -> dict[str, object]:
    text = f"# {' '.join(rng.choices(WORDS, k=3))} {number}\n\n{' '.join(rng.choices(WORDS, k=40))}."
    return {"id": f"m{number}", "content": text, "tags": rng.choices(WORDS, k=2)}


def compare(path: str, memories: int, seconds: float, rounds: int) -> None:
    """Reading, beside the bare route."""
    rng = random.Random(SEED + 1)
    names = [f"m{number}" for number in rng.sample(range(memories), min(1000, memories))]
    queries = [" ".join(rng.choices(WORDS, k=2)) for _ in range(100)]
    base = "/api/v1/memories"
    cases: dict[str, tuple[list[bytes], Callable[[int], int]]] = {
        "get": (
            [write_get(f"{base}/{name}") for name in names],
            lambda port: ask(port, f"{base}/{names[0]}")[1],
        ),
        "related, depth 2": (
            [write_get(f"{base}/{name}/related?depth=2&limit=20") for name in names],
            lambda port: statistics.mean(
                ask(port, f"{base}/{name}/related?depth=2&limit=20")[1] for name in names[:50]
            ).__int__(),
        ),
        "keyword search": (
            [write_post(f"{base}/search", {"query": query, "mode": "keyword"}) for query in queries],
            lambda port: statistics.mean(
                ask(port, f"{base}/search", {"query": query, "mode": "keyword"})[1] for query in queries[:50]
            ).__int__(),
        ),
    }
    with Server("remem", path, "none") as own, Server("bare") as bare:
        for name, (requests, find_size) in cases.items():
            size = find_size(own.port)
            probe = [write_get(f"/bare/{size}")]
            if requests[0].startswith(b"POST"):
                probe = [requests[0].replace(f"{base}/search".encode(), f"/bare/{size}".encode(), 1)]
            first = 1000 * measure_once(own.port, requests) / len(requests)
            for port, what in ((own.port, requests), (bare.port, probe)):
                measure(port, what, seconds / 2)
            pairs = [(measure(own.port, requests, seconds), measure(bare.port, probe, seconds)) for _ in range(rounds)]
            mine, other = (statistics.median(column) for column in zip(*pairs, strict=True))
            share = statistics.median(a / b for a, b in pairs)
            held = judge(100 * share, BOUND_SHARE, least=True)
            told = f"{name:18} {mine:8,.0f}/s  bare {size:6,} B {other:8,.0f}/s  {100 * share:5.1f} %  {held}"
            beside = measure_beside_writes(own.port, requests, seconds)
            more = f"asked for the first time: {first:.2f} ms each; beside writes: {beside:,.0f}/s"
            print(f"{told}   ({more})", flush=True)


def measure_once(port: int, requests: Sequence[bytes]) -> float:
    """Seconds for each of the requests once, by one client."""
    took, _ = uvloop.run(load(port, 1, iter(requests)))
    return took


def store(path: str, provider: str, count: int) -> None:
    """50 clients that store, with the embedder's work behind; then the backlog."""
    rng = random.Random(SEED + 2)
    bodies = [make_memory(rng, number) for number in range(count)]
    requests = [write_post("/api/v1/memories", {**body, "id": f"s{number}"}) for number, body in enumerate(bodies)]
    with Server("remem", path, provider) as own:
        wait_idle(own.port)
        time.sleep(WORK_BEGINS)
        took, latencies = uvloop.run(load(own.port, WRITERS, iter(requests)))
        latencies.sort()
        p50, p99 = (1000 * latencies[int(len(latencies) * share)] for share in (0.5, 0.99))
        rate, told = len(requests) / took, f"p50 {p50:.0f} ms, p99 {p99:.0f} ms"
        print(f"durable store, {WRITERS} clients: {rate:,.0f}/s  {judge(rate, BOUND_STORED, least=True)}")
        print(f"  {told}  {judge(p99, BOUND_P99)}", flush=True)
        owed, began = read_owed(own.port), time.perf_counter()
        while (left := read_owed(own.port)) > owed * 0.05 and time.perf_counter() - began < DRAIN_SECONDS:
            time.sleep(0.5)
        rate = (owed - left) / (time.perf_counter() - began)
    alone = measure_embedder([str(body["content"]) for body in bodies[:500]])
    share = 100 * rate / alone
    print(
        f"backlog: {rate:,.0f} of {owed} texts a second; the embedder alone {alone:,.0f}/s: {share:.0f} %"
        f"  {judge(share, BOUND_DRAIN, least=True)}",
        flush=True,
    )


def read_owed(port: int) -> int:
    return int(json.loads(ask(port, "/api/v1/stats")[0])["owed_embed"])


def wait_idle(port: int) -> None:
    ask(port, "/api/v1/ready")


def measure_embedder(texts: list[str]) -> float:
    """Texts a second of the default embedder, in batches as the background work has them."""
    from remem.background.embed import MOST_TEXTS
    from remem.embedding.keeper import EmbedderKeeper
    from remem.records import EmbedderOptions

    async def run() -> float:
        keeper = EmbedderKeeper(EmbedderOptions())
        await keeper.embed_passages(texts[:MOST_TEXTS])
        began = time.perf_counter()
        for start in range(0, len(texts), MOST_TEXTS):
            await keeper.embed_passages(texts[start : start + MOST_TEXTS])
        return len(texts) / (time.perf_counter() - began)

    return asyncio.run(run())


def main() -> None:
    """Prints all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--stored", type=int, default=6000)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=("read", "store"))
    parser.add_argument("--serve", nargs="+", metavar="PORT", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        port, kind, *rest = options.serve
        return serve_bare(int(port)) if kind == "bare" else serve_remem(int(port), *rest)
    print(f"Python {platform.python_version()}, uvicorn {uvicorn.__version__}, {os.cpu_count()} cores", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "store":
            path = str(Path(folder, "read.db"))
            asyncio.run(fill(path, options.memories))
            compare(path, options.memories, options.seconds, options.rounds)
        if options.only != "read":
            store(str(Path(folder, "store.db")), "minilm", options.stored)


if __name__ == "__main__":
    main()
