"""Traversals: what is asked, what the engines work on, what is found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from remem.records.pages import Page
from remem.records.shown import Node
from remem.records.vocabulary import DEFAULT_IMPORTANCE, Direction, Rank, Scope


@dataclass(frozen=True, slots=True)
class PathStep:
    """One hop of a path: the station that it reaches, and the edge with its own ends. `direction` is out where the edge
    was walked forward, in where it was walked backward."""

    id: str
    label: str
    source_id: str
    target_id: str
    relationship_type: str
    origin: str
    weight: float
    direction: str


@dataclass(frozen=True, slots=True)
class DirectEdge:
    """The edge that joins the anchor and a result without a detour, under the same filters."""

    source_id: str
    target_id: str
    relationship_type: str
    origin: str
    weight: float
    direction: str


@dataclass(frozen=True, slots=True)
class Related:
    """One result of a traversal. `node` is the station, its `content` the section's text cut at 1200 characters
    (`truncated` says so). `distance` is the fewest hops from the anchor, `hops` those of the winning path;
    `created_at` is when the last edge of that path was made, in milliseconds; `importance` is that of a memory, the
    middle one for any other node."""

    node: Node
    truncated: bool
    score: float
    distance: int
    hops: int
    direct: DirectEdge | None
    path: tuple[PathStep, ...]
    created_at: int = 0
    importance: float = DEFAULT_IMPORTANCE


@dataclass(frozen=True, slots=True)
class TraversalRequest:
    """What a traversal asks for. `anchor` is the key of a node; `weight_min` is in weights, not millionths; None for
    `types`, `origins`, `kinds` means all, None for `limit` all results. The service checks the ranges."""

    anchor: int
    direction: Direction = "both"
    depth: int = 1
    weight_min: float = 0.0
    types: tuple[str, ...] | None = None
    origins: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    scope: Scope = "section"
    rank: Rank = "sum"
    limit: int | None = 100


@dataclass(frozen=True, eq=False)
class RelatedPage(Page[Related]):
    """A page of what is related to the node `anchor_id`."""

    anchor_id: str


class EdgeFilter(NamedTuple):
    """Which edges are listed, all conditions together: those at one node (id or label) or in its section, of one
    relationship type, of one origin. None does not apply."""

    node: str | None = None
    type: str | None = None
    origin: str | None = None


class StationRow(NamedTuple):
    """What a traversal knows of a station before it reports it: its place in the tree, and what filters and orders."""

    key: int
    id: str
    kind: str
    document: int
    position: int
    last: int


class HopRow(NamedTuple):
    """One way to leave a station, before parallel edges are merged: keys of the station left and the one reached, the
    edge with its own ends (keys), codes of type and origin, weight in millionths, 1 where it is walked forward."""

    owner: int
    station: int
    source: int
    target: int
    type: int
    origin: int
    weight: int
    forward: int


@dataclass(frozen=True, slots=True)
class HopFilter:
    """Which hops a walk may take: its anchor, the anchor's title heading (a key, for a document), and the request's
    filters as codes and millionths."""

    anchor: StationRow
    title: int | None
    scope: Scope
    direction: Direction
    weight_min: int
    types: tuple[int, ...]
    origins: tuple[int, ...]


class SectionText(NamedTuple):
    """The text of a station: the contents of its subtree from the start, in order (at least as much as is shown), and
    whether there is more than was read."""

    pieces: tuple[tuple[int, str | None, str], ...]
    more: bool
