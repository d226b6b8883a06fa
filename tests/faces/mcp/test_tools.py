"""What a model relies on: answers that agree in text and JSON, budgets, cursors, errors that say what to do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from remem.faces.mcp.families import FAMILIES
from remem.faces.mcp.reading_tools import READING_TOOLS
from remem.faces.mcp.resources import MOST_DOCUMENTS, join_lines
from remem.faces.mcp.version_tools import VERSION_TOOLS
from remem.ingest.tokens import count_tokens
from tests.faces.mcp.wire_client import WireClient

A, ID_A = "The stale timetable", "KcponmTAZ8o"
LARGEST_LISTING = 18_000
READING_MEMORIES = {"search_memories", "get_memory", "list_recent_memories", "find_related", "list_connections"}
PAGED: dict[str, tuple[str, dict[str, Any]]] = {
    "MemoryTree": ("nodes", {}),
    "MemorySearch": ("hits", {"query": "ferry tickets", "limit": 200}),
    "MemoryRelated": ("related", {"anchor": A, "depth": 3}),
    "MemoryFetchBatch": ("nodes", {"node_ids": ["Glossary", "nowhere", ID_A, "Timetable", "Payments", "Puffin"]}),
}


@pytest.fixture(scope="session")
def tools(shared: WireClient) -> list[Any]:
    listed: list[Any] = shared.ask("tools/list")["tools"]
    return listed


def read_text(result: Any) -> str:
    (content,) = result["content"]
    return str(content["text"])


def refuse(client: WireClient, tool: str, /, **arguments: Any) -> Any:
    """The JSON of an error, which the text tells too."""
    result = client.call(tool, **arguments)
    assert result["isError"], result
    data = result["structuredContent"]
    assert read_text(result) == f"{data['code']}: {data['message']}"
    assert "Traceback" not in data["message"] and "pydantic" not in data["message"]
    return data


# --- what the tools say of themselves ---------------------------------------------------------------------------------


def test_the_list_of_tools_is_short(shared: WireClient) -> None:
    listed = shared.ask("tools/list")
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in FAMILIES["all"]]
    assert len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False).encode()) <= LARGEST_LISTING


def test_every_tool_says_when_not_to_use_it_and_what_it_may_change(tools: list[Any]) -> None:
    for tool in tools:
        assert "Not " in tool["description"] and len(tool["description"]) < 260, tool["name"]
        hints = tool["annotations"]
        assert {"readOnlyHint", "destructiveHint", "idempotentHint"} == set(hints)
    reading = {tool["name"] for tool in tools if tool["annotations"]["readOnlyHint"]}
    assert reading == {tool.name for tool in (*READING_TOOLS, *VERSION_TOOLS)} | READING_MEMORIES
    destroying = {tool["name"] for tool in tools if tool["annotations"]["destructiveHint"]}
    memories = {"update_memory", "delete_memory", "delete_connection"}
    edits = {"MemoryWrite", "MemorySummarize", "MemoryForget", "MemoryRollback"}
    assert destroying == memories | edits | {"MemoryUnrelate"}
    again = {tool["name"] for tool in tools if not tool["annotations"]["idempotentHint"]}
    assert again == {"MemoryWrite"}  # added to a parent twice, a text is there twice


def test_schemas_are_such_as_every_client_reads(tools: list[Any]) -> None:
    for tool in tools:
        schema = tool["inputSchema"]
        assert schema["type"] == "object" and schema["additionalProperties"] is False
        assert set(schema.get("required", ())) <= set(schema["properties"])
        for name, property in schema["properties"].items():
            assert None not in property.values() and not {"anyOf", "oneOf", "allOf", "$ref"} & set(property), name
            assert property["type"] in ("string", "integer", "number", "boolean", "array", "object"), name
            assert property.get("enum", [0]) and "default" not in schema.get("required", ())
            if property["type"] == "array":
                assert property["items"]["type"] == "string"
            if "default" in property:
                assert fits(property, property["default"]), name


def fits(property: Any, value: object) -> bool:
    kinds: dict[str, tuple[type, ...]] = {
        "string": (str,),
        "integer": (int,),
        "number": (int, float),
        "boolean": (bool,),
    }
    low, high = property.get("minimum", 0), property.get("maximum", float("inf"))
    inside = not isinstance(value, int | float) or low <= value <= high
    return isinstance(value, kinds[property["type"]]) and inside and value in property.get("enum", [value])


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", PAGED)
@pytest.mark.parametrize("budget", [60, 600])
def test_pages_hold_to_the_budget_and_together_hold_everything_once(
    request: pytest.FixtureRequest, tool: str, budget: int
) -> None:
    client: WireClient = request.getfixturevalue("unused" if tool == "MemoryTree" else "shared")
    name, arguments = PAGED[tool]
    whole = client.read(tool, **arguments, budget=1_000_000)
    found: list[str] = []
    cursor = None
    for _ in range(len(whole[name]) + 1):
        result = client.call(tool, **arguments, budget=budget, cursor=cursor)
        page, text = result["structuredContent"], read_text(result)
        assert not result["isError"] and count_tokens(text) <= budget
        assert page[name], text
        found += [find_name(item) for item in page[name]]
        cursor = page.get("cursor")
        if cursor is None:
            break
        assert cursor in text and page["left_out"] > 0
    assert sorted(found) == sorted(find_name(item) for item in whole[name])
    assert tool == "MemoryTree" or found == [find_name(item) for item in whole[name]]


def find_name(item: Any) -> str:
    return str(item.get("asked") or item.get("id") or item["memory"]["id"])


def test_the_text_and_the_json_of_an_answer_hold_the_same_items(shared: WireClient) -> None:
    for tool, (name, arguments) in PAGED.items():
        result = shared.call(tool, **arguments, budget=500)
        for item in result["structuredContent"][name]:
            assert find_name(item) in read_text(result), tool


def test_a_node_is_read_in_parts_that_together_are_its_text(shared: WireClient) -> None:
    whole = shared.read("MemoryFetch", anchor="Timetable")
    text, cursor = "", None
    for _ in range(100):
        page = shared.read("MemoryFetch", anchor="Timetable", budget=120, cursor=cursor)
        text, cursor = text + page["text"], page["cursor"]
        if cursor is None:
            break
    assert text == whole["text"] and whole["left_out"] == 0


def test_relations_come_with_the_path_of_each(shared: WireClient) -> None:
    result = shared.call("MemoryRelated", anchor=A, depth=2, weight_min=1.5, types="caused_by", direction="in")
    first = result["structuredContent"]["related"][0]
    assert first["path"][0]["relationship_type"] == "caused_by" and first["hops"] == 1
    assert "<-caused_by 3-" in read_text(result) and "content" not in first["memory"]


def test_nodes_that_are_missing_are_marked_in_their_place(shared: WireClient) -> None:
    nodes = shared.read("MemoryFetchBatch", node_ids=["Glossary", "nowhere at all", ID_A])["nodes"]
    assert [node["status"] for node in nodes] == ["ok", "not_found", "ok"]
    assert nodes[1]["asked"] == "nowhere at all" and nodes[2]["id"] == ID_A


def test_the_least_budget_tells_missing_nodes_from_long_ones_and_reads_what_fits(shared: WireClient) -> None:
    missing = shared.read("MemoryFetchBatch", node_ids=["nowhere at all", ID_A], budget=60)
    assert [node["status"] for node in missing["nodes"]] == ["not_found"] and missing["over_budget"] == [ID_A]
    (part,) = shared.read("MemoryFetchBatch", node_ids=["Timetable"], budget=60)["nodes"]
    assert part["status"] == "cut" and part["text"] and part["cursor"]


def test_what_is_over_budget_is_named_and_can_be_asked_for(shared: WireClient) -> None:
    ids = ["Timetable", "Payments", "Glossary"]
    data = shared.read("MemoryFetchBatch", node_ids=ids, budget=900)
    assert data["nodes"] and data["over_budget"] and data["left_out"] == len(data["over_budget"])
    assert [*(node["asked"] for node in data["nodes"]), *data["over_budget"]] == ids


def test_the_figures_name_the_roots(shared: WireClient) -> None:
    result = shared.call("MemoryStats")
    assert "36 documents" in read_text(result) and "root gangway" in read_text(result)
    assert result["structuredContent"]["root_list"][0]["name"] == "gangway"


def test_an_empty_store_answers_every_reading_tool(tmp_path: Path) -> None:
    with WireClient(tmp_path / "empty.db") as client:
        client.greet()
        for tool, arguments in {"MemoryTree": {}, "MemorySearch": {"query": "x"}, "MemoryStats": {}}.items():
            assert read_text(client.call(tool, **arguments))
        assert refuse(client, "MemoryFetch", anchor="x")["code"] == "not_found"


# --- changes ----------------------------------------------------------------------------------------------------------


def test_edges_are_made_updated_kept_waiting_and_removed(store: Path) -> None:
    with WireClient(store) as client:
        client.greet()
        made = client.read("MemoryRelate", source_id="Deploy", target_id=ID_A, type="caused_by", weight=2.5)
        assert made["created"] and made["connection"]["weight"] == 2.5
        assert not client.read("MemoryRelate", source_id="Deploy", target_id=ID_A, type="caused_by")["created"]
        waits = client.read("MemoryRelate", source_id="Deploy", target_label="To come", target_source="to/come.md")
        assert waits["pending"] and waits["connection"]["target_id"] is None
        assert "To come" in read_resource(client, "remem://pending")
        assert client.read("MemoryUnrelate", source_id="Deploy", target_id=ID_A)["deleted"] == 1
        again = refuse(client, "MemoryUnrelate", source_id="Deploy", target_id=ID_A)
        assert again["code"] == "not_found"
        unknown = refuse(client, "MemoryRelate", source_id="Deploy", target_id="To come")
        assert unknown["code"] == "not_found" and "target_label" in unknown["message"]
        assert client.read("MemoryPin", node_id=A)["pinned"]
        assert client.read("MemoryTree", root=A, depth=0)["nodes"][0]["pinned"]
        assert not client.read("MemoryUnpin", node_id=A)["pinned"]


def test_compiling_takes_in_what_changed_inside_the_known_places_alone(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# Secret\n")
    (folder / "gangway" / "new.md").write_text("# Brand new\n\nSee [[Glossary]].\n")
    (folder / "gangway" / "way.md").symlink_to(outside / "secret.md")
    (folder / "gangway" / "door").symlink_to(outside)
    extra = tmp_path / "extra"
    shutil.copytree(folder / "gangway" / "people", extra / "people")
    config = folder / "remem-server.toml"
    config.write_text(f"[compile]\nroots = ['{extra.as_posix()}']\n")
    with WireClient(folder / "memory.db", "--config", str(config)) as client:
        client.greet()
        for path in ("gangway", str(folder / "gangway"), "gangway/new.md", "./gangway/people/.."):
            assert client.read("MemoryCompile", path=path)["root"] == "gangway"
        assert client.read("MemoryFetch", anchor="Brand new")["source"] == "new.md"
        assert client.read("MemoryCompile", path=str(extra / "people"))["files"] == 4
        places = [outside, outside / "secret.md", tmp_path, "/", "/etc/passwd", "~/.ssh", "..", "gangway/../outside"]
        places += [folder / "gangway" / "way.md", "gangway/door", "gangway/door/secret.md", "nowhere", "file:///etc"]
        places += ["C:\\x", "..\\x", "%2e%2e/x", f"{folder}/gangway/../../x", "gangway2", f"{folder}/gangway-2"]
        for place in places:
            refused = refuse(client, "MemoryCompile", path=str(place))
            assert refused["code"] == "refused" and "Roots of the store: extra" not in refused["message"], place
        assert refuse(client, "MemoryCompile", path="gangway/none.md")["code"] == "not_found"
        assert refuse(client, "MemoryCompile", path="a\0.md")["code"] == "invalid_input"
        assert client.read("MemorySearch", query="Secret")["hits"] == []


def test_a_mass_deletion_is_told_once_however_much_else_is_wrong(folder: Path) -> None:
    for note in sorted((folder / "gangway").rglob("*.md"))[:25]:
        note.unlink()
    for number in range(25):
        (folder / "gangway" / f"0{number}.yaml").write_text("a: [\n")
    with WireClient(folder / "memory.db") as client:
        client.greet()
        result = client.call("MemoryCompile", path="gangway")
    assert len(result["structuredContent"]["kept"]) == 25
    told = [line for line in read_text(result).splitlines() if "`remem compile --prune`" in line]
    assert len(told) == 1 and " kept: the first of 25 known files" in told[0]


# --- errors -----------------------------------------------------------------------------------------------------------


def test_an_unknown_tool_or_argument_is_refused_with_a_close_name(shared: WireClient) -> None:
    assert "did you mean MemorySearch?" in refuse(shared, "memory_search")["message"]
    assert "did you mean depth?" in refuse(shared, "MemoryTree", dept=3)["message"]
    assert refuse(shared, "MemoryStats", x=1)["field"] == "x"


@pytest.mark.parametrize("id", ["41", "0", "n 1", "N1", "../x", "00000000000", "ключ", "[[x]]", "%s", "'; DROP"])
def test_an_id_that_does_not_exist_is_not_found_by_name(shared: WireClient, id: str) -> None:
    for tool, name in {"MemoryFetch": "anchor", "MemoryRelated": "anchor", "MemoryPin": "node_id"}.items():
        error = refuse(shared, tool, **{name: id})
        assert error["code"] == "not_found" and f"not found: {id}" in error["message"]
    assert refuse(shared, "MemoryRelate", source_id=A, target_id=id)["code"] == "not_found"


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("MemoryFetch", {}, "anchor"),
    ("MemoryFetch", {"anchor": ""}, "anchor"),
    ("MemoryFetch", {"anchor": "  "}, "anchor"),
    ("MemoryFetch", {"anchor": 3}, "anchor"),
    ("MemoryFetch", {"anchor": ["x"]}, "anchor"),
    ("MemoryFetch", {"anchor": "a\0b"}, "anchor"),
    ("MemoryFetch", {"anchor": A, "depth": -1}, "depth"),
    ("MemoryFetch", {"anchor": A, "depth": 1.5}, "depth"),
    ("MemoryFetch", {"anchor": A, "depth": True}, "depth"),
    ("MemoryFetch", {"anchor": A, "depth": "deep"}, "depth"),
    ("MemoryFetch", {"anchor": A, "budget": 59}, "budget"),
    ("MemoryFetch", {"anchor": A, "budget": 10**30}, "budget"),
    ("MemoryFetch", {"anchor": A, "cursor": "nonsense!"}, "cursor"),
    ("MemoryRelated", {"anchor": A, "depth": 6}, "depth"),
    ("MemoryRelated", {"anchor": A, "direction": "up"}, "direction"),
    ("MemoryRelated", {"anchor": A, "weight_min": -1}, "weight_min"),
    ("MemoryRelated", {"anchor": A, "types": ["loves"]}, "types"),
    ("MemoryRelated", {"anchor": A, "types": [["caused_by"]]}, "types"),
    ("MemoryRelated", {"anchor": A, "types": '[["caused_by"]]'}, "types"),
    ("MemoryRelated", {"anchor": A, "types": {"a": 1}}, "types"),
    ("MemoryRelated", {"anchor": A, "cursor": "00000000"}, "cursor"),
    ("MemoryRelate", {"source_id": A, "target_id": "Glossary", "weight": float("nan")}, "weight"),
    ("MemoryRelate", {"source_id": A, "target_id": "Glossary", "weight": float("inf")}, "weight"),
    ("MemoryRelate", {"source_id": A, "target_id": "Glossary", "weight": "heavy"}, "weight"),
    ("MemoryRelate", {"source_id": A, "target_id": "Glossary", "weight": 1_000_001}, "weight"),
    ("MemoryRelate", {"source_id": A, "target_id": "Glossary", "type": "loves"}, "type"),
    ("MemoryFetchBatch", {"node_ids": []}, "node_ids"),
    ("MemoryFetchBatch", {"node_ids": None}, "node_ids"),
    ("MemoryFetchBatch", {"node_ids": [None]}, "node_ids"),
    ("MemoryFetchBatch", {"node_ids": ["x"] * 1001}, "node_ids"),
    ("MemorySearch", {}, "query"),
    ("MemorySearch", {"query": 3}, "query"),
    ("MemorySearch", {"query": "x", "limit": 201}, "limit"),
]


@pytest.mark.parametrize(("tool", "arguments", "field"), WRONG)
def test_a_wrong_argument_is_named_and_nothing_is_written(
    shared: WireClient, tool: str, arguments: dict[str, Any], field: str
) -> None:
    error = refuse(shared, tool, **arguments)
    assert error["code"] == "invalid_input" and error["field"] == field and field in error["message"]
    assert shared.read("MemoryStats")["pending"] == 12


def test_a_relation_needs_one_target(shared: WireClient) -> None:
    assert refuse(shared, "MemoryRelate", source_id=A)["code"] == "invalid_input"
    both = refuse(shared, "MemoryRelate", source_id=A, target_id="Glossary", target_label="Glossary")
    assert both["code"] == "invalid_input"


@pytest.mark.parametrize("types", [["caused_by", "references"], '["caused_by","references"]', "caused_by, references"])
def test_a_list_is_understood_as_a_list_as_json_and_with_commas(shared: WireClient, types: object) -> None:
    whole = shared.read("MemoryRelated", anchor=A, types=["caused_by", "references"])
    assert shared.read("MemoryRelated", anchor=A, types=types)["related"] == whole["related"] != []


def test_one_word_is_a_list_and_null_is_no_filter(shared: WireClient) -> None:
    one = shared.read("MemoryRelated", anchor=A, types="caused_by")["related"]
    assert one and one == shared.read("MemoryRelated", anchor=A, types=["caused_by"])["related"]
    every = shared.read("MemoryRelated", anchor=A)["related"]
    nothings: list[object] = [None, [], ""]
    for nothing in nothings:
        assert shared.read("MemoryRelated", anchor=A, types=nothing)["related"] == every


def test_a_number_that_was_sent_as_text_is_understood(shared: WireClient) -> None:
    assert shared.read("MemoryRelated", anchor=A, depth="2", weight_min="1.5") == shared.read(
        "MemoryRelated", anchor=A, depth=2, weight_min=1.5
    )


@pytest.mark.parametrize(
    "query", ["", "   ", "???", '"', "AND", "NEAR(", "a* OR", "\0", "🙂" * 500, "'; DROP TABLE nodes"]
)
def test_no_query_is_an_error(shared: WireClient, query: str) -> None:
    result = shared.call("MemorySearch", query=query)
    assert not result["isError"] and read_text(result)


# --- resources --------------------------------------------------------------------------------------------------------


def read_resource(client: WireClient, uri: str) -> str:
    (content,) = client.ask("resources/read", {"uri": uri})["contents"]
    assert content["uri"] == uri and content["mimeType"] == "text/plain"
    return str(content["text"])


def test_resources_are_texts_of_limited_length(shared: WireClient) -> None:
    listed = [resource["uri"] for resource in shared.ask("resources/list")["resources"]]
    memories = [f"memory://{name}" for name in ("stats", "collections/recent", "collections/important")]
    notes = ("overview", "tree", "graph", "pending", "snapshots", "temperature", "doctor")
    assert listed == [*(f"remem://{name}" for name in notes), *memories]
    (template,) = shared.ask("resources/templates/list")["resourceTemplates"]
    assert template["uriTemplate"] == "remem://node/{id}"
    texts = {uri: read_resource(shared, uri) for uri in [*listed, f"remem://node/{ID_A}"]}
    assert all(count_tokens(text) <= 2000 for text in texts.values())
    assert texts.pop("remem://snapshots").endswith("UTC compile gangway: 364 add")
    assert all(count_tokens(text) > 60 for uri, text in texts.items() if uri.startswith("remem:"))
    assert "36 documents" in texts["remem://overview"] and A in texts[f"remem://node/{ID_A}"]
    assert "-references" in texts["remem://graph"] and "[[Winter timetable 2027]]" in texts["remem://pending"]


def test_a_resource_that_is_cut_says_how_much_is_left_out(shared: WireClient) -> None:
    graph = read_resource(shared, "remem://graph").splitlines()
    assert graph[-1] == f"… {36 - MOST_DOCUMENTS} more"


def test_lines_over_the_budget_are_left_out_whole_and_counted() -> None:
    lines = [f"line {number} of many that are told" for number in range(1000)]
    shown = join_lines(lines, 5).splitlines()
    assert shown[:-1] == lines[: len(shown) - 1] and shown[-1] == f"… {1005 - len(shown) + 1} more"
    assert 1900 < count_tokens(join_lines(lines)) <= 2000
    assert join_lines(lines[:3]) == "\n".join(lines[:3])
    assert count_tokens(join_lines(["word " * 5000])) <= 2000


@pytest.mark.parametrize(
    "uri",
    [
        "remem://nothing",
        "memory://",
        "memory://collections",
        "remem://node/",
        "remem://node/none",
        "file:///etc/passwd",
        "",
        "x",
    ],
)
def test_a_resource_that_does_not_exist_is_an_error_of_the_protocol(shared: WireClient, uri: str) -> None:
    shared.send("resources/read", {"uri": uri}, id=f"read {uri}")
    error = shared.wait(f"read {uri}")["error"]
    assert error["code"] == -32602 and error["data"]["uri"] == uri
