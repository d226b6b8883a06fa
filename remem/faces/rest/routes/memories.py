"""Operations on memories: store, read, list, change, forget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from remem.faces import wire
from remem.faces.rest.fields import Field
from remem.faces.rest.filters import AS_OF, MEMORY_FILTERS, PAGING
from remem.faces.rest.moving import make_moving
from remem.faces.rest.operations import Answer, Call, Moving, Operation, answer_json
from remem.faces.rest.schemas import list_of, refer
from remem.limits import (
    LONGEST_CONTENT,
    LONGEST_ID,
    LONGEST_SOURCE,
    LONGEST_TAG,
    LONGEST_TTL,
    MOST_CONNECTIONS,
    MOST_MEMORIES,
    MOST_STORED,
    MOST_TAGS,
)
from remem.reading.cursors import check_page
from remem.reading.views import page_view, view_archived
from remem.records import DEFAULT_IMPORTANCE, MEMORY_ORDERS, MEMORY_TYPES

if TYPE_CHECKING:
    from remem.records import Memory

CONTENT = "1 to 100 000 characters of Markdown; its first heading is the title, [[links]] and #tags count"
EXTRACTION = {
    "type": "object",
    "properties": {
        "entities": {"anyOf": [list_of({}), {"type": "null"}]},
        "relationships": {"anyOf": [list_of({}), {"type": "null"}]},
    },
    "additionalProperties": False,
    "examples": [
        {
            "entities": [{"name": "Amina Okafor", "type": "person", "description": "harbour master"}],
            "relationships": [{"source": "Amina Okafor", "target": "Tern Dock", "strength": 0.8}],
        }
    ],
}


def list_fields(*, required: bool, importance: float | None) -> tuple[Field, ...]:
    """The fields of a memory as a body has them."""
    return (
        Field("content", "text", CONTENT, required=required, longest=LONGEST_CONTENT),
        Field("memory_type", "text", "long_term never expires", choices=MEMORY_TYPES),
        Field("importance", "number", default=importance, least=0, most=1),
        Field("tags", "words", longest=LONGEST_TAG, many=MOST_TAGS),
        Field("source", "text", "where it comes from", longest=LONGEST_SOURCE, blank=True),
        Field("metadata", "object", "up to 100 000 characters of JSON, 64 levels deep"),
        Field("ttl", "number", "seconds to live; makes it short_term", above=0, most=LONGEST_TTL),
    )


STORED = (
    Field("id", "text", "1 to 64 letters, digits, _ or -", longest=LONGEST_ID, pattern=r"^[A-Za-z0-9_-]{1,64}$"),
    *list_fields(required=True, importance=DEFAULT_IMPORTANCE),
    Field("graph_extraction", "object", "entities and relationships that the text tells of", shape=EXTRACTION),
)


async def store_memory(call: Call) -> Answer:
    """Stores a fact, or finds the memory of its source that says so already (`existing`)."""
    memory = await call.remem.store(call.body.pop("content"), **call.body)
    return answer_json(wire.show_stored(memory), 201)


async def store_memories(call: Call) -> Answer:
    """Stores up to 1000 facts, all or none. The body is a list of what `POST /memories` takes, or has it as
    `memories`."""
    items: list[Any] = call.items if call.items is not None else call.body["memories"]
    memories = await call.remem.store_batch(items)
    shown = [wire.show_stored(memory) for memory in memories]
    return answer_json({"memories": shown, "total": len(shown)}, 201)


async def list_memories(call: Call) -> Answer:
    """Lists memories, the newest first unless it is asked otherwise."""
    page = await call.remem.memories(**call.query)
    rest = wire.show_rest(page) if "budget" in call.query else {}
    return answer_json(wire.show_memories(page) | rest)


async def get_memory(call: Call) -> Answer | Moving:
    """Reads a memory, or a node of a note with the same fields. It warms what is read."""
    as_of, cursor = call.query.get("as_of"), call.query.get("cursor")
    memory = await call.remem.get(call.node, archived=call.query["archived"], touch=cursor is None, as_of=as_of)
    shown = wire.show_stored(memory)
    if "budget" in call.query or cursor is not None:
        return replace(answer_json(shown | await read_part(call, memory)), keeps=False)
    if as_of is not None:  # edges have no versions
        return replace(answer_json(shown | _no_edges(call.query["include_connections"])), keeps=False)
    if call.query["include_connections"]:
        shown["connections"] = [] if memory.archived else await list_edges(call, memory.id)
    answer = answer_json(shown)
    return answer if memory.archived else Moving(make_moving(shown, [shown]), answer)


async def read_part(call: Call, memory: Memory) -> wire.Json:
    """What a page holds of a memory: its content, then the connections at it."""
    budget, cursor = call.query.get("budget"), call.query.get("cursor")
    if memory.archived and call.query.get("as_of") is None:
        page = page_view(view_archived(memory), 0, check_page(budget, cursor))
    else:
        page = await call.remem.show(memory.id, 0, budget, cursor, touch=False, as_of=call.query.get("as_of"))
    (view,) = page.items
    edges = [wire.show_connection(edge) for edge in view.edges]
    whole = cursor is None and not page.left_out
    told: wire.Json = {"content": memory.content if whole else view.text, **wire.show_rest(page)}
    return told | ({"connections": edges} if call.query["include_connections"] else {})


def _no_edges(wanted: bool) -> wire.Json:
    return {"connections": []} if wanted else {}


async def list_edges(call: Call, node: str) -> list[wire.Json]:
    """The connections of a node, the oldest first."""
    page = await call.remem.connections(MOST_CONNECTIONS, node=node)
    return [wire.show_connection(edge) for edge in page]


async def update_memory(call: Call) -> Answer:
    """Replaces the fields that are given; all others stay as they are."""
    return answer_json(wire.show_stored(await call.remem.update(call.node, **call.body)))


async def replace_memory(call: Call) -> Answer:
    """The same as PATCH: replaces the fields that are given."""
    return await update_memory(call)


async def delete_memory(call: Call) -> Answer:
    """Archives a memory; with `hard`, removes it for good."""
    return answer_json(wire.show_forgotten(await call.remem.delete(call.node, hard=call.query["hard"])))


async def promote_memory(call: Call) -> Answer:
    """Makes a memory long_term: it never expires."""
    return answer_json(wire.show_stored(await call.remem.promote(call.node)))


async def unarchive_memory(call: Call) -> Answer:
    """Brings an archived memory back."""
    return answer_json(wire.show_stored(await call.remem.unarchive(call.node)))


async def pin_memory(call: Call) -> Answer:
    """Keeps the temperature of a node from falling."""
    return answer_json(wire.show_usage(await call.remem.pin(call.node)))


async def unpin_memory(call: Call) -> Answer:
    """Lets a pinned node cool again."""
    return answer_json(wire.show_usage(await call.remem.unpin(call.node)))


GIVEN = "MemoryGiven"
BATCH: wire.Json = {
    "type": "array",
    "minItems": 1,
    "maxItems": MOST_STORED,
    "items": {"anyOf": [refer(GIVEN), {"type": "string"}]},
}
ONE = "/memories/{id}"

OPERATIONS = (
    Operation(
        "POST", "/memories", store_memory, body=STORED, body_name=GIVEN, answer="Memory", status=201,
        errors=(409,),
    ),
    Operation(
        "POST", "/memories/batch", store_memories, list_body=BATCH, answer="Batch", status=201, errors=(409,),
        body=(Field("memories", "list", "what `POST /memories` takes", required=True, shape=BATCH, alias="items"),),
        names={"items": "memories"},
    ),
    Operation(
        "GET", "/memories", list_memories, answer="Memories",
        query=(
            Field("limit", "integer", default=10, least=1, most=MOST_MEMORIES),
            *PAGING,
            Field("sort_by", "text", default="created_at", choices=MEMORY_ORDERS),
            Field("order", "text", default="desc", choices=("desc", "asc")),
            *MEMORY_FILTERS,
            Field("archived", "flag", "archived ones instead of living ones", default=False),
        ),
    ),
    Operation(
        "GET", ONE, get_memory, answer="Memory", keeps=True, errors=(404, 409),
        query=(
            Field("include_connections", "flag", "with the edges at it, without a budget up to 500", default=False),
            Field("archived", "flag", "an archived one too", default=False),
            AS_OF,
            *PAGING,
        ),
    ),
    Operation("PATCH", ONE, update_memory, body=list_fields(required=False, importance=None), answer="Memory",
              errors=(404, 409)),
    Operation("PUT", ONE, replace_memory, body=list_fields(required=False, importance=None), answer="Memory",
              errors=(404, 409)),
    Operation(
        "DELETE", ONE, delete_memory, answer="Forgotten", errors=(404, 409),
        query=(Field("hard", "flag", "remove it for good", default=False),),
    ),
    Operation("POST", ONE + "/promote", promote_memory, answer="Memory", errors=(404, 409)),
    Operation("POST", ONE + "/unarchive", unarchive_memory, answer="Memory", errors=(404, 409)),
    Operation("POST", ONE + "/pin", pin_memory, answer="Usage", errors=(404, 409)),
    Operation("POST", ONE + "/unpin", unpin_memory, answer="Usage", errors=(404, 409)),
)  # fmt: skip
