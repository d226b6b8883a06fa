"""The version trail as callers see it, and the states that it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

PURGED: Final = b""
"""Stands for the hash of a text that was purged."""

Presence: TypeAlias = Literal["absent", "living", "archived"]
ChangeKind: TypeAlias = Literal["add", "mod", "move", "rem"]


class LayoutRow(NamedTuple):
    """A row of `layouts`: a document before a snapshot. `nodes` is compressed, None where it was purged."""

    document: int
    snapshot: int
    root: str
    source: str
    format: str
    hash: bytes
    settings: str
    nodes: bytes | None


class LayoutNode(NamedTuple):
    """A node's place in a document, and what stands in the file around it, as in `NodeRow`; whether it is a section."""

    key: int
    parent: int | None
    piece: int
    gap: str | None
    prefix: str | None
    section: bool = False


class Layout(NamedTuple):
    """A document but for what its nodes say: the nodes in pre-order, the title heading's key, what stands after
    them."""

    nodes: tuple[LayoutNode, ...]
    title: int | None
    tail: str


class NodeState(NamedTuple):
    """What a node was at a snapshot. `content` is the hash of its text (PURGED where that is gone), `text` the text
    itself where it still stands in the node; `label` is None where it follows from the text."""

    presence: Presence
    kind: str = ""
    label: str | None = None
    content: bytes | None = None
    text: str | None = None
    parent: int | None = None
    document: int | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SnapshotLine:
    """One snapshot of the version trail, with how many nodes it added, modified, moved and removed. `created_at` is in
    milliseconds, `state_hash` hexadecimal; `finished` is false for a large compile that was interrupted."""

    id: int
    parent: int
    created_at: int
    message: str
    state_hash: str
    added: int
    modified: int
    moved: int
    removed: int
    finished: bool = True


@dataclass(frozen=True, slots=True)
class NodeChange:
    """A node that changed between two snapshots, net. `op` is add, mod, move or rem; `content` is what it says now (""
    for what is gone, None where the text was purged). `root` and `source` are empty for memories and entities.
    `archived` says of an archived memory that it came back as such, went, or says something else."""

    op: ChangeKind
    id: str
    kind: str
    label: str
    root: str
    source: str
    content: str | None = ""
    archived: bool = False


@dataclass(frozen=True, slots=True)
class NodeDiff:
    """The same with the text before and after (None: it was not there, or the text was purged, which `purged` says),
    and a unified diff of the two."""

    op: ChangeKind
    id: str
    kind: str
    label: str
    root: str
    source: str
    before: str | None
    after: str | None
    diff: str
    purged: bool = False


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One change of a node: under which snapshot, when (milliseconds) and by what (`message`). `op` is add, mod, move
    or rem, `detail` is more exact for memories: archive, unarchive, delete. `before` and `after` are the texts (None:
    it was not there, or the text was purged, which `purged` says), `label` is that after the change, or the last
    one."""

    snapshot: int
    created_at: int
    message: str
    op: ChangeKind
    detail: str
    label: str
    before: str | None
    after: str | None
    tags: tuple[str, ...] = ()
    purged: bool = False


@dataclass(frozen=True, slots=True)
class Renamed:
    """A document that went to another place: where it was and is now, as root/source."""

    id: str
    label: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class RollbackReport:
    """What a rollback changed, or would change (`dry_run`): `snapshot` is the new one, None where no node changed.
    `held` are the files, as root/source, whose documents stand against them until they change; `renamed` are the
    documents that stand elsewhere now."""

    to: int
    scope: str
    snapshot: int | None
    added: int
    modified: int
    moved: int
    removed: int
    changes: tuple[NodeChange, ...]
    held: tuple[str, ...]
    renamed: tuple[Renamed, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What a purge removed: texts of the history, and changes that no longer tell theirs. `complete` is false where
    another process reads the file, so that old bytes stay in it until that ends; `message` says what to do."""

    texts: int
    changes: int
    complete: bool
    message: str
