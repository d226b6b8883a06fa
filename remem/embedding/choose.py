"""Settings to embedder. Where the wanted one cannot be had there is none, with the reason; never another one."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from remem.embedding.base import DEFAULT_THRESHOLD, Embedder
from remem.embedding.hashing import DIMENSIONS, HashingEmbedder
from remem.errors import ConfigError, EmbedderError
from remem.records import EmbedderOptions, NoEmbedder

Pause: TypeAlias = Callable[[float], bool | None]

_NEEDED = ("numpy", "threadpoolctl")


def choose_embedder(options: EmbedderOptions, pause: Pause = time.sleep) -> Embedder | NoEmbedder:
    """The embedder that the options describe, or why there is none (text search goes on).

    Local files are checked (20 ms for the default model) and read at the first text; no endpoint is asked. `pause`
    waits so many seconds between two attempts at one and returns true where to give up, like the `wait` of an event.
    Raises ConfigError where the options contradict themselves.
    """
    if options.provider not in _MAKERS:
        raise ConfigError(f"[embedding] provider is none of {', '.join(_MAKERS)}", name="embedding.provider")
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing and options.provider != "none":
        return NoEmbedder(f"vectors need the package {missing[0]}, which is not installed")
    try:
        return _MAKERS[options.provider](options, pause)
    except EmbedderError as error:
        return NoEmbedder(error.message)


def find_threshold(options: EmbedderOptions) -> float | None:
    """The link threshold of the embedder that the options describe; None where there is none. Asks no endpoint.

    Raises ConfigError where the options contradict themselves.
    """
    if options.provider == "minilm":
        return DEFAULT_THRESHOLD  # known without its files
    embedder = choose_embedder(options)
    return None if isinstance(embedder, NoEmbedder) else embedder.link_threshold


def _open_minilm(options: EmbedderOptions, pause: Pause) -> Embedder | NoEmbedder:
    from remem.embedding.minilm import MiniLM

    return MiniLM()


def _open_remote(options: EmbedderOptions, pause: Pause) -> Embedder | NoEmbedder:
    from remem.embedding.remote import open_remote

    return open_remote(options, pause)


def _open_folder(options: EmbedderOptions, pause: Pause) -> Embedder | NoEmbedder:
    from remem.embedding.folder import FolderEmbedder

    if not options.folder:
        raise ConfigError("[embedding] provider folder needs a folder", name="embedding.folder")
    return FolderEmbedder(Path(options.folder), options)


def _open_hashing(options: EmbedderOptions, pause: Pause) -> Embedder | NoEmbedder:
    return HashingEmbedder(options.dimensions or DIMENSIONS)


def _open_none(options: EmbedderOptions, pause: Pause) -> Embedder | NoEmbedder:
    return NoEmbedder("vectors are switched off by [embedding] provider")


_MAKERS: dict[str, Callable[[EmbedderOptions, Pause], Embedder | NoEmbedder]] = {
    "minilm": _open_minilm,
    "openai": _open_remote,
    "ollama": _open_remote,
    "folder": _open_folder,
    "hashing": _open_hashing,
    "none": _open_none,
}
