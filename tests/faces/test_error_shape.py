"""Whatever goes wrong has one shape on each face: a problem document, a result that a model can act on, one line and an
exit status. The code is the same on all of them, and nothing is changed."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mcp import Client

from remem.config import load_settings
from remem.engine import Remem
from remem.faces import wire
from remem.faces.mcp.host import StoreHost
from remem.faces.mcp.server import build_server
from tests.faces.command import remem
from tests.faces.rest.site import Site

A, CAUSES = "The stale timetable", "EbjfAZonIQV"
QUIET = {"embedding.provider": "none"}


class Failure(NamedTuple):
    """A call that fails: its code, the command line, the request (method, path, query or body), the tool."""

    code: str
    command: tuple[str, ...]
    request: tuple[str, str, dict[str, Any]] | None = None
    tool: tuple[str, dict[str, Any]] | None = None


INVALID, MISSING, CONFLICT = "invalid_input", "not_found", "conflict"
FAILURES = {
    "delta of a future snapshot": Failure(
        MISSING, ("delta", "99"), ("GET", "/delta", {"since": 99}), ("MemoryDelta", {"since_snapshot": 99})
    ),
    "delta of no number": Failure(
        INVALID, ("delta", "x"), ("GET", "/delta", {"since": "x"}), ("MemoryDelta", {"since_snapshot": "x"})
    ),
    "delta of a negative number": Failure(
        INVALID, ("delta", "--", "-1"), ("GET", "/delta", {"since": -1}), ("MemoryDelta", {"since_snapshot": -1})
    ),
    "delta of nothing": Failure(INVALID, ("delta",), ("GET", "/delta", {}), ("MemoryDelta", {})),
    "delta within too small a budget": Failure(
        INVALID, ("delta", "0", "--budget", "59"), ("GET", "/delta", {"since": 0, "budget": 59}),
        ("MemoryDelta", {"since_snapshot": 0, "budget": 59}),
    ),
    "delta from a wrong cursor": Failure(
        INVALID, ("delta", "0", "--cursor", "zzzz"), ("GET", "/delta", {"since": 0, "cursor": "zzzz"}),
        ("MemoryDelta", {"since_snapshot": 0, "cursor": "zzzz"}),
    ),
    "diff with a future snapshot": Failure(
        MISSING, ("diff", "0", "99"), ("GET", "/diff", {"a": 0, "b": 99}), ("MemoryDiff", {"from": 0, "to": 99})
    ),
    "diff of one": Failure(INVALID, ("diff", "0"), ("GET", "/diff", {"a": 0}), ("MemoryDiff", {"from": 0})),
    "history of nobody": Failure(
        MISSING, ("history", "nobody"), ("GET", "/nodes/nobody/history", {}), ("MemoryHistory", {"anchor": "nobody"})
    ),
    "history of one of several": Failure(
        "ambiguous", ("history", "What was changed"), ("GET", "/nodes/What was changed/history", {}),
        ("MemoryHistory", {"anchor": "What was changed"}),
    ),
    "too many snapshots": Failure(INVALID, ("snapshots", "--limit", "501"), ("GET", "/snapshots", {"limit": 501})),
    "tree as it never was": Failure(
        MISSING, ("tree", "--as-of", "99"), ("GET", "/tree", {"as_of": 99}), ("MemoryTree", {"as_of": 99})
    ),
    "show before there was anything": Failure(
        MISSING, ("show", A, "--as-of", "0"), ("GET", f"/nodes/{A}", {"as_of": 0}),
        ("MemoryFetch", {"anchor": A, "as_of": 0}),
    ),
    "rollback to the future": Failure(
        MISSING, ("rollback", "99"), ("POST", "/rollback", {"snapshot": 99}), ("MemoryRollback", {"snapshot_id": 99})
    ),
    "rollback of nobody": Failure(
        MISSING, ("rollback", "1", "--scope", "nobody"), ("POST", "/rollback", {"snapshot": 1, "scope": "nobody"}),
        ("MemoryRollback", {"snapshot_id": 1, "scope": "nobody"}),
    ),
    "rollback to a text that was purged": Failure(
        "refused", ("rollback", "2", "--scope", "secret"), ("POST", "/rollback", {"snapshot": 2, "scope": "secret"}),
        ("MemoryRollback", {"snapshot_id": 2, "scope": "secret", "dry_run": False}),
    ),
    "purge of nothing": Failure(INVALID, ("purge",), ("POST", "/purge", {})),
    "purge of two things": Failure(
        INVALID, ("purge", "--node", A, "--snapshot", "1"), ("POST", "/purge", {"node": A, "snapshot": 1})
    ),
    "purge of nobody": Failure(MISSING, ("purge", "--node", "nobody"), ("POST", "/purge", {"node": "nobody"})),
    "purge up to the future": Failure(MISSING, ("purge", "--snapshot", "99"), ("POST", "/purge", {"snapshot": 99})),
    "write in two places": Failure(
        INVALID, ("write", "x", "--anchor", A, "--parent", A),
        ("POST", "/write", {"payload": "x", "anchor": A, "parent": A}),
        ("MemoryWrite", {"payload": "x", "anchor": A, "parent": A}),
    ),
    "write of nothing": Failure(
        INVALID, ("write", " ", "--parent", A), ("POST", "/write", {"payload": " ", "parent": A}),
        ("MemoryWrite", {"payload": " ", "parent": A}),
    ),
    "write below nobody": Failure(
        MISSING, ("write", "x", "--parent", "nobody"), ("POST", "/write", {"payload": "x", "parent": "nobody"}),
        ("MemoryWrite", {"payload": "x", "parent": "nobody"}),
    ),
    "write in a format that there is not": Failure(
        INVALID, ("write", "x", "--format", "pdf"), ("POST", "/write", {"payload": "x", "format": "pdf"}),
        ("MemoryWrite", {"payload": "x", "format": "pdf"}),
    ),
    "write of too much": Failure(
        INVALID, ("write", "x" * 1_000_001, "--parent", A),
        ("POST", "/write", {"payload": "x" * 1_000_001, "parent": A}),
        ("MemoryWrite", {"payload": "x" * 1_000_001, "parent": A}),
    ),
    "write of a NUL": Failure(
        INVALID, ("write", "a\0b", "--parent", A), ("POST", "/write", {"payload": "a\0b", "parent": A}),
        ("MemoryWrite", {"payload": "a\0b", "parent": A}),
    ),
    "summary of nobody": Failure(
        MISSING, ("summarise", "nobody", "x"), ("POST", "/nodes/nobody/summary", {"text": "x"}),
        ("MemorySummarize", {"node_id": "nobody", "summary": "x"}),
    ),
    "summary that says nothing": Failure(
        INVALID, ("summarise", A, ""), ("POST", f"/nodes/{A}/summary", {"text": ""}),
        ("MemorySummarize", {"node_id": A, "summary": ""}),
    ),
    "forget what has others below it": Failure(
        CONFLICT, ("forget", CAUSES), ("DELETE", f"/nodes/{CAUSES}", {}), ("MemoryForget", {"node_id": CAUSES})
    ),
    "forget in a way that there is not": Failure(
        INVALID, ("forget", CAUSES, "--mode", "gently"), ("DELETE", f"/nodes/{CAUSES}", {"mode": "gently"}),
        ("MemoryForget", {"node_id": CAUSES, "mode": "gently"}),
    ),
    "forget nobody": Failure(
        MISSING, ("forget", "nobody"), ("DELETE", "/nodes/nobody", {}), ("MemoryForget", {"node_id": "nobody"})
    ),
    "delete a note as a memory": Failure(
        CONFLICT, ("update", CAUSES, "--text", "x"), ("DELETE", f"/memories/{CAUSES}", {}),
        ("delete_memory", {"memory_id": CAUSES}),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def purged(compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the sample notes with a memory, the first text of which was purged."""
    store = Path(shutil.copy(compiled, tmp_path_factory.mktemp("purged") / "memory.db"))
    with Remem.open_sync(store) as opened:
        opened.store("The password is swordfish.", id="secret")
        opened.update("secret", content="The password lies in the vault.")
        opened.purge(node="secret")
    return store


