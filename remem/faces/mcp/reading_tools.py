"""Tools of the tree family that read: index, search, text, relations, figures. The engine's pages make the texts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from remem.faces import wire
from remem.faces.mcp.arguments import Parameter
from remem.faces.mcp.batch import fetch_batch
from remem.faces.mcp.digest import LEAST_BUDGET, tell_digest
from remem.faces.mcp.figures import StatsLine, page_stats
from remem.faces.mcp.parameters import (
    AFTER,
    ANCHOR,
    BEFORE,
    CURSOR,
    FILTERS,
    LEAST,
    MOST,
    PAGING,
    budget_parameter,
    choose_given,
    depth_parameter,
    read_times,
)
from remem.faces.mcp.tools import Answer, Arguments, Tool, ToolCall, describe_output, show_page
from remem.ingest.tokens import count_tokens
from remem.limits import DEEPEST_TREE, DEEPEST_WALK, DIRECTIONS, MOST_HITS, SCOPES, SEARCH_MODES
from remem.reading.cursors import check_page
from remem.records import KINDS, MAX_WEIGHT, MEMORY_TYPES, ORIGINS, RELATIONSHIP_TYPES
from remem.rendering.budget import JOIN_SLACK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remem.records import NodeView, Page, Root

AS_OF = Parameter("as_of", "integer")


async def read_tree(call: ToolCall, given: Arguments) -> Answer:
    """The index, with the digest of cold nodes where one is due."""
    budget, cold = given["budget"], await find_digest(call, given["budget"], given["cursor"] or given["as_of"])
    room = budget if cold is None else budget - cold.tokens
    page = await call.remem.tree(given["root"], given["depth"], room, given["cursor"], as_of=given["as_of"])
    return add_digest(show_page(page, wire.show_tree(page.items)), cold)


class ToldDigest(NamedTuple):
    """The digest of cold nodes as text, the tokens that it takes of an answer, and the same as JSON."""

    text: str
    tokens: int
    data: wire.Json


async def find_digest(call: ToolCall, budget: int | None, later: object) -> ToldDigest | None:
    """The digest that goes with an answer, None where none is due. A short answer, and a `later` page, have no room for
    it: then it waits."""
    if later is not None or (budget is not None and budget < LEAST_BUDGET):
        return None
    digest = await call.digest.take_answer(call.remem)
    if digest is None:
        return None
    text, named = tell_digest(digest, budget)
    shown = replace(digest, nodes=tuple(node for node in digest.nodes if node.id in named))
    return ToldDigest(text, count_tokens(f"\n\n{text}") + JOIN_SLACK, wire.show_cold(shown))


def add_digest(answer: Answer, cold: ToldDigest | None) -> Answer:
    """The answer, with the digest below it."""
    return answer if cold is None else Answer(f"{answer.text}\n\n{cold.text}", {**answer.data, "cold": cold.data})


async def search(call: ToolCall, given: Arguments) -> Answer:
    """The sections that answer best."""
    page = await call.remem.search(**choose_given(given, *given) | read_times(given))  # type: ignore[arg-type]
    return show_page(page, wire.show_search(page))


async def recall(call: ToolCall, given: Arguments) -> Answer:
    """The context for a query. The texts of its items stand in the text alone."""
    found = await call.remem.recall(**choose_given(given, *given) | read_times(given))  # type: ignore[arg-type]
    data = wire.show_recall(found)
    del data["text"]
    items = data["items"]
    for item in items if isinstance(items, list) else ():
        del item["text"]
    return Answer(found.text, data)


async def fetch(call: ToolCall, given: Arguments) -> Answer:
    """One node to read."""
    page = await call.remem.show(
        given["anchor"], given["depth"], given["budget"], given["cursor"], as_of=given["as_of"]
    )
    return show_page(page, show_text(page))


def show_text(page: Page[NodeView]) -> wire.Json:
    """The part of a node that a page holds. Its content is left out: it is the start of the text."""
    data = wire.show_view(page.items[0])
    del data["content"]
    return data


async def walk(call: ToolCall, given: Arguments) -> Answer:
    """What a node is linked with."""
    page = await call.remem.related(**given, texts=False)  # neither the text nor the JSON shows them
    related = [wire.show_related(item) for item in page.items]
    for item in related:  # the text shows no content either: MemoryFetch does
        memory = item["memory"]
        if isinstance(memory, dict):
            del memory["content"], memory["truncated"]
    return show_page(page, {"related": related})


async def read_stats(call: ToolCall, given: Arguments) -> Answer:
    """Figures and roots, with the digest of cold nodes where one is due; in parts where a budget is given."""
    cold = await find_digest(call, given["budget"], given["cursor"])
    stats, roots = await call.remem.stats(), await call.remem.roots()
    room = given["budget"] if cold is None or given["budget"] is None else given["budget"] - cold.tokens
    page = page_stats(stats, roots, check_page(room, given["cursor"]))
    data = wire.show_stats(stats) | {"root_list": _list_roots(page, roots)}
    del data["cold"]  # told once a day alone; remem://temperature lists them
    return add_digest(show_page(page, data), cold)


def _list_roots(page: Page[StatsLine], roots: Sequence[Root]) -> list[object]:
    shown = wire.show_roots([roots[line.root] for line in page if line.root is not None])["roots"]
    assert isinstance(shown, list)
    return shown


READING_TOOLS = (
    Tool(
        "MemoryTree",
        "The index, one line a node, hottest branches first when the budget cuts. Not to look for something"
        " (MemorySearch) or read it (MemoryFetch).",
        (
            Parameter("root", "string", "id or label to begin at"),
            depth_parameter(5, 0, DEEPEST_TREE),
            budget_parameter(2000),
            CURSOR,
            Parameter("as_of", "integer", "snapshot"),
        ),
        read_tree,
        output=describe_output(nodes="array", left_out="integer"),
        names={"node": "root"},
    ),
    Tool(
        "MemorySearch",
        'Finds sections and memories by words and meaning; "phrases", AND OR NOT, prefix*. Not for a known id'
        " (MemoryFetch) or for links (MemoryRelated).",
        (
            Parameter("query", "string", required=True, free=True),
            Parameter("mode", "string", default="hybrid", choices=SEARCH_MODES),
            Parameter("limit", "integer", default=10, least=1, most=MOST_HITS),
            Parameter("kinds", "array", "memory, heading, code …", choices=KINDS, listed=False),
            Parameter("tags", "array", "all must hold"),
            Parameter("sources", "array", "files or folders"),
            Parameter("roots", "array"),
            Parameter("memory_type", "string", choices=MEMORY_TYPES),
            LEAST,
            MOST,
            AFTER,
            BEFORE,
            Parameter("related_to", "string", "id of a node to be near"),
            *PAGING,
        ),
        search,
        output=describe_output(hits="array", left_out="integer"),
    ),
    Tool(
        "MemoryRecall",
        "Context for a question in one call: the best sections and memories with what they are linked to;"
        " filters as in MemorySearch. Not for a list of hits (MemorySearch).",
        (
            Parameter("query", "string", required=True, free=True),
            budget_parameter(1500),
            CURSOR,
            *FILTERS,
        ),
        recall,
        output=describe_output(items="array", left_out="array"),
    ),
    Tool(
        "MemoryFetch",
        "Reads a node: breadcrumb, text, edges. Not for several (MemoryFetchBatch) or to look around (MemoryTree).",
        (ANCHOR, budget_parameter(), depth_parameter(5, 0, DEEPEST_TREE), CURSOR, AS_OF),
        fetch,
        output=describe_output(id="string", text="string", left_out="integer"),
        names={"node": "anchor"},
    ),
    Tool(
        "MemoryFetchBatch",
        "Reads several nodes; marks missing and over-budget ones. Not for one (MemoryFetch).",
        (Parameter("node_ids", "array", required=True), *PAGING),
        fetch_batch,
        output=describe_output(nodes="array", left_out="integer"),
        names={"node": "node_ids"},
    ),
    Tool(
        "MemoryRelated",
        "What a node is linked with, up to five hops, heaviest path first. Not to look for words (MemorySearch) or for"
        " what stands below it (MemoryTree).",
        (
            ANCHOR,
            Parameter("direction", "string", default="both", choices=DIRECTIONS),
            depth_parameter(1, 1, DEEPEST_WALK),
            Parameter("weight_min", "number", default=0, most=int(MAX_WEIGHT)),
            budget_parameter(1000),
            Parameter("types", "array", "relationship types", choices=RELATIONSHIP_TYPES, listed=False),
            Parameter("origins", "array", choices=ORIGINS),
            Parameter("scope", "string", default="section", choices=SCOPES),
            Parameter("limit", "integer", default=100, least=1),
            CURSOR,
        ),
        walk,
        output=describe_output(related="array", left_out="integer"),
    ),
    Tool(
        "MemoryStats",
        "Figures and roots of the store. Not to list what it holds (MemoryTree).",
        PAGING,
        read_stats,
    ),
)
