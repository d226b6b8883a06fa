"""Whatever takes a budget, on whichever face, keeps to it, says what it leaves out, and goes on from its cursor until
everything was told once."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from remem.config import load_settings
from remem.engine import Remem
from remem.faces.cli.app import MODULES, cli
from remem.faces.mcp.families import FAMILIES
from remem.faces.mcp.host import StoreHost
from remem.faces.mcp.server import build_server
from remem.faces.rest.routes import OPERATIONS
from remem.ingest.tokens import count_tokens
from tests.faces.command import remem
from tests.faces.rest.site import Site

A = "The stale timetable"
WORDS = "why was the timetable wrong"
MOST_PAGES = 400
WHOLE = 100_000
BUDGETS = (60, 350)
QUIET = {"embedding.provider": "none"}


@pytest.fixture(scope="module")
def full(compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the sample notes with a trail of versions and some memories, which nobody changes."""
    store = Path(shutil.copy(compiled, tmp_path_factory.mktemp("full") / "memory.db"))
    asyncio.run(fill(store))
    return store


async def fill(store: Path) -> None:
    async with Remem(load_settings(overrides={"storage.path": str(store), **QUIET})) as opened:
        await opened.store_batch(
            [{"content": f"Fact {n} on [[Deploy]] and the ferry.", "id": f"f{n}"} for n in range(9)]
        )
        for number in range(9):
            await opened.update("f0", content=f"# Fact\n\nVersion {number} of it.\n\n{'Much is said here. ' * 40}end")
        await opened.summarise(A, "A copy of the timetable was stale.")


@pytest.fixture
def own(full: Path, tmp_path: Path) -> Path:
    """A copy of that store."""
    return Path(shutil.copy(full, tmp_path / "memory.db"))


def name_item(item: Any) -> str:
    """What an item of any list is known by."""
    return repr(sorted((key, value) for key, value in item.items() if key not in ("temperature", "accessed_at")))


# --- MCP --------------------------------------------------------------------------------------------------------------

TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "MemoryTree": ("nodes", {"root": "Deploy"}),
    "MemorySearch": ("hits", {"query": WORDS, "mode": "keyword", "limit": 200}),
    "MemoryRecall": ("items", {"query": WORDS}),
    "MemoryFetch": ("", {"anchor": "Deploy"}),
    "MemoryFetchBatch": ("nodes", {"node_ids": ["f1", "nowhere", "f2", "f3"]}),
    "MemoryRelated": ("related", {"anchor": "Deploy"}),
    "MemoryStats": ("root_list", {}),
    "MemoryDelta": ("changes", {"since_snapshot": 1}),
    "MemoryDiff": ("changes", {"from": 0, "to": 2}),
    "MemoryHistory": ("history", {"anchor": "f0"}),
    "search_memories": ("results", {"query": "ferry", "mode": "keyword", "limit": 200}),
    "get_memory": ("", {"memory_id": "f0"}),
    "list_recent_memories": ("memories", {}),
    "find_related": ("related", {"memory_id": "Deploy"}),
    "list_connections": ("connections", {"node": "Deploy"}),
}
FEW = {"MemoryDiff": 60, "MemoryRecall": 60}
"""Of these so many pages are enough."""


def test_every_tool_that_takes_a_budget_is_held_to_it_here() -> None:
    taking = {tool.name for tool in FAMILIES["all"] if any(each.name == "budget" for each in tool.parameters)}
    assert taking == set(TOOLS)
    going_on = {tool.name for tool in FAMILIES["all"] if any(each.name == "cursor" for each in tool.parameters)}
    assert going_on == set(TOOLS)
    reading = {tool.name for tool in FAMILIES["all"] if not tool.changes}
    assert reading == taking


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_keeps_to_its_budget_and_tells_everything_once(own: Path, tool: str, budget: int) -> None:
    asyncio.run(read_tool(own, tool, budget))


async def read_tool(store: Path, tool: str, budget: int) -> None:
    host = StoreHost(load_settings(overrides={"storage.path": str(store), **QUIET}))
    name, arguments = TOOLS[tool]
    try:
        async with Client(build_server(host)) as client:
            whole = await call_tool(client, tool, {**arguments, "budget": WHOLE})
            found: list[str] = []
            parts, cursor = "", None
            for _ in range(FEW.get(tool, MOST_PAGES)):
                given = {**arguments, "budget": budget} | ({} if cursor is None else {"cursor": cursor})
                page = await call_tool(client, tool, given)
                assert count_tokens(page["said"]) <= budget, page["said"]
                found += [find_id(item) for item in page.get(name, ()) if not item.get("continued")]
                parts += str(page.get("text") or page.get("content") or "")
                cursor = page.get("cursor")
                if cursor is None:
                    break
                assert cursor in page["said"] and (page["left_out"] or page["items"][0]["truncated"])
            assert tool in FEW or cursor is None
            if not name:
                assert parts == str(whole.get("text") or whole["content"])
            elif tool == "MemoryRecall" and cursor is None:  # what is too long goes in by its parts
                assert len(set(found)) == len(found) >= len(whole[name])
            elif tool not in FEW:
                assert sorted(found) == sorted(map(find_id, whole[name]))
    finally:
        await host.close()


def find_id(item: Any) -> str:
    """What an item of a tool is known by."""
    for name in ("asked", "snapshot", "id", "name"):
        if item.get(name) is not None:
            return str(item[name])
    return str(item["memory"]["id"] if "memory" in item else item)


