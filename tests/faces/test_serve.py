"""The server as a process: where it listens, what it refuses, how it ends."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

from remem import Remem
from remem.config import load_settings
from remem.errors import ConfigError
from remem.faces.serve.doors import check_keys, find_addresses, is_local, open_sockets, show_address
from remem.faces.serve.process import GRACE_SECONDS
from remem.settings import ServerSettings
from tests.faces.rest.listener import read_all
from tests.faces.server_process import PATIENCE, ServerProcess, fail_server, make_environment
from tests.guard import guard_hang

KEY = "a-key-that-is-long-enough"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


# --- where it listens -------------------------------------------------------------------------------------------------


def test_it_says_where_it_is_and_every_line_to_try_works(store: Path) -> None:
    with ServerProcess(store) as server:
        lines = [line.strip() for line in server.said if line.startswith("  curl")]
        assert len(lines) == 4 and f"{server.address}/mcp" in "".join(server.said)
        for line in lines:
            done = subprocess.run(["sh", "-c", f"{line} -s -f"], capture_output=True, timeout=PATIENCE, check=False)
            assert done.returncode == 0 and json.loads(done.stdout), line
    assert server.errors == ""


def test_the_second_name_is_the_same_command(store: Path) -> None:
    code = "import sys; from remem.faces.cli import serve; sys.exit(serve())"
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0 and "Serve the store over HTTP" in done.stdout


@POSIX
def test_the_demo_serves_its_notes_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environ = make_environment(REMEM_SERVER__PORT="0", TMPDIR=str(tmp_path))
    command = [sys.executable, "-m", "remem", "demo", "--serve"]
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("Ctrl+C"):
                break
        (curl,) = [line.strip() for line in said if "/recall" in line]
        done = subprocess.run(["sh", "-c", f"{curl} -s -f"], capture_output=True, timeout=PATIENCE, check=True)
        assert "timetable" in json.loads(done.stdout)["text"]
        assert [path.name[:11] for path in tmp_path.iterdir()] == ["remem-demo-"]
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_in_use_is_told_in_one_line(store: Path, tmp_path: Path) -> None:
    with ServerProcess(store) as server:
        status, told = fail_server(tmp_path / "other.db", "--port", str(server.port))
        assert status == 1 and told.count("\n") == 1 and f"port {server.port} of 127.0.0.1 is in use" in told
    assert not (tmp_path / "other.db").exists()


def test_beyond_this_machine_it_listens_with_a_key_only(store: Path) -> None:
    status, told = fail_server(store, "--host", "0.0.0.0")
    assert status == 2 and told.count("\n") == 1 and "no key is set: set REMEM_API_KEY" in told
    for host in ("::", "0.0.0.0"):
        with pytest.raises(ConfigError):
            list(check_keys(ServerSettings(host=host), find_addresses(host)))


def test_with_a_key_it_listens_everywhere_and_asks_for_it(store: Path) -> None:
    with ServerProcess(store, "--host", "0.0.0.0", environ={"REMEM_API_KEY": KEY}) as server:
        assert server.address.startswith("http://localhost:")
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"X_API_Key": ""}):
            for path in ("/api/v1/stats", "/mcp"):
                reply = server.ask("GET", path, **headers)
                assert reply.status == 401 and reply.load()["code"] == "unauthorized", path
        assert server.ask("GET", "/api/v1/stats", Authorization=f"Bearer {KEY}").status == 200
        assert server.ask("GET", "/api/v1/stats", X_API_Key=KEY).status == 200
        assert KEY not in "".join(server.said) and "$REMEM_API_KEY" in "".join(server.said)
    assert server.errors == ""


def test_two_keys_are_valid_while_they_are_changed_and_a_short_one_draws_a_warning(store: Path, tmp_path: Path) -> None:
    config = tmp_path / "remem-server.toml"
    config.write_text(f'[server]\napi_key = "short"\nsecond_api_key = "{KEY}"\n')
    with ServerProcess(store, "--config", str(config)) as server:
        for key in ("short", KEY):
            assert server.ask("GET", "/api/v1/stats", Authorization=f"Bearer {key}").status == 200
    assert server.errors == "warning: a key has fewer than 16 characters; a longer one cannot be guessed\n"


def test_another_host_or_page_is_refused_on_every_path(store: Path) -> None:
    with ServerProcess(store) as server:
        for path in ("/api/v1/stats", "/mcp"):
            assert server.ask("GET", path, Host="evil.example").status in (403, 421)
            assert server.ask("GET", path, Host=f"127.0.0.1:{server.port}", Origin="http://evil.example").status == 403


def test_a_store_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    status, told = fail_server(tmp_path / "no" / "memory.db", "--port", "0")
    assert status == 1 and told.count("\n") == 1 and "its folder does not exist" in told
    status, told = fail_server(tmp_path, "--port", "0")
    assert status == 1 and told.count("\n") == 1 and "it is a folder" in told
    (tmp_path / "text.db").write_text("no database " * 100)
    status, told = fail_server(tmp_path / "text.db", "--port", "0")
    assert status == 1 and told.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "environ", "told"),
    [
        ((), {"REMEM_SERVER__PORT": "x"}, "REMEM_SERVER__PORT"),
        ((), {"REMEM_SERVR__PORT": "1"}, "did you mean REMEM_SERVER__PORT?"),
        ((), {"REMEM_API_KEY": "sec\tret"}, "REMEM_API_KEY"),
        (("--port", "65536"), {}, "65536"),
        (("--host", "no.such.host.invalid"), {}, "[server] host"),
        (("--config", "none.toml"), {}, "none.toml does not exist"),
    ],
)
def test_a_wrong_setting_is_wrong_usage_told_in_one_line(
    tmp_path: Path, options: tuple[str, ...], environ: dict[str, str], told: str
) -> None:
    status, said = fail_server(tmp_path / "memory.db", *options, **environ)
    assert status == 2 and said.count("\n") == 1 and told in said
    assert "ret" not in said.partition("REMEM_API_KEY")[2] and not (tmp_path / "memory.db").exists()


# --- how it ends ------------------------------------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_everything_saved(store: Path, number: int) -> None:
    with ServerProcess(store) as server:
        made = server.ask("POST", "/api/v1/memories", {"content": "The ferry sails at noon.", "id": "noon"})
        assert made.status == 201
        assert server.ask("GET", "/api/v1/memories/noon").status == 200
        assert server.stop(number) == 0
    assert server.errors == ""
    log = store.with_name("memory.db-wal")
    assert not log.exists() or not log.stat().st_size
    with Remem.open_sync(store) as remem:
        assert remem.get("noon", touch=False).access_count == 1


def open_stream(server: ServerProcess, path: str, **headers: str) -> socket.socket:
    """A connection on which an answer has begun that does not end by itself."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    assert connection.sock is not None
    assert b"200" in connection.sock.recv(15)
    return connection.sock


ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@POSIX
def test_a_client_that_listens_does_not_keep_it_from_ending(store: Path) -> None:
    params = {"notifications": {"resourceSubscriptions": ["remem://overview"]}, "_meta": ENVELOPE}
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen",
    }
    with ServerProcess(store) as server:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        body = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
        connection.request("POST", "/mcp", json.dumps(body), headers)
        answer = connection.getresponse()
        assert b"acknowledged" in answer.readline() + answer.readline()
        begun = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - begun < GRACE_SECONDS
        answer.read()  # it comes to its end
    assert server.errors == ""


