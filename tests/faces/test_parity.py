"""Every operation gives the same by the async library, the blocking library, the command line and, where they have it,
REST and MCP."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest
from mcp import Client

from remem.config import load_settings
from remem.engine import Remem
from remem.faces import wire
from remem.faces.cli.app import MODULES
from remem.faces.mcp.host import StoreHost
from remem.faces.mcp.server import build_server
from tests.faces.command import remem
from tests.faces.rest.site import Site
from tests.usage.clock import Clock

A, B = "The stale timetable", "Amina Okafor"
META = {"n": [1, None]}
WHOLE_STORES = {"backup", "restore", "import", "migrate"}
WITHOUT_ANSWER = {"demo", "init", "completion", "mcp", "install", "serve", "bench"} | WHOLE_STORES
UNSTEADY = ("created_at", "updated_at", "expires_at", "compiled_at", "seconds", "bytes", "path")


def get_all(shown: Any) -> Any:
    return shown


class Operation(NamedTuple):
    """A call of the library (on `Remem` or `RememSync`), its JSON, the command line that means the same, the tool with
    its arguments, what of the command's JSON is meant, and the request (method, path, query or body)."""

    call: Callable[[Any], Any]
    show: Callable[[Any], object]
    command: tuple[str, ...]
    tool: tuple[str, dict[str, Any]] | None = None
    pick: Callable[[Any], Any] = get_all
    request: tuple[str, str, dict[str, Any]] | None = None


def show_paged(show: Callable[[Any], wire.Json]) -> Callable[[Any], object]:
    """A page with what comes after it."""
    return lambda page: show(page) | wire.show_rest(page)


def pick_hits(shown: Any) -> Any:
    """What `search --json` prints, as the library tells it: of a hit what says where it is, not what stands there."""
    place = "id", "kind", "label", "root", "source"
    results = shown.pop("results")
    hits = [{name: each["memory"][name] for name in place} | each for each in results]
    return shown | {"hits": [{name: value for name, value in hit.items() if name != "memory"} for hit in hits]}


def show_related(result: Any) -> wire.Json:
    return wire.show_all_related("KcponmTAZ8o", result)


def show_path(result: Any) -> object:
    return wire.show_path("KcponmTAZ8o", "CHWriZQyRmE", result)


def show_first(page: Any) -> wire.Json:
    return wire.show_view(page[0])


