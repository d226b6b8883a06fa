"""Embedders that do what models and services do on a bad day, and one that counts. Each is whole and deterministic."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from remem.embedding.base import check_vector
from remem.embedding.hashing import HashingEmbedder
from remem.errors import EmbedderError
from remem.records import Refusal

if TYPE_CHECKING:
    from remem.embedding.base import Vector


class Counting(HashingEmbedder):
    """Notes every text that it embeds."""

    def __init__(self, dimensions: int = 384) -> None:
        super().__init__(dimensions)
        self.texts: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """As the hashing one."""
        self.texts += texts
        return super().embed_passages(texts)

    def embed_queries(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """As the hashing one; they do not count."""
        return super().embed_passages(texts)


class Spoiling(HashingEmbedder):
    """Gives something that is no vector for texts with the word `spoil`, as long as it is `ill`."""

    def __init__(self, output: object) -> None:
        super().__init__()
        self.ill = True
        self._output = output

    def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """As the hashing one, but for those."""
        made = super().embed_passages(texts)
        if not self.ill:
            return made
        return [
            check_vector(self._output, self.dimensions) if "spoil" in text else vector
            for text, vector in zip(texts, made, strict=True)
        ]


class Failing(HashingEmbedder):
    """Fails as a whole."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """Raises EmbedderError."""
        raise EmbedderError("the model does not answer", model="failing", endpoint=None)


class Waiting(HashingEmbedder):
    """Says when it begins, and goes on when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = threading.Event()
        self.let = threading.Event()

    def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """As the hashing one, later."""
        self.begun.set()
        assert self.let.wait(20)
        return super().embed_passages(texts)


class Breaking(HashingEmbedder):
    """Raises what no embedder should."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """Raises ZeroDivisionError."""
        raise ZeroDivisionError("no embedder raises this")


class Crowding(HashingEmbedder):
    """Goes by the name of a model whose cosines crowd at the top."""

    name = "intfloat/e5-small"
