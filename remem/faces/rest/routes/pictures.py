"""Operations for whoever draws the graph: where nodes were put, and word of each change."""

from __future__ import annotations

from remem.faces import wire
from remem.faces.rest.events import EVENT_STREAM
from remem.faces.rest.fields import Field
from remem.faces.rest.operations import Answer, Call, Operation, Stream, answer_json
from remem.limits import FARTHEST, MOST_PLACED

POSITIONS = {
    "type": "array",
    "maxItems": MOST_PLACED,
    "items": {
        "type": "object",
        "properties": {
            "id": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"\S"},
            "x": {"type": "number", "minimum": -FARTHEST, "maximum": FARTHEST},
            "y": {"type": "number", "minimum": -FARTHEST, "maximum": FARTHEST},
        },
        "required": ["id", "x", "y"],
        "additionalProperties": False,
    },
}


async def place_nodes(call: Call) -> Answer:
    """Notes where nodes were put in the picture, so that the next one begins there. No snapshot."""
    placed = await call.remem.place(wire.read_positions(call.body["positions"]))
    return answer_json({"placed": placed})


async def follow_store(call: Call) -> Stream:
    """Server-sent events: one `change` whenever texts, memories or edges have changed, by this or any other process."""
    return Stream(call.context.changes.listen(), f"{EVENT_STREAM}; charset=utf-8".encode())


OPERATIONS = (
    Operation(
        "PUT", "/graph/positions", place_nodes, answer="Placed",
        body=(Field("positions", "list", "[{id, x, y}]", required=True, many=MOST_PLACED, shape=POSITIONS),),
    ),
    Operation("GET", "/events", follow_store, content_type=EVENT_STREAM, errors=(429,)),
)  # fmt: skip
