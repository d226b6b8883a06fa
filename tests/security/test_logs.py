"""What processes tell: neither keys nor contents reach a log, whatever goes wrong; no traceback reaches a caller."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from remem import Remem
from tests.faces.command import remem
from tests.faces.mcp.wire_client import HANDSHAKE
from tests.faces.server_process import PATIENCE, ServerProcess, fail_server

KEY, SECOND = "first-key-plugh-plugh", "second-key-plugh-plugh"
WORD = "xyzzy"
BOTH = "application/json, text/event-stream"


def send_raw(server: ServerProcess, data: bytes, **headers: str) -> bytes:
    """Bytes as they are to the MCP endpoint."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        sent = {"Accept": BOTH, "Content-Type": "application/json", "X-API-Key": KEY}
        connection.request("POST", "/mcp", data, {**sent, **{k.replace("_", "-"): v for k, v in headers.items()}})
        return connection.getresponse().read()
    finally:
        connection.close()


def fail_rest(server: ServerProcess) -> list[bytes]:
    """The answers to requests that fail in as many ways as there are."""
    calls: list[tuple[str, str, Any, str]] = [
        ("GET", f"/api/v1/memories/{WORD}", None, KEY),
        ("GET", f"/api/v1/memories/{WORD}", None, f"wrong-{WORD}"),
        ("GET", f"/{WORD}", None, SECOND),
        ("GET", f"/api/v1/memories?{WORD}={WORD}", None, SECOND),
        ("POST", "/api/v1/memories", {"content": 1, WORD: WORD}, KEY),
        ("POST", "/api/v1/memories", {"content": WORD, "importance": 7}, KEY),
        ("POST", "/api/v1/memories/search", {"query": WORD, "mode": "semantic"}, KEY),
        ("POST", "/api/v1/compile", {"path": f"/{WORD}"}, KEY),
        ("POST", "/api/v1/rollback", {"snapshot": 999, "scope": WORD}, KEY),
        ("PUT", "/api/v1/graph/positions", {WORD: [WORD]}, KEY),
    ]
    return [server.ask(method, path, body, X_API_Key=key).body for method, path, body, key in calls]


def fail_mcp(server: ServerProcess) -> list[bytes]:
    """The same over MCP, in messages that are and that are none."""
    client = {"name": WORD, "version": "1"}
    params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": client}
    greeting = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    session = server.ask("POST", "/mcp", greeting, Accept=BOTH, X_API_Key=KEY).headers["mcp-session-id"]
    calls = [
        {"name": "MemoryFetch", "arguments": {"anchor": WORD}},
        {"name": "MemoryFetch", "arguments": {WORD: [WORD]}},
        {"name": "store_memory", "arguments": {"content": WORD, "importance": WORD}},
        {"name": WORD, "arguments": {WORD: WORD}},
        {"name": "MemoryCompile", "arguments": {"path": f"/{WORD}"}},
        {"name": 7, "arguments": WORD},
        WORD,
    ]
    messages = [{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call} for call in calls]
    messages += [{"jsonrpc": "2.0", "id": 3, "method": WORD, "params": {WORD: WORD}}, {WORD: WORD}]
    messages += [{"jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": {"uri": f"remem://node/{WORD}"}}]
    data = [
        *(json.dumps(message).encode() for message in messages),
        WORD.encode(),
        b'{"xyzzy": "\xff\xfe"}',
        b"[" * 9999,
    ]
    return [send_raw(server, each, mcp_session_id=session) for each in data]


def test_no_key_and_no_content_reaches_the_log_of_a_server(tmp_path: Path) -> None:
    settings = {"REMEM_LOGGING__LEVEL": "debug", "REMEM_EMBEDDING__PROVIDER": "none"}
    keys = {"REMEM_API_KEY": KEY, "REMEM_SERVER__SECOND_API_KEY": SECOND}
    with ServerProcess(tmp_path / "memory.db", environ={**settings, **keys}) as server:
        answers = [*fail_rest(server), *fail_mcp(server)]
        made = server.ask("POST", "/api/v1/memories", {"content": f"the word is {WORD}"}, X_API_Key=KEY)
        assert made.status == 201
    assert "remem.access" in server.errors
    for word in (WORD, "plugh"):
        assert word not in server.errors and word not in "".join(server.said)
    for answer in answers:
        assert b"plugh" not in answer and b"Traceback" not in answer and b'File "' not in answer
        assert str(tmp_path).encode() not in answer


def test_no_error_repeats_a_key(tmp_path: Path) -> None:
    config = tmp_path / "remem-server.toml"
    for line in ('api_key = " plugh"', 'api_key = "plugh\\u0007"', 'api_keys = "plugh"', "api_key = 7777"):
        config.write_text(f"[server]\n{line}\n", encoding="utf-8")
        done = remem("--config", config, "--db", tmp_path / "memory.db", "stats")
        assert done.status == 2 and "plugh" not in done.both and "7777" not in done.both
    status, said = fail_server(tmp_path / "memory.db", REMEM_API_KEY=" plugh ")
    assert status == 2 and "plugh" not in said and "Traceback" not in said


def test_no_command_shows_a_traceback_or_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEM_API_KEY", KEY)
    store = tmp_path / "memory.db"
    with Remem.open_sync(store) as opened:
        opened.store(f"the word is {WORD}")
    for line in (("show", "none"), ("stats", "--json"), ("doctor",), ("install", "claude-code"), ("migrate",)):
        done = remem("--db", store, *line)
        assert "plugh" not in done.both and "Traceback" not in done.both and WORD not in done.both
