"""Paths that calls from outside give: nothing is read but what lies in the roots, by whatever way it is spelled."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remem import Remem
from remem.errors import RefusedError, RememError
from remem.faces.running.places import find_place
from remem.records import Root
from tests.faces.mcp.wire_client import HANDSHAKE
from tests.faces.rest.site import Site
from tests.faces.server_process import Reply, ServerProcess

SECRET = "the word is xyzzy"
BOTH = "application/json, text/event-stream"
OUTSIDE = (
    *("/etc", "/", "..", "notes/..", "notes/../secret.md", "notes/a/../../secret.md", "~", "~/.ssh", "$HOME"),
    *("/proc/self/root/etc", "/proc/self/cwd", "/dev/stdin", "/dev/zero", "file:///etc", "notes/way", "notes/way/x"),
    *("\\\\server\\share", "C:\\Windows", "notes\\..\\secret.md", "//server/share", "notes2", "notes/link.md/../.."),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with links out of it, what they lead to, and the store."""
    folder = tmp_path_factory.mktemp("paths")
    (folder / "notes" / "a").mkdir(parents=True)
    (folder / "notes2").mkdir()
    (folder / "secret.md").write_text(SECRET, encoding="utf-8")
    (folder / "notes2" / "b.md").write_text(SECRET, encoding="utf-8")
    hints = (
        "[[passwd;source=../../etc/passwd]] [[secret;source=../secret.md]] ![[../secret.md]] [x](file:///etc/passwd)"
    )
    (folder / "notes" / "in.md").write_text(f"# In\n\n{hints}\n", encoding="utf-8")
    (folder / "notes" / "way").symlink_to(folder / "notes2")
    (folder / "notes" / "link.md").symlink_to(folder / "secret.md")
    os.link(folder / "secret.md", folder / "hard.md")
    with Remem.open_sync(folder / "memory.db") as opened:
        opened.compile(folder / "notes")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[ServerProcess]:
    with ServerProcess(folder / "memory.db", environ={"REMEM_EMBEDDING__PROVIDER": "none"}) as server:
        yield server


def compile_by_tool(server: ServerProcess, path: str) -> Any:
    """What the tool answers, without its envelope."""
    client = {"name": "test", "version": "1"}
    params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": client}
    greeting = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    session = server.ask("POST", "/mcp", greeting, Accept=BOTH).headers["mcp-session-id"]
    call = {"name": "MemoryCompile", "arguments": {"path": path}}
    message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
    return find_result(server.ask("POST", "/mcp", message, Accept=BOTH, **{"Mcp-Session-Id": session}))


def find_result(reply: Reply) -> Any:
    lines = [line[6:] for line in reply.body.decode().splitlines() if line.startswith("data: {")]
    return json.loads(lines[-1] if lines else reply.body)["result"]


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_of_the_roots_is_compiled_by_rest(server: ServerProcess, path: str) -> None:
    reply = server.ask("POST", "/api/v1/compile", {"path": path})
    assert (reply.status, reply.load()["code"]) == (403, "refused")


@pytest.mark.parametrize(
    "path", ["/etc", "notes/../secret.md", "notes/way", "\\\\server\\share", "notes2", "/proc/self/cwd"]
)
def test_nothing_outside_of_the_roots_is_compiled_by_a_tool(server: ServerProcess, path: str) -> None:
    result = compile_by_tool(server, path)
    assert result["isError"] and "outside" in json.dumps(result)


def test_what_lies_outside_is_not_told_apart_from_nothing(server: ServerProcess, folder: Path) -> None:
    there, not_there = (
        server.ask("POST", "/api/v1/compile", {"path": str(folder / name)}).load()["detail"].replace(name, "")
        for name in ("secret.md", "nothing.md")
    )
    assert there == not_there


@pytest.mark.parametrize("path", ["notes\0", "\0", "", " ", "notes/\udc80", "x" * 100_000])
def test_what_is_no_path_is_refused(tmp_path: Path, path: str) -> None:
    with Site(tmp_path / "memory.db") as site:
        body = json.dumps({"path": path}).encode()
        answer = site.send("POST", "/compile", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 403, 422)
        assert site.get("/tasks")["compiles"] == []


def test_no_text_of_a_file_outside_is_in_the_store(folder: Path) -> None:
    with Remem.open_sync(folder / "memory.db") as opened:
        nodes = opened.export().nodes
        assert {node.source for node in nodes} == {"in.md"}
        assert not [node for node in nodes if "xyzzy" in node.content or "root:" in node.content]


@pytest.mark.parametrize("name", ["..", "/", "../notes2", "C:"])
def test_a_root_of_an_odd_name_opens_nothing_beyond_its_folder(folder: Path, name: str) -> None:
    roots = [Root(1, name, str(folder / "notes"), 0, 1)]
    for path in (f"{name}/../secret.md", f"{name}/../../etc", str(folder / "notes2"), name + "/way"):
        with pytest.raises(RefusedError):
            find_place(path, (), roots)


def test_a_folder_that_is_allowed_opens_no_neighbour_of_like_name(folder: Path) -> None:
    assert find_place(str(folder / "notes" / "in.md"), (str(folder / "notes"),), []) == folder / "notes" / "in.md"
    with pytest.raises(RememError):
        find_place(str(folder / "notes2" / "b.md"), (str(folder / "notes"),), [])