@POSIX
@pytest.mark.parametrize("path", ["/mcp", "/api/v1/events"])
def test_open_streams_do_not_keep_it_from_ending(store: Path, path: str) -> None:
    with ServerProcess(store) as server:
        session = {"Mcp_Session_Id": begin_session(server)} if path == "/mcp" else {}
        sock = open_stream(server, path, Accept="text/event-stream", **session)
        with guard_hang("the end of the server", 10.0):
            assert server.stop() == 0
        while sock.recv(4096):  # the stream comes to its end
            pass
    assert server.errors == ""


def begin_session(server: ServerProcess) -> str:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    greeting = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    reply = server.ask("POST", "/mcp", greeting, Accept="application/json, text/event-stream")
    assert reply.status == 200
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    accept = "application/json, text/event-stream"
    session = reply.headers["mcp-session-id"]
    assert server.ask("POST", "/mcp", ready, Accept=accept, Mcp_Session_Id=session).status == 202
    return session


BODY = b'{"content": "The ferry sails at noon.", "id": "noon"}'
HALF = 20


def open_body(server: ServerProcess) -> socket.socket:
    """A connection on which half of a body has been sent, which the server has begun to read."""
    sock = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    head = f"POST /api/v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(BODY)}\r\n\r\n"
    sock.sendall(head.encode() + BODY[:HALF])
    wait_busy(server)
    return sock


@POSIX
def test_a_request_that_is_under_way_comes_to_its_end(store: Path) -> None:
    statuses: list[int] = []
    with ServerProcess(store) as server:

        def store_many() -> None:
            items = [{"content": f"Fact number {number} of many."} for number in range(1000)]
            statuses.append(server.ask("POST", "/api/v1/memories/batch", {"memories": items}).status)

        thread = threading.Thread(target=store_many)
        thread.start()
        wait_busy(server)
        assert server.stop() == 0
        thread.join(PATIENCE)
    with Remem.open_sync(store) as remem:
        kept = remem.memories(limit=1).total
        assert (statuses, kept) == ([201], 1000)
        assert remem.doctor().healthy


def wait_busy(server: ServerProcess) -> None:
    """Returns when another request has certainly been sent: the server answers in order of arrival."""
    for _ in range(3):
        assert server.ask("GET", "/api/v1/health").status == 200


@POSIX
def test_a_request_may_take_seconds_to_end_and_is_answered_with_a_problem_where_it_does_not(store: Path) -> None:
    with ServerProcess(store) as server, open_body(server) as sock, open_body(server) as stuck:
        server.process.send_signal(signal.SIGTERM)
        sock.settimeout(3.0)
        with pytest.raises(TimeoutError):
            sock.recv(1)
        sock.sendall(BODY[HALF:])
        assert b" 201 " in sock.recv(65536)
        head, _, body = read_all(stuck).partition(b"\r\n\r\n")
        assert b" 503 " in head and b"\r\nretry-after: 1\r\n" in head and b"application/problem+json" in head
        assert json.loads(body)["code"] == "shutting_down"
        assert server.process.wait(PATIENCE) == 0
    assert server.errors == ""