NEW = "## After a rollback\n\nTell the [[Glossary|pier office]].\n\n- one\n- two"
HTML = "<h2>Causes</h2><p>One.</p>"
WORDS = "why was the timetable wrong"
FILTERS: dict[str, Any] = {
    "kinds": ["text", "list"],
    "tags": ["incident"],
    "sources": ["incidents/"],
    "roots": ["gangway"],
}
FILTER_OPTIONS = ("--kind", "text,list", "--tag", "incident", "--source", "incidents/", "--root", "gangway")
TOLD_APART: dict[str, Any] = {"importance_min": 0.2, "importance_max": 0.9, "related_to": B}
TOLD_APART_OPTIONS = ("--importance-min", "0.2", "--importance-max", "0.9", "--related-to", B)
OF_MEMORIES: dict[str, Any] = {"memory_type": "long_term"}
TIMES = {"created_after": "1970-01-01", "created_before": "2999-01-01T00:00:00Z"}
AFTER_ALL = 32_472_144_000_000
WALK = (
    *("--direction", "in", "--depth", "3", "--weight-min", "1.5", "--type", "caused_by,references"),
    *("--origin", "parsed", "--kind", "heading", "--scope", "section", "--rank", "strength", "--limit", "7"),
)
OPERATIONS = {
    "compile": Operation(
        lambda r: r.compile("gangway"),
        wire.show_compile,
        ("compile", "gangway"),
        ("MemoryCompile", {"path": "gangway"}),
    ),
    "roots": Operation(lambda r: r.roots(), show_paged(wire.show_roots), ("roots",)),
    "drop": Operation(lambda r: r.drop("gangway"), wire.show_drop, ("drop", "gangway", "--yes")),
    "tree": Operation(lambda r: r.tree(), show_paged(wire.show_tree), ("tree",), request=("GET", "/tree", {})),
    "tree of sections": Operation(
        lambda r: r.tree(blocks=False),
        show_paged(wire.show_tree),
        ("tree", "--sections"),
        request=("GET", "/tree", {"blocks": "false"}),
    ),
    "tree of a node": Operation(
        lambda r: r.tree(A, 2),
        show_paged(wire.show_tree),
        ("tree", A, "--depth", "2", "--all"),
        ("MemoryTree", {"root": A, "depth": 2}),
    ),
    "tree within a budget": Operation(
        lambda r: r.tree(budget=300),
        show_paged(wire.show_tree),
        ("tree", "--all", "--budget", "300"),
        ("MemoryTree", {"budget": 300}),
    ),
    "show": Operation(lambda r: r.show(A), show_paged(show_first), ("show", A), ("MemoryFetch", {"anchor": A})),
    "show within a budget": Operation(
        lambda r: r.show(A, budget=90),
        show_paged(show_first),
        ("show", A, "--budget", "90"),
        ("MemoryFetch", {"anchor": A, "budget": 90}),
    ),
    "search": Operation(
        lambda r: r.search(WORDS),
        show_paged(wire.show_search),
        ("search", WORDS),
        ("MemorySearch", {"query": WORDS}),
        pick_hits,
    ),
    "search, filtered": Operation(
        lambda r: r.search(WORDS, "keyword", 3, **FILTERS, explain=True),
        show_paged(wire.show_search),
        ("search", WORDS, "--mode", "keyword", "--limit", "3", *FILTER_OPTIONS, "--explain"),
        pick=pick_hits,
    ),
    "search within a budget": Operation(
        lambda r: r.search(WORDS, "keyword", budget=200, **FILTERS),
        show_paged(wire.show_search),
        ("search", WORDS, "--mode", "keyword", "--budget", "200", *FILTER_OPTIONS),
        ("MemorySearch", {"query": WORDS, "mode": "keyword", "budget": 200, **FILTERS}),
        pick_hits,
    ),
    "recall": Operation(
        lambda r: r.recall(WORDS, 300, **FILTERS),
        wire.show_recall,
        ("recall", WORDS, "--budget", "300", *FILTER_OPTIONS),
        ("MemoryRecall", {"query": WORDS, "budget": 300, **FILTERS}),
        request=("POST", "/recall", {"query": WORDS, "budget": 300, **FILTERS}),
    ),
    "recall, told apart": Operation(
        lambda r: r.recall(WORDS, 300, **TOLD_APART),
        wire.show_recall,
        ("recall", WORDS, "--budget", "300", *TOLD_APART_OPTIONS),
        ("MemoryRecall", {"query": WORDS, "budget": 300, **TOLD_APART}),
        request=("POST", "/recall", {"query": WORDS, "budget": 300, **TOLD_APART}),
    ),
    "search, told apart": Operation(
        lambda r: r.search(WORDS, **TOLD_APART),
        show_paged(wire.show_search),
        ("search", WORDS, *TOLD_APART_OPTIONS),
        ("MemorySearch", {"query": WORDS, **TOLD_APART}),
        pick_hits,
    ),
    "recall of memories alone": Operation(
        lambda r: r.recall(WORDS, **OF_MEMORIES, created_after=0, created_before=AFTER_ALL),
        wire.show_recall,
        ("recall", WORDS, "--type", "long_term", "--created-after", "1970-01-01", "--created-before", "2999-01-01"),
        ("MemoryRecall", {"query": WORDS, **OF_MEMORIES, **TIMES}),
        request=("POST", "/recall", {"query": WORDS, **OF_MEMORIES, **TIMES}),
    ),
    "search of memories alone": Operation(
        lambda r: r.search(WORDS, **OF_MEMORIES, created_after=0, created_before=AFTER_ALL),
        show_paged(wire.show_search),
        ("search", WORDS, "--type", "long_term", "--created-after", "1970-01-01", "--created-before", "2999-01-01"),
        ("MemorySearch", {"query": WORDS, **OF_MEMORIES, **TIMES}),
        pick_hits,
    ),
    "related": Operation(lambda r: r.related(A, depth=2), show_related, ("related", A, "--depth", "2")),
    "related within a budget": Operation(
        lambda r: r.related(A, depth=2, budget=200),
        show_paged(show_related),
        ("related", A, "--depth", "2", "--budget", "200"),
        ("MemoryRelated", {"anchor": A, "depth": 2, "budget": 200}),
    ),
    "related, filtered": Operation(
        lambda r: r.related(
            A, "in", 3, 1.5, ["caused_by", "references"], ["parsed"], ["heading"], "section", "strength", 7
        ),
        show_related,
        ("related", A, *WALK),
    ),
    "graph": Operation(
        lambda r: r.neighbourhood([A], 2, 30),
        wire.show_neighbourhood,
        ("graph", A, "--depth", "2", "--limit", "30"),
        request=("GET", "/graph", {"nodes": A, "depth": 2, "limit": 30}),
    ),
    "path": Operation(lambda r: r.path(A, B), show_path, ("path", A, B)),
    "relate": Operation(
        lambda r: r.relate(A, B, type="supports", weight=2.5),
        wire.show_relation,
        ("relate", A, B, "--type", "supports", "--weight", "2.5"),
        ("MemoryRelate", {"source_id": A, "target_id": B, "type": "supports", "weight": 2.5}),
    ),
    "relate to a label": Operation(
        lambda r: r.relate(A, target_label="To come", target_source="to/come.md"),
        wire.show_relation,
        ("relate", A, "To come", "--source", "to/come.md"),
        ("MemoryRelate", {"source_id": A, "target_label": "To come", "target_source": "to/come.md"}),
    ),
    "store": Operation(
        lambda r: r.store(
            "See [[Deploy]].", id="m1", ttl=60, importance=0.7, tags=["a", "b"], source="s", metadata=META
        ),
        wire.show_stored,
        (
            *("store", "See [[Deploy]].", "--id", "m1", "--ttl", "60", "--importance", "0.7", "--tag", "a,b"),
            *("--source", "s", "--metadata", '{"n": [1, null]}'),
        ),
    ),
    "update": Operation(
        lambda r: r.update("kept", content="# New\n\ntext", tags=["x"]),
        wire.show_stored,
        ("update", "kept", "--text", "# New\n\ntext", "--tag", "x"),
    ),
    "forget": Operation(lambda r: r.forget("kept"), wire.show_forgotten, ("forget", "kept")),
    "forget for good": Operation(
        lambda r: r.forget("gone", hard=True), wire.show_forgotten, ("forget", "gone", "--hard")
    ),
    "unarchive": Operation(lambda r: r.unarchive("gone"), wire.show_stored, ("unarchive", "gone")),
    "promote": Operation(lambda r: r.promote("kept"), wire.show_stored, ("promote", "kept")),
    "pin": Operation(lambda r: r.pin("kept"), wire.show_usage, ("pin", "kept"), ("MemoryPin", {"node_id": "kept"})),
    "unpin": Operation(
        lambda r: r.unpin("kept"), wire.show_usage, ("unpin", "kept"), ("MemoryUnpin", {"node_id": "kept"})
    ),
    "pending": Operation(lambda r: r.pending(), show_paged(wire.show_pending), ("pending",)),
    "pending within a budget": Operation(
        lambda r: r.pending(150), show_paged(wire.show_pending), ("pending", "--budget", "150")
    ),
    "mentions": Operation(lambda r: r.mentions(), show_paged(wire.show_mentions), ("mentions",)),
    "mentions within a budget": Operation(
        lambda r: r.mentions(150), show_paged(wire.show_mentions), ("mentions", "--budget", "150")
    ),
    "stats": Operation(
        lambda r: r.stats(),
        wire.show_stats,
        ("stats",),
        ("MemoryStats", {}),
        lambda shown: {name: value for name, value in shown.items() if name != "graph"},
    ),
    "figures of the graph": Operation(
        lambda r: r.graph_figures(), asdict, ("stats",), pick=lambda shown: shown["graph"]
    ),
    "snapshots": Operation(
        lambda r: r.snapshots(3),
        show_paged(wire.show_snapshots),
        ("snapshots", "--limit", "3"),
        request=("GET", "/snapshots", {"limit": 3}),
    ),
    "snapshots within a budget": Operation(
        lambda r: r.snapshots(budget=60),
        show_paged(wire.show_snapshots),
        ("snapshots", "--budget", "60"),
        request=("GET", "/snapshots", {"budget": 60}),
    ),
    "delta": Operation(
        lambda r: r.delta(1, 2000),
        show_paged(wire.show_delta),
        ("delta", "1", "--budget", "2000"),
        ("MemoryDelta", {"since_snapshot": 1}),
        request=("GET", "/delta", {"since": 1, "budget": 2000}),
    ),
    "delta within a budget": Operation(
        lambda r: r.delta(0, 200),
        show_paged(wire.show_delta),
        ("delta", "0", "--budget", "200"),
        ("MemoryDelta", {"since_snapshot": 0, "budget": 200}),
        request=("GET", "/delta", {"since": 0, "budget": 200}),
    ),
    "diff": Operation(
        lambda r: r.diff(1, 3),
        show_paged(wire.show_diff),
        ("diff", "1", "3"),
        ("MemoryDiff", {"from": 1, "to": 3}),
        request=("GET", "/diff", {"a": 1, "b": 3}),
    ),
    "diff within a budget": Operation(
        lambda r: r.diff(3, 0, 300),
        show_paged(wire.show_diff),
        ("diff", "3", "0", "--budget", "300"),
        ("MemoryDiff", {"from": 3, "to": 0, "budget": 300}),
        request=("GET", "/diff", {"from": 3, "to": 0, "budget": 300}),
    ),
    "history of what is gone": Operation(
        lambda r: r.history("gone"),
        show_paged(wire.show_history),
        ("history", "gone"),
        ("MemoryHistory", {"anchor": "gone"}),
        request=("GET", "/nodes/gone/history", {}),
    ),
    "tree as it was": Operation(
        lambda r: r.tree("kept", as_of=2),
        show_paged(wire.show_tree),
        ("tree", "kept", "--all", "--as-of", "2"),
        ("MemoryTree", {"root": "kept", "as_of": 2}),
        request=("GET", "/tree", {"node": "kept", "as_of": 2}),
    ),
    "show as it was": Operation(
        lambda r: r.show("gone", as_of=3),
        show_paged(show_first),
        ("show", "gone", "--as-of", "3"),
        ("MemoryFetch", {"anchor": "gone", "as_of": 3}),
        request=("GET", "/nodes/gone", {"as_of": 3}),
    ),
    "rollback": Operation(
        lambda r: r.rollback(3, "gone"),
        wire.show_rollback,
        ("rollback", "3", "--scope", "gone"),
        ("MemoryRollback", {"snapshot_id": 3, "scope": "gone", "dry_run": False}),
        request=("POST", "/rollback", {"snapshot": 3, "scope": "gone"}),
    ),
    "rollback, dry": Operation(
        lambda r: r.rollback(1, "all", dry_run=True),
        wire.show_rollback,
        ("rollback", "1", "--scope", "all", "--dry-run"),
        ("MemoryRollback", {"snapshot_id": 1, "scope": "all"}),
        request=("POST", "/rollback", {"snapshot": 1, "scope": "all", "dry_run": True}),
    ),
    "purge": Operation(
        lambda r: r.purge(node="gone"),
        wire.show_purge,
        ("purge", "--node", "gone"),
        request=("POST", "/purge", {"node": "gone"}),
    ),
    "write below": Operation(
        lambda r: r.write(NEW, parent="Deploy"),
        wire.show_edited,
        ("write", NEW, "--parent", "Deploy"),
        ("MemoryWrite", {"payload": NEW, "parent": "Deploy"}),
        request=("POST", "/write", {"payload": NEW, "parent": "Deploy"}),
    ),
    "write in place": Operation(
        lambda r: r.write(HTML, "EbjfAZonIQV", format="html"),
        wire.show_edited,
        ("write", HTML, "--anchor", "EbjfAZonIQV", "--format", "html"),
        ("MemoryWrite", {"payload": HTML, "anchor": "EbjfAZonIQV", "format": "html"}),
        request=(
            "POST",
            "/write",
            {"payload": HTML, "anchor": "EbjfAZonIQV", "format": "html"},
        ),
    ),
    "summarise": Operation(
        lambda r: r.summarise(A, "A copy was stale."),
        wire.show_edited,
        ("summarise", A, "A copy was stale."),
        ("MemorySummarize", {"node_id": A, "summary": "A copy was stale."}),
        request=("POST", f"/nodes/{A}/summary", {"text": "A copy was stale."}),
    ),
    "forget a section": Operation(
        lambda r: r.forget("EbjfAZonIQV", "cascade"),
        wire.show_forgotten,
        ("forget", "EbjfAZonIQV", "--mode", "cascade"),
        ("MemoryForget", {"node_id": "EbjfAZonIQV", "mode": "cascade"}),
        request=("DELETE", "/nodes/EbjfAZonIQV", {"mode": "cascade"}),
    ),
    "forget a heading alone": Operation(
        lambda r: r.forget("EbjfAZonIQV", "reparent"),
        wire.show_forgotten,
        ("forget", "EbjfAZonIQV", "--mode", "reparent"),
        ("MemoryForget", {"node_id": "EbjfAZonIQV", "mode": "reparent"}),
        request=("DELETE", "/nodes/EbjfAZonIQV", {"mode": "reparent"}),
    ),
    "export": Operation(lambda r: r.export(), wire.show_export, ("export",)),
    "doctor": Operation(lambda r: r.doctor(), wire.show_doctor, ("doctor",)),
}


