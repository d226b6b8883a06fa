"""Vectors: which embedder is wanted, what it refuses, what lies near. The vectors themselves are numpy arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Refusal(NamedTuple):
    """Why a text got no vector. `retry`: it is worth another attempt later; an empty text is not."""

    reason: str
    retry: bool


class Neighbour(NamedTuple):
    """A vector that was found: its key, and its cosine similarity to the query (-1 to 1)."""

    key: int
    similarity: float


@dataclass(frozen=True, slots=True)
class NoEmbedder:
    """There is no embedder; text search and the graph work without one. `reason` is one sentence for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """Which embedder is wanted: the settings of `[embedding]` that describe it, under their names.

    `provider` is minilm, openai, ollama, folder, hashing or none. `dimensions` 0: as many as the model gives. Times are
    in seconds.
    """

    provider: str = "minilm"
    model: str = ""
    url: str = ""
    api_key: str = ""
    folder: str = ""
    dimensions: int = 0
    query_prefix: str = ""
    passage_prefix: str = ""
    batch_size: int = 32
    connect_timeout: float = 5.0
    read_timeout: float = 60.0
    retries: int = 3

    def __repr__(self) -> str:
        """Without the key."""
        return f"EmbedderOptions(provider={self.provider!r}, model={self.model!r}, url={self.url!r})"


class Fixed(NamedTuple):
    """The embedder that a store's vectors are of: its fingerprint, and the width of the vectors."""

    fingerprint: str
    dimensions: int


class Examined(NamedTuple):
    """An embedder that was tried: its fingerprint and width (None: it cannot be had, or is switched off), and what is
    wrong with it ("": nothing)."""

    fixed: Fixed | None
    problem: str


class Job(NamedTuple):
    """Work owed: its kind, the key of the node, the stamp of the last time it was owed, failed attempts."""

    kind: str
    node: int
    stamp: int
    attempts: int


@dataclass(frozen=True, slots=True)
class WorkState:
    """What the background work is at. `embed` and `discover` are how many texts still owe their vectors and relations,
    `waiting` how many of these failed and are tried again later; `problem` says why nothing is embedded ("": nothing is
    wrong), `active` whether this process does the work. `mentions` is how many texts, names and edges the mentions are
    owed. `worker` is working (this process), elsewhere (another one has the work), waiting (it is owed, and nobody has
    begun or can), or idle (nothing is owed)."""

    embed: int
    discover: int
    waiting: int
    embedded: int
    active: bool
    embedder: str
    problem: str
    mentions: int = 0
    worker: str = "idle"


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Memories that say nearly the same: ids in order of creation, and the least similarity that joined them."""

    ids: tuple[str, ...]
    similarity: float
