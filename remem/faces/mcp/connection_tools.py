"""Tools of the memory family on connections: what a memory is related to, and edges made, listed and removed."""

from __future__ import annotations

from remem.faces import wire
from remem.faces.mcp.arguments import Parameter
from remem.faces.mcp.parameters import PAGING, depth_parameter
from remem.faces.mcp.tools import Answer, Arguments, Tool, ToolCall, describe_output, show_page
from remem.limits import DEEPEST_WALK, DIRECTIONS, MOST_CONNECTIONS
from remem.records import ORIGINS, RELATIONSHIP_TYPES
from remem.rendering.lines import show_number

SOURCE = Parameter("source_id", "string", "id or label", required=True)
TARGET = Parameter("target_id", "string", "id or label", required=True)


async def find_related(call: ToolCall, given: Arguments) -> Answer:
    """What a memory is related to, near and strong first. What REST answers, and nothing more unless it is paged."""
    (anchor,) = await call.remem.tree(given["memory_id"], 0)
    page = await call.remem.related(
        anchor.id, given["direction"], given["depth"], types=given["relationship_types"], rank="strength",
        limit=given["limit"], budget=given["budget"], cursor=given["cursor"],
    )  # fmt: skip
    data = wire.show_all_related(anchor.id, page)
    if given["budget"] is None and given["cursor"] is None:
        return Answer(page.text, data)
    return show_page(page, data)


async def create_connection(call: ToolCall, given: Arguments) -> Answer:
    """Makes or updates an edge."""
    type, strength = given["relationship_type"], given["strength"]
    made = await call.remem.relate(given["source_id"], given["target_id"], type=type, weight=strength)
    told = f"{made.relationship_type} {show_number(made.weight)} from {made.source_id} to {made.target_id}"
    return Answer(f"connected: {told}", wire.show_relation(made))


async def list_connections(call: ToolCall, given: Arguments) -> Answer:
    """Edges, the oldest first."""
    page = await call.remem.connections(**given)
    return show_page(page, wire.show_connections(page, given["limit"], given["offset"]))


async def delete_connection(call: ToolCall, given: Arguments) -> Answer:
    """Removes edges between two nodes."""
    removed = await call.remem.disconnect(given["source_id"], given["target_id"], given["relationship_type"])
    data = wire.show_unrelated(removed)
    return Answer(str(data["message"]), data)


CONNECTION_TOOLS = (
    Tool(
        "find_related",
        "What a memory is linked to, up to five hops, near and strong first. Not to look for words (search_memories).",
        (
            Parameter("memory_id", "string", "id or label", required=True),
            depth_parameter(1, 1, DEEPEST_WALK),
            Parameter("limit", "integer", default=10, least=1, most=100),
            Parameter("relationship_types", "array", choices=RELATIONSHIP_TYPES, listed=False),
            Parameter("direction", "string", default="both", choices=DIRECTIONS),
            *PAGING,
        ),
        find_related,
        output=describe_output(memory_id="string", related="array"),
        names={"node": "memory_id", "anchor": "memory_id", "types": "relationship_types"},
    ),
    Tool(
        "create_connection",
        "Links two memories or nodes; again: updates the strength. Not for what [[links]] say, nor for similar"
        " memories: those find each other.",
        (
            SOURCE,
            TARGET,
            Parameter("relationship_type", "string", default="related_to", choices=RELATIONSHIP_TYPES),
            Parameter("strength", "number", default=1.0, most=1),
        ),
        create_connection,
        changes=True,
        output=describe_output(source_id="string", connection="object"),
        names={"source": "source_id", "target": "target_id", "type": "relationship_type", "weight": "strength"},
    ),
    Tool(
        "list_connections",
        "Connections, oldest first. Not for what matters to one memory (find_related).",
        (
            Parameter("limit", "integer", default=50, least=1, most=MOST_CONNECTIONS),
            Parameter("offset", "integer", default=0, least=0),
            Parameter("node", "string", "at this id or label"),
            Parameter("type", "string", "relationship type", choices=RELATIONSHIP_TYPES, listed=False),
            Parameter("origin", "string", choices=ORIGINS, listed=False),
            *PAGING,
        ),
        list_connections,
        output=describe_output(connections="array", total="integer"),
    ),
    Tool(
        "delete_connection",
        "Removes connections from one node to another. Not for links in a text: edit it.",
        (
            Parameter("source_id", "string", required=True),
            Parameter("target_id", "string", required=True),
            Parameter("relationship_type", "string", choices=RELATIONSHIP_TYPES, listed=False),
        ),
        delete_connection,
        changes=True,
        destroys=True,
        output=describe_output(success="boolean", deleted="integer"),
        names={"source": "source_id", "target": "target_id"},
    ),
)
