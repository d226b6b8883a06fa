"""What two stores are compared by: `fresh(store)`. Keys, ids and history do not count; the pieces of a
split block count as one node; links decided by an id or an earlier label are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from remem import Remem
from remem.storage.sqlite import Connection, choose

SELECT_NODES = """
SELECT n.key, coalesce(r.name, ''), coalesce(d.source, m.id), n.parent, n.piece, n.kind, coalesce(n.label, ''),
       n.content
FROM nodes AS n
LEFT JOIN documents AS d ON d.node = n.document
LEFT JOIN roots AS r ON r.key = d.root
LEFT JOIN memories AS m ON m.node = n.key
WHERE n.kind <> 'entity'
ORDER BY r.name, d.source, n.document, n.position
"""
SELECT_LINKS = """
SELECT l.node, l.target, t.name, l.weight, l.ambiguous, l.state, l.label, l.anchor, l.source, l.id,
       l.stale = 1 OR coalesce(l.rule, '') IN ('id', 'earlier')
FROM links AS l
JOIN relationship_types AS t ON t.code = l.type
"""
SELECT_TAGS = """
SELECT node, key
FROM tags
"""
SELECT_ENTITIES = """
SELECT node, key, type
FROM entities
"""


Place: TypeAlias = tuple[str, str, int]
"""Root, source, number in the document with the pieces of a block as one; of a memory '', its id, 0; of an
entity its name and type."""


class LinkSeen(NamedTuple):
    """A link: where it stands and what it says, then what it came to."""

    place: Place
    hint: tuple[str, str, str, str]
    type: str
    weight: int
    state: str
    target: Place | None
    ambiguous: int
    excluded: int


@dataclass(frozen=True)
class Description:
    """A store by places. A node is (number of its parent, kind, label, words, tags)."""

    nodes: dict[Place, tuple[int, str, str, str, tuple[str, ...]]]
    links: list[LinkSeen]

    def edges(self, without: set[object]) -> dict[object, tuple[int, int, int]]:
        """Heaviest weight, count and ambiguity of each parsed edge, by (source, target, type)."""
        edges: dict[object, tuple[int, int, int]] = {}
        for link in self.links:
            if link.state in ("edge", "partial") and (link.place, link.hint) not in without:
                key = (link.place, link.target, link.type)
                heaviest, count, doubtful = edges.get(key, (0, 0, 0))
                edges[key] = (max(heaviest, link.weight), count + 1, max(doubtful, link.ambiguous))
        return edges

    def pending(self, without: set[object]) -> Counter[object]:
        """The hints that wait, with how often each stands in one node."""
        return Counter(
            (link.place, link.hint, link.type, link.weight)
            for link in self.links
            if link.state in ("pending", "partial", "missing") and (link.place, link.hint) not in without
        )

    def excluded(self) -> set[object]:
        """Links that an id or an earlier label decided."""
        return {(link.place, link.hint) for link in self.links if link.excluded}


def differences(have: Description, want: Description) -> list[str]:
    """What the two stores say differently; empty where they are equal."""
    without = have.excluded() | want.excluded()
    pairs: list[tuple[str, Mapping[Any, object], Mapping[Any, object]]] = [
        ("node", have.nodes, want.nodes),
        ("edge", have.edges(without), want.edges(without)),
        ("pending", have.pending(without), want.pending(without)),
    ]
    return [
        f"{what} {key}: have {ours.get(key)}, want {theirs.get(key)}"
        for what, ours, theirs in pairs
        for key in sorted(ours.keys() | theirs.keys(), key=repr)
        if ours.get(key) != theirs.get(key)
    ]


def connect(path: str | Path) -> Connection:
    """A plain connection for looking into a store from outside."""
    connection: Connection = choose().connect(str(path), isolation_level=None)
    return connection


def describe(path: str | Path) -> Description:
    """The description of a closed or open store."""
    connection = connect(path)
    try:
        connection.execute("BEGIN")
        places, nodes = _describe_nodes(connection)
        return Description(nodes, list(_describe_links(connection, places)))
    finally:
        connection.close()


def _describe_nodes(
    connection: Connection,
) -> tuple[dict[int, Place], dict[Place, tuple[int, str, str, str, tuple[str, ...]]]]:
    tags: dict[int, set[str]] = {}
    for node, tag in connection.execute(SELECT_TAGS):
        tags.setdefault(node, set()).add(tag)
    places: dict[int, Place] = {}
    nodes: dict[Place, tuple[int, str, str, str, tuple[str, ...]]] = {}
    number = Counter[tuple[str, str]]()
    for key, root, source, parent, piece, kind, label, content in connection.execute(SELECT_NODES):
        above = places[parent][2] if parent is not None else -1
        words = " ".join(content.split())
        own = tags.get(key, set())
        if piece:
            place = (root, source, number[root, source] - 1)
            old = nodes[place]
            nodes[place] = (old[0], old[1], old[2], f"{old[3]} {words}", tuple(sorted({*old[4], *own})))
        else:
            place = (root, source, number[root, source])
            number[root, source] += 1
            nodes[place] = (above, kind, label, words, tuple(sorted(own)))
        places[key] = place
    places |= {node: ("entities", f"{name} {type}", 0) for node, name, type in connection.execute(SELECT_ENTITIES)}
    return places, nodes


def _describe_links(connection: Connection, places: dict[int, Place]) -> Iterator[LinkSeen]:
    for node, target, type, weight, ambiguous, state, *rest in connection.execute(SELECT_LINKS):
        label, anchor, source, id, excluded = rest
        end = None if target is None else places[target]
        yield LinkSeen(places[node], (label, anchor, source, id), type, weight, state, end, ambiguous, excluded)


def describe_fresh(path: str | Path, folder: Path) -> Description:
    """The description of `fresh(store)`: a new store compiled from the texts that the store at `path` holds."""
    with Remem.open_sync(path) as old:
        old.export_markdown(folder / "texts")
        roots = [root.name for root in old.roots() if root.documents]
        memories = list(old.memories(200, order="asc"))
    with Remem.open_sync(folder / "fresh.db") as new:
        for memory in memories:
            new.store(memory.content, id=memory.id, tags=memory.tags, source=memory.source)
        for root in roots:
            new.compile(folder / "texts" / root)
    return describe(folder / "fresh.db")