@pytest.fixture(scope="module")
def site(purged: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Site(Path(shutil.copy(purged, tmp_path_factory.mktemp("site") / "memory.db"))) as opened:
        yield opened


BY_REQUEST = [name for name, each in FAILURES.items() if each.request]
BY_TOOL = [name for name, each in FAILURES.items() if each.tool]


@pytest.mark.parametrize("name", BY_REQUEST)
def test_a_request_that_fails_is_answered_with_a_problem(site: Site, name: str) -> None:
    failure = FAILURES[name]
    assert failure.request is not None
    method, path, given = failure.request
    sent = {"json" if method == "POST" else "params": given}
    status = wire.REPORTS[failure.code].http_status
    problem = site.refuse(method, path, status, failure.code, **sent)
    assert problem["detail"] and problem["title"] and "Traceback" not in problem["detail"]
    assert "swordfish" not in problem["detail"] and len(problem["detail"]) < 1000
    assert site.get("/snapshots")["total"] == 3


@pytest.mark.parametrize("name", [name for name in FAILURES if "\0" not in "".join(FAILURES[name].command)])
def test_a_command_that_fails_says_why_on_one_line(purged: Path, tmp_path: Path, name: str) -> None:
    failure, store = FAILURES[name], Path(shutil.copy(purged, tmp_path / "memory.db"))
    done = remem("--db", store, *failure.command)
    assert done.status == wire.REPORTS[failure.code].exit_status
    assert done.out == "" and done.err.startswith("error: ") and done.err.count("\n") == 1, done.err
    assert "Traceback" not in done.err and len(done.err) < 1000
    with Remem.open_sync(store) as opened:
        assert opened.snapshots().total == 3


def test_a_tool_that_fails_tells_the_model_what_to_do(purged: Path, tmp_path: Path) -> None:
    store = Path(shutil.copy(purged, tmp_path / "memory.db"))
    asyncio.run(fail_tools(store))


async def fail_tools(store: Path) -> None:
    host = StoreHost(load_settings(overrides={"storage.path": str(store), **QUIET}))
    try:
        async with Client(build_server(host)) as client:
            for name in BY_TOOL:
                await fail_tool(client, name)
            assert (await (await host.get()).snapshots()).total == 3
    finally:
        await host.close()


async def fail_tool(client: Any, name: str) -> None:
    failure = FAILURES[name]
    assert failure.tool is not None
    result = await client.call_tool(*failure.tool)
    data, (content,) = result.structured_content, result.content
    assert result.is_error and data["code"] == failure.code, (name, data)
    assert content.text == f"{data['code']}: {data['message']}" and len(content.text) < 2100
    assert "Traceback" not in content.text and data["tool"] == failure.tool[0]
    assert failure.code != INVALID or data["field"], name