def steady(value: Any) -> Any:
    """The value without times and places; of a cursor, which may hold a time, whether there is one."""
    if isinstance(value, dict):
        kept = {name: steady(inner) for name, inner in value.items() if name not in UNSTEADY or inner == []}
        return {**kept, "cursor": kept["cursor"] is not None} if "cursor" in kept else kept
    return [steady(inner) for inner in value] if isinstance(value, list) else value


def read(value: object) -> Any:
    return orjson.loads(wire.dump_json(value))


@pytest.fixture
def stores(folder: Path, clock: Clock) -> list[str]:
    """Three equal stores of the notes in the working directory, with a memory that lives and an archived one. The clock
    stands still: a cursor that holds the time may be longer or shorter otherwise."""
    clock.now = round(time.time() * 1000)
    with Remem.open_sync("memory.db") as opened:
        opened.store("A fact that lives for a day.", id="kept", ttl=86_400)
        opened.store("A fact that is archived.", id="gone")
        opened.forget("gone")
    (folder / "gangway" / "new.md").write_text("# New\n\nSee [[Glossary]].\n")
    return [shutil.copy("memory.db", f"{number}.db") for number in range(3)]


async def call_async(store: str, call: Callable[[Any], Any]) -> Any:
    async with Remem.open(store) as opened:
        return await call(opened)


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_gives_the_same_by_every_face(name: str, stores: list[str]) -> None:
    operation = OPERATIONS[name]
    by_async = operation.show(asyncio.run(call_async(stores[0], operation.call)))
    with Remem.open_sync(stores[1]) as opened:
        by_sync = operation.show(operation.call(opened))
    line = ("--db", stores[2], *operation.command, *(() if name == "export" else ("--json",)))
    by_command = operation.pick(remem(*line).load())
    assert steady(read(by_async)) == steady(read(by_sync)) == steady(by_command)


