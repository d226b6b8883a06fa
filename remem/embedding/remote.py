"""Embedders behind HTTP: any OpenAI-compatible service and Ollama. Texts go out in batches; answers are not trusted."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from remem.embedding.base import (
    check_vector,
    guess_threshold,
    list_filled,
    make_fingerprint,
    place_vectors,
)
from remem.embedding.endpoint import Endpoint
from remem.errors import ConfigError
from remem.records import EmbedderOptions, Refusal

if TYPE_CHECKING:
    from remem.embedding.base import Vector

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_URL = "http://127.0.0.1:11434"
MAX_DIMENSIONS = 8192
"""What the vector table can hold."""
_PROBE = "dimensions"


class RemoteEmbedder:
    """An embedder behind an endpoint. `dimensions` and `fingerprint` ask it once where no width is set.

    One item of an answer that is no vector is refused and may be tried again; an answer as a whole that is none
    (another count, not JSON, an error status) raises EmbedderError.
    """

    def __init__(self, options: EmbedderOptions, endpoint: Endpoint) -> None:
        self._options = options
        self._endpoint = endpoint
        self._ollama = options.provider == "ollama"
        self._dimensions = options.dimensions
        self._lock = threading.Lock()
        self.name = options.model
        self.link_threshold = guess_threshold(options.model)

    @property
    def dimensions(self) -> int:
        """The width that is set, else that of the first vector. Raises EmbedderError."""
        with self._lock:
            if self._dimensions == 0:
                found = self._request([self._options.passage_prefix + _PROBE])[0]
                width = len(found) if isinstance(found, list) else 0
                if not 1 <= width <= MAX_DIMENSIONS or isinstance(check_vector(found, width), Refusal):
                    raise self._endpoint.fail("its answer to a trial holds no vector")
                self._dimensions = width
            return self._dimensions

    @property
    def fingerprint(self) -> str:
        """What is known to shape the vectors; not the endpoint's place, so a model may move. Raises EmbedderError."""
        prefixes = [self._options.query_prefix, self._options.passage_prefix]
        return make_fingerprint(self.name, self.dimensions, unit=True, prefixes=prefixes, template="{text}")

    def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """Vectors of stored texts. Raises EmbedderError."""
        return self._embed(self._options.passage_prefix, texts)

    def embed_queries(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """Vectors of what is searched for. Raises EmbedderError."""
        return self._embed(self._options.query_prefix, texts)

    def _embed(self, prefix: str, texts: Sequence[str]) -> list[Vector | Refusal]:
        places = list_filled(texts)
        if not places:
            return place_vectors(texts, (), (), 0)
        width = self.dimensions
        rows: list[Any] = []
        for batch in split_batches([prefix + texts[place] for place in places], self._options.batch_size):
            rows += self._request(batch)
        return place_vectors(texts, places, rows, width)

    def _request(self, texts: list[str]) -> list[Any]:
        """One item for each text, unchecked. Half a surrogate pair is sent as a question mark."""
        texts = [text.encode("utf-8", "replace").decode() for text in texts]
        body: dict[str, object] = {"model": self.name, "input": texts}
        if self._ollama:
            items = take_list(self._endpoint.post("/api/embed", body | {"truncate": True}), "embeddings")
        else:
            body |= {"encoding_format": "float"}
            if self._options.dimensions:
                body |= {"dimensions": self._options.dimensions}
            items = sort_items(take_list(self._endpoint.post("/embeddings", body), "data"))
        if len(items) != len(texts):
            raise self._endpoint.fail(f"its answer has {len(items)} vectors for {len(texts)} texts")
        return items


def open_remote(options: EmbedderOptions, pause: Callable[[float], bool | None] = time.sleep) -> RemoteEmbedder:
    """The embedder of the options; nothing is sent yet. Raises ConfigError where they name no model or no place."""
    if not options.model:
        raise ConfigError(f"[embedding] provider {options.provider} needs a model", name="embedding.model")
    if options.dimensions > MAX_DIMENSIONS:
        raise ConfigError(f"[embedding] dimensions is at most {MAX_DIMENSIONS}", name="embedding.dimensions")
    endpoint = Endpoint(
        url=(options.url or (OLLAMA_URL if options.provider == "ollama" else OPENAI_URL)).rstrip("/"),
        model=options.model,
        key=options.api_key,
        connect_timeout=options.connect_timeout,
        read_timeout=options.read_timeout,
        retries=options.retries,
        pause=pause,
    )
    return RemoteEmbedder(options, endpoint)


def split_batches(texts: Sequence[str], size: int) -> Iterator[list[str]]:
    """At most `size` texts at a time, in order."""
    for start in range(0, len(texts), size):
        yield list(texts[start : start + size])


def take_list(answer: Any, name: str) -> list[Any]:
    """The list of that name in an answer, empty where there is none."""
    found = answer.get(name) if isinstance(answer, dict) else None
    return found if isinstance(found, list) else []


def sort_items(items: list[Any]) -> list[Any]:
    """The vectors of OpenAI's items by their indices, in the order of the answer where one is missing or wrong."""
    vectors = [item.get("embedding") if isinstance(item, dict) else None for item in items]
    indices = [item.get("index") if isinstance(item, dict) else None for item in items]
    numbers = [index for index in indices if type(index) is int]
    if sorted(numbers) != list(range(len(items))):
        return vectors
    ordered: list[Any] = [None] * len(items)
    for index, vector in zip(numbers, vectors, strict=True):
        ordered[index] = vector
    return ordered