REPEATS = """
import os, signal
from remem.faces.running import ends
ends.listen_signals(lambda: print("ends", flush=True))
for number in (*ends.END_SIGNALS, *ends.END_SIGNALS):
    os.kill(os.getpid(), number)
print("lives", flush=True)
ends.REPEAT_SECONDS = 0.0
os.kill(os.getpid(), signal.SIGTERM)
print("lives on", flush=True)
"""


@POSIX
def test_a_signal_that_is_repeated_at_once_is_the_same_one_and_a_later_one_ends_the_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", REPEATS],
        env=make_environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("ends\nlives\n", "", 1)


@POSIX
@pytest.mark.parametrize("other", [signal.SIGINT, signal.SIGTERM])
def test_a_server_takes_a_signal_that_a_wrapper_repeats_for_one(store: Path, other: int) -> None:
    with ServerProcess(store) as server, open_body(server) as sock:
        server.process.send_signal(signal.SIGTERM)
        for _ in range(20):
            server.process.send_signal(other)
            time.sleep(0.01)
        sock.sendall(BODY[HALF:])
        assert b" 201 " in sock.recv(65536)
        assert server.process.wait(PATIENCE) == 0


@POSIX
def test_kill_9_loses_nothing_that_was_acknowledged(store: Path) -> None:
    with ServerProcess(store) as server:
        for number in range(20):
            assert server.ask("POST", "/api/v1/memories", {"content": f"Fact {number}."}).status == 201
        server.process.kill()
        server.process.wait(PATIENCE)
    with Remem.open_sync(store) as remem:
        assert remem.memories(limit=1).total == 20 and remem.doctor().healthy


def test_two_servers_on_one_file_see_each_others_writes(store: Path) -> None:
    with ServerProcess(store) as one, ServerProcess(store) as two:
        for number, server in enumerate((one, two) * 10):
            made = server.ask("POST", "/api/v1/memories", {"content": f"Fact {number}.", "id": f"fact{number}"})
            assert made.status == 201
        for number in range(20):
            assert (two, one)[number % 2].ask("GET", f"/api/v1/memories/fact{number}").status == 200


# --- what it logs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_log_names_requests_but_holds_neither_content_nor_key(store: Path, form: str) -> None:
    environ = {"REMEM_LOGGING__LEVEL": "info", "REMEM_LOGGING__FORMAT": form, "REMEM_API_KEY": KEY}
    with ServerProcess(store, environ=environ) as server:
        auth = {"Authorization": f"Bearer {KEY}"}
        server.ask("POST", "/api/v1/memories", {"content": "Zebra crossing."}, **auth)
        server.ask("GET", "/api/v1/nodes/Zebra%20crossing.?budget=100", **auth)
        server.ask("POST", "/api/v1/recall", {"query": "zebra"}, **auth)
    told = server.errors
    assert "POST /memories 201" in told and "GET /nodes/{id} " in told
    assert "zebra" not in told.lower() and KEY not in told
    if form == "json":
        assert {"time", "level", "logger", "message"} == set(json.loads(told.splitlines()[0]))


def test_a_quiet_log_is_the_default(store: Path) -> None:
    with ServerProcess(store) as server:
        assert server.ask("GET", "/api/v1/nodes/none").status == 404
    assert server.errors == ""


# --- doors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "local"), [("127.0.0.1", True), ("::1", True), ("[::1]", True), ("localhost", True), ("0.0.0.0", False)]
)
def test_hosts_of_this_machine_are_told_from_others(host: str, local: bool) -> None:
    assert is_local(find_addresses(host)) is local


def test_a_key_that_is_no_header_is_refused_and_not_repeated() -> None:
    for key in ("a b\tc", "x\n", " x"):
        with pytest.raises(ConfigError) as caught:
            load_settings(None, {"REMEM_API_KEY": key}, {})
        assert caught.value.message.startswith("REMEM_API_KEY: ") and key not in caught.value.message


def test_any_key_will_do_but_a_short_one_draws_a_warning() -> None:
    assert list(check_keys(ServerSettings(api_key="x"), ["0.0.0.0"])) != []
    assert list(check_keys(ServerSettings(api_key="x" * 16), ["0.0.0.0"])) == []
    assert list(check_keys(ServerSettings(), ["127.0.0.1", "::1"])) == []


def test_all_addresses_of_a_host_share_one_port() -> None:
    sockets = open_sockets("localhost", 0, find_addresses("localhost"))
    try:
        assert len({each.getsockname()[1] for each in sockets}) == 1
        assert show_address("localhost", sockets) == f"http://localhost:{sockets[0].getsockname()[1]}"
    finally:
        for each in sockets:
            each.close()


def test_the_environment_of_a_server_is_clean() -> None:
    assert not [name for name in make_environment() if name.startswith("REMEM_")]
