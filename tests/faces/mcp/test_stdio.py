"""A real process, spoken to in bytes: how it begins, what it survives, how it ends."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from remem.engine import Remem
from remem.faces.cli import find_command
from tests.faces.mcp.wire_client import ENVELOPE, HANDSHAKE, PATIENCE, WireClient

A = "The stale timetable"
AT_ONCE = (
    "-c",
    "import sys; from remem.faces.mcp import stdio; stdio.CLOSING_SECONDS = 3600.0; "
    "from remem.faces.cli import main; sys.exit(main())",
)
"""The command without the limit on the time that its end may take: it ends by itself, or never."""
NOISE = """\
import ctypes, os, sys
from remem.engine import Remem
stats = Remem.stats
async def noisy(self):
    print("a stray print")
    sys.stdout.write("buffered, never flushed")
    sys.__stdout__.write("and this one\\n")
    os.write(1, b"by its descriptor\\n")
    libc = ctypes.CDLL(None)
    libc.puts(b"by a C library")
    os.system("echo by a child")
    return await stats(self)
Remem.stats = noisy
from remem.faces.cli import main
sys.exit(main())
"""


def count_edges(store: Path) -> int:
    connection = sqlite3.connect(store)
    try:
        return int(connection.execute("SELECT count(*) FROM relations").fetchone()[0])
    finally:
        connection.close()


# --- the beginning ----------------------------------------------------------------------------------------------------


def test_the_handshake_and_the_list_of_tools_touch_no_store(tmp_path: Path) -> None:
    with WireClient(tmp_path / "none.db") as client:
        told = client.greet()
        assert told["protocolVersion"] == HANDSHAKE and told["serverInfo"]["name"] == "remem"
        assert "MemorySearch" in told["instructions"]
        assert client.ask("tools/list")["tools"]
        assert not list(tmp_path.iterdir())
        assert client.read("MemoryStats")["documents"] == 0
        assert (tmp_path / "none.db").exists()


def test_a_client_of_the_newest_protocol_needs_no_handshake(store: Path) -> None:
    with WireClient(store) as client:
        assert client.ask("server/discover", {"_meta": ENVELOPE})["supportedVersions"] == ["2026-07-28"]
        tools = client.ask("tools/list", {"_meta": ENVELOPE})["tools"]
        result = client.ask("tools/call", {"_meta": ENVELOPE, "name": "MemoryStats", "arguments": {}})
        assert "MemoryTree" in [tool["name"] for tool in tools] and result["structuredContent"]["documents"] == 36


def test_a_wrong_setting_is_told_on_stderr_with_the_status_of_wrong_usage(tmp_path: Path) -> None:
    config = tmp_path / "remem-server.toml"
    config.write_text("[compile]\nroot = ['notes']\n")
    client = WireClient(tmp_path / "none.db", "--config", str(config))
    assert client.close() == 2
    assert client.errors.startswith("error: ") and "did you mean [compile] roots?" in client.errors
    assert not client.out


def test_a_store_that_cannot_be_opened_is_told_by_every_call_until_it_can(tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    store.write_text("this is no store, whatever its name says" * 100)
    with WireClient(store) as client:
        client.greet()
        failed = client.call("MemoryStats")
        assert failed["isError"] and failed["structuredContent"]["code"].startswith("store")
        store.unlink()
        assert client.read("MemoryStats")["documents"] == 0


# --- stdout -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="the C library is loaded in the way of POSIX")
def test_whatever_else_is_printed_never_reaches_the_wire(store: Path, tmp_path: Path) -> None:
    script = tmp_path / "noisy.py"
    script.write_text(NOISE)
    with WireClient(store, program=(str(script),)) as client:
        client.greet()
        assert client.read("MemoryStats")["documents"] == 36
        assert client.close() == 0  # which checks every byte
        for noise in ("a stray print", "by its descriptor", "by a child"):
            assert noise in client.errors


# --- what it survives -------------------------------------------------------------------------------------------------


def test_lines_that_are_no_messages_are_passed_over(store: Path) -> None:
    with WireClient(store) as client:
        client.greet()
        garbage = (b"garbage", b"", b"   ", b"{", b"[]", b"null", b"\xff\xfe\x00", b'{"jsonrpc":"1.0"}', b"[" * 100_000)
        for line in garbage:
            client.send_bytes(line + b"\r\n")
        assert client.read("MemoryStats")["documents"] == 36
        assert client.errors.count("passed over") == 1


def test_a_request_that_is_no_message_is_answered_where_its_id_can_be_read(store: Path) -> None:
    with WireClient(store) as client:
        client.greet()
        client.send("tools/call", {"name": "MemoryTree", "arguments": {"root": "\ud800"}}, id="half")
        client.send("tools/list", [1], id=9)
        for id in ("half", 9):
            assert client.wait(id)["error"]["code"] == -32600
        assert client.read("MemoryStats")["documents"] == 36


def test_a_message_may_come_in_pieces_and_many_in_one(store: Path) -> None:
    with WireClient(store) as client:
        client.greet()
        lines = [json.dumps({"jsonrpc": "2.0", "id": f"p{n}", "method": "ping"}).encode() + b"\n" for n in range(3)]
        for start in range(0, len(lines[0]), 7):
            client.send_bytes(lines[0][start : start + 7])
        client.send_bytes(lines[1] + lines[2])
        assert [client.wait(f"p{n}")["result"] for n in range(3)] == [{}, {}, {}]


def test_five_megabytes_of_arguments_get_a_short_answer(store: Path) -> None:
    with WireClient(store) as client:
        client.greet()
        huge = "x" * 5_000_000
        assert client.call("MemoryFetch", anchor=huge)["structuredContent"]["code"] == "invalid_input"
        assert client.read("MemorySearch", query=huge)["hits"] == []
        for name, given in {huge: {}, "MemoryStats": {huge: 1}, "MemoryFetchBatch": {"node_ids": [huge] * 2}}.items():
            assert client.ask("tools/call", {"name": name, "arguments": given})["isError"]
        assert len(client.out) < 20_000


def test_five_hundred_calls_at_once_are_all_answered(store: Path) -> None:
    with WireClient(store) as client:
        client.greet()
        for number in range(500):
            name, given = ("MemoryRelated", {"anchor": A}) if number % 2 else ("MemoryTree", {"depth": 0, "budget": 60})
            client.send("tools/call", {"name": name, "arguments": given}, id=f"f{number}")
        assert not any(client.wait(f"f{number}")["result"]["isError"] for number in range(500))


def test_a_cancelled_call_leaves_the_others_alone(store: Path) -> None:
    with WireClient(store) as client:
        client.greet()
        for number in range(50):
            client.send("tools/call", {"name": "MemoryTree", "arguments": {}}, id=f"c{number}")
            client.send("notifications/cancelled", {"requestId": f"c{number}"})
        client.send("notifications/cancelled", {"requestId": "never sent"})
        made = client.read("MemoryRelate", source_id="Deploy", target_id=A)
        assert made["created"] and client.read("MemoryStats")["documents"] == 36
    assert count_edges(store) == 1


# --- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_at_once_with_the_store_closed_and_uses_written(store: Path, number: int) -> None:
    client = WireClient(store, program=AT_ONCE)
    client.greet()
    client.read("MemoryFetch", anchor=A)
    client.read("MemoryRelate", source_id="Deploy", target_id=A)
    assert client.stop(number) == 0
    assert not store.with_name("memory.db-wal").exists() or not store.with_name("memory.db-wal").stat().st_size
    assert count_edges(store) == 1 and read_accesses(store) == 1
    assert client.errors == ""


def read_accesses(store: Path) -> int:
    connection = sqlite3.connect(store)
    try:
        return int(connection.execute("SELECT sum(accesses) FROM usage").fetchone()[0])
    finally:
        connection.close()


def test_the_end_of_input_ends_it_also_in_the_middle_of_calls(store: Path) -> None:
    client = WireClient(store, program=AT_ONCE)
    client.greet()
    for number in range(100):
        client.send("tools/call", {"name": "MemoryRelated", "arguments": {"anchor": A, "depth": 5}}, id=number + 10)
    assert client.close() == 0 and client.errors == ""


def test_what_was_asked_before_the_end_of_input_is_answered(tmp_path: Path) -> None:
    """As of a file or a `printf` that leads into it: nobody waits for an answer before asking on."""
    client = WireClient(tmp_path / "memory.db", program=AT_ONCE)
    send_all(client, "store_memory", 20)
    assert client.close() == 0 and client.errors == ""
    assert "result" in client.wait("greeting")
    assert [client.wait(number)["result"]["isError"] for number in range(20)] == [False] * 20


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_what_was_asked_before_a_signal_is_answered(tmp_path: Path) -> None:
    client = WireClient(tmp_path / "memory.db", program=AT_ONCE)
    send_all(client, "store_memory", 20)
    client.wait("greeting")
    client.send("ping", id="after")
    client.wait("after")  # so all have been read
    assert client.stop() == 0 and client.errors == ""
    assert [client.wait(number)["result"]["isError"] for number in range(20)] == [False] * 20


def send_all(client: WireClient, tool: str, count: int) -> None:
    """Sends the handshake and calls of a tool, their numbers as ids, without waiting for anything."""
    hello = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    client.send("initialize", hello, id="greeting")
    client.send("notifications/initialized")
    for number in range(count):
        given = {"content": f"Fact {number}.", "id": f"f{number}"}
        client.send("tools/call", {"name": tool, "arguments": given}, id=number)


def test_what_lasts_or_was_given_up_keeps_nothing_from_the_end_of_input(store: Path) -> None:
    client = WireClient(store, program=("-c", AT_ONCE[1].replace("stdio.CLOSING", "stdio.FINISHING")))
    listening = {"notifications": {"resourceSubscriptions": ["remem://overview"]}, "_meta": ENVELOPE}
    client.send("subscriptions/listen", listening, id="l")
    client.send("tools/call", {"name": "MemoryTree", "arguments": {}, "_meta": ENVELOPE}, id="t")
    client.send("notifications/cancelled", {"requestId": "t"})
    assert client.close() == 0 and client.errors == ""


def test_a_client_that_leaves_in_the_middle_of_a_compile_leaves_a_whole_store(folder: Path) -> None:
    for number in range(400):
        (folder / "gangway" / f"{number}.md").write_text(f"# Note {number}\n\nSee [[Note {number + 1}]].\n" * 20)
    client = WireClient(folder / "memory.db", program=AT_ONCE)
    client.greet()
    meta = {"progressToken": "p"}
    client.send("tools/call", {"name": "MemoryCompile", "arguments": {"path": "gangway"}, "_meta": meta}, id=9)
    client.wait(None)  # it has begun
    assert client.close() == 0
    with Remem.open_sync(folder / "memory.db") as remem:
        assert remem.doctor().healthy
        assert remem.compile(folder / "gangway").files == 436


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_signal_before_it_is_ready_ends_it_too(store: Path) -> None:
    client = WireClient(store)
    client.ask("ping")
    assert client.stop() == 0 and client.errors == ""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="says which signals a process takes")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_the_first_moments_ends_it_well(store: Path, number: int) -> None:
    command = [sys.executable, "-m", "remem", "--db", str(store), "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_caught(process.pid, signal.SIGTERM)
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        assert process.stdout is not None and process.stdout.read() == b""
        assert process.stderr is not None and process.stderr.read() == b""


def wait_caught(pid: int, number: int) -> None:
    """Returns when the process takes the signal instead of dying of it."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        caught = int(next(line for line in lines if line.startswith("SigCgt:")).split()[1], 16)
        if caught >> (number - 1) & 1:
            return
    raise AssertionError("the process never takes the signal")


@pytest.mark.parametrize(
    ("line", "command"),
    [
        (["mcp"], "mcp"),
        (["--db", "mcp", "serve"], "serve"),
        (["--debug", "--config", "x", "tree"], "tree"),
        (["--db=x", "mcp", "--url", "y"], "mcp"),
        (["search", "mcp"], "search"),
        (["--db"], None),
        ([], None),
    ],
)
def test_the_command_of_a_line_is_found_before_anything_is_loaded(line: list[str], command: str | None) -> None:
    assert find_command(line) == command


def test_a_client_that_no_longer_reads_ends_it_though_its_input_stays_open(store: Path) -> None:
    command = [sys.executable, *AT_ONCE, "--db", str(store), "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        process.stdin.write(ping)
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        process.stdin.write(ping)
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
