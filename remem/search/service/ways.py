"""Ways to hits that no word and no meaning brought: by which path of the graph they came from one that these did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from remem.records import PathStep, Related, TraversalRequest
from remem.search.service.hits import Found, show_label
from remem.storage import memories as memory_rows

if TYPE_CHECKING:
    from sqlite3 import Connection

FindWays: TypeAlias = "Callable[[Connection, TraversalRequest], Sequence[Related]]"

HOPS = 2
MOST_WAYS = 200


def explain_arrival(
    connection: Connection, item: Found, seeds: Mapping[int, Found], find_ways: FindWays
) -> tuple[str, tuple[PathStep, ...]]:
    """Why a section is a hit: the strongest path of at most two edges from a hit of the text, in the direction it was
    walked; else what it stands beside."""
    by_id = {seed.place.section_id: seed for seed in seeds.values()}
    request = TraversalRequest(item.place.section, depth=HOPS, rank="strength", limit=MOST_WAYS)
    ways = [
        (way.score * by_id[way.node.id].text, way) for way in find_ways(connection, request) if way.node.id in by_id
    ]
    if ways:
        _, way = max(ways, key=lambda pair: (pair[0], pair[1].node.id))
        return f"linked with {name_hit(by_id[way.node.id])}", reverse_path(item, way.path)
    return _explain_place(connection, item, seeds), ()


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


def _explain_place(connection: Connection, item: Found, seeds: Mapping[int, Found]) -> str:
    place = item.place
    same = [seed for seed in seeds.values() if seed.place.document == place.document]
    if same:
        return f"beside {name_hit(max(same, key=lambda seed: seed.text))} in the same document"
    rows = memory_rows.load_memories(connection, [place.section, *seeds])
    own = rows.get(place.section)
    if own is not None and own.source:
        told = [seeds[key] for key, row in rows.items() if row.source == own.source and key in seeds]
        if told:
            nearest = min(told, key=lambda seed: abs(rows[seed.place.section].created_at - own.created_at))
            return f"told next to {name_hit(nearest)} in the same source"
    return "shares a rare name with a hit, or lies further along the graph"


def name_hit(item: Found) -> str:
    """A hit as a reason names it."""
    label = show_label(item.place)
    return f"{label} ({item.place.section_id})" if label else item.place.section_id
