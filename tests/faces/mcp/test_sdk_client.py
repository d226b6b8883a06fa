"""The SDK's own client against a real process, in both eras of the protocol: what it validates is valid."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from remem.faces.mcp.resources import RESOURCES
from tests.faces.mcp.test_published import check_answer

A = "The stale timetable"
ERAS: dict[Literal["legacy", "auto"], str] = {"legacy": "2025-11-25", "auto": "2026-07-28"}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("MemoryTree", {"depth": 1}),
    ("MemorySearch", {"query": "ferry"}),
    ("MemorySearch", {"query": ""}),
    ("MemoryFetch", {"anchor": A}),
    ("MemoryFetch", {"anchor": "Winter"}),  # holds a link that waits
    ("MemoryFetchBatch", {"node_ids": [A, "none"]}),
    ("MemoryRelated", {"anchor": A, "depth": 2}),
    ("MemoryRelate", {"source_id": "Deploy", "target_label": "To come"}),
    ("MemoryUnrelate", {"source_id": "Deploy", "target_label": "To come"}),
    ("MemoryPin", {"node_id": A}),
    ("MemoryUnpin", {"node_id": A}),
    ("MemoryStats", {}),
    ("MemoryCompile", {"path": "gangway"}),
    ("MemoryRecall", {"query": "ferry"}),
    ("store_memory", {"content": "The ferry sails at noon.", "id": "noon", "ttl": 3600, "metadata": {"a": [1]}}),
    ("store_memory", {"content": "Puffins nest at the pier.", "id": "nest"}),
    ("search_memories", {"query": "ferry", "mode": "keyword"}),
    ("get_memory", {"memory_id": "noon", "include_connections": True}),
    ("get_memory", {"memory_id": A}),
    ("update_memory", {"memory_id": "noon", "tags": []}),
    ("promote_to_longterm", {"memory_id": "noon"}),
    ("create_connection", {"source_id": "noon", "target_id": "nest"}),
    ("find_related", {"memory_id": "noon", "depth": 2, "limit": 10}),
    ("list_connections", {"limit": 5}),
    ("delete_connection", {"source_id": "noon", "target_id": "nest"}),
    ("delete_memory", {"memory_id": "nest"}),
    ("list_recent_memories", {}),
    ("MemoryWrite", {"payload": "A new line on [[To come]].", "parent": "Deploy"}),
    ("MemorySummarize", {"node_id": A, "summary": "A copy was stale."}),
    ("MemoryForget", {"node_id": "Glossary", "mode": "cascade"}),
    ("MemoryDelta", {"since_snapshot": 1}),
    ("MemoryDiff", {"from": 1, "to": 2}),
    ("MemoryHistory", {"anchor": "noon"}),
    ("MemoryRollback", {"snapshot_id": 1, "scope": "all"}),
    ("MemoryRollback", {"snapshot_id": 1, "dry_run": False}),
]


def start(store: Path, mode: Literal["legacy", "auto"] = "auto") -> Client:
    """A client of a process of its own. It validates whatever it gets."""
    command = StdioServerParameters(command=sys.executable, args=["-m", "remem", "--db", str(store), "mcp"])
    return Client(command, mode=mode)


def read_text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("mode", ERAS)
def test_every_tool_answers_in_both_eras_as_its_schema_says(mode: Literal["legacy", "auto"], folder: Path) -> None:
    (folder / "gangway" / "empty.md").write_text("")
    (folder / "gangway" / "winter.md").write_text("# Winter\n\n[[Nowhere yet]]\n")

    async def run() -> None:
        async with start(folder / "memory.db", mode) as client:
            await client.call_tool("MemoryCompile", {"path": "gangway"})
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert client.protocol_version == ERAS[mode] and tools == {name for name, _ in CALLS}
            for name, arguments in [("MemoryFetch", {"anchor": "empty"}), *CALLS]:
                result = await client.call_tool(name, arguments)
                assert not result.is_error and read_text(result), (name, result)
                check_answer(name, result.structured_content)
            failed = await client.call_tool("MemoryFetch", {"anchor": "none"})
            assert failed.is_error and failed.structured_content["code"] == "not_found"
            assert len((await client.list_resources()).resources) == len(RESOURCES)
            assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["recall"]
            told = await client.get_prompt("recall", {"topic": "the ferry"})
            assert "The ferry sails at noon." in str(told.messages[0].content)

    asyncio.run(run())


def test_a_compile_tells_how_far_it_is(folder: Path) -> None:
    for number in range(300):
        (folder / "gangway" / f"{number}.md").write_text(f"# Note {number}\n\nSee [[Note {number + 1}]].\n")
    told: list[float] = []

    async def listen(progress: float, total: float | None, message: str | None) -> None:
        assert total == 2 and message in ("scan", "parse", "write")
        told.append(progress)

    async def run() -> None:
        async with start(folder / "memory.db") as client:
            result = await client.call_tool("MemoryCompile", {"path": "gangway"}, progress_callback=listen)
            assert result.structured_content["files_added"] == 300

    asyncio.run(run())
    assert told and told == sorted(set(told))


def test_a_call_that_the_client_gives_up_does_not_end_the_server(folder: Path) -> None:
    async def run() -> None:
        async with start(folder / "memory.db") as client:
            for _ in range(3):
                call = asyncio.ensure_future(client.call_tool("MemoryRelated", {"anchor": A, "depth": 5}))
                await asyncio.sleep(0)
                call.cancel()
                await asyncio.gather(call, return_exceptions=True)
            assert not (await client.call_tool("MemoryStats", {})).is_error

    asyncio.run(run())
