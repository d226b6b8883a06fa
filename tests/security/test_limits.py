"""What one client can take from the others: time, memory, connections. Each has a bound that is told."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from remem import Remem
from remem.errors import SlowRequestError
from remem.faces.rest.limits import BodyLimit
from remem.faces.rest.options import ServerOptions
from remem.faces.serve import patience
from remem.faces.serve.patience import MOST_HEAD_BYTES, PatientProtocol
from tests.faces.rest.site import Site, make_scope
from tests.guard import guard_hang

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    """Answers when the body is there."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
    await send({"type": "http.response.body", "body": b"done"})


async def _count(scope: Any, receive: Any, send: Any) -> None:
    """Answers how many bytes the body has."""
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"done%d" % size})


def talk(dialogue: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], app: Any = _answer) -> None:
    """Runs one end of a connection, of which a server that reads as `remem serve` does has the other."""

    async def run() -> None:
        listening = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(app, http=PatientProtocol, ws="none", lifespan="off", log_config=None, access_log=False)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve([listening]))
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        try:
            await dialogue(reader, writer)
        finally:
            writer.close()
            server.should_exit = True
            await serving

    with guard_hang("a connection"):
        asyncio.run(run())


@pytest.mark.parametrize("sent", [b"", b"G", HEAD, HEAD + b"X-Slow: a"])
def test_a_head_that_does_not_come_ends_the_connection(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.05)

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        assert await reader.read() == b""

    talk(wait)


def test_a_second_head_that_does_not_come_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.05)

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"\r\n" + HEAD)
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"done") and answer.count(b"HTTP/1.1") == 1

    talk(wait)


def test_a_head_without_end_is_refused() -> None:
    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"X-Long: " + b"a" * MOST_HEAD_BYTES)
        assert (await reader.read()).startswith(b"HTTP/1.1 400 ")

    talk(flood)


LONG = b"a" * MOST_HEAD_BYTES


@pytest.mark.parametrize(
    "head",
    [
        HEAD + b"X-Long: " + LONG + b"\r\n\r\n",
        b"GET /?" + LONG + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        HEAD + b"".join(b"X-%d: a\r\n" % number for number in range(10_000)) + b"\r\n",
    ],
    ids=["header", "address", "headers"],
)
def test_a_head_that_comes_at_once_is_bounded_as_well(head: bytes) -> None:
    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for request in (HEAD + b"\r\n", head):
            writer.write(request)
            answer = await reader.readuntil(b"done" if request is not head else b"}")
        assert answer.startswith(b"HTTP/1.1 400 ") and b"more than 65536 bytes" in answer

    talk(flood)


