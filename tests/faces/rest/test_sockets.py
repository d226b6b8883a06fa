"""The service over real connections: the requests as people type them, clients that are slow or go away."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remem.faces.rest.changes import MOST_LISTENERS
from remem.faces.rest.options import ServerOptions
from tests.faces.rest.listener import Listener
from tests.guard import guard_hang

CURLS = """\
curl -X POST http://localhost:4545/api/v1/connections -H "Authorization: Bearer your-key" \
-H "Content-Type: application/json" \
  -d '{"source_id": "mem_abc", "target_id": "mem_def", "relationship_type": "caused_by"}'
curl "http://localhost:4545/api/v1/connections?limit=50&offset=0" -H "Authorization: Bearer your-key"
curl "http://localhost:4545/api/v1/memories/mem_abc/related?depth=2&limit=20" -H "Authorization: Bearer your-key"
curl -X DELETE "http://localhost:4545/api/v1/connections/mem_abc/mem_def" -H "Authorization: Bearer your-key"
""".splitlines()


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[Listener]:
    with Listener(tmp_path / "memory.db", ServerOptions(api_keys=("your-key",), max_body_bytes=10_000)) as listener:
        yield listener


def ask(listener: Listener, method: str, path: str, body: object = None) -> tuple[int, Any]:
    data = b"" if body is None else json.dumps(body).encode()
    head = (
        f"{method} /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: your-key\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    answer = listener.exchange(head.encode() + data)
    top, _, rest = answer.partition(b"\r\n\r\n")
    return int(top.split()[1]), json.loads(rest)


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_four_requests_work_as_they_stand(listener: Listener) -> None:
    for id in ("mem_abc", "mem_def"):
        assert ask(listener, "POST", "/memories", {"id": id, "content": f"memory {id}"})[0] == 201
    answers = []
    for line in CURLS:
        command = line.replace(":4545", f":{listener.port}") + ' -s -f -w "\\n%{http_code}"'
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
        body, _, status = done.stdout.rpartition("\n")
        assert (done.returncode, status) == (0, "200"), done
        answers.append(json.loads(body))
    made, listed, related, removed = answers
    assert made["source_id"] == "mem_abc" and made["connection"]["relationship_type"] == "caused_by"
    assert made["created"] is True and made["connection"].pop("updated_at") == made["connection"]["created_at"]
    edge = {name: made[name] for name in ("source_id", "connection")}
    assert listed["connections"] == [edge] and (listed["total"], listed["limit"], listed["offset"]) == (1, 50, 0)
    assert related["memory_id"] == "mem_abc" and [r["memory"]["id"] for r in related["related"]] == ["mem_def"]
    assert removed["success"] is True and removed["deleted"] == 1


def test_a_body_in_chunks_is_read_and_bounded(listener: Listener) -> None:
    head = (
        b"POST /api/v1/memories HTTP/1.1\r\nHost: localhost\r\nX-API-Key: your-key\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    body = b'{"content": "in parts"}'
    parts = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    assert listener.exchange(head + parts).startswith(b"HTTP/1.1 201")
    with listener.connect() as connection:
        connection.sendall(head + b"5000\r\n" + b" " * 0x5000 + b"\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 413")
    assert ask(listener, "GET", "/memories")[1]["total"] == 1


def test_what_is_no_http_ends_the_connection_and_not_the_service(listener: Listener) -> None:
    with guard_hang("odd requests"):
        for odd in (b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 10 + b"x\r\n\r\n"):
            listener.exchange(odd + b"\r\n\r\n")
    assert ask(listener, "GET", "/health")[0] == 200


def test_clients_that_go_away_leave_no_transaction_and_no_thread(listener: Listener) -> None:
    request = b"GET /api/v1/memories HTTP/1.1\r\nHost: localhost\r\nX-API-Key: your-key\r\n\r\n"
    half = b"POST /api/v1/memories HTTP/1.1\r\nHost: localhost\r\nX-API-Key: your-key\r\nContent-Length: 100\r\n\r\n{"
    counts = []
    for round in range(2):
        for sent in (request, half, request[:20], b""):
            for _ in range(20):
                with listener.connect() as connection:
                    connection.sendall(sent)
        for number in range(5):
            assert ask(listener, "POST", "/memories", {"content": f"{round} {number}"})[0] == 201
        counts.append(threading.active_count())
    assert ask(listener, "GET", "/memories")[1]["total"] == 10
    assert counts[1] <= counts[0]


def test_events_come_as_they_happen_and_end(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(50):
        (notes / f"n{number}.md").write_text(f"# Note {number}\n\nSee [[Note {number + 1}]].\n", encoding="utf-8")
    with Listener(tmp_path / "memory.db", ServerOptions(compile_roots=(str(notes),))) as listener:
        status, task = ask(listener, "POST", "/compile", {"path": str(notes)})
        assert status == 202
        path = f"/api/v1/tasks/{task['task_id']}/events"
        with guard_hang("events"):
            text = listener.exchange(
                f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
            ).decode()
    assert "content-type: text/event-stream" in text.lower()
    assert "event: done" in text and '"files_added":50' in text


def test_requests_may_follow_each_other_without_waiting(listener: Listener) -> None:
    one = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = b"GET /api/v1/stats HTTP/1.1\r\nHost: localhost\r\nX-API-Key: your-key\r\nConnection: close\r\n\r\n"
    answer = listener.exchange(one * 20 + last)
    assert answer.count(b"HTTP/1.1 200") == 21


def test_head_of_a_stream_is_its_head_alone_and_takes_no_place(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    last = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with Listener(tmp_path / "memory.db", ServerOptions(compile_roots=(str(notes),))) as listener:
        task = ask(listener, "POST", "/compile", {"path": str(notes)})[1]["task_id"]
        for path in ("/events", f"/tasks/{task}/events"):
            head = f"HEAD /api/v1{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
            with guard_hang(path):
                first, *others = listener.exchange(head * (MOST_LISTENERS + 1) + last).split(b"HTTP/1.1 ")[1:]
            assert first.startswith(b"200") and b"text/event-stream" in first and first.endswith(b"\r\n\r\n")
            assert len(others) == MOST_LISTENERS + 1 and all(other.startswith(b"200") for other in others)
