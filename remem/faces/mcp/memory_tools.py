"""Tools of the memory family on memories: store, find, read, change, forget. Connections have tools of their own."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from remem.faces import wire
from remem.faces.mcp.arguments import Parameter
from remem.faces.mcp.parameters import AFTER, BEFORE, LEAST, MOST, PAGING, TYPE, choose_given, read_times
from remem.faces.mcp.tools import Answer, Arguments, Tool, ToolCall, describe_output, show_page
from remem.ingest.tokens import count_tokens
from remem.limits import LONGEST_ID, MIN_BUDGET, MOST_MEMORIES, SEARCH_MODES, UPDATE_FIELDS
from remem.reading.cursors import check_page
from remem.reading.views import page_view, view_archived
from remem.records import KINDS, MEMORY_ORDERS, MEMORY_TYPES, SHORT_TERM
from remem.rendering.budget import JOIN_SLACK
from remem.rendering.lines import show_label, show_name, show_number

if TYPE_CHECKING:
    from remem.records import Memory, Page

LONGEST_METADATA = 400
"""So many characters of the metadata stand in a text."""
LISTED = ("limit", "sort_by", "order", "memory_type", "importance_min", "importance_max", "tags", "sources", "archived")
SEARCHED = (
    *("mode", "limit", "kinds", "tags", "sources", "memory_type", "importance_min", "importance_max"),
    *("related_to", "budget", "cursor"),
)

MEMORY = Parameter("memory_id", "string", "id or label", required=True)
TTL = Parameter("ttl", "number", "seconds; makes it short_term")
METADATA = Parameter("metadata", "object")
LIMIT = Parameter("limit", "integer", default=10, least=1, most=MOST_MEMORIES)
TAGS, SOURCES = Parameter("tags", "array", "all must hold"), Parameter("sources", "array", "one must hold")
FILTERS = (TYPE, LEAST, MOST, TAGS, SOURCES, AFTER, BEFORE)
FILTERS_AGAIN, MEMORY_AGAIN = tuple(replace(each, about="") for each in FILTERS), replace(MEMORY, about="")
"""The same, where another tool tells what they mean."""


# --- storing ----------------------------------------------------------------------------------------------------------


async def store_memory(call: ToolCall, given: Arguments) -> Answer:
    """Stores a fact, or finds the memory that says so already."""
    fields = choose_given(given, *UPDATE_FIELDS, "id", "graph_extraction")
    memory = await call.remem.store(fields.pop("content"), **fields)  # type: ignore[arg-type]
    return Answer(tell_stored(memory), wire.show_shortened(memory))


def tell_stored(memory: Memory) -> str:
    """What became of a memory that was to be stored."""
    done = "there already, brought up to date" if memory.existing else "stored"
    lines = [f"{done}: {tell_facts(memory)}"]
    report = memory.extraction
    if report is not None:
        entities = (f"{entity.name} ({entity.id})" for entity in report.entities)
        lines += [f"entities: {show_label(', '.join(entities))}"] if report.entities else []
        lines += [f"relationships: {len(report.relationships)}"] if report.relationships else []
        lines += [show_label(f"refused: {item.item}: {item.reason}") for item in report.refused]
    return "\n".join(lines)


async def update_memory(call: ToolCall, given: Arguments) -> Answer:
    """Replaces the fields that are given."""
    memory = await call.remem.update(given["memory_id"], **choose_given(given, *UPDATE_FIELDS))
    return Answer(f"updated: {tell_facts(memory)}", wire.show_shortened(memory))


async def delete_memory(call: ToolCall, given: Arguments) -> Answer:
    """Archives a memory, or removes it for good."""
    data = wire.show_forgotten(await call.remem.delete(given["memory_id"], hard=given["hard"]))
    return Answer(str(data["message"]), data)


async def promote_memory(call: ToolCall, given: Arguments) -> Answer:
    """Makes a memory long-term."""
    memory = await call.remem.promote(given["memory_id"])
    return Answer(f"promoted: {tell_facts(memory)}", wire.show_shortened(memory))


def tell_facts(memory: Memory) -> str:
    """`Label [memory] id long_term, importance 0.5`, on one line."""
    return f"{show_name(memory.label, memory.kind, memory.id)} {show_facts(memory)}"


def show_facts(memory: Memory) -> str:
    """`long_term, importance 0.5, from source, archived`, on one line."""
    facts = [memory.memory_type, f"importance {show_number(memory.importance)}"]
    facts += [f"from {show_label(memory.source)}"] if memory.source and memory.kind == "memory" else []
    facts += ["archived"] if memory.archived else []
    if memory.memory_type == SHORT_TERM and memory.expires_at is not None:
        facts.append(f"expires {wire.show_time(memory.expires_at)}")
    return ", ".join(facts)


# --- reading ----------------------------------------------------------------------------------------------------------


async def get_memory(call: ToolCall, given: Arguments) -> Answer:
    """One memory to read, in parts where a budget is given."""
    budget, cursor = given["budget"], given["cursor"]
    memory = await call.remem.get(given["memory_id"], archived=given["archived"], touch=False)
    head = f"{list_facts(memory)}\n" if cursor is None else ""
    room = None if budget is None else budget - count_tokens(head) - JOIN_SLACK
    if room is not None and room < MIN_BUDGET:
        head, room = "", budget
    if memory.archived:
        page = page_view(view_archived(memory), 0, check_page(room, cursor))
    else:
        page = await call.remem.show(memory.id, 0, room, cursor, touch=cursor is None)
    (view,) = page.items
    whole = cursor is None and not page.left_out
    data = wire.show_stored(memory) | {"content": memory.content if whole else view.text}
    if given["include_connections"]:
        data["connections"] = [wire.show_connection(edge) for edge in view.edges]
    answer = show_page(page, data)
    return Answer(head + answer.text, answer.data)


def list_facts(memory: Memory) -> str:
    """What is known of a memory beside its text, on a line; its metadata on another."""
    data = json.dumps(dict(memory.metadata), ensure_ascii=False) if memory.metadata else ""
    more = "…" if len(data) > LONGEST_METADATA else ""
    return "\n".join(filter(None, (show_facts(memory), show_label(data[:LONGEST_METADATA]) + more)))


async def list_memories(call: ToolCall, given: Arguments) -> Answer:
    """Memories in order, the newest first."""
    page = await call.remem.memories(**choose_given(given, *LISTED, "budget", "cursor"), **read_times(given))  # type: ignore[arg-type]
    return show_page(page, show_listed(page))


def show_listed(page: Page[Memory]) -> wire.Json:
    """The page in the shape of REST, its contents shortened."""
    return wire.show_memories(page) | {"memories": [wire.show_shortened(memory) for memory in page]}


async def search_memories(call: ToolCall, given: Arguments) -> Answer:
    """The memories and sections that answer best."""
    page = await call.remem.search(given["query"], **choose_given(given, *SEARCHED), **read_times(given))  # type: ignore[arg-type]
    memories = await call.remem.get_batch([hit.id for hit in page.items])
    notes: wire.Json = {"mode": page.mode, "notes": list(page.notes)}
    return show_page(page, wire.show_results(page, memories) | notes)


STORED = describe_output(id="string", content="string", memory_type="string", importance="number")

MEMORY_TOOLS = (
    Tool(
        "store_memory",
        "Keeps a fact, at once searchable and linked; told again, it is found. Not to correct one (update_memory), nor"
        " for what a file should say.",
        (
            Parameter("content", "string", "Markdown; [[links]] and #tags count", required=True, free=True),
            Parameter("memory_type", "string", choices=MEMORY_TYPES),
            Parameter("importance", "number", default=0.5, most=1),
            Parameter("tags", "array", free=True),
            Parameter("source", "string", free=True),
            METADATA,
            TTL,
            Parameter("id", "string", "else one is made", longest=LONGEST_ID),
            Parameter(
                "graph_extraction",
                "object",
                "{entities: [{name, type}], relationships: [{source, target}]}",
            ),
        ),
        store_memory,
        changes=True,
        output=STORED,
    ),
    Tool(
        "search_memories",
        "Finds memories and sections of notes by words and meaning. Not for a known id (get_memory) or for links"
        " (find_related).",
        (
            Parameter("query", "string", required=True, free=True),
            Parameter("mode", "string", default="hybrid", choices=SEARCH_MODES, alias="search_type"),
            LIMIT,
            Parameter("kinds", "array", "memory: memories alone", choices=KINDS, listed=False),
            *FILTERS,
            Parameter("related_to", "string", "id of a node to be near"),
            *PAGING,
        ),
        search_memories,
        output=describe_output(results="array", total="integer"),
    ),
    Tool(
        "get_memory",
        "Reads a memory or node with all its fields. Not to look for one (search_memories).",
        (
            MEMORY,
            Parameter("include_connections", "boolean", default=False),
            Parameter("archived", "boolean", "archived ones too", default=False),
            *PAGING,
        ),
        get_memory,
        output=STORED,
        names={"node": "memory_id"},
    ),
    Tool(
        "update_memory",
        "Replaces the given fields of a memory. Not for a new fact (store_memory) or a file's text.",
        (
            MEMORY,
            Parameter("content", "string", free=True),
            TYPE,
            Parameter("importance", "number", most=1),
            Parameter("tags", "array", free=True),
            Parameter("source", "string", free=True),
            METADATA,
            TTL,
        ),
        update_memory,
        changes=True,
        destroys=True,
        output=STORED,
        names={"node": "memory_id"},
    ),
    Tool(
        "delete_memory",
        "Archives a memory; the user can bring it back unless hard. Not for a fact that changed (update_memory).",
        (MEMORY_AGAIN, Parameter("hard", "boolean", default=False)),
        delete_memory,
        changes=True,
        destroys=True,
        output=describe_output(success="boolean", id="string", hard="boolean"),
        names={"node": "memory_id"},
    ),
    Tool(
        "promote_to_longterm",
        "Keeps a short-term memory for good. Not for long_term ones, which never expire.",
        (MEMORY_AGAIN,),
        promote_memory,
        changes=True,
        output=STORED,
        names={"node": "memory_id"},
    ),
    Tool(
        "list_recent_memories",
        "Memories, newest first. Not to look for something (search_memories).",
        (
            LIMIT,
            Parameter("sort_by", "string", default="created_at", choices=MEMORY_ORDERS),
            Parameter("order", "string", default="desc", choices=("desc", "asc")),
            *FILTERS_AGAIN,
            Parameter("archived", "boolean", "archived ones instead", default=False),
            *PAGING,
        ),
        list_memories,
        output=describe_output(memories="array", total="integer"),
    ),
)
