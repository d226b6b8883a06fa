"""`remem mcp --url`: a stdio process that carries messages to a running server."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import pytest
from mcp import Client, StdioServerParameters

from remem.errors import InvalidInputError
from remem.faces.mcp.families import FAMILIES
from remem.faces.mcp.forward import complete_url
from tests.faces.mcp.test_stdio import send_all
from tests.faces.mcp.wire_client import PATIENCE, WireClient
from tests.faces.server_process import ServerProcess, make_environment

KEY = "a-key-that-is-long-enough"
A = "The stale timetable"


class ForwardClient(WireClient):
    """A client of a process that forwards."""

    def __init__(self, address: str, key: str = "") -> None:
        self._environ = {"REMEM_API_KEY": key} if key else {}
        self._address = address
        super().__init__(Path("unused.db"))

    def make_command(self, store: Path, options: tuple[str, ...], program: tuple[str, ...]) -> list[str]:
        return [sys.executable, *program, "mcp", "--url", self._address]

    def make_environ(self) -> dict[str, str]:
        return make_environment(**self._environ)

    def refuse(self, method: str, params: Any = None) -> str:
        """The message of a request that is an error."""
        self.send(method, params, id="refused")
        return str(self.wait("refused")["error"]["message"])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)


def test_a_session_is_carried_with_the_key(store: Path) -> None:
    with ServerProcess(store, environ={"REMEM_API_KEY": KEY}) as server, ForwardClient(server.address, KEY) as client:
        assert client.greet()["serverInfo"]["name"] == "remem"
        assert len(client.ask("tools/list")["tools"]) == len(FAMILIES["all"])
        assert client.read("MemoryRelated", anchor=A, depth=2)["related"]
        assert client.read("store_memory", content="Ünïcode and\nlines.", id="lines")["id"] == "lines"
        assert client.read("get_memory", memory_id="lines")["content"] == "Ünïcode and\nlines."
        for number in range(30):
            client.send("tools/call", {"name": "MemoryStats", "arguments": {}}, id=f"n{number}")
        assert not any(client.wait(f"n{number}")["result"]["isError"] for number in range(30))
        assert client.close() == 0 and client.errors == ""


def test_nothing_is_lost_of_what_is_sent_at_once_before_the_end_of_input(tmp_path: Path) -> None:
    """All in one go: the greeting, what comes after it, and the end."""
    with ServerProcess(tmp_path / "memory.db") as server:
        client = ForwardClient(server.address)
        send_all(client, "store_memory", 20)
        assert client.close() == 0 and client.errors == ""
        assert "result" in client.wait("greeting")
        assert [client.wait(number)["result"]["isError"] for number in range(20)] == [False] * 20


def test_what_is_sent_with_a_greeting_that_fails_is_refused_too() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    client = ForwardClient(f"http://127.0.0.1:{port}")
    send_all(client, "store_memory", 3)
    assert client.close() == 0
    assert all("does not answer" in client.wait(id)["error"]["message"] for id in ("greeting", 0, 1, 2))


def test_a_message_whose_id_is_none_ends_nothing(store: Path) -> None:
    with ServerProcess(store) as server, ForwardClient(server.address) as client:
        client.greet()
        client.send("ping", id=[1])
        client.send("notifications/cancelled", {"requestId": [1]})
        assert client.ask("ping") == {}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdk_client_speaks_through_it_in_both_eras(store: Path, mode: Literal["legacy", "auto"]) -> None:
    import asyncio

    async def run(address: str) -> None:
        command = StdioServerParameters(command=sys.executable, args=["-m", "remem", "mcp", "--url", f"{address}/mcp"])
        async with Client(command, mode=mode) as client:
            assert not (await client.call_tool("MemorySearch", {"query": "ferry"})).is_error
            assert "documents" in str((await client.read_resource("remem://overview")).contents[0])

    with ServerProcess(store) as server:
        asyncio.run(run(server.address))


def test_a_wrong_key_is_told_for_each_request(store: Path) -> None:
    with (
        ServerProcess(store, environ={"REMEM_API_KEY": KEY}) as server,
        ForwardClient(server.address, "wrong") as client,
    ):
        assert client.refuse("tools/list").startswith("unauthorized: ")
        assert client.close() == 0


def test_a_server_that_does_not_answer_is_told_for_each_request() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with ForwardClient(f"http://127.0.0.1:{port}") as client:
        for _ in range(2):
            assert "does not answer" in client.refuse("ping") and client.process.poll() is None
        assert client.close() == 0


def test_a_session_goes_on_after_the_server_was_started_anew(store: Path) -> None:
    with ServerProcess(store) as server:
        port = server.port
        with ForwardClient(server.address) as client:
            client.greet()
            assert not client.call("MemoryStats")["isError"]
            server.stop()
            with ServerProcess(store, port=port):
                assert not client.call("MemoryStats")["isError"]
                assert client.close() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_signal_ends_it_and_its_session(store: Path) -> None:
    with ServerProcess(store) as server:
        client = ForwardClient(server.address)
        client.greet()
        assert client.stop(signal.SIGTERM) == 0 and client.errors == ""


@pytest.mark.parametrize("url", ["", "localhost", "ftp://x", "http://", "http://x:99999", "http://[", "file:///etc"])
def test_an_address_that_is_none_is_wrong_usage(url: str) -> None:
    with pytest.raises(InvalidInputError):
        complete_url(url)
    command = [sys.executable, "-m", "remem", "mcp", "--url", url]
    done = subprocess.run(
        command, env=make_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2 and done.stdout == b"" and done.stderr.count(b"\n") == 1


def test_the_endpoint_is_found_from_the_address_of_the_server() -> None:
    assert complete_url("http://127.0.0.1:4545") == "http://127.0.0.1:4545/mcp"
    assert complete_url("https://notes.example/") == "https://notes.example/mcp"
    assert complete_url("http://127.0.0.1:4545/mcp") == "http://127.0.0.1:4545/mcp"


def test_a_store_and_an_address_exclude_each_other(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "remem", "--db", str(tmp_path / "m.db"), "mcp", "--url", "http://127.0.0.1:1"]
    done = subprocess.run(command, env=make_environment(), capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2 and b"--url" in done.stderr
