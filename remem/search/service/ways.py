"""Ways to hits that owe their place to the graph: by which path they came from one that its text brought."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from remem.records import PathStep, Related, TraversalRequest
from remem.search.service.hits import Found, show_label
from remem.storage import memories as memory_rows
from remem.storage import nodes as node_rows

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.graph.telling import ToldPaths

FindWays: TypeAlias = "Callable[[Connection, TraversalRequest], ToldPaths]"
"""Gives what a walk finds."""

HOPS = 2
MOST_WAYS = 200
NOWHERE = (0, 0.0, None)
NO_WAY = "shares a rare name with a hit, or lies further along the graph"


class Origins:
    """What a way may begin at: hits that stand by their text, and the node (key) that a search was to relate to."""

    def __init__(self, connection: Connection, found: Sequence[Found], related: int | None) -> None:
        self.hits = {item.place.section_id: item for item in found if item.text > 0}
        row = None if related is None else node_rows.load_nodes(connection, [related]).get(related)
        self.related_id = None if row is None else row.id
        self.memories = memory_rows.load_memories(connection, [item.place.section for item in found])

    def weigh(self, id: str, item: Found) -> float:
        """How much an origin is worth to a hit (0 to 1): its text score; 0 for what does not stand above it by that."""
        if id == self.related_id:
            return 1.0
        hit = self.hits.get(id)
        return hit.text if hit is not None and hit.text > item.text else 0.0

    def list_above(self, item: Found) -> list[Found]:
        """The hits whose text is worth more."""
        return [hit for hit in self.hits.values() if hit.text > item.text]


def explain_arrival(
    connection: Connection, item: Found, origins: Origins, find_ways: FindWays
) -> tuple[str, tuple[PathStep, ...]]:
    """Why the graph brought a section: the strongest edge from a hit whose text is worth more, else the strongest path
    of two edges, in the direction it was walked; else what it stands beside."""
    request = TraversalRequest(item.place.section, depth=HOPS, rank="strength", limit=MOST_WAYS)
    found = find_ways(connection, request).tell_all()
    ways = [(-way.hops, way.score * origins.weigh(way.node.id, item), way) for way in found]
    _, _, way = max((way for way in ways if way[1] > 0), key=lambda way: (*way[:2], way[2].node.id), default=NOWHERE)
    if way is None:
        return _explain_place(item, origins), ()
    return f"linked with {_name_origin(way, origins)}", reverse_path(item, way.path)


def _name_origin(way: Related, origins: Origins) -> str:
    hit = origins.hits.get(way.node.id)
    return f"{way.node.label} ({way.node.id})" if hit is None else name_hit(hit)


def reverse_path(item: Found, path: tuple[PathStep, ...]) -> tuple[PathStep, ...]:
    """A path from a hit as one that leads to it: the same edges the other way round."""
    ends = [(item.place.section_id, show_label(item.place)), *((step.id, step.label) for step in path[:-1])]
    turned = {"in": "out", "out": "in"}
    return tuple(
        PathStep(
            id,
            label,
            step.source_id,
            step.target_id,
            step.relationship_type,
            step.origin,
            step.weight,
            turned[step.direction],
        )
        for (id, label), step in reversed(list(zip(ends, path, strict=True)))
    )


def _explain_place(item: Found, origins: Origins) -> str:
    place, above = item.place, origins.list_above(item)
    same = [hit for hit in above if hit.place.document == place.document]
    if same:
        return f"beside {name_hit(max(same, key=lambda hit: hit.text))} in the same document"
    own = origins.memories.get(place.section)
    if own is None or not own.source:
        return NO_WAY
    told = [(origins.memories[key], hit) for hit in above if (key := hit.place.section) in origins.memories]
    near = [(abs(row.created_at - own.created_at), hit) for row, hit in told if row.source == own.source]
    if not near:
        return NO_WAY
    return f"told near {name_hit(min(near, key=lambda pair: pair[0])[1])} in the same source"


def name_hit(item: Found) -> str:
    """A hit as a reason names it."""
    label = show_label(item.place)
    return f"{label} ({item.place.section_id})" if label else item.place.section_id
