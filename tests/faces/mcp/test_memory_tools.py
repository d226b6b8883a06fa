"""The memory family: what a model stores, finds, relates and forgets; the shapes that REST has; its errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent

from remem.config import load_settings
from remem.faces.mcp.families import FAMILIES, choose_tools, make_instructions, measure_listing
from remem.faces.mcp.host import StoreHost
from remem.faces.mcp.server import build_server
from remem.ingest.tokens import count_tokens

Talk = Callable[["Caller"], Coroutine[Any, Any, None]]
LARGEST: dict[Literal["all", "tree", "memories"], int] = {"all": 18_000, "tree": 11_000, "memories": 11_000}


class Caller:
    """Calls tools of a server on a store of its own, inside this process."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, /, **arguments: Any) -> tuple[str, Any, bool]:
        """The text, the JSON, and whether it is an error."""
        result = await self.client.call_tool(tool, arguments)
        (content,) = result.content
        assert isinstance(content, TextContent)
        return content.text, result.structured_content, bool(result.is_error)

    async def read(self, tool: str, /, **arguments: Any) -> Any:
        """The JSON of a call that goes well."""
        text, data, failed = await self.call(tool, **arguments)
        assert not failed, text
        return data

    async def tell(self, tool: str, /, **arguments: Any) -> str:
        """The text of a call that goes well."""
        text, _, failed = await self.call(tool, **arguments)
        assert not failed, text
        return text

    async def refuse(self, tool: str, /, **arguments: Any) -> Any:
        """The JSON of an error, which the text tells too."""
        text, data, failed = await self.call(tool, **arguments)
        assert failed and text == f"{data['code']}: {data['message']}" and data["tool"] == tool
        return data


def hold(store: Path, talk: Talk, **settings: str) -> None:
    """Talks to a server of that store."""
    overrides = {"storage.path": str(store), "embedding.provider": "none", "storage.synchronous": "normal"}
    named = {name.replace("__", "."): value for name, value in settings.items()}

    async def run() -> None:
        host = StoreHost(load_settings(overrides=overrides | named))
        try:
            async with Client(build_server(host)) as client:
                await talk(Caller(client))
        finally:
            await host.close()

    asyncio.run(run())


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "memories.db"


async def store_two(to: Caller) -> None:
    await to.read("store_memory", content="The export failed on Friday.", id="mem_abc", importance=0.7)
    await to.read("store_memory", content="A key had been rotated.", id="mem_def", tags=["ops"])


# --- the families -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", LARGEST)
def test_each_family_is_listed_in_few_bytes_and_introduced(
    store: Path, family: Literal["all", "tree", "memories"]
) -> None:
    async def talk(to: Caller) -> None:
        tools = (await to.client.list_tools()).tools
        assert [tool.name for tool in tools] == [tool.name for tool in FAMILIES[family]]

    hold(store, talk, mcp__tools=family)
    assert measure_listing(choose_tools(family)) <= LARGEST[family]
    assert len(make_instructions(family)) < 1000
    others = {tool.name for tool in FAMILIES["all"]} - {tool.name for tool in FAMILIES[family]}
    assert not any(name in make_instructions(family) for name in others)


def test_one_family_alone_publishes_what_its_tools_answer() -> None:
    assert all(tool.output is not None for tool in choose_tools("memories"))
    assert "structuredContent" not in json.dumps([tool.describe() for tool in choose_tools("all")])


def test_a_tool_of_the_other_family_is_not_there(store: Path) -> None:
    async def talk(to: Caller) -> None:
        assert (await to.refuse("MemoryTree"))["code"] == "not_found"
        assert (await to.read("list_recent_memories"))["memories"] == []

    hold(store, talk, mcp__tools="memories")


# --- memories ---------------------------------------------------------------------------------------------------------