@pytest.mark.parametrize(
    ("sent", "status", "told"),
    [
        (b"FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "FOO"),
        (b"get / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "get"),
        (b"\x16\x03\x01\x02\x00\x01\x00", 400, "no HTTP"),
        (b"FOO\r\n\r\n", 400, "no HTTP"),
        (b"GET / HTTP/9.9\r\n\r\n", 400, "no HTTP"),
    ],
)
def test_a_method_that_nobody_knows_is_told_from_what_is_no_http(sent: bytes, status: int, told: str) -> None:
    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 %d " % status) and told in json.loads(body)["detail"]
        assert (b"\r\nallow: GET, HEAD, POST, PUT, PATCH, DELETE\r\n" in head) is (status == 405)

    talk(ask)


@pytest.mark.parametrize("protocol", [b"websocket", b"h2c"])
def test_an_upgrade_is_answered_as_it_stands_and_nothing_after_it_is_read(
    caplog: pytest.LogCaptureFixture, protocol: bytes
) -> None:
    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Connection: Upgrade\r\nUpgrade: " + protocol + b"\r\n\r\n" + HEAD + b"\r\n")
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 200 ") and answer.count(b"HTTP/1.1") == 1
        assert b"\r\nconnection: close\r\n" in answer

    talk(ask)
    assert "pip install" not in caplog.text and not [r for r in caplog.records if r.levelname == "WARNING"]


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_beside_an_upgrade_is_read_however_it_comes(chunked: bool) -> None:
    """As curl and Java ask for HTTP/2."""
    body = b"x" * 100_000
    length = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % len(body)
    sent = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if chunked else body
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n" + length + b"\r\n\r\n"

    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for part in (head + sent[:10], sent[10:50_000], sent[50_000:], HEAD + b"\r\n"):
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(0)
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 200 ") and b"done100000" in answer and answer.count(b"HTTP/1.1") == 1

    talk(ask, _count)


def test_ordinary_requests_follow_each_other_on_one_connection() -> None:
    async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = b"x" * (MOST_HEAD_BYTES * 3)
        post = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
        for request in (HEAD + b"\r\n", post + body, HEAD + b"X-Long: " + b"a" * 20_000 + b"\r\n\r\n"):
            writer.write(request)
            assert (await reader.readuntil(b"done")).startswith(b"HTTP/1.1 200 ")

    talk(ask)


def test_a_body_that_drips_is_given_up_in_every_application() -> None:
    async def drip() -> Any:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def send(message: Any) -> None:
        raise AssertionError("nothing is answered")

    with guard_hang("a body"), pytest.raises(SlowRequestError):
        asyncio.run(BodyLimit(_answer, 1_000_000, 0.1)(make_scope("POST"), drip, send))


def test_who_waits_for_a_client_to_leave_may_wait_longer_than_for_a_body() -> None:
    messages = [{"type": "http.request", "body": b"x", "more_body": False}]
    seen: list[Any] = []

    async def receive() -> Any:
        if messages:
            return messages.pop()
        await asyncio.sleep(0.1)
        return {"type": "http.disconnect"}

    async def watch(scope: Any, receive: Any, send: Any) -> None:
        seen.extend([await receive(), await receive()])

    asyncio.run(BodyLimit(watch, 100, 0.02)(make_scope("POST"), receive, watch))  # type: ignore[arg-type]
    assert [message["type"] for message in seen] == ["http.request", "http.disconnect"]


@pytest.mark.parametrize("body", ["[" * 100_000, '{"a":' * 100_000, '{"content":' + "[" * 5000 + "]" * 5000 + "}"])
def test_json_that_is_nested_too_deep_is_refused(tmp_path: Path, body: str) -> None:
    with Site(tmp_path / "memory.db") as site, guard_hang("deep JSON"):
        for path in ("/memories", "/memories/batch", "/memories/search"):
            answer = site.send("POST", path, content=body.encode(), headers={"Content-Type": "application/json"})
            assert answer.status_code in (400, 422)
        assert site.get("/stats")["nodes"] == 0


def test_what_calls_ask_for_is_bounded(tmp_path: Path) -> None:
    with Site(tmp_path / "memory.db", ServerOptions(max_body_bytes=100_000)) as site:
        site.store("one", "memory one")
        for path in (
            *("/memories?limit=1000000", "/memories/one/related?depth=99", "/memories/one/related?limit=100000"),
            *("/connections?limit=100000", "/tree?budget=1", "/graph?depth=1000", "/connections?offset=-1"),
        ):
            site.refuse("GET", path, 422, "invalid_input")
        many = [{"content": f"text {number}"} for number in range(1001)]
        site.refuse("POST", "/memories/batch", 422, "invalid_input", json=many)
        site.refuse("POST", "/memories", 413, "too_large", json={"content": "x" * 100_000})
        assert site.get("/memories")["total"] == 1


BOMBS = {
    "laughs.yaml": "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}x]\n" for n in range(1, 30)),
    "front.md": "---\na0: &a0 x\n" + "".join(f"a{n}: &a{n} [{f'*a{n - 1}, ' * 9}x]\n" for n in range(1, 30)) + "---\n",
    "deep.json": "[" * 50_000 + "]" * 50_000,
    "deep.yaml": "- " * 20_000 + "x\n",
    "deep.toml": "a = " + "[" * 20_000 + "]" * 20_000,
    "deep.html": "<div>" * 50_000 + "text",
    "quotes.md": "> " * 20_000 + "text\n",
    "lists.md": "\n".join("  " * n + "- x" for n in range(1500)) + "\n",
    "links.md": "[[" * 50_000 + "\n\n" + "](" * 50_000 + "\n",
    "line.jsonl": json.dumps({"a": "x" * 2_000_000}) + "\n" + "{" * 10_000 + "\n",
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_is_small_and_unfolds_hugely_stays_small(tmp_path: Path, name: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / name).write_text(BOMBS[name], encoding="utf-8")
    (tmp_path / "notes" / "good.md").write_text("# Good\n\nfound here\n", encoding="utf-8")
    with Remem.open_sync(tmp_path / "memory.db") as opened, guard_hang(name):
        report = opened.compile(tmp_path / "notes")
        assert report.files == 2 and len(opened.search("found here"))
        size = sum(len(node.content) for node in opened.export().nodes)
    assert size < 3 * len(BOMBS[name]) + 1000
