"""Clients that follow resources are told of changes, by whomever, once for many writes, and of nothing else."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp.types import ResourceUpdatedNotification

from remem import Remem
from remem.errors import NotFoundError
from remem.faces.mcp import feed
from remem.faces.mcp.feed import ResourceFeed
from remem.faces.mcp.host import StoreHost
from remem.faces.mcp.server import build_server
from tests.faces.mcp.wire_client import WireClient
from tests.faces.server_process import PATIENCE, ServerProcess

OVERVIEW, RECENT, WARM = "remem://overview", "memory://collections/recent", "remem://temperature"
A = "The stale timetable"


class Listener:
    """A client that gathers what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self._news = asyncio.Event()

    async def tell(self, uri: str) -> None:
        """Takes one notice."""
        self.told.append(uri)
        self._news.set()

    async def wait(self, uri: str) -> None:
        """Returns when it has been told of the resource."""
        async with asyncio.timeout(PATIENCE):
            while uri not in self.told:
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def follow(store: Path, *uris: str) -> AsyncIterator[tuple[Remem, Listener, ResourceFeed]]:
    """An open store, and somebody who follows resources of it."""
    async with Remem.open(store) as remem:
        watching = ResourceFeed(StoreHost(remem.settings, remem))
        listener = Listener()
        await watching.follow(listener.tell, uris)
        try:
            yield remem, listener, watching
        finally:
            await watching.close()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(feed, "QUIET_SECONDS", 0.05)


def test_a_write_of_this_process_is_told_of(store: Path) -> None:
    async def run() -> None:
        async with follow(store, OVERVIEW, RECENT) as (remem, listener, _):
            await remem.store("The ferry sails at noon.")
            await listener.wait(OVERVIEW)
            await listener.wait(RECENT)

    asyncio.run(run())


def test_a_write_of_another_process_is_told_of(store: Path) -> None:
    async def run() -> None:
        async with follow(store, OVERVIEW) as (_, listener, _):
            async with Remem.open(store) as other:
                await other.relate("Deploy", A)
            await listener.wait(OVERVIEW)

    asyncio.run(run())


def test_many_writes_are_one_notice_and_a_store_that_never_rests_is_told_of_too(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "QUIET_SECONDS", 1000.0)
    monkeypatch.setattr(feed, "LONGEST_SECONDS", 0.3)

    async def run() -> None:
        async with follow(store, OVERVIEW) as (remem, listener, _):
            for number in range(20):
                await remem.store(f"Fact {number}.")
            await listener.wait(OVERVIEW)
            assert len(listener.told) <= 5

    asyncio.run(run())


def test_reading_is_no_change_but_for_what_tells_the_warmth(store: Path) -> None:
    async def run() -> None:
        async with follow(store, OVERVIEW, "remem://tree", WARM) as (remem, listener, _):
            await remem.show(A)
            await remem.usage.flush()
            await listener.wait(WARM)
            assert set(listener.told) == {WARM}

    asyncio.run(run())


def test_a_node_is_told_of_when_it_says_something_else_or_is_linked_or_gone(folder: Path) -> None:
    async def run() -> None:
        async with Remem.open(folder / "memory.db") as remem:
            deploy, stale = [(await remem.show(label, touch=False)).items[0].node.id for label in ("Deploy", A)]
        uri, other = f"remem://node/{deploy}", f"remem://node/{stale}"
        async with follow(folder / "memory.db", uri, other) as (remem, listener, _):
            await remem.store("A fact beside it.")
            await remem.relate(deploy, "Seat inventory")
            await listener.wait(uri)
            assert set(listener.told) == {uri}
            listener.told.clear()
            await remem.drop("gangway")
            await listener.wait(other)

    asyncio.run(run())


def test_edits_and_rollbacks_are_told_of(folder: Path) -> None:
    uris = (OVERVIEW, "remem://snapshots", "remem://tree")

    async def run() -> None:
        async with follow(folder / "memory.db", *uris) as (remem, listener, _):
            changes: list[Callable[[], Awaitable[object]]] = [
                lambda: remem.write("A new line.", parent="Deploy"),
                lambda: remem.summarise(A, "A copy was stale."),
                lambda: remem.forget("Deploy", "cascade"),
                lambda: remem.rollback(1),
            ]
            for change in changes:
                listener.told.clear()
                await change()
                for uri in uris:
                    await listener.wait(uri)

    asyncio.run(run())