OF_TOOLS_ALONE = {
    *("total", "left_out", "cursor", "root_list"),
    *("diagnostics_left_out", "changes_left_out", "truncated"),
}
ENDS = {"source_id": A, "target_id": "kept"}
FIELDS = {"importance": 0.7, "tags": ["a", "b"], "source": "s", "metadata": META}
TOOLS_ALONE: dict[str, tuple[Callable[[Any], Any], Callable[[Any], object], tuple[str, dict[str, Any]]]] = {
    "store": (
        lambda r: r.store("See [[Deploy]].", id="m1", ttl=60, **FIELDS),
        wire.show_stored,
        ("store_memory", {"content": "See [[Deploy]].", "id": "m1", "ttl": 60, **FIELDS}),
    ),
    "get": (lambda r: r.get("kept"), wire.show_stored, ("get_memory", {"memory_id": "kept"})),
    "get a note": (lambda r: r.get(A), wire.show_stored, ("get_memory", {"memory_id": A})),
    "get an archived one": (
        lambda r: r.get("gone", archived=True),
        wire.show_stored,
        ("get_memory", {"memory_id": "gone", "archived": True}),
    ),
    "update": (
        lambda r: r.update("kept", content="# New\n\ntext", tags=["x"]),
        wire.show_stored,
        ("update_memory", {"memory_id": "kept", "content": "# New\n\ntext", "tags": ["x"]}),
    ),
    "forget": (lambda r: r.forget("kept"), wire.show_forgotten, ("delete_memory", {"memory_id": "kept"})),
    "promote": (lambda r: r.promote("kept"), wire.show_stored, ("promote_to_longterm", {"memory_id": "kept"})),
    "memories": (lambda r: r.memories(), wire.show_memories, ("list_recent_memories", {})),
    "related by strength": (
        lambda r: r.related(A, depth=2, rank="strength", limit=10),
        show_related,
        ("find_related", {"memory_id": A, "depth": 2}),
    ),
    "connect": (
        lambda r: r.relate(A, "kept", type="supports", weight=0.5),
        wire.show_relation,
        ("create_connection", {**ENDS, "relationship_type": "supports", "strength": 0.5}),
    ),
    "connections": (
        lambda r: r.connections(20, 5, A, origin="parsed"),
        lambda page: wire.show_connections(page, 20, 5),
        ("list_connections", {"limit": 20, "offset": 5, "node": A, "origin": "parsed"}),
    ),
}
BY_TOOLS = TOOLS_ALONE | {name: (each.call, each.show, each.tool) for name, each in OPERATIONS.items() if each.tool}


