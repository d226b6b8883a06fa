"""What a traversal has to answer, by listing every path. It shares no code with the engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from remem.records import ORIGINS, TraversalRequest
from tests.graph.store import Leaf, Link, World

Hop = tuple[int, Link, str]
"""The station reached, the edge, and how it was walked."""


@dataclass(frozen=True)
class Answer:
    """One result: keys instead of records, the score exact."""

    station: int
    score: Fraction
    distance: int
    direct: tuple[Link, str] | None
    path: tuple[Hop, ...]


@dataclass
class Oracle:
    """Answers one request over one world."""

    world: World
    request: TraversalRequest
    subtrees: dict[int, frozenset[int]] = field(default_factory=dict)

    def answer(self) -> list[Answer]:
        """All results in their order, cut at the limit."""
        anchor = self.find_anchor()
        first = self.find_anchor_hops(anchor)
        best: dict[int, tuple[Hop, ...]] = {}
        distance: dict[int, int] = {}
        for path in self.list_paths(anchor, first):
            station = path[-1][0]
            distance[station] = min(distance.get(station, 9), len(path))
            if station not in best or self.rate(path) < self.rate(best[station]):
                best[station] = path
        answers = [
            Answer(station, self.score(path), distance[station], direct(first, station), path)
            for station, path in best.items()
            if self.request.kinds is None or self.world.nodes[station].kind in self.request.kinds
        ]
        answers.sort(key=lambda it: (-it.score, it.distance, len(it.path), self.world.nodes[it.station].id))
        return answers[: self.request.limit]

    def find_anchor(self) -> Leaf:
        """The anchor; a title heading is its document."""
        leaf = self.world.nodes[self.request.anchor]
        return self.world.find_document(leaf) if leaf.title and self.request.scope != "node" else leaf

    def rate(self, path: tuple[Hop, ...]) -> tuple[Fraction, int, list[str]]:
        """Smaller is better."""
        return -self.score(path), len(path), [self.world.nodes[station].id for station, _, _ in path]

    def score(self, path: tuple[Hop, ...]) -> Fraction:
        """Exact."""
        weights = [Fraction(str(link.weight)) for _, link, _ in path]
        if self.request.rank == "sum":
            return sum(weights, Fraction(0))
        product = Fraction(4, 5) ** (len(path) - 1)
        for weight in weights:
            product *= min(weight, Fraction(1))
        return product

    def find_station(self, key: int) -> int:
        """The station of a node under the scope."""
        leaf = self.world.nodes[key]
        if self.request.scope == "node":
            return key
        if self.request.scope == "document":
            return self.world.find_document(leaf).key
        while leaf.parent is not None and (leaf.title or not leaf.opens):
            leaf = self.world.nodes[leaf.parent] if not leaf.title else self.world.find_document(leaf)
        return leaf.key

    def subtree(self, key: int) -> frozenset[int]:
        """The keys of a station's own nodes."""
        if self.request.scope == "node":
            return frozenset([key])
        if key not in self.subtrees:
            self.subtrees[key] = frozenset(leaf.key for leaf in self.world.list_tree(self.world.nodes[key]))
        return self.subtrees[key]

    def selves(self, key: int) -> frozenset[int]:
        """The station node, and its title heading where it is a document."""
        titles = {leaf.key for leaf in self.world.list_tree(self.world.nodes[key]) if leaf.title}
        keep = self.request.scope != "node" and self.world.nodes[key].kind == "document"
        return frozenset([key, *titles]) if keep else frozenset([key])

    def list_links(self) -> Iterator[tuple[int, int, Link, str]]:
        """(near end, far end, edge, direction) of all edges that are there, as the direction lets them be walked."""
        ask = self.request
        for link in self.world.links.values():
            if ask.types is not None and link.type not in ask.types:
                continue
            if ask.origins is not None and link.origin not in ask.origins:
                continue
            if link.weight < ask.weight_min:
                continue
            if ask.direction != "in":
                yield link.source, link.target, link, "out"
            if ask.direction != "out":
                yield link.target, link.source, link, "in"

    def find_hops(self, key: int) -> list[tuple[int, Hop]]:
        """(near end, hop) of every edge that leads away from the station or anchor."""
        inside, selves = self.subtree(key), self.selves(key)
        return [
            (near, (self.find_station(far), link, direction))
            for near, far, link, direction in self.list_links()
            if near in inside and (far not in inside or near in selves) and self.find_station(far) != key
        ]

    def is_around(self, station: int, anchor: int) -> bool:
        """Whether the station is the anchor, lies in it, or contains it."""
        return station in self.subtree(anchor) or anchor in self.subtree(station)

    def find_anchor_hops(self, anchor: Leaf) -> dict[int, Hop]:
        """The preferred first hop to each station."""
        selves = self.selves(anchor.key)
        hops = [
            hop for near, hop in self.find_hops(anchor.key) if near in selves or not self.is_around(hop[0], anchor.key)
        ]
        return self.prefer(hops)

    def prefer(self, hops: list[Hop]) -> dict[int, Hop]:
        """Of parallel edges the preferred one."""

        def order(hop: Hop) -> tuple[float, int, str, str, str, bool]:
            _, link, direction = hop
            ids = (self.world.nodes[link.source].id, self.world.nodes[link.target].id)
            return -link.weight, ORIGINS.index(link.origin), link.type, *ids, direction == "in"

        best: dict[int, Hop] = {}
        for hop in sorted(hops, key=order):
            best.setdefault(hop[0], hop)
        return best

    def list_paths(self, anchor: Leaf, first: dict[int, Hop]) -> Iterator[tuple[Hop, ...]]:
        """Every simple path of at most `depth` hops."""
        onward: dict[int, list[Hop]] = {}

        def walk(path: tuple[Hop, ...]) -> Iterator[tuple[Hop, ...]]:
            yield path
            if len(path) == self.request.depth:
                return
            here = path[-1][0]
            if here not in onward:
                hops = self.prefer([hop for _, hop in self.find_hops(here)])
                onward[here] = [hop for hop in hops.values() if not self.is_around(hop[0], anchor.key)]
            visited = {station for station, _, _ in path}
            for hop in onward[here]:
                if hop[0] not in visited:
                    yield from walk((*path, hop))

        for hop in first.values():
            yield from walk((hop,))


def direct(first: dict[int, Hop], station: int) -> tuple[Link, str] | None:
    """The direct edge to the station, and how it is walked."""
    hop = first.get(station)
    return None if hop is None else hop[1:]