def test_a_memory_is_stored_found_read_changed_and_forgotten(store: Path) -> None:
    async def talk(to: Caller) -> None:
        await store_two(to)
        told, again, _ = await to.call("store_memory", content="A key had been rotated.", tags='["keys"]')
        assert again["existing"] and again["tags"] == ["keys", "ops"] and told.startswith("there already")
        (hit,) = (await to.read("search_memories", query="export", search_type="keyword"))["results"]
        assert (hit["memory"]["id"], hit["memory"]["importance"], hit["score"]) == ("mem_abc", 0.7, 1.0)
        changed = await to.read("update_memory", memory_id="mem_def", tags=[], metadata='{"by": "me"}', ttl=60)
        assert (changed["tags"], changed["metadata"], changed["memory_type"]) == ([], {"by": "me"}, "short_term")
        assert (await to.read("promote_to_longterm", memory_id="mem_def"))["expires_at"] is None
        read = await to.read("get_memory", memory_id="mem_def")
        assert read["content"] == "A key had been rotated." and read["left_out"] == 0
        assert (await to.read("get_memory", memory_id="mem_def"))["access_count"] == 1
        assert (await to.read("delete_memory", memory_id="mem_def"))["hard"] is False
        assert (await to.refuse("get_memory", memory_id="mem_def"))["code"] == "not_found"
        assert (await to.read("get_memory", memory_id="mem_def", archived=True))["archived"]
        gone = await to.read("list_recent_memories", archived=True)
        assert [memory["id"] for memory in gone["memories"]] == ["mem_def"] and gone["total"] == 1
        assert (await to.read("delete_memory", memory_id="mem_def", hard="true"))["hard"]

    hold(store, talk)


def test_what_an_extraction_made_and_refused_is_told(store: Path) -> None:
    async def talk(to: Caller) -> None:
        entities = [{"name": "Ina", "type": "person"}, {"name": "Quay 4"}, {"kind": "x"}]
        given = {"entities": entities, "relationships": [{"source": "Ina", "target": "Quay 4"}]}
        text, data, _ = await to.call("store_memory", content="Ina runs it.", graph_extraction=json.dumps(given))
        made = data["graph_extraction"]
        assert [entity["name"] for entity in made["entities"]] == ["Ina", "Quay 4"]
        assert len(made["relationships"]) == len(made["refused"]) == 1
        assert "entities: Ina (" in text and "relationships: 1" in text and "refused: entity: " in text

    hold(store, talk)


def test_a_long_memory_is_cut_in_lists_and_read_whole_in_parts(store: Path) -> None:
    content = "# Long\n\n" + "\n\n".join(f"Paragraph {number} about the harbour." for number in range(300))

    async def talk(to: Caller) -> None:
        stored = await to.read("store_memory", content=content, id="long", metadata={"a": 1}, source="call")
        assert stored["truncated"] and len(stored["content"]) == 1200
        assert (await to.read("list_recent_memories"))["memories"][0]["content"] == content[:1200]
        (found,) = (await to.read("search_memories", query="harbour", mode="keyword"))["results"]
        assert found["memory"]["truncated"]
        assert (await to.read("get_memory", memory_id="long"))["content"] == content
        for archived in (False, True):
            assert await join_parts(to, archived) == content
            if not archived:
                await to.read("delete_memory", memory_id="long")

    async def join_parts(to: Caller, archived: bool) -> str:
        text: str = ""
        cursor = None
        while True:
            told, page, _ = await to.call("get_memory", memory_id="long", archived=archived, budget=400, cursor=cursor)
            assert count_tokens(told) <= 400
            assert ("importance 0.5, from call" in told and '{"a": 1}' in told) == (cursor is None)
            text += page["content"]
            cursor = page["cursor"]
            if cursor is None:
                return text

    hold(store, talk)


@pytest.mark.parametrize("budget", [60, 150])
def test_lists_hold_to_the_budget_and_go_on(store: Path, budget: int) -> None:
    async def talk(to: Caller) -> None:
        for number in range(12):
            await to.read("store_memory", content=f"Fact {number} of the harbour.", id=f"n{number}")
            if number:
                await to.read("create_connection", source_id="n0", target_id=f"n{number}", strength=number / 20)
        calls: dict[str, tuple[str, dict[str, Any]]] = {
            "list_recent_memories": ("memories", {"limit": 200, "sort_by": "importance"}),
            "search_memories": ("results", {"query": "harbour", "mode": "keyword", "limit": 200}),
            "find_related": ("related", {"memory_id": "n0", "limit": 100}),
            "list_connections": ("connections", {"limit": 500}),
        }
        for tool, (name, arguments) in calls.items():
            whole = [name_item(item) for item in (await to.read(tool, **arguments))[name]]
            assert len(whole) >= 11
            found: list[str] = []
            cursor = None
            while len(found) < len(whole):
                text, page, _ = await to.call(tool, **arguments, budget=budget, cursor=cursor)
                assert count_tokens(text) <= budget and page[name]
                found += [name_item(item) for item in page[name]]
                cursor = page["cursor"]
            assert cursor is None and (found == whole or (tool == "search_memories" and set(found) == set(whole)))

    hold(store, talk)


