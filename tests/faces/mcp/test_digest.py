"""What has gone cold is told to an agent once a day: below an answer, and as a message to clients that take these."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp.types import CallToolResult, LoggingMessageNotificationParams

from remem import Remem
from remem.faces.mcp.host import StoreHost
from remem.faces.mcp.server import build_server
from remem.ingest.tokens import count_tokens
from tests.faces.server_process import PATIENCE

SENTENCE = "The bank of the river is green and long. "
COLD = "long texts have gone cold"
DAY = 86_400_000_000_000
Work = Callable[[Remem, Any], Awaitable[None]]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The nanoseconds by which the wall clock of this process is ahead."""
    ahead, clock = [0], time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: clock() + ahead[0])
    return ahead


@pytest.fixture
def cold_store(tmp_path: Path, later: list[int]) -> Path:
    """A store of thirty long notes, a month after they were written."""
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(30):
        (notes / f"Note {number:02}.md").write_text(f"Note {number}. {SENTENCE * 60}\n", encoding="utf-8")
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(notes)
    later[0] = 30 * DAY
    return tmp_path / "m.db"


def serve(store: Path, work: Work, **options: Any) -> None:
    """Runs something with an open store and a client of a server over it."""

    async def run() -> None:
        async with Remem.open(store) as remem, asyncio.timeout(PATIENCE):
            host = StoreHost(remem.settings, remem)
            try:
                async with Client(build_server(host), **options) as client:
                    await work(remem, client)
            finally:
                await host.close()

    asyncio.run(run())


def read_text(result: CallToolResult) -> str:
    (content,) = result.content
    return content.text  # type: ignore[union-attr]


async def find_digest(client: Any, tool: str, **arguments: Any) -> CallToolResult:
    """The first answer of a tool that holds the digest, which is looked for behind the calls."""
    while True:
        result: CallToolResult = await client.call_tool(tool, arguments)
        if COLD in read_text(result):
            return result
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("tool", ["MemoryTree", "MemoryStats"])
@pytest.mark.parametrize("budget", [400, 2000])
def test_an_answer_tells_it_once_within_the_budget(cold_store: Path, tool: str, budget: int) -> None:
    async def work(remem: Remem, client: Any) -> None:
        result = await find_digest(client, tool, budget=budget)
        text, cold = read_text(result), result.structured_content["cold"]
        assert count_tokens(text) <= budget and f"30 {COLD}" in text and "MemorySummarize" in text
        assert cold["total"] == 30 and 0 < len(cold["nodes"]) <= 5
        assert all(node["id"] in text.split(COLD)[1] for node in cold["nodes"])
        assert f"{30 - len(cold['nodes'])} more in remem://temperature" in text
        for other in ("MemoryTree", "MemoryStats"):
            assert COLD not in read_text(await client.call_tool(other, {}))

    serve(cold_store, work)


def test_the_index_goes_on_behind_an_answer_that_told_it(cold_store: Path) -> None:
    async def work(remem: Remem, client: Any) -> None:
        result = await find_digest(client, "MemoryTree", budget=600, depth=0)
        found = [line["label"] for line in result.structured_content["nodes"]]
        cursor = result.structured_content["cursor"]
        while cursor is not None:
            page = (
                await client.call_tool("MemoryTree", {"budget": 600, "depth": 0, "cursor": cursor})
            ).structured_content
            found += [line["label"] for line in page["nodes"]]
            cursor = page["cursor"]
        assert found == [f"Note {number:02}" for number in range(30)]

    serve(cold_store, work)


def test_an_answer_without_room_leaves_it_to_the_next(cold_store: Path) -> None:
    async def work(remem: Remem, client: Any) -> None:
        for _ in range(3):
            assert COLD not in read_text(await client.call_tool("MemoryTree", {"budget": 100}))
        await find_digest(client, "MemoryTree")

    serve(cold_store, work)


def test_of_several_servers_on_a_store_one_tells_it(cold_store: Path) -> None:
    async def work(remem: Remem, client: Any) -> None:
        await find_digest(client, "MemoryStats")

    async def work_after(remem: Remem, client: Any) -> None:
        for tool in ("MemoryTree", "MemoryStats"):
            assert COLD not in read_text(await client.call_tool(tool, {}))
        assert await remem.take_cold_digest() is None

    serve(cold_store, work)
    serve(cold_store, work_after)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_that_asks_for_messages_gets_one_whatever_it_calls(cold_store: Path, mode: str) -> None:
    heard: list[LoggingMessageNotificationParams] = []

    async def listen(params: LoggingMessageNotificationParams) -> None:
        heard.append(params)

    async def work(remem: Remem, client: Any) -> None:
        if mode == "legacy":
            with pytest.warns(MCPDeprecationWarning):
                await client.set_logging_level("info")
        while not heard:
            await client.call_tool("MemoryPin", {"node_id": "Note 00"})
            await asyncio.sleep(0.01)
        await client.call_tool("MemoryPin", {"node_id": "Note 00"})
        (message,) = heard
        assert message.level == "notice" and COLD in str(message.data)
        await find_digest(client, "MemoryTree")

    serve(cold_store, work, logging_callback=listen, log_level="notice", mode=mode)


def test_a_client_that_asks_for_none_or_for_errors_alone_gets_none(cold_store: Path) -> None:
    heard: list[LoggingMessageNotificationParams] = []

    async def listen(params: LoggingMessageNotificationParams) -> None:
        heard.append(params)

    async def work(remem: Remem, client: Any) -> None:
        await find_digest(client, "MemoryTree")
        await client.call_tool("MemoryStats", {})
        assert heard == []

    serve(cold_store, work, logging_callback=listen, log_level="error")


def test_the_end_of_a_server_ends_the_look(cold_store: Path) -> None:
    async def work(remem: Remem, client: Any) -> None:
        await client.call_tool("MemoryTree", {"budget": 400})

    serve(cold_store, work)

    async def run() -> None:
        async with Remem.open(cold_store) as remem:
            host = StoreHost(remem.settings, remem)
            host.digest.begin(remem)
            await host.close()
            assert not [task for task in asyncio.all_tasks() if task.get_name() == "remem cold digest"]

    asyncio.run(run())
