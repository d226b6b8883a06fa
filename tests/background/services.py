"""A real embedding service on loopback that counts what it is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Self

from remem.embedding.hashing import HashingEmbedder
from remem.records import Refusal
from tests.embedding.server import Reply, Request, answer_json, serve

WIDTH = 48


class Embedding:
    """Speaks as OpenAI does, or as Ollama: texts with the same words are alike."""

    def __init__(self) -> None:
        self._embedder = HashingEmbedder(WIDTH)
        self._stack = ExitStack()
        self._actions: dict[int, Callable[[], object]] = {}
        self.status = 200

    def __enter__(self) -> Self:
        self._service = self._stack.enter_context(serve(self._reply))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def url(self) -> str:
        """Where it listens."""
        return self._service.url

    @property
    def requests(self) -> list[Request]:
        """What it was asked, in order."""
        return self._service.requests

    def at_request(self, number: int, action: Callable[[], object]) -> None:
        """Has something done when that request arrives, counted from 1, before it is answered."""
        self._actions[number] = action

    def count_texts(self) -> Counter[str]:
        """How often each text was sent."""
        return Counter(text for request in self.requests for text in request.body["input"])

    def _reply(self, request: Request) -> Reply:
        action = self._actions.get(len(self.requests))
        if action is not None:
            action()
        rows: list[Any] = [
            None if isinstance(row, Refusal) else row.tolist()
            for row in self._embedder.embed_passages(request.body["input"])
        ]
        if request.path.endswith("/api/embed"):
            return answer_json({"embeddings": rows}, self.status)
        return answer_json({"data": [{"index": n, "embedding": row} for n, row in enumerate(rows)]}, self.status)