def name_item(item: Any) -> str:
    if "connection" in item and "source_id" in item:
        return f"{item['source_id']} {item['connection']['target_id']}"
    return str(item.get("memory", item)["id"])


def test_lists_are_filtered_by_time_type_tag_and_importance(store: Path) -> None:
    async def talk(to: Caller) -> None:
        await store_two(to)
        filters: list[tuple[dict[str, Any], list[str]]] = [
            ({"created_after": "2020-01-01"}, ["mem_def", "mem_abc"]),
            ({"created_before": "2020-01-01T00:00:00Z"}, []),
            ({"importance_min": 0.6}, ["mem_abc"]),
            ({"tags": "ops"}, ["mem_def"]),
            ({"memory_type": "short_term"}, []),
            ({"sort_by": "importance", "order": "asc"}, ["mem_def", "mem_abc"]),
        ]
        for given, ids in filters:
            listed = await to.read("list_recent_memories", **given)
            assert [memory["id"] for memory in listed["memories"]] == ids, given
            assert listed["total"] == len(ids) and listed["next_cursor"] is None
        hits = await to.read("search_memories", query="the key export", mode="keyword", created_before="2020-01-01")
        assert hits["results"] == []

    hold(store, talk)


def test_search_and_recall_of_notes_take_the_same_filters(store: Path) -> None:
    async def talk(to: Caller) -> None:
        await store_two(to)
        filters: list[tuple[dict[str, Any], int]] = [
            ({}, 2),
            ({"created_after": "2020-01-01", "memory_type": "long_term"}, 2),
            ({"created_before": "2020-01-01T00:00:00Z"}, 0),
            ({"importance_min": "0.6"}, 1),
            ({"importance_max": 0.6}, 1),
            ({"tags": '["ops"]'}, 1),
            ({"memory_type": "short_term"}, 0),
            ({"kinds": "memory", "related_to": "mem_abc"}, 2),
            ({"kinds": '["heading"]'}, 0),
            ({"roots": ["nowhere"]}, 0),
        ]
        for given, count in filters:
            found = await to.read("MemorySearch", query="the key or the export", **given)
            told = await to.read("MemoryRecall", query="the key or the export", **given)
            ids = {hit["id"] for hit in found["hits"]}
            assert len(ids) == count and ids == {item["id"] for item in told["items"]}, given

    hold(store, talk)


# --- connections ------------------------------------------------------------------------------------------------------


def test_find_related_answers_the_object_of_rest(store: Path) -> None:
    async def talk(to: Caller) -> None:
        await store_two(to)
        await to.read("store_memory", content="Keys rotate on Fridays.", id="mem_ghi")
        await to.read("create_connection", source_id="mem_abc", target_id="mem_def", relationship_type="caused_by")
        await to.read("create_connection", source_id="mem_ghi", target_id="mem_def", strength=0.5)
        found = await to.read("find_related", memory_id="mem_abc", depth=2, limit=10)
        assert set(found) == {"memory_id", "related"} and found["memory_id"] == "mem_abc"
        near, far = found["related"]
        assert list(near) == ["memory", "connection", "score", "distance", "hops", "direct", "path"]
        assert (near["memory"]["id"], near["memory"]["content"]) == ("mem_def", "A key had been rotated.")
        assert near["connection"].items() >= {"target_id": "mem_def", "strength": 1.0, "direction": "out"}.items()
        assert (far["memory"]["id"], far["score"], far["hops"], far["direct"]) == ("mem_ghi", 0.4, 2, None)
        assert [step["id"] for step in far["path"]] == ["mem_def", "mem_ghi"]
        back = await to.read("find_related", memory_id="mem_def", direction="in", relationship_types='["caused_by"]')
        assert [item["memory"]["importance"] for item in back["related"]] == [0.7]
        text = await to.tell("find_related", memory_id="mem_abc", depth=2)
        assert "mem_ghi" in text and "-caused_by 1->" in text and "<-related_to 0.5-" in text

    hold(store, talk)


