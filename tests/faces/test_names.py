"""Errors name what the caller gave: on each face by its own names, never by those of the library."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from remem.config import load_settings
from remem.engine import Remem
from remem.errors import RememError
from remem.faces.mcp.arguments import Parameter
from remem.faces.mcp.families import FAMILIES
from remem.faces.mcp.host import StoreHost
from remem.faces.mcp.server import build_server
from tests.faces.command import remem
from tests.faces.rest.site import Site

A = "KcponmTAZ8o"
BAD: tuple[Any, ...] = ("", "z" * 1001, "a\0b", -1, 10**30, [], ["", "a"], {"a": 1}, None)
GOOD: dict[str, Any] = {"string": A, "integer": 1, "number": 0.5, "boolean": True, "array": ["a"], "object": {}}


def fill(parameter: Parameter) -> Any:
    """A value that a parameter takes."""
    return parameter.choices[0] if parameter.choices else GOOD[parameter.type]


def test_every_tool_names_its_own_arguments(store: Path) -> None:
    async def run() -> None:
        settings = load_settings(environ={}, overrides={"storage.path": str(store), "embedding.provider": "none"})
        async with Remem(settings) as opened, Client(build_server(StoreHost(settings, opened))) as client:
            for tool in FAMILIES["all"]:
                known = {each.name for each in tool.parameters}
                given = {each.name: fill(each) for each in tool.parameters if each.required}
                for name in known:
                    for bad in BAD:
                        answer = (await client.call_tool(tool.name, {**given, name: bad})).structured_content
                        field = answer.get("field")
                        assert field is None or field.partition(".")[0] in known, (tool.name, name, answer)
                        assert answer.get("code") != "error", (tool.name, name, answer)

    asyncio.run(run())


TOOLS: list[tuple[str, dict[str, Any], str, str]] = [
    ("MemoryRelate", {"source_id": A}, "target_id", "give either `target_id` or `target_label`"),
    ("MemoryRelate", {"source_id": A, "target_id": A}, "target_id", f"{A} cannot be related to itself"),
    ("MemoryRelate", {"source_id": "z" * 1001, "target_id": A}, "source_id", "source_id has 1001 characters"),
    ("create_connection", {"source_id": A, "target_id": A}, "target_id", f"{A} cannot be related to itself"),
    ("MemoryDelta", {"since_snapshot": 10**30}, "since_snapshot", "since_snapshot must be from 0 to"),
    ("MemoryDiff", {"from": 0, "to": 10**30}, "to", "to must be from 0 to"),
    ("MemoryRollback", {"snapshot_id": 10**30}, "snapshot_id", "snapshot_id must be from 0 to"),
    ("MemorySummarize", {"node_id": A, "summary": " "}, "summary", "summary must not be empty"),
    ("MemoryTree", {"node": A}, "node", "there is no argument node"),
    ("MemoryRelate", {"source_id": A, "weight": 2_000_000}, "weight", "weight must be a number from 0 to 1000000, not"),
    ("search_memories", {"query": "x", "search_type": "y"}, "search_type", "search_type must be one of"),
    ("update_memory", {"memory_id": A}, "content", "give at least one of `content`,"),
]


def test_a_tool_tells_what_was_wrong_in_its_own_words(store: Path) -> None:
    async def run() -> None:
        settings = load_settings(environ={}, overrides={"storage.path": str(store), "embedding.provider": "none"})
        async with Remem(settings) as opened, Client(build_server(StoreHost(settings, opened))) as client:
            for tool, given, field, told in TOOLS:
                answer = (await client.call_tool(tool, given)).structured_content
                assert (answer["code"], answer["field"]) == ("invalid_input", field), answer
                assert answer["message"].startswith(told), answer

    asyncio.run(run())


@pytest.fixture(scope="module")
def site(compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with Site(Path(shutil.copy(compiled, tmp_path_factory.mktemp("names") / "memory.db"))) as site:
        yield site


REQUESTS: list[tuple[str, str, Any, str, str]] = [
    ("POST", "/connections", {"source_id": A, "target_id": A}, "target_id", f"{A} cannot be related to itself"),
    ("POST", "/connections", {"source_id": A, "target_id": "z" * 1001}, "target_id", "target_id has 1001 characters"),
    ("POST", "/memories/batch", [], "body", "body has 0 entries"),
    ("POST", "/memories/batch", {"memories": []}, "memories", "memories has 0 entries"),
    ("POST", "/memories/batch", {"items": []}, "items", "items has 0 entries"),
    ("POST", "/memories/batch", [3], "body", "item 0: a memory is text or an object of fields, not a whole number"),
    ("POST", "/memories/batch", ["a", [None]], "body", "item 1: a memory is text or an object of fields, not a list"),
    ("POST", "/memories/batch", [{"content": None}], "content", "item 0: content must be text, not null"),
    ("POST", "/memories", ["x"], "body", "the body must be an object, not a list"),
    ("POST", "/memories", "x", "body", "the body must be an object, not text"),
    ("POST", "/compile", {"path": "gangway", "root": "a/b"}, "root", "'a/b' cannot name a root"),
    ("GET", "/memories?budget=1", None, "budget", "budget must be a whole number from 60 to 1000000000, not 1"),
    ("GET", f"/nodes/{A}?as_of=-1", None, "as_of", "as_of must be a whole number from 0 to 9007199254740991, not -1"),
    ("PATCH", f"/memories/{A}", {}, "content", "give at least one of `content`,"),
    ("PATCH", f"/connections/{A}/{A}", {}, "strength", "give a `relationship_type`, a `strength`, or both"),
    ("POST", "/memories/search", {"query": "x", "search_type": "y"}, "search_type", "search_type must be one of"),
    ("POST", "/memories/search", {"query": "x", "related_to": "z" * 1001}, "related_to", "related_to has 1001"),
    ("POST", "/memories", {"content": "x", "graph_extraction": {"a": 1}}, "graph_extraction.a", "there is no field"),
    ("POST", f"/memories/{'z' * 1001}/pin", {}, "id", "id has 1001 characters"),
    ("POST", f"/nodes/{A}/summary", {"text": " "}, "text", "text must not be empty"),
    ("GET", f"/memories/{'z' * 1001}/related", None, "id", "id has 1001 characters"),
    ("GET", "/diff?from=0&to=-1", None, "to", "to must be a whole number"),
]


@pytest.mark.parametrize(("method", "path", "body", "field", "told"), REQUESTS)
def test_a_request_is_refused_in_its_own_words(
    site: Site, method: str, path: str, body: Any, field: str, told: str
) -> None:
    problem = site.refuse(method, path, 422, "invalid_input", **({} if body is None else {"json": body}))
    assert problem["field"] == field and problem["detail"].startswith(told), problem
    assert problem["errors"] == [{"field": field, "reason": problem["detail"]}]


COMMANDS = [
    (("forget", "Gangway"), "use `--mode cascade` to forget them too"),
    (("--db", "", "tree"), "error: --db: must not be empty"),
    (("serve", "--host", ""), "error: --host: must not be empty"),
    (("store", " "), "error: TEXT must not be empty"),
    (("store", "x", "--id", "a b"), "error: --id must be 1 to 64 letters"),
    (("store", "x", "--graph", "[]"), "error: --graph must be an object"),
    (("store", "x", "--metadata", "{"), "error: --metadata is not JSON"),
    (("update", A, "--text", ""), "error: --text must not be empty"),
    (("relate", "", "b"), "error: SOURCE must not be empty"),
    (("relate", A, "b", "--weight", "-3"), "error: --weight must be a number"),
    (("path", A, " "), "error: TARGET must not be empty"),
    (("related", " "), "error: NODE must not be empty"),
    (("delta", "--", "-1"), "error: SINCE must be from 0"),
    (("rollback", "--", "-1"), "error: SNAPSHOT must be from 0"),
    (("summarise", A, ""), "error: TEXT must not be empty"),
    (("write", "x", "--anchor", A, "--parent", A), "error: give an `--anchor` or a `--parent`, not both"),
    (("search", "x", "--kind", "y"), "error: --kind must be one of"),
    (("search", "x", "--importance-min", "1", "--importance-max", "0"), "above `--importance-max`"),
    (("compile", "gangway", "--root", "other"), "leave `--root` out, or give `--moved`"),
    (("unarchive", ""), "error: ID must not be empty"),
    (("import", ""), "error: FILE must not be empty"),
]


@pytest.mark.parametrize(("line", "told"), COMMANDS)
def test_a_command_is_refused_in_the_words_of_the_command_line(
    folder: Path, line: tuple[str, ...], told: str
) -> None:  # fmt: skip
    done = remem(*line)
    assert done.status != 0 and done.out == "" and told in done.err, done
    assert done.err.count("\n") == 1


def test_the_library_names_its_own_parameters(store: Path) -> None:
    with Remem.open_sync(store) as opened:
        calls: dict[str, Any] = {
            "target_id": lambda: opened.connect(A, A),
            "target": lambda: opened.relate(A, A),
            "target_label": lambda: opened.relate(A, target_label=A),
            "source": lambda: opened.path(" ", A),
            "anchor": lambda: opened.related(" "),
            "nodes": lambda: opened.neighbourhood([" "]),
            "text": lambda: opened.summarise(A, ""),
            "id": lambda: opened.unarchive(""),
            "path": lambda: Remem.open_sync(""),
        }
        for field, call in calls.items():
            with pytest.raises(RememError) as caught:
                call()
            assert caught.value.facts.get("field", "path") == field, field
            assert field != "path" or caught.value.message == "path: must not be empty"
