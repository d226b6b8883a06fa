"""An embedder without a model: words and their trigrams hashed to numbers. It finds shared words, not meaning, and is
for trying things out and for tests; it is used only where the settings name it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from remem.embedding.base import DEFAULT_THRESHOLD, list_filled, make_fingerprint, place_vectors
from remem.records import Refusal

if TYPE_CHECKING:
    from remem.embedding.base import Vector

DIMENSIONS = 384
WORD_WEIGHT = 1.0
TRIGRAM_WEIGHT = 0.25

_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """Deterministic on every machine: texts with the same words have cosine 1, without a common one about 0."""

    name = "hashing"
    link_threshold = DEFAULT_THRESHOLD

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on."""
        return make_fingerprint(self.name, self.dimensions, version=1)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """A vector for each text; one without a word or sign is refused."""
        places = list_filled(texts)
        return place_vectors(texts, places, [self._embed(texts[place]) for place in places], self.dimensions)

    def embed_queries(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """The same."""
        return self.embed_passages(texts)

    def _embed(self, text: str) -> list[float]:
        row = [0.0] * self.dimensions
        for feature, weight in list_features(text):
            number = int.from_bytes(
                hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "little"
            )
            row[(number >> 1) % self.dimensions] += weight if number & 1 else -weight
        return row


def list_features(text: str) -> Iterator[tuple[str, float]]:
    """What of a text is hashed: its words with their trigrams; of a text without words, its signs."""
    words = _WORD.findall(text.casefold()) or text.split()
    for word in words:
        yield word, WORD_WEIGHT
        padded = f"<{word}>"
        for start in range(len(padded) - 2):
            yield padded[start : start + 3], TRIGRAM_WEIGHT
