"""Checks of vectors: each belongs to a passage, every memory has its own or is owed it, and the similarity from which
texts are linked fits their embedder. Embeds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from remem.embedding.base import THRESHOLDS, guess_threshold, read_model
from remem.records import Finding
from remem.storage import vector_checks, vectors
from remem.storage.sqlite import vectors_problem

if TYPE_CHECKING:
    from sqlite3 import Connection


def check_vectors(connection: Connection) -> Iterator[Finding]:
    """Reads only; nothing where vectors cannot be used here."""
    if vectors_problem() is not None:
        return
    lost, stray = vector_checks.find_lost(connection), vector_checks.find_stray(connection)
    if lost or stray:
        yield Finding("vectors", True, f"{len(lost) + len(stray)} vectors belong to nothing or are missing")
    forgotten = vector_checks.count_forgotten(connection)
    if forgotten:
        yield Finding("vectors", False, f"{forgotten} memories have no vector and owe none; doctor --fix owes them")


def check_threshold(connection: Connection, threshold: float) -> Iterator[Finding]:
    """Warns where the `threshold` of discovery was left at a number that fits other embedders than the store's."""
    fixed = vectors.find_fixed(connection)
    if fixed is None:
        return
    model = read_model(fixed.fingerprint)
    fitting = guess_threshold(model)
    if threshold in THRESHOLDS and threshold != fitting:
        told = f"[connections] auto_discovery_threshold is {threshold:g}, but {fitting:g} fits {model}"
        yield Finding("discovery", False, f"{told}, which the vectors of this store are of")


def repair_vectors(connection: Connection) -> None:
    """Deletes what belongs to nothing, and owes what is missing."""
    if vectors_problem() is None:
        vector_checks.repair_vectors(connection)
