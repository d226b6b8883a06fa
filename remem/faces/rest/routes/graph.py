"""Operations on the graph as a whole: pictures, paths, what waits, what texts mention."""

from __future__ import annotations

from remem.faces import wire
from remem.faces.rest.fields import Field
from remem.faces.rest.filters import PAGING
from remem.faces.rest.operations import Answer, Call, Operation, answer_json
from remem.faces.rest.schemas import refer
from remem.limits import DEEPEST_WALK, MOST_STATIONS, RANKS


async def show_graph(call: Call) -> Answer:
    """The sections and memories around some nodes and the edges between them; without `nodes`, those of the whole store
    with most edges. With `compact`, in columns, with all that a picture needs."""
    asked = call.query
    nodes = asked.get("nodes")
    if asked["compact"]:
        return answer_json(wire.show_picture(await call.remem.picture(nodes or (), asked["depth"], asked["limit"])))
    if nodes is None:
        found = await call.remem.overview(asked["limit"])
    else:
        found = await call.remem.neighbourhood(nodes, asked["depth"], asked["limit"])
    return answer_json(wire.show_neighbourhood(found))


async def find_path(call: Call) -> Answer:
    """The best path of at most five hops from one node to another; `found` is null where there is none."""
    asked = call.query
    found = await call.remem.path(asked["source"], asked["target"], asked["rank"])
    source, target = [(await call.remem.tree(asked[end], 0))[0].id for end in ("source", "target")]
    return answer_json(wire.show_path(source, target, found))


async def list_pending(call: Call) -> Answer:
    """Links and relations whose target does not exist yet, with names that may be meant."""
    page = await call.remem.pending(**call.query)
    return answer_json(wire.show_pending(page) | wire.show_rest(page))


async def list_mentions(call: Call) -> Answer:
    """The edges that texts make by naming a node without a link to it."""
    page = await call.remem.mentions(**call.query)
    return answer_json(wire.show_mentions(page) | wire.show_rest(page))


OPERATIONS = (
    Operation(
        "GET", "/graph", show_graph, answer={"anyOf": [refer("Graph"), refer("Picture")]}, errors=(404, 409),
        query=(
            Field("nodes", "words", "ids or labels", many=100),
            Field("depth", "integer", "hops around them", default=1, least=0, most=DEEPEST_WALK),
            Field("limit", "integer", "nodes", default=200, least=1, most=MOST_STATIONS),
            Field("compact", "flag", "in columns, for programs that draw", default=False),
        ),
    ),
    Operation(
        "GET", "/path", find_path, answer="Path", errors=(404, 409),
        query=(
            Field("source", "text", "id or label", required=True),
            Field("target", "text", "id or label", required=True),
            Field("rank", "text", default="strength", choices=RANKS),
        ),
    ),
    Operation("GET", "/pending", list_pending, answer="Pending", query=PAGING),
    Operation("GET", "/mentions", list_mentions, answer="Mentions", query=PAGING),
)  # fmt: skip