def test_connections_are_made_listed_and_removed_in_the_shapes_of_rest(store: Path) -> None:
    async def talk(to: Caller) -> None:
        await store_two(to)
        made = await to.read("create_connection", source_id="mem_abc", target_id="mem_def", strength="0.25")
        told = {"created", "pending", "partial", "ambiguous", "label"}
        assert set(made) == {"source_id", "connection"} | told and made["source_id"] == "mem_abc"
        names = {"target_id", "relationship_type", "strength", "weight", "origin", "created_at", "updated_at"}
        assert set(made["connection"]) == names and made["connection"]["strength"] == 0.25
        again = await to.read("create_connection", source_id="mem_abc", target_id="mem_def", strength=0.5)
        assert (made["created"], again["created"], again["pending"]) == (True, False, False)
        updated = again["connection"].pop("updated_at")
        assert made["connection"].pop("updated_at") <= updated
        assert again["connection"] == made["connection"] | {"strength": 0.5, "weight": 0.5}
        again = {name: again[name] for name in ("source_id", "connection")}
        listed = await to.read("list_connections", node="mem_def", type="related_to", origin="manual")
        assert (listed["connections"], listed["total"], listed["limit"], listed["offset"]) == ([again], 1, 50, 0)
        read = await to.read("get_memory", memory_id="mem_def", include_connections=True)
        assert read["connections"] == [again]
        assert (await to.read("delete_connection", source_id="mem_abc", target_id="mem_def"))["deleted"] == 1
        gone = await to.refuse("delete_connection", source_id="mem_abc", target_id="mem_def")
        assert gone["code"] == "not_found"
        await to.read("update_memory", memory_id="mem_abc", content="See [[mem_def]].")
        owned = await to.refuse("delete_connection", source_id="mem_abc", target_id="mem_def")
        assert owned["code"] == "conflict" and "mem_abc" in owned["message"]

    hold(store, talk)


# --- errors -----------------------------------------------------------------------------------------------------------


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("store_memory", {}, "content"),
    ("store_memory", {"content": "  "}, "content"),
    ("store_memory", {"content": "a\0b"}, "content"),
    ("store_memory", {"content": "x" * 100_001}, "content"),
    ("store_memory", {"content": 3}, "content"),
    ("store_memory", {"content": "x", "importance": 1.5}, "importance"),
    ("store_memory", {"content": "x", "importance": "high"}, "importance"),
    ("store_memory", {"content": "x", "ttl": 0}, "ttl"),
    ("store_memory", {"content": "x", "ttl": 1e12}, "ttl"),
    ("store_memory", {"content": "x", "memory_type": "eternal"}, "memory_type"),
    ("store_memory", {"content": "x", "tags": [1]}, "tags"),
    ("store_memory", {"content": "x", "tags": [" "]}, "tags"),
    ("store_memory", {"content": "x", "metadata": [1]}, "metadata"),
    ("store_memory", {"content": "x", "metadata": "{broken"}, "metadata"),
    ("store_memory", {"content": "x", "id": "../x"}, "id"),
    ("store_memory", {"content": "x", "graph_extraction": {"people": []}}, "graph_extraction.people"),
    ("search_memories", {}, "query"),
    ("search_memories", {"query": "x", "mode": "psychic"}, "mode"),
    ("search_memories", {"query": "x", "kinds": ["fish"]}, "kinds"),
    ("search_memories", {"query": "x", "importance_min": 2}, "importance_min"),
    ("search_memories", {"query": "x", "created_after": "yesterday"}, "created_after"),
    *(
        (tool, {"query": "x", **wrong}, name)
        for tool in ("MemorySearch", "MemoryRecall")
        for name, wrong in (
            ("kinds", {"kinds": ["fish"]}),
            ("memory_type", {"memory_type": "eternal"}),
            ("importance_min", {"importance_min": 2}),
            ("importance_max", {"importance_max": "much"}),
            ("created_after", {"created_after": "yesterday"}),
            ("created_before", {"created_before": 3}),
            ("filters", {"filters": {"tags": ["x"]}}),
            ("cursor", {"cursor": "nonsense"}),
        )
    ),
    ("get_memory", {"memory_id": ""}, "memory_id"),
    ("get_memory", {"memory_id": "mem_abc", "archived": "perhaps"}, "archived"),
    ("update_memory", {"memory_id": "mem_abc"}, "content"),
    ("update_memory", {"memory_id": "mem_abc", "content": ""}, "content"),
    ("list_recent_memories", {"limit": 201}, "limit"),
    ("list_recent_memories", {"sort_by": "colour"}, "sort_by"),
    ("list_recent_memories", {"created_before": "0001-01-01T00:00:00+14:00x"}, "created_before"),
    ("list_recent_memories", {"cursor": "nonsense"}, "cursor"),
    ("find_related", {"memory_id": "mem_abc", "limit": 101}, "limit"),
    ("find_related", {"memory_id": "mem_abc", "depth": 6}, "depth"),
    ("find_related", {"memory_id": "mem_abc", "relationship_types": ["loves"]}, "relationship_types"),
    ("create_connection", {"source_id": "mem_abc"}, "target_id"),
    ("create_connection", {"source_id": "mem_abc", "target_id": "mem_def", "strength": 1.01}, "strength"),
    (
        "create_connection",
        {"source_id": "mem_abc", "target_id": "mem_def", "relationship_type": "x"},
        "relationship_type",
    ),
    ("create_connection", {"source_id": "mem_abc", "target_id": "mem_def", "strenght": 1}, "strenght"),
    ("list_connections", {"limit": 501}, "limit"),
    ("list_connections", {"type": "loves"}, "type"),
    ("delete_connection", {"source_id": "mem_abc", "target_id": "x", "relationship_type": "y"}, "relationship_type"),
]


