"""Rows of the store, as they go in and come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of notes: its name, where it lies now, how many documents it holds, when it was compiled last (ms)."""

    key: int
    name: str
    path: str
    documents: int
    compiled_at: int


class NodeRow(NamedTuple):
    """A row of `nodes`. `prefix` is a JSON array or None; `gap` None means one blank line; `label` None means that it
    follows from the content."""

    key: int
    id: str
    kind: str
    document: int
    parent: int | None
    position: int
    last: int
    station: int
    piece: int
    tokens: int
    label: str | None
    content: str
    gap: str | None
    prefix: str | None


class NodeShift(NamedTuple):
    """A node's new place in its document's numbering, when nothing else of it changed."""

    key: int
    position: int
    last: int


class RootRow(NamedTuple):
    """A root, and the folder that it was compiled from last."""

    key: int
    name: str
    path: str


class DocumentRow(NamedTuple):
    """A row of `documents`. `seen_at` is when the file was read, in milliseconds."""

    node: int
    root: int
    source: str
    format: str
    title_heading: int | None
    tail: str
    hash: bytes
    size: int
    mtime: int
    inode: int
    seen_at: int
    settings: str


class LinkRow(NamedTuple):
    """A row of `links`. `type` is a code, `weight` in millionths."""

    key: int
    node: int
    ordinal: int
    form: str
    label: str
    anchor: str
    shown: str
    source: str
    id: str
    type: int
    weight: int
    name_key: str
    source_key: str | None
    state: str
    target: int | None
    rule: str | None
    ambiguous: int
    stale: int


class RelationRow(NamedTuple):
    """A row of `relations`. `type` is a code, `weight` in millionths, times in milliseconds."""

    key: int
    source: int
    type: int
    weight: int
    target: int | None
    id: str
    root: str
    place: str
    label: str
    name_key: str
    source_key: str | None
    created_at: int
    updated_at: int
    partial: int = 0
    ambiguous: int = 0


class EdgeRow(NamedTuple):
    """A row of `edges`. `type` and `origin` are codes, `weight` in millionths, times in milliseconds."""

    source: int
    target: int
    type: int
    origin: int
    weight: int
    links: int
    ambiguous: int
    created_at: int
    updated_at: int


class ChangeRow(NamedTuple):
    """A row of `changes`: what a node was before the snapshot (all None for an addition)."""

    snapshot: int
    node: int
    op: str
    kind: str | None = None
    label: str | None = None
    content: bytes | None = None
    parent: int | None = None
    previous: int | None = None
    document: int | None = None
    tags: str | None = None


class RemovedRow(NamedTuple):
    """A row of `removed`: a node that is gone, and where it stood. `content` is `ids.text_hash` of its text, `path` is
    `ids.path_hash` of the labels of the headings above it; `document` and `parent` are the keys that these had."""

    key: int
    id: str
    kind: str
    label: str | None
    content: bytes
    piece: int
    document: int
    parent: int | None
    position: int
    root: str
    source: str
    path: bytes
    snapshot: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One entry of the version trail. `created_at` in milliseconds, `state_hash` 16 bytes."""

    id: int
    parent: int
    created_at: int
    message: str
    state_hash: bytes
    finished: bool
