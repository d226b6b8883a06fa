"""A picture of the graph as JSON: columns instead of objects, words as numbers into lists, so that ten thousand nodes
are small."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from remem.errors import InvalidInputError
from remem.faces.wire.values import Json
from remem.records import KINDS, ORIGINS, RELATIONSHIP_TYPES, PlacedNode

if TYPE_CHECKING:
    from remem.records import Picture

T = TypeVar("T", bound=Hashable)


class _Words(Generic[T]):
    """Numbers words in the order they come."""

    def __init__(self, words: Iterable[T] = ()) -> None:
        self._numbers = {word: number for number, word in enumerate(words)}

    def number(self, word: T) -> int:
        return self._numbers.setdefault(word, len(self._numbers))

    def list_all(self) -> list[T]:
        return list(self._numbers)


def show_picture(picture: Picture) -> Json:
    """`{snapshot, change, total_nodes, total_edges, shown_nodes, left_out, truncated, kinds, types, origins, roots,
    sources, tags, nodes, edges, ghosts}`. `nodes`, `edges` and `ghosts` are objects of lists of one length; `kind`,
    `type`, `origin`, `root`, `source` and `tags` are numbers into the lists above, the ends of edges and `parent` are
    numbers of nodes; -1 is none. Times are seconds."""
    roots, sources, tags = _Words[str](), _Words[str](), _Words[str]()
    nodes, at = picture.nodes, {node.id: number for number, node in enumerate(picture.nodes)}
    kinds, types, origins = _Words(KINDS), _Words(RELATIONSHIP_TYPES), _Words(ORIGINS)
    shown: Json = {
        "id": [node.id for node in nodes],
        "label": [node.label for node in nodes],
        "kind": [kinds.number(node.kind) for node in nodes],
        "root": [roots.number(node.root) if node.root else -1 for node in nodes],
        "source": [sources.number(node.source) if node.source else -1 for node in nodes],
        "parent": [at.get(node.parent_id, -1) for node in nodes],
        "degree": [node.degree for node in nodes],
        "temperature": [node.temperature for node in nodes],
        "tokens": [node.tokens for node in nodes],
        "pinned": [int(node.pinned) for node in nodes],
        "created_at": [node.created_at // 1000 for node in nodes],
        "updated_at": [node.updated_at // 1000 for node in nodes],
        "tags": [[tags.number(tag) for tag in node.tags] for node in nodes],
        "x": [node.x for node in nodes],
        "y": [node.y for node in nodes],
    }
    edges: Json = {
        "source": [at[edge.source_id] for edge in picture.edges],
        "target": [at[edge.target_id] for edge in picture.edges],
        "type": [types.number(edge.relationship_type) for edge in picture.edges],
        "origin": [origins.number(edge.origin) for edge in picture.edges],
        "weight": [edge.weight for edge in picture.edges],
    }
    ghosts: Json = {
        "label": [ghost.label for ghost in picture.ghosts],
        "source": [at[ghost.source_id] for ghost in picture.ghosts],
        "type": [types.number(ghost.relationship_type) for ghost in picture.ghosts],
        "weight": [ghost.weight for ghost in picture.ghosts],
        "count": [ghost.links for ghost in picture.ghosts],
    }
    return {
        "snapshot": picture.snapshot,
        "change": picture.change,
        "total_nodes": picture.total_nodes,
        "total_edges": picture.total_edges,
        "shown_nodes": len(nodes),
        "left_out": picture.left_out,
        "truncated": picture.left_out > 0,
        "kinds": kinds.list_all(),
        "types": types.list_all(),
        "origins": origins.list_all(),
        "roots": roots.list_all(),
        "sources": sources.list_all(),
        "tags": tags.list_all(),
        "nodes": shown,
        "edges": edges,
        "ghosts": ghosts,
    }


def read_positions(items: Sequence[object]) -> list[PlacedNode]:
    """`[{id, x, y}]` as records; their values are the engine's to check. Raises InvalidInputError."""
    places = []
    for number, item in enumerate(items):
        if not isinstance(item, dict) or item.keys() != {"id", "x", "y"}:
            raise InvalidInputError(
                f"positions[{number}] must be an object of id, x and y", field=f"positions[{number}]"
            )
        places.append(PlacedNode(item["id"], item["x"], item["y"]))
    return places