async def call_tool(client: Any, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The JSON of an answer, with its text as `said`."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert not result.is_error, content.text
    return {**result.structured_content, "said": content.text}


# --- the command line -------------------------------------------------------------------------------------------------

COMMANDS: dict[str, tuple[str, ...]] = {
    "tree": (),
    "show": ("Deploy",),
    "search": ("ferry", "--mode", "keyword"),
    "recall": (WORDS,),
    "related": ("Deploy", "--depth", "2"),
    "pending": (),
    "mentions": (),
    "snapshots": (),
    "delta": ("1",),
    "diff": ("0", "1"),
    "history": ("f0",),
}


def test_every_command_that_takes_a_budget_is_held_to_it_here() -> None:
    import click

    context = click.Context(cli, info_name="remem")
    taking = set()
    for name in MODULES:
        command = cli.get_command(context, name)
        assert command is not None
        if any(parameter.name == "budget" for parameter in command.params):
            taking.add(name)
    assert taking == {*COMMANDS, "roots"}  # all roots of this store fit on a page; test_cli_roots has more


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_keeps_to_its_budget_and_goes_on_from_its_cursor(own: Path, command: str) -> None:
    line: tuple[str | Path, ...] = ("--db", own, command, *COMMANDS[command], "--budget", "150")
    first = remem(*line)
    assert first.status == 0 and 0 < count_tokens(first.out.rstrip("\n")) <= 150
    cursors = re.findall(r"cursor (\w+)\)$", first.out, re.M)
    assert cursors, first.out
    second = remem(*line, "--cursor", cursors[-1])
    assert second.status == 0 and 0 < count_tokens(second.out.rstrip("\n")) <= 150
    assert second.out.split("\n")[0] not in first.out.split("\n") or command in ("show", "tree")
    assert {"left_out", "cursor"} <= set(remem(*line, "--json").load())
    assert remem("--db", own, command, *COMMANDS[command], "--budget", "59").status == 2
    assert remem("--db", own, command, *COMMANDS[command], "--cursor", "nonsense").status == 2


# --- REST -------------------------------------------------------------------------------------------------------------

REQUESTS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "search_memories": ("POST", "/memories/search", "results", {"query": "ferry", "mode": "keyword", "limit": 200}),
    "recall": ("POST", "/recall", "items", {"query": WORDS}),
    "list_memories": ("GET", "/memories", "memories", {"limit": 200}),
    "get_memory": ("GET", "/memories/f0", "", {}),
    "list_connections": ("GET", "/connections", "connections", {"node": "Deploy"}),
    "find_related": ("GET", "/memories/Deploy/related", "related", {}),
    "list_pending": ("GET", "/pending", "pending", {}),
    "list_mentions": ("GET", "/mentions", "mentions", {}),
    "read_tree": ("GET", "/tree", "nodes", {"node": "Deploy"}),
    "read_node": ("GET", "/nodes/Deploy", "", {}),
    "list_roots": ("GET", "/roots", "roots", {}),
    "list_snapshots": ("GET", "/snapshots", "snapshots", {}),
    "read_delta": ("GET", "/delta", "changes", {"since": 1}),
    "read_diff": ("GET", "/diff", "changes", {"a": 1, "b": 4}),
    "read_history": ("GET", "/nodes/f0/history", "history", {}),
}


def test_every_operation_that_takes_a_budget_is_held_to_it_here() -> None:
    taking = set()
    for operation in OPERATIONS:
        fields = [*operation.query.fields, *(operation.body.fields if operation.body else ())]
        if any(field.name == "budget" for field in fields):
            taking.add(operation.name)
    assert taking == set(REQUESTS)


@pytest.fixture(scope="module")
def site(full: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(Path(shutil.copy(full, tmp_path_factory.mktemp("site") / "memory.db"))) as opened:
        yield opened


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_with_a_budget_is_answered_in_pages_that_hold_everything_once(site: Site, name: str) -> None:
    method, path, items, given = REQUESTS[name]

    def ask(**more: object) -> Any:
        asked = given | more
        return site.ask(method, path, json=asked) if method == "POST" else site.ask(method, path, params=asked)

    read = read_items if items else read_text
    whole, cursor = ask(budget=WHOLE), None
    found: list[str] = []
    for _ in range(MOST_PAGES):
        page = ask(budget=150, **({} if cursor is None else {"cursor": cursor}))
        found += read(page, items)
        assert name == "recall" or (page["cursor"] is None) == (page["left_out"] == 0)
        cursor = page["cursor"]
        if cursor is None:
            break
    if name == "recall":  # what is told within another section where there is room stands for itself here
        assert {item["id"] for item in whole[items]} <= {*found}
    elif items:
        assert "".join(sorted(found)) == "".join(sorted(read(whole, items)))
    else:
        assert "".join(found) == read(whole, items)[0]


def read_items(page: Any, name: str) -> list[str]:
    """The items of a page."""
    return [name_read(item) for item in page[name] if not item.get("continued")]


def name_read(item: Any) -> str:
    """What an item is known by."""
    if "truncated" in item and "reason" in item:
        return str(item["id"])
    return name_item(item) if "memory" not in item else str(item["memory"]["id"])


def read_text(page: Any, name: str) -> list[str]:
    """The text of a page that holds a part of one node."""
    return [page["text"] if "text" in page else page["content"]]
