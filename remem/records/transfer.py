"""Values of what leaves a store and comes into one, and of how a store is followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from remem.records.memories import MemoryRow
from remem.records.shown import Edge, Node, PendingEdge


@dataclass(frozen=True, slots=True)
class ChangeMarks:
    """Marks to be compared with earlier ones of the same store: `content` differs when texts, memories or relations
    have changed, `usage` when the use of nodes has, `work` when what is owed has."""

    content: str
    usage: str
    work: str


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of a store that was made: the file, its bytes."""

    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Restored:
    """A store that was put back from a backup. `kept` is where the former file lies now, None where there was none."""

    path: str
    bytes: int
    kept: str | None


@dataclass(frozen=True, slots=True)
class MigrationState:
    """A store's version against that of this Remem: the steps that are missing. `backup` is the copy that was made
    before they were taken, None where none was needed or nothing was done."""

    path: str
    version: int
    newest: int
    missing: tuple[str, ...]
    done: bool = False
    backup: str | None = None


class ImportProblem(NamedTuple):
    """What of a file could not be taken in: the line (of JSON without lines 0), and why."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did: memories that are new, changed and as they were; files of notes that were taken in; edges
    that were made, and those that wait for a target."""

    form: str
    stored: int
    updated: int
    unchanged: int
    documents: int
    edges: int
    waiting: int
    problems: tuple[ImportProblem, ...]


class ImportedText(NamedTuple):
    """The text of a file of notes."""

    line: int
    id: str
    root: str
    source: str
    text: str


class ImportedNote(NamedTuple):
    """A node of a file of notes, to be found again by its place: the one at `position` in the tree of its file."""

    id: str
    root: str
    source: str
    position: int


class ImportedEntity(NamedTuple):
    """A named thing, with its type or ''."""

    line: int
    id: str
    name: str
    type: str
    description: str


class ImportedMemory(NamedTuple):
    """A memory: the fields of a call that stores one, not checked, and its times in milliseconds where they are known.
    `renewed` says that the file decides where the store has another content under its id."""

    line: int
    fields: Mapping[str, object]
    created_at: int | None = None
    updated_at: int | None = None
    expires_at: int | None = None
    archived_at: int | None = None
    renewed: bool = False


class ImportedEdge(NamedTuple):
    """A manual edge: to a node of the file, or (`target_id` None) to what `label` and `place` say. Not checked."""

    line: int
    source_id: str
    target_id: str | None
    label: str
    place: str
    type: str
    weight: object
    created_at: int | None
    updated_at: int | None


@dataclass(frozen=True, slots=True)
class ImportFile:
    """What a file holds that a store can take in, in the order of the file. `form` is json, jsonl or mcp-memory."""

    form: str
    texts: tuple[ImportedText, ...]
    notes: tuple[ImportedNote, ...]
    entities: tuple[ImportedEntity, ...]
    memories: tuple[ImportedMemory, ...]
    edges: tuple[ImportedEdge, ...]
    problems: tuple[ImportProblem, ...]


@dataclass(frozen=True, slots=True)
class ExportRows:
    """What an export tells beside nodes and edges: the rows of living and archived memories (these with their text),
    the types of entities by id, and by the id of their document the names of files of notes with their texts."""

    memories: tuple[MemoryRow, ...] = ()
    archived: tuple[tuple[MemoryRow, str], ...] = ()
    entities: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Export:
    """Everything in a store, for `export --format json`."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    pending: tuple[PendingEdge, ...]
    rows: ExportRows = field(default_factory=ExportRows)
