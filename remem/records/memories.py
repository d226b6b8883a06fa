"""Memories: facts that no file owns, as callers give and see them, and as they are stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from remem.records.parsed import ParsedLink
from remem.records.usage import START_TEMPERATURE

LONG_TERM: Final = "long_term"
SHORT_TERM: Final = "short_term"
MEMORY_TYPES = (LONG_TERM, SHORT_TERM)
BY_CALL, BY_EXPIRY = "call", "expiry"
"""What archived a memory."""

MemoryType: TypeAlias = Literal["long_term", "short_term"]
MemoryOrder: TypeAlias = Literal["created_at", "updated_at", "accessed_at", "importance"]
MEMORY_ORDERS = ("created_at", "updated_at", "accessed_at", "importance")


class MemoryRow(NamedTuple):
    """A row of `memories`. `metadata` and `tags` are JSON, times and `ttl` in milliseconds."""

    node: int
    id: str
    type: str
    importance: float
    source: str
    metadata: str
    tags: str
    hash: bytes
    created_at: int
    updated_at: int
    ttl: int | None = None
    expires_at: int | None = None
    archived_at: int | None = None
    archived_by: str | None = None


class EntityRow(NamedTuple):
    """A row of `entities`: the key of a name (`keys.strict_key`), and a type or ''."""

    node: int
    key: str
    type: str


class MemoryText(NamedTuple):
    """What a memory's text says: its title ('' for none), the links and tags of all its blocks, its tokens."""

    content: str
    title: str
    links: tuple[ParsedLink, ...]
    tags: tuple[str, ...]
    tokens: int


class EntityGiven(NamedTuple):
    """An entity that a call names. `description` may be empty."""

    name: str
    type: str = ""
    description: str = ""


class RelationshipGiven(NamedTuple):
    """A relationship between two entities that are given by name."""

    source: str
    target: str
    type: str = "related_to"
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a caller read out of a text: entities, relationships, and what of them was malformed, with reasons."""

    entities: tuple[EntityGiven, ...] = ()
    relationships: tuple[RelationshipGiven, ...] = ()
    refused: tuple[RefusedItem, ...] = ()


@dataclass(frozen=True, slots=True)
class RefusedItem:
    """An entity or relationship that was left out: what it was, and why."""

    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class EntityMade:
    """An entity that a memory mentions. `created` is false where it was there before."""

    id: str
    name: str
    type: str
    created: bool


@dataclass(frozen=True, slots=True)
class RelationshipMade:
    """An edge between two entities. `created` is false where it was there before and was updated."""

    source_id: str
    target_id: str
    relationship_type: str
    strength: float
    created: bool


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """What became of the entities and relationships that came with a memory."""

    entities: tuple[EntityMade, ...] = ()
    relationships: tuple[RelationshipMade, ...] = ()
    refused: tuple[RefusedItem, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A memory to be stored, its values checked and its text parsed. `id` None: to be made. `ttl` is in milliseconds;
    None with type short_term means the default, unless the memory exists and has one. `hash` is that of the content as
    it was given."""

    text: MemoryText
    id: str | None
    type: MemoryType
    importance: float
    tags: tuple[str, ...]
    source: str
    metadata: str
    ttl: int | None
    hash: bytes
    extraction: Extraction | None = None


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """The fields of a memory to be replaced; None: it stays as it is. `raw` is the content without secrets, `hash` that
    of the content as it was given (None: that of `raw`)."""

    text: MemoryText | None = None
    raw: str | None = None
    type: MemoryType | None = None
    importance: float | None = None
    tags: tuple[str, ...] | None = None
    source: str | None = None
    metadata: str | None = None
    ttl: int | None = None
    hash: bytes | None = None


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories are listed, all conditions together. `tags` must all be carried, one of `sources` must fit; times
    are in milliseconds: `created_after` and `created_before` are themselves left out. With `archived`, archived ones
    are listed instead of living ones."""

    memory_type: str | None = None
    importance_min: float = 0.0
    importance_max: float = 1.0
    tags: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    created_after: int | None = None
    created_before: int | None = None
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as callers see it. Times are in milliseconds since 1970 (UTC), None where there is none.

    `tags` are those that were given and those in the text. `access_count` counts readings of the memory itself,
    `temperature` is 0 to 1. `existing` says that a call to store found it in the store already; `extraction` what
    became of the entities that came with that call. A node of a note that is read as a memory has its `kind`, `root`
    and place in `source`, importance 0.5, and the text of its section.
    """

    id: str
    content: str
    memory_type: str
    importance: float
    tags: tuple[str, ...]
    source: str
    metadata: Mapping[str, object]
    created_at: int
    updated_at: int
    accessed_at: int | None = None
    access_count: int = 0
    expires_at: int | None = None
    pinned: bool = False
    archived: bool = False
    temperature: float = START_TEMPERATURE
    label: str = ""
    kind: str = "memory"
    root: str = ""
    tokens: int = 0
    existing: bool = False
    extraction: ExtractionReport | None = field(default=None)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting did. A memory is archived, or with `hard` removed for good. Of a note, `mode` says how, `removed`
    are the ids of all nodes that are gone (the forgotten one first), `lifted` those of its children that rose."""

    id: str
    hard: bool
    snapshot: int
    mode: str | None = None
    removed: tuple[str, ...] = ()
    lifted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did: memories that had expired and were archived, or were promoted because they were read often; old
    archived ones that were removed for good."""

    archived: int = 0
    promoted: int = 0
    removed: int = 0
