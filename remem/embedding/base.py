"""The protocol of embedders: texts in, unit vectors out. Checks of what a model gave; no model, no numpy until used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from remem.records import Refusal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector: TypeAlias = npt.NDArray[np.float32]
    """One unit vector, shape (dimensions,)."""
    Matrix: TypeAlias = npt.NDArray[np.float32]
    """Vectors as rows, shape (n, dimensions)."""

DEFAULT_THRESHOLD = 0.70
"""The cosine from which two texts are taken as related, right for MiniLM."""
E5_THRESHOLD = 0.92
"""The same for models of the E5 family, whose cosines crowd at the top."""

THRESHOLDS = (DEFAULT_THRESHOLD, E5_THRESHOLD)
"""The numbers that fit some embedder."""

EMPTY = Refusal("the text is empty", retry=False)


class Embedder(Protocol):
    """Turns texts into unit vectors. Synchronous and safe to call from several threads.

    `fingerprint` names everything that shapes the vectors: those of different fingerprints never meet. `link_threshold`
    is the cosine from which two texts count as related. With a remote model `dimensions` and `fingerprint` may ask the
    endpoint once, and raise EmbedderError.
    """

    @property
    def name(self) -> str:
        """The model, as people know it."""

    @property
    def dimensions(self) -> int:
        """The length of every vector."""

    @property
    def fingerprint(self) -> str:
        """Name, dimensions and a digest of all that shapes the vectors; not threads or batch sizes."""

    @property
    def link_threshold(self) -> float:
        """The default similarity from which texts are linked."""

    def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """One vector or refusal for each text that is stored, in order. Raises EmbedderError where the model as a whole
        fails."""

    def embed_queries(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """The same for texts that are searched for."""


def make_fingerprint(name: str, dimensions: int, **facts: object) -> str:
    """The fingerprint of a model: its name and dimensions in clear, the rest as a digest."""
    told = json.dumps({"name": name, "dimensions": dimensions, **facts}, sort_keys=True, ensure_ascii=True)
    return f"{name}/{dimensions}/{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def guess_threshold(name: str) -> float:
    """The link threshold of a model that is known by name alone."""
    words = name.lower().replace("/", "-").replace("_", "-").replace(":", "-").split("-")
    return E5_THRESHOLD if "e5" in words else DEFAULT_THRESHOLD


def read_model(fingerprint: str) -> str:
    """The name of a model in its fingerprint (`make_fingerprint`)."""
    return fingerprint.rsplit("/", 2)[0]


def list_blanks(texts: Sequence[str]) -> list[Vector | Refusal]:
    """An answer to be filled in: every text refused as empty."""
    return [EMPTY] * len(texts)


def list_filled(texts: Sequence[str]) -> list[int]:
    """The places of the texts that hold more than whitespace."""
    return [place for place, text in enumerate(texts) if text and not text.isspace()]


def place_vectors(
    texts: Sequence[str], places: Iterable[int], rows: Iterable[Any], width: int
) -> list[Vector | Refusal]:
    """The answer to `texts`: `rows` stand at `places`, each checked; the other texts were empty."""
    answer = list_blanks(texts)
    for place, row in zip(places, rows, strict=True):
        answer[place] = check_vector(row, width)
    return answer


def check_vector(value: object, dimensions: int) -> Vector | Refusal:
    """A model's output as a unit vector, or why it is none: wrong width, NaN, infinite, zero, no numbers.

    Such an output says something about the model at that moment, not about the text: it is to be tried again.
    """
    import numpy as np  # a command that needs no vectors does not pay for it

    if not isinstance(value, np.ndarray) and not _is_numbers(value):
        return Refusal("the model gave no list of numbers", retry=True)
    vector = np.asarray(value, dtype=np.float64)
    if vector.ndim != 1 or len(vector) != dimensions:
        found = f"{len(vector)}" if vector.ndim == 1 else f"{vector.ndim} levels of"
        return Refusal(f"the model gave {found} numbers where {dimensions} belong", retry=True)
    if not np.isfinite(vector).all():
        return Refusal("the model gave a number that is NaN or infinite", retry=True)
    # Scaled by the greatest first: neither huge nor tiny numbers leave the range when squared.
    greatest = float(np.abs(vector).max(initial=0.0))
    if greatest == 0.0:
        return Refusal("the model gave a vector of zeros", retry=True)
    vector = vector / greatest
    unit: Vector = (vector / np.sqrt(vector @ vector)).astype(np.float32)
    return unit


def _is_numbers(value: object) -> bool:
    # A whole number may be too large for a float, and a bool is none.
    return isinstance(value, list | tuple) and all(
        isinstance(item, float) or (type(item) is int and abs(item) < 1 << 53) for item in value
    )