def test_a_wrong_argument_is_named_and_nothing_is_written(store: Path) -> None:
    async def talk(to: Caller) -> None:
        await store_two(to)
        before = await to.read("list_recent_memories")
        for tool, arguments, field in WRONG:
            error = await to.refuse(tool, **arguments)
            assert (error["code"], error.get("field")) == ("invalid_input", field), (tool, arguments, error)
        assert await to.read("list_recent_memories") == before
        assert (await to.read("list_connections"))["total"] == 0

    hold(store, talk)


@pytest.mark.parametrize("id", ["41", "../x", "ключ", "[[x]]", "%s", "'; DROP"])
def test_an_id_that_does_not_exist_is_not_found(store: Path, id: str) -> None:
    async def talk(to: Caller) -> None:
        await store_two(to)
        for tool in ("get_memory", "delete_memory", "promote_to_longterm", "find_related"):
            assert (await to.refuse(tool, memory_id=id))["code"] == "not_found"
        assert (await to.refuse("update_memory", memory_id=id, importance=1))["code"] == "not_found"
        for ends in ({"source_id": "mem_abc", "target_id": id}, {"source_id": id, "target_id": "mem_abc"}):
            assert (await to.refuse("create_connection", **ends))["code"] == "not_found"
            assert (await to.refuse("delete_connection", **ends))["code"] == "not_found"

    hold(store, talk)


def test_an_id_with_other_content_is_a_conflict(store: Path) -> None:
    async def talk(to: Caller) -> None:
        await store_two(to)
        assert (await to.refuse("store_memory", content="Something else.", id="mem_abc"))["code"] == "conflict"

    hold(store, talk)


# --- resources and the prompt -----------------------------------------------------------------------------------------


def test_resources_tell_of_the_memories(store: Path) -> None:
    async def talk(to: Caller) -> None:
        await store_two(to)
        texts = {}
        for name in ("stats", "collections/recent", "collections/important"):
            (content,) = (await to.client.read_resource(f"memory://{name}")).contents
            texts[name] = getattr(content, "text", "")
        assert texts["stats"].startswith("2 memories (2 long_term, 0 short_term), 0 archived")
        assert texts["collections/recent"].index("mem_def") < texts["collections/recent"].index("mem_abc")
        assert "mem_abc" in texts["collections/important"] and "mem_def" not in texts["collections/important"]

    hold(store, talk)


def test_the_prompt_asks_with_what_is_known_and_refuses_what_it_does_not_take(store: Path) -> None:
    async def talk(to: Caller) -> None:
        await store_two(to)
        (message,) = (await to.client.get_prompt("recall", {"topic": "export"})).messages
        assert isinstance(message.content, TextContent)
        assert message.content.text.startswith("What do we know about export?")
        assert "The export failed on Friday." in message.content.text
        wrong: list[tuple[str, dict[str, str]]] = [("recall", {}), ("recall", {"topic": ""}), ("no", {"topic": "x"})]
        for name, arguments in [*wrong, ("recall", {"topic": "x", "size": "1"})]:
            await fail(to.client.get_prompt(name, arguments))

    async def fail(call: Awaitable[object]) -> None:
        with pytest.raises(MCPError, match=r"^(invalid_input|not_found): "):
            await call

    hold(store, talk)
