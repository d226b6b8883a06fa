"""A graph to look at: a part of it with its nodes and edges, and how the whole hangs together."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A station of a picture. `degree` is the number of its hops either way, `distance` that from the nodes asked
    for."""

    id: str
    kind: str
    label: str
    root: str
    source: str
    degree: int
    distance: int


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge of a picture, between the stations shown. `edge_source_id` and `edge_target_id` are its own ends."""

    source_id: str
    target_id: str
    relationship_type: str
    origin: str
    weight: float
    edge_source_id: str
    edge_target_id: str


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The stations around some nodes, nearest first, and every edge between two of them. `left_out` is how many
    stations within the distance the limit kept out."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Hub:
    """A node with many edges of its own: those that leave it and those that end at it."""

    id: str
    label: str
    out: int
    back: int


@dataclass(frozen=True, slots=True)
class GraphFigures:
    """How the graph hangs together. `groups` are the sizes of the groups of documents (memories and entities among
    them) that edges join, largest first; `lone` is how many are joined with no other. `hubs` are the nodes with most
    edges."""

    nodes: int
    edges: int
    linked: int
    groups: tuple[int, ...]
    lone: int
    hubs: tuple[Hub, ...]


@dataclass(frozen=True, slots=True)
class PictureNode:
    """A station of a picture with what colours, sizes and filters need. `parent_id` is the station around it ("" where
    there is none), `tags` are those of anything in it, times are milliseconds, `x` and `y` where it was put last."""

    id: str
    kind: str
    label: str
    root: str
    source: str
    parent_id: str
    degree: int
    tokens: int
    temperature: float
    pinned: bool
    created_at: int
    updated_at: int
    tags: tuple[str, ...]
    x: float | None
    y: float | None


@dataclass(frozen=True, slots=True)
class Ghost:
    """What links wait for: their label as written, the station of the first, and how many say the same there."""

    label: str
    source_id: str
    relationship_type: str
    weight: float
    links: int


@dataclass(frozen=True, slots=True)
class Picture:
    """A part of the graph to draw. `total_nodes` and `total_edges` are those of the whole store, `left_out` is how many
    stations the limit kept out, `change` grows with each change of the graph."""

    nodes: tuple[PictureNode, ...]
    edges: tuple[GraphEdge, ...]
    ghosts: tuple[Ghost, ...]
    total_nodes: int
    total_edges: int
    left_out: int
    snapshot: int
    change: int


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """Where a node of a picture was put."""

    id: str
    x: float
    y: float
