"""MCP over HTTP on a real server: sessions, the protocol without them, keys, and the SDK's own client in both eras."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Literal

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from remem.faces.mcp.families import FAMILIES
from remem.faces.mcp.resources import RESOURCES
from tests.faces.mcp.wire_client import ENVELOPE, HANDSHAKE, MODERN
from tests.faces.server_process import PATIENCE, Reply, ServerProcess

Era = Literal["legacy", "auto"]
ERAS: dict[Era, str] = {"legacy": HANDSHAKE, "auto": MODERN}
KEY = "a-key-that-is-long-enough"
BOTH = "application/json, text/event-stream"
A = "The stale timetable"


@pytest.fixture(scope="module")
def server(compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with a key, on a store of its own."""
    store = shutil.copy(compiled, tmp_path_factory.mktemp("http") / "memory.db")
    with ServerProcess(Path(store), environ={"REMEM_API_KEY": KEY}) as server:
        yield server


@asynccontextmanager
async def connect(server: ServerProcess, mode: Era, key: str = KEY) -> AsyncIterator[Client]:
    """The SDK's client, with a key."""
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE, trust_env=False) as http,
        Client(streamable_http_client(f"{server.address}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


def post(server: ServerProcess, message: Any, **headers: str) -> Reply:
    sent = {"Accept": BOTH, "Authorization": f"Bearer {KEY}", **headers}
    return server.ask("POST", "/mcp", message, **sent)


def greet(server: ServerProcess) -> str:
    """Begins a session; gives its name."""
    params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return post(server, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).headers["mcp-session-id"]


@pytest.mark.parametrize("mode", ERAS)
def test_every_part_of_the_protocol_works_in_both_eras(server: ServerProcess, mode: Era) -> None:
    async def run() -> None:
        async with connect(server, mode) as client:
            assert client.protocol_version == ERAS[mode]
            listed = [tool.name for tool in (await client.list_tools()).tools]
            assert listed == [tool.name for tool in FAMILIES["all"]]
            found = await client.call_tool("MemoryRelated", {"anchor": A, "direction": "both", "depth": 2})
            assert not found.is_error and found.structured_content["related"]
            stored = await client.call_tool("store_memory", {"content": "The ferry sails at noon.", "id": "noon"})
            assert stored.structured_content["id"] == "noon"
            refused = await client.call_tool("MemoryFetch", {"anchor": "none"})
            assert refused.is_error and refused.structured_content["code"] == "not_found"
            assert len((await client.list_resources()).resources) == len(RESOURCES)
            assert "36 documents" in str((await client.read_resource("remem://overview")).contents[0])
            told = await client.get_prompt("recall", {"topic": "the ferry"})
            assert "The ferry sails at noon." in str(told.messages[0].content)

    asyncio.run(run())


def test_a_compile_over_http_tells_how_far_it_is(folder: Path) -> None:
    for number in range(200):
        (folder / "gangway" / f"{number}.md").write_text(f"# Note {number}\n\nSee [[Note {number + 1}]].\n")
    told: list[float] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async def run(server: ServerProcess) -> None:
        async with connect(server, "auto") as client:
            done = await client.call_tool("MemoryCompile", {"path": "gangway"}, progress_callback=listen)
            assert done.structured_content["files_added"] == 200
            outside = await client.call_tool("MemoryCompile", {"path": str(folder.parent)})
            assert outside.is_error and outside.structured_content["code"] == "refused"

    with ServerProcess(folder / "memory.db") as server:
        asyncio.run(run(server))
    assert told and told == sorted(set(told))


@pytest.mark.parametrize("mode", ERAS)
def test_many_clients_at_once_are_all_answered(server: ServerProcess, mode: Era) -> None:
    async def ask(number: int) -> None:
        async with connect(server, mode) as client:
            for _ in range(5):
                assert not (await client.call_tool("MemorySearch", {"query": f"ferry {number}"})).is_error

    async def run() -> None:
        await asyncio.gather(*map(ask, range(8)))

    asyncio.run(run())


def test_a_body_that_does_not_call_itself_json_is_a_problem(server: ServerProcess) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        reply = post(server, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, Content_Type=kind)
        assert (reply.status, reply.headers["content-type"]) == (415, "application/problem+json")
        assert reply.load()["code"] == "unsupported_media_type" and reply.headers["x-request-id"]


NO_MESSAGES = [
    ({"secret": "swordfish"}, None),
    ([], None),
    ("swordfish", None),
    ([{"jsonrpc": "2.0", "id": 7, "method": "ping"}], None),
    ({"jsonrpc": "2.0", "id": 7, "method": 5}, 7),
    ({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": "swordfish"}, "a"),
]


@pytest.mark.parametrize("version", ERAS.values())
@pytest.mark.parametrize(("body", "id"), NO_MESSAGES)
def test_what_is_no_message_is_answered_with_a_short_error_without_what_it_holds(
    server: ServerProcess, body: object, id: object, version: str
) -> None:
    reply = post(server, body, Mcp_Protocol_Version=version)
    assert reply.status == 400 and len(reply.body) < 250
    assert b"swordfish" not in reply.body and b"pydantic" not in reply.body
    told = reply.load()
    assert (told["jsonrpc"], told["id"], told["error"]["code"]) == ("2.0", id, -32600)


def test_what_is_no_json_is_answered_as_such(server: ServerProcess) -> None:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    for body in (b"swordfish", b"", b"{", b"\xff"):
        headers = {"Accept": BOTH, "Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        told = json.loads(answer.read())
        assert (answer.status, told["error"]["code"], told["id"]) == (400, -32700, None)
        assert "swordfish" not in str(told)
    connection.close()


NO_REQUESTS = [
    b"GET\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
    b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
]


@pytest.mark.parametrize("sent", NO_REQUESTS, ids=["method", "lengths", "address"])
def test_what_is_no_http_is_a_problem_with_an_id(server: ServerProcess, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.sendall(sent)
        parts = []
        with suppress(ConnectionError):
            while part := connection.recv(65536):
                parts.append(part)
    head, _, body = b"".join(parts).partition(b"\r\n\r\n")
    lines = head.decode().lower().split("\r\n")
    assert lines[0] == "http/1.1 400 bad request" and "content-type: application/problem+json" in lines
    problem = json.loads(body)
    assert (problem["status"], problem["code"]) == (400, "malformed")
    assert f"x-request-id: {problem['request_id']}" in lines and f"content-length: {len(body)}" in lines


def test_without_the_key_nothing_is_told(server: ServerProcess) -> None:
    for headers in ({"Authorization": ""}, {"Authorization": "Bearer x"}, {"Authorization": KEY}):
        reply = post(server, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, **headers)
        assert reply.status == 401 and reply.load()["code"] == "unauthorized"
    assert post(server, {}, Authorization="", X_API_Key=KEY).status != 401


def test_only_the_family_that_is_set_is_there(store: Path) -> None:
    async def run(server: ServerProcess) -> None:
        async with connect(server, "auto") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == [t.name for t in FAMILIES["memories"]]

    with ServerProcess(store, environ={"REMEM_MCP__TOOLS": "memories"}) as server:
        asyncio.run(run(server))


@pytest.mark.parametrize(
    "body", ["", "[", "null", "[]", '"x"', '{"jsonrpc":"1.0"}', '{"jsonrpc":"2.0","id":1}', "\ud800"]
)
def test_what_is_no_message_is_an_error_and_the_next_one_is_answered(server: ServerProcess, body: str) -> None:
    answer = httpx2.post(
        f"{server.address}/mcp",
        content=body.encode("utf-8", "surrogatepass"),
        headers={"Accept": BOTH, "Content-Type": "application/json", "Authorization": f"Bearer {KEY}"},
        trust_env=False,
    )
    assert 400 <= answer.status_code < 500
    assert greet(server)


def test_a_session_that_is_unknown_or_ended_is_not_found(server: ServerProcess) -> None:
    session = greet(server)
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert post(server, ping, Mcp_Session_Id=session).status == 200
    auth = {"Authorization": f"Bearer {KEY}", "Mcp_Session_Id": session}
    assert server.ask("DELETE", "/mcp", Accept=BOTH, **auth).status == 200
    assert post(server, ping, Mcp_Session_Id=session).status == 404
    assert post(server, ping, Mcp_Session_Id="none").status == 404


def test_there_are_no_more_sessions_than_the_setting_allows(store: Path) -> None:
    with ServerProcess(store, environ={"REMEM_LIMITS__MAX_SESSIONS": "2"}) as server:
        assert greet(server) != greet(server)
        params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        assert post(server, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).status == 503


def test_a_body_beyond_the_limit_is_refused(store: Path) -> None:
    with ServerProcess(store, environ={"REMEM_LIMITS__MAX_BODY_BYTES": "2000"}) as server:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE, "x": "y" * 3000}}
        assert post(server, message).status == 413


def test_a_stateless_request_needs_no_session(server: ServerProcess) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}
    reply = post(server, message, Mcp_Protocol_Version=MODERN, Mcp_Method="tools/list")
    assert reply.status == 200 and len(reply.load()["result"]["tools"]) == len(FAMILIES["all"])
    wrong = post(server, message, Mcp_Protocol_Version=MODERN, Mcp_Method="tools/call")
    assert wrong.status == 400