@pytest.mark.parametrize("name", BY_TOOLS)
def test_a_tool_answers_what_the_library_does(name: str, stores: list[str]) -> None:
    call, show, tool = BY_TOOLS[name]
    told = asyncio.run(call_tool(stores[0], *tool))
    expected = steady(read(show(asyncio.run(call_async(stores[1], call)))))
    assert find_differences(steady(told), expected) == []


async def call_tool(store: str, name: str, arguments: dict[str, Any]) -> Any:
    host = StoreHost(load_settings(overrides={"storage.path": store}))
    try:
        async with Client(build_server(host)) as client:
            result = await client.call_tool(name, arguments)
            assert not result.is_error, result
            return result.structured_content
    finally:
        await host.close()


BY_REQUEST = {name: each for name, each in OPERATIONS.items() if each.request}


@pytest.mark.parametrize("name", BY_REQUEST)
def test_a_request_is_answered_with_what_the_library_gives(name: str, stores: list[str]) -> None:
    operation = BY_REQUEST[name]
    assert operation.request is not None
    method, path, given = operation.request
    with Site(Path(stores[0])) as site:
        told = site.ask(method, path, json=given) if method == "POST" else site.ask(method, path, params=given)
    expected = operation.show(asyncio.run(call_async(stores[1], operation.call)))
    assert find_differences(steady(told), steady(read(expected))) == []


