"""Operations that find: search, recall, what is related."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from remem.faces import wire
from remem.faces.rest.fields import Field
from remem.faces.rest.filters import CURSOR, ORIGIN_LIST, PAGING, SEARCH_FILTERS, TYPE_LIST
from remem.faces.rest.moving import make_moving
from remem.faces.rest.operations import Answer, Call, Moving, Operation, answer_json
from remem.limits import (
    DEEPEST_WALK,
    DEFAULT_SPREAD,
    DIRECTIONS,
    LARGEST_SEARCH_OFFSET,
    MIN_BUDGET,
    MOST_HITS,
    MOST_RECALLED,
    RANKS,
    SCOPES,
    SEARCH_MODES,
)
from remem.records import KINDS, MAX_WEIGHT

QUERY = Field("query", "text", "words, or a question; no text is an error", required=True, free=True)


async def search_memories(call: Call) -> Answer | Moving:
    """Finds the memories and sections of notes that answer best, each by its best passage."""
    asked = call.body
    found = await call.remem.search(asked.pop("query"), **asked)
    memories = await call.remem.get_batch([hit.id for hit in found])
    value: dict[str, Any] = wire.show_found(found, memories)
    answer = answer_json(value)
    # What is ranked by words alone depends on the store alone; other modes look at use, and at what is embedded.
    if asked["mode"] != "keyword" or not asked["touch"]:
        return replace(answer, keeps=False)
    return Moving(make_moving(value, [hit["memory"] for hit in value["results"]]), answer, exact=False)


async def recall(call: Call) -> Answer:
    """The context for a query within a budget of tokens: whole sections, each with where it stands and why."""
    return answer_json(wire.show_recall(await call.remem.recall(call.body.pop("query"), **call.body)))


async def find_related(call: Call) -> Answer:
    """What a memory or node is linked to, up to five hops away, near and strong first, with the path of each."""
    asked = call.query
    asked["types"] = asked.pop("relationship_types", None)
    page = await call.remem.related(call.node, **asked)
    rest = wire.show_rest(page) if "budget" in asked or "cursor" in asked else {}
    return answer_json(wire.show_all_related(page.anchor_id, page) | rest)


OPERATIONS = (
    Operation(
        "POST", "/memories/search", search_memories, answer="Results", keeps=True, errors=(404, 409),
        body=(
            QUERY,
            Field("mode", "text", "how it is searched", default="hybrid", choices=SEARCH_MODES, alias="search_type"),
            Field("limit", "integer", default=10, least=1, most=MOST_HITS),
            Field("offset", "integer", default=0, least=0, most=LARGEST_SEARCH_OFFSET),
            Field("spread", "number", "the share of the graph in a score", default=DEFAULT_SPREAD, least=0, most=1),
            *SEARCH_FILTERS,
            Field("explain", "flag", "with the parts of each score", default=False),
            Field("touch", "flag", "hits become a little warmer", default=True),
            *PAGING,
        ),
    ),
    Operation(
        "POST", "/recall", recall, answer="Recall", errors=(404, 409),
        body=(
            QUERY,
            Field("budget", "integer", "tokens (cl100k)", default=1500, least=MIN_BUDGET, most=MOST_RECALLED),
            CURSOR,
            *SEARCH_FILTERS,
            Field("touch", "flag", "what is recalled becomes a little warmer", default=True),
        ),
    ),
    Operation(
        "GET", "/memories/{id}/related", find_related, answer="AllRelated", keeps=True, errors=(404, 409),
        names={"anchor": "id", "types": "relationship_types"},
        query=(
            Field("depth", "integer", "hops", default=1, least=1, most=DEEPEST_WALK),
            Field("limit", "integer", default=20, least=1, most=100),
            TYPE_LIST,
            Field("direction", "text", default="both", choices=DIRECTIONS),
            Field("weight_min", "number", "edges below are not there", default=0.0, least=0, most=int(MAX_WEIGHT)),
            Field("rank", "text", default="strength", choices=RANKS),
            ORIGIN_LIST,
            Field("kinds", "words", "kinds of nodes that are reported", choices=KINDS, many=50),
            Field("scope", "text", "what a walk moves between", default="section",
                  choices=SCOPES),
            *PAGING,
        ),
    ),
)  # fmt: skip
