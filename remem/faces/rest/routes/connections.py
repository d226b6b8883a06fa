"""Operations on connections: the edges between two nodes."""

from __future__ import annotations

from remem.faces import wire
from remem.faces.rest.fields import Field
from remem.faces.rest.filters import PAGING, RELATIONSHIP
from remem.faces.rest.operations import Answer, Call, Operation, answer_json
from remem.limits import LARGEST_OFFSET, MOST_CONNECTIONS
from remem.records import ORIGINS, RELATIONSHIP_TYPES

PAIR = "/connections/{source}/{target}"

STRENGTH = Field("strength", "number", "how much it counts", least=0, most=1)


async def create_connection(call: Call) -> Answer:
    """Links two nodes that exist; the same again brings the strength up to date."""
    asked = call.body
    type, strength = asked["relationship_type"], asked["strength"]
    made = await call.remem.relate(asked["source_id"], asked["target_id"], type=type, weight=strength)
    return answer_json(wire.show_relation(made))


async def list_connections(call: Call) -> Answer:
    """Lists connections of every origin, the oldest first."""
    asked = call.query
    page = await call.remem.connections(**asked)
    rest = wire.show_rest(page) if "budget" in asked or "cursor" in asked else {}
    return answer_json(wire.show_connections(page, asked["limit"], asked["offset"]) | rest)


async def update_connection(call: Call) -> Answer:
    """Changes the type or the strength of a connection, which is one that a call made from then on."""
    source, target = call.places
    edge = await call.remem.reconnect(
        source,
        target,
        call.query.get("relationship_type"),
        type=call.body.get("relationship_type"),
        strength=call.body.get("strength"),
    )
    return answer_json(wire.show_connection(edge))


async def delete_connection(call: Call) -> Answer:
    """Removes the connections from one node to another, but for those that a text makes."""
    source, target = call.places
    removed = await call.remem.disconnect(source, target, call.query.get("relationship_type"))
    return answer_json(wire.show_unrelated(removed))


OPERATIONS = (
    Operation(
        "POST", "/connections", create_connection, answer="Made", errors=(404, 409),
        names={"source": "source_id", "target": "target_id", "type": "relationship_type", "weight": "strength"},
        body=(
            Field("source_id", "text", "id or label", required=True),
            Field("target_id", "text", "id or label", required=True),
            Field("relationship_type", "text", default="related_to", choices=RELATIONSHIP_TYPES),
            Field("strength", "number", "how much it counts", default=1.0, least=0, most=1),
        ),
    ),
    Operation(
        "GET", "/connections", list_connections, answer="Connections", errors=(404, 409),
        query=(
            Field("limit", "integer", default=50, least=1, most=MOST_CONNECTIONS),
            Field("offset", "integer", default=0, least=0, most=LARGEST_OFFSET),
            Field("node", "text", "at this node or anything below it"),
            Field("type", "text", "of this relationship type", choices=RELATIONSHIP_TYPES),
            Field("origin", "text", "of this origin", choices=ORIGINS),
            *PAGING,
        ),
    ),
    Operation(
        "PATCH", PAIR, update_connection, answer="Connection", errors=(404, 409), query=(RELATIONSHIP,),
        body=(Field("relationship_type", "text", "the new type", choices=RELATIONSHIP_TYPES), STRENGTH),
    ),
    Operation("DELETE", PAIR, delete_connection, answer="Disconnected", errors=(404, 409), query=(RELATIONSHIP,)),
)  # fmt: skip