def find_differences(told: Any, expected: Any, place: str = "") -> list[str]:
    """Where a tool tells something else. It may leave fields out, and add those of a page."""
    if isinstance(told, dict) and isinstance(expected, dict):
        unknown = [f"{place}.{key}" for key in told.keys() - expected.keys() - OF_TOOLS_ALONE]
        both = told.keys() & expected.keys()
        return [
            *unknown,
            *(line for key in both for line in find_differences(told[key], expected[key], f"{place}.{key}")),
        ]
    if isinstance(told, list) and isinstance(expected, list) and len(told) == len(expected):
        pairs = enumerate(zip(told, expected, strict=True))
        return [line for number, pair in pairs for line in find_differences(*pair, f"{place}[{number}]")]
    return [] if told == expected else [f"{place}: {told!r} is not {expected!r}"]


def test_unrelating_gives_the_same_by_every_face(stores: list[str]) -> None:
    for store in stores:
        remem("--db", store, "relate", A, B)
    by_async = asyncio.run(call_async(stores[0], lambda opened: opened.unrelate(A, B)))
    with Remem.open_sync(stores[1]) as opened:
        by_sync = opened.unrelate(A, B)
    by_command = remem("--db", stores[2], "unrelate", A, B, "--json").load()
    assert wire.show_unrelated(by_async) == wire.show_unrelated(by_sync) == by_command


def test_files_given_back_are_the_same_by_every_face(stores: list[str]) -> None:
    asyncio.run(call_async(stores[0], lambda opened: opened.export_markdown("a")))
    with Remem.open_sync(stores[1]) as opened:
        opened.export_markdown("b")
    remem("--db", stores[2], "export", "--format", "markdown", "--out", "c")
    texts = [{path.relative_to(top): path.read_bytes() for path in Path(top).rglob("*.*")} for top in "abc"]
    assert texts[0] == texts[1] == texts[2] and texts[0]


@pytest.mark.parametrize("name", ["embed", "reembed"])
def test_embedding_gives_the_same_by_every_face(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("remem-server.toml").write_text('[embedding]\nprovider = "hashing"\n')
    Path("note.md").write_text("# A note\n\nwith a text\n")
    for store in ("0.db", "1.db", "2.db"):
        remem("--db", store, "compile", "note.md", "--root", "notes")
    by_async = asyncio.run(call_async("0.db", lambda opened: getattr(opened, name)()))
    with Remem.open_sync("1.db") as opened:
        by_sync = getattr(opened, name)()
    by_command = remem("--db", "2.db", name, "--json").load()
    # What the worker is at in that instant is no part of the answer.
    told = [
        state | {"worker": ""} for state in (read(wire.show_work(by_async)), read(wire.show_work(by_sync)), by_command)
    ]
    assert told[0] == told[1] == told[2]


def test_every_command_that_answers_is_compared() -> None:
    compared = {operation.command[0] for operation in OPERATIONS.values()} | {"unrelate", "embed", "reembed"}
    assert set(MODULES) - WITHOUT_ANSWER == compared
