"""What callers see of a store: nodes, edges, what waits, figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from remem.records.usage import NOTHING_COLD, START_TEMPERATURE, ColdDigest


@dataclass(frozen=True, slots=True)
class Node:
    """A node as callers see it. `root`, `source` are empty for memories and entities. `position` counts from 0 in the
    document's order, `depth` is the distance from the document node. `temperature` (0 to 1) and `pinned` tell how it is
    used; an export, which tells what is known, leaves them at their defaults."""

    id: str
    kind: str
    label: str
    content: str
    root: str
    source: str
    parent_id: str | None
    position: int
    depth: int
    tokens: int
    tags: tuple[str, ...] = ()
    temperature: float = START_TEMPERATURE
    pinned: bool = False


class TreeLine(NamedTuple):
    """One line of the index, of which there may be very many. `depth` counts from the first line's node; `hidden` is
    how many nodes below it are not shown because they lie deeper than was asked; `total_tokens` counts the node with
    all below it."""

    id: str
    kind: str
    label: str
    root: str
    source: str
    parent_id: str | None
    depth: int
    tokens: int
    hidden: int = 0
    temperature: float = START_TEMPERATURE
    pinned: bool = False
    total_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Crumb:
    """One step of a breadcrumb: what a node lies in."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node to read: itself, what it lies in (outermost first), the text of its section as it stands in the file, the
    lines below it, and the edges at the node itself, with the other end of each in `ends`. `total_tokens` counts the
    node with all below it."""

    node: Node
    breadcrumb: tuple[Crumb, ...]
    text: str
    children: tuple[TreeLine, ...]
    edges: tuple[Edge, ...]
    ends: tuple[Crumb, ...] = ()
    total_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Relation:
    """What `relate` made or updated. `target_id` is None while the edge waits for its target (`pending`); `partial`: it
    leads to the document and waits for the heading that the label names; `ambiguous`: several nodes fit the label."""

    source_id: str
    target_id: str | None
    label: str
    relationship_type: str
    weight: float
    created_at: int
    updated_at: int
    created: bool
    pending: bool
    partial: bool = False
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Unrelated:
    """What `unrelate` removed. `target_id` is None where the edges waited for their target."""

    source_id: str
    target_id: str | None
    deleted: int


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures of a store. `kinds` are (kind, nodes, tokens), `edges` (type, origin, edges), `links` (state, links).
    `passages` are what a search looks through, `embedded` those that have vectors of the model `embedder`, `owed` the
    texts that still owe vectors or discovery; `pinned` are nodes, `archived` memories. `owed_embed`, `owed_discover`,
    `owed_mentions` are the queues, `waiting` those of the first two that failed and are tried again later, `worker` and
    `problem` what `WorkState` says; `near_duplicates` is how many groups of memories discovered edges of 0.95 and more
    join, `cold` the long texts that nobody has used for long."""

    path: str
    bytes: int
    schema_version: int
    roots: int
    documents: int
    nodes: int
    tokens: int
    kinds: tuple[tuple[str, int, int], ...]
    edges: tuple[tuple[str, str, int], ...]
    links: tuple[tuple[str, int], ...]
    pending: int
    ambiguous: int
    stale: int
    tags: int
    diagnostics: int
    snapshots: int
    vectors: bool
    passages: int = 0
    pinned: int = 0
    archived: int = 0
    embedded: int = 0
    owed: int = 0
    embedder: str = ""
    owed_embed: int = 0
    owed_discover: int = 0
    owed_mentions: int = 0
    waiting: int = 0
    worker: str = "idle"
    problem: str = ""
    near_duplicates: int = 0
    cold: ColdDigest = NOTHING_COLD


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge between two nodes. `links` is the number of links behind a parsed edge."""

    source_id: str
    target_id: str
    relationship_type: str
    origin: str
    weight: float
    links: int
    ambiguous: bool
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class PendingEdge:
    """An edge that waits: its whole hint, and up to three nodes that it may mean. `source_id` leaves where the node is
    gone too (`source_missing`). `path` is the file of the link, `line` unknown here."""

    source_id: str
    source_label: str
    root: str
    path: str
    label: str
    source: str
    id: str
    anchor: str
    relationship_type: str
    origin: str
    weight: float
    source_missing: bool = False
    suggestions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """A node that a text names without a link to it. `source_id` is the first node of the text that does, spelled as
    `name`; `root` and `path` are those of its file, empty for a memory. `texts` is how many texts name the target."""

    source_id: str
    source_label: str
    root: str
    path: str
    name: str
    target_id: str
    target_label: str
    weight: float
    texts: int
    created_at: int