def test_who_has_left_is_told_of_nothing_and_the_others_are(store: Path) -> None:
    async def run() -> None:
        async with follow(store, OVERVIEW) as (remem, listener, watching):
            gone = Listener()
            await watching.follow(gone.tell, [OVERVIEW, RECENT])
            watching.leave(gone.tell, [OVERVIEW])
            await remem.store("One.")
            await listener.wait(OVERVIEW)
            await gone.wait(RECENT)
            watching.leave(gone.tell)
            gone.told.clear()
            listener.told.clear()
            await remem.store("Two.")
            await listener.wait(OVERVIEW)
            assert gone.told == []

    asyncio.run(run())


def test_one_whose_connection_fails_does_not_keep_the_others_from_hearing(store: Path) -> None:
    async def fail(uri: str) -> None:
        raise ConnectionError

    async def run() -> None:
        async with follow(store, OVERVIEW) as (remem, listener, watching):
            await watching.follow(fail, [OVERVIEW])
            await remem.store("One.")
            await listener.wait(OVERVIEW)

    asyncio.run(run())


def test_a_stateless_client_listens_on_a_stream(store: Path) -> None:
    async def run() -> None:
        async with Remem.open(store) as remem:
            host = StoreHost(remem.settings, remem)
            watching = ResourceFeed(host)
            async with (
                Client(build_server(host, watching)) as client,
                asyncio.timeout(PATIENCE),
                client.listen(resource_subscriptions=[RECENT]) as stream,
            ):
                await client.call_tool("store_memory", {"content": "The ferry sails at noon."})
                event = await anext(aiter(stream))
                assert event.uri == RECENT  # type: ignore[union-attr]
            await watching.close()

    asyncio.run(run())


# --- processes --------------------------------------------------------------------------------------------------------


def test_a_session_over_stdio_subscribes_and_ends_that(store: Path) -> None:
    with WireClient(store) as client:
        assert client.greet()["capabilities"]["resources"]["subscribe"] is True
        for _ in range(2):  # asked twice, told once
            client.ask("resources/subscribe", {"uri": RECENT})
        client.read("store_memory", content="One.")
        assert wait_notice(client)["params"]["uri"] == RECENT
        client.ask("resources/unsubscribe", {"uri": RECENT})
        client.read("store_memory", content="Two.")
        client.ask("ping")
        assert client.out.count(b"notifications/resources/updated") == 1


def wait_notice(client: WireClient) -> Any:
    """The next message without an id."""
    return client.wait(None)


def test_a_session_over_http_hears_of_what_another_client_writes(store: Path) -> None:
    heard: queue.SimpleQueue[str] = queue.SimpleQueue()

    async def listen(message: object) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            heard.put(str(message.params.uri))

    async def run(server: ServerProcess) -> None:
        transport = streamable_http_client(f"{server.address}/mcp")
        async with Client(transport, mode="legacy", message_handler=listen) as client:
            with pytest.warns(MCPDeprecationWarning):
                await client.subscribe_resource(OVERVIEW)
            await asyncio.to_thread(server.ask, "POST", "/api/v1/memories", {"content": "The ferry sails at noon."})
            await poll(lambda: not heard.empty())
            assert heard.get() == OVERVIEW

    with ServerProcess(store) as server:
        asyncio.run(run(server))


async def poll(done: Callable[[], bool]) -> None:
    """Returns when it is so. Bounded."""
    async with asyncio.timeout(PATIENCE):
        while not done():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0.02)


ODD = ("remem://nosuch", "remem://node/nobody", "remem://node/", "memory://", "file:///x", "")


@pytest.mark.parametrize("uri", ODD)
def test_what_cannot_be_read_cannot_be_followed(store: Path, uri: str) -> None:
    with WireClient(store) as client:
        client.greet()
        client.send("resources/subscribe", {"uri": uri}, id="odd")
        error = client.wait("odd")["error"]
        assert error["code"] == -32602 and error["data"]["uri"] == uri
        client.ask("resources/subscribe", {"uri": f"remem://node/{A.replace(' ', '%20')}"})
        client.ask("resources/subscribe", {"uri": RECENT})
        client.read("store_memory", content="One.")
        assert wait_notice(client)["params"]["uri"] == RECENT


def test_a_stream_of_what_cannot_be_read_is_refused(store: Path) -> None:
    async def run() -> None:
        async with Remem.open(store) as remem:
            watching = ResourceFeed(StoreHost(remem.settings, remem))
            with pytest.raises(NotFoundError):
                await watching.check([RECENT, "remem://nosuch"])
            await watching.check([RECENT, "remem://tree"])
            await watching.close()

    asyncio.run(run())
