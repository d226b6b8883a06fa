"""A store in memory for the tests of the graph: trees and edges written straight into the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from remem.graph.service import walk
from remem.records import MICRO, ORIGINS, RELATIONSHIP_TYPES, Related, TraversalRequest
from remem.storage import sqlite

if TYPE_CHECKING:
    from sqlite3 import Connection

SCHEMA = Path(__file__).resolve().parents[2] / "schema.sql"


@dataclass
class Leaf:
    """One node. `opens` marks a heading that opens a section; `title` the title heading of its document."""

    key: int
    id: str
    kind: str
    parent: int | None
    content: str = ""
    label: str | None = None
    opens: bool = False
    title: bool = False
    piece: int = 0
    gap: str | None = None


@dataclass(frozen=True)
class Link:
    """One edge, by the keys of its ends; the weight is in weights."""

    source: int
    target: int
    type: str = "references"
    origin: str = "parsed"
    weight: float = 1.0


@dataclass
class World:
    """Nodes by key in the order of their documents, and edges."""

    nodes: dict[int, Leaf] = field(default_factory=dict)
    links: dict[tuple[int, int, str, str], Link] = field(default_factory=dict)

    def add(self, id: str, kind: str, parent: Leaf | None = None, **more: object) -> Leaf:
        """A new node; children come in the order in which they are added."""
        leaf = Leaf(len(self.nodes) + 1, id, kind, None if parent is None else parent.key)
        for name, value in more.items():
            setattr(leaf, name, value)
        if leaf.label is None and kind in ("document", "heading", "memory", "entity"):
            leaf.label = id
        self.nodes[leaf.key] = leaf
        return leaf

    def join(
        self, source: Leaf, target: Leaf, weight: float = 1.0, type: str = "references", origin: str = "parsed"
    ) -> None:
        """A new edge."""
        self.links[source.key, target.key, type, origin] = Link(source.key, target.key, type, origin, weight)

    def list_tree(self, root: Leaf) -> list[Leaf]:
        """The node and all below it in pre-order."""
        below = [leaf for child in self.nodes.values() if child.parent == root.key for leaf in self.list_tree(child)]
        return [root, *below]

    def find_document(self, leaf: Leaf) -> Leaf:
        """The document that a node lies in; a memory or an entity itself."""
        while leaf.parent is not None:
            leaf = self.nodes[leaf.parent]
        return leaf


def open_store(world: World | None = None) -> Connection:
    """A fresh store, with the world written to it."""
    connection: Connection = sqlite.choose().connect(":memory:", isolation_level=None)
    connection.executescript(SCHEMA.read_text(encoding="utf-8"))
    if world is not None:
        write_world(connection, world)
    return connection


def write_world(connection: Connection, world: World) -> None:
    """Writes all nodes and edges."""
    connection.execute("INSERT INTO roots (key, name, path, compiled_at) VALUES (1, 'notes', '/notes', 0)")
    for root in [leaf for leaf in world.nodes.values() if leaf.parent is None]:
        write_tree(connection, world.list_tree(root))
    connection.executemany(
        "INSERT INTO edges (source, target, type, origin, weight, created_at, updated_at) VALUES (?, ?, ?, ?, ?, 0, 0)",
        [
            (
                link.source,
                link.target,
                RELATIONSHIP_TYPES.index(link.type),
                ORIGINS.index(link.origin),
                round(link.weight * MICRO),
            )
            for link in world.links.values()
        ],
    )


def write_tree(connection: Connection, tree: Sequence[Leaf]) -> None:
    """Writes one document with its nodes, given in pre-order."""
    root, place = tree[0], {leaf.key: position for position, leaf in enumerate(tree)}
    last, station = dict(place), {root.key: root.key}
    for leaf in reversed(tree):
        if leaf.parent is not None:
            last[leaf.parent] = max(last[leaf.parent], last[leaf.key])
    for leaf in tree[1:]:
        above = station[leaf.parent or 0]
        station[leaf.key] = leaf.key if leaf.opens and not leaf.title else above
        if leaf.title:
            station[leaf.key] = root.key
    rows = [
        (
            *(leaf.key, leaf.id, leaf.kind, root.key, leaf.parent, place[leaf.key], last[leaf.key]),
            *(station[leaf.key], leaf.piece, leaf.label, leaf.content, leaf.gap),
        )
        for leaf in tree
    ]
    connection.executemany(
        "INSERT INTO nodes (key, id, kind, document, parent, position, last, station, piece, tokens, label, content,"
        " gap) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)",
        rows,
    )
    if root.kind == "document":
        title = next((leaf.key for leaf in tree if leaf.title), None)
        connection.execute(
            "INSERT INTO documents (node, root, source, format, title_heading, tail, hash, size, mtime, inode, seen_at,"
            " settings) VALUES (?, 1, ?, 'markdown', ?, '', x'00', 0, 0, 0, 0, '')",
            (root.key, f"{root.id}.md", title),
        )


def related(connection: Connection, request: TraversalRequest) -> list[Related]:
    """What the SQL engine finds around a node, told."""
    return walk(connection, request).tell_all()
