"""Checks of vectors: each belongs to a passage, every memory has its own or is owed it, their embedder works and is
that of the settings, and the similarity from which texts are linked fits it; and which memories say nearly the same.
Embeds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from remem.background.discover import find_duplicates
from remem.background.embed import load_texts
from remem.background.worker import explain_misfit
from remem.embedding.base import E5_THRESHOLD, THRESHOLDS, guess_threshold, read_model
from remem.embedding.chunks import split_chunks
from remem.ids import text_hash
from remem.reading.duplicates import NEAR, group_alike
from remem.records import Examined, Finding, PassageRow
from remem.rendering.lines import show_count
from remem.search.phrases import list_phrases
from remem.storage import discovery, embedded, vector_checks
from remem.storage.sqlite import vectors_problem

if TYPE_CHECKING:
    from sqlite3 import Connection

CHUNK = 500
"""So many passages are held at a time."""
CROWDED = 0.85
"""Below it, a model whose cosines crowd at the top links nearly everything."""
MOST_COMPARED = 4000
"""So many vectors of memories are compared all with all (0.3 s)."""
SHOWN = 20
"""So many groups, and members of one, are named."""


def check_vectors(connection: Connection) -> Iterator[Finding]:
    """Reads only; nothing where vectors cannot be used here."""
    if vectors_problem() is not None:
        return
    lost, stray = vector_checks.find_lost(connection), vector_checks.find_stray(connection)
    if lost or stray:
        told = show_count(len(lost) + len(stray), "vector belongs to nothing or is", "vectors belong to nothing or are")
        yield Finding("vectors", True, f"{told} missing")
    crooked = vector_checks.find_crooked(connection)
    if crooked:
        yield Finding("vectors", True, f"{show_count(len(crooked), 'vector is', 'vectors are')} not of length 1")
    if vector_checks.is_behind(connection):
        yield Finding("vectors", True, "vectors changed after the newest change that is told")
    if vector_checks.count_lost_phrases(connection):
        yield Finding("phrases", True, "phrases of passages that are gone are left")
    others = _list_others(connection)
    if others:
        told = show_count(len(others), "passage has", "passages have")
        yield Finding("vectors", True, f"{told} vectors or phrases of another text")
    forgotten = vector_checks.count_forgotten(connection)
    if forgotten:
        told = show_count(forgotten, "memory has no vector and owes", "memories have no vector and owe")
        yield Finding("vectors", False, f"{told} none; `remem doctor --fix` mends that")


def _list_others(connection: Connection) -> list[PassageRow]:
    """The embedded passages whose vectors or phrases are not of their text though none are owed. A chunk that the model
    could make nothing of has no vector."""
    keys, found = vector_checks.load_settled(connection), list[PassageRow]()
    for start in range(0, len(keys), CHUNK):
        rows = vector_checks.load_passages(connection, keys[start : start + CHUNK])
        texts = load_texts(connection, rows)
        phrases = vector_checks.load_phrases(connection, [row.key for row in rows])
        stored: dict[int, dict[int, bytes]] = {}
        for chunk in embedded.load_chunks(connection, [row.key for row in rows]):
            stored.setdefault(chunk.passage, {})[chunk.chunk] = chunk.hash
        for row in rows:
            hashes = dict(enumerate(text_hash(chunk) for chunk in split_chunks(texts[row.key])))
            same = stored[row.key].items() <= hashes.items()
            if not same or phrases.get(row.key, {}) != list_phrases(texts[row.key]):
                found.append(row)
    return found


def check_embedder(connection: Connection, found: Examined | None) -> Iterator[Finding]:
    """Warns where the embedder of the settings is missing, altered, does not answer, or is not that of the store; and
    where texts got no vector. None of it is a fault: search by words and the graph go on."""
    if found is None:
        return
    if found.problem:
        message = f"the embedder cannot be used: {found.problem}. Search by words and the graph go on without it"
        yield Finding("embedder", False, message)
    fixed = embedded.find_fixed(connection)
    if fixed is not None and found.fixed is not None and fixed != found.fixed:
        yield Finding("embedder", False, explain_misfit(fixed, found.fixed))
    waiting = vector_checks.count_refused(connection)
    if waiting:
        told = show_count(waiting, "text")
        yield Finding("embedder", False, f"{told} got no vector; that is tried again later, or by `remem embed`")


def check_threshold(connection: Connection, threshold: float, found: Examined | None = None) -> Iterator[Finding]:
    """Warns where the `threshold` of discovery was left at a number that fits other embedders than the store's, or that
    of the settings where nothing is embedded yet; or where it links nearly everything."""
    stored, wanted = embedded.find_fixed(connection), None if found is None else found.fixed
    fixed = stored or wanted
    if fixed is None:
        return
    model = read_model(fixed.fingerprint)
    fitting = guess_threshold(model)
    if (threshold in THRESHOLDS and threshold != fitting) or (fitting == E5_THRESHOLD and threshold < CROWDED):
        told = f"[connections] auto_discovery_threshold is {threshold:g}, but {fitting:g} fits {model}"
        whose = "which the vectors of this store are of" if stored else "which the settings name"
        yield Finding("discovery", False, f"{told}, {whose}")


def check_duplicates(connection: Connection) -> Iterator[Finding]:
    """Names groups of memories that say nearly the same, the largest first: compared all with all while they are few,
    else by what discovery found."""
    if vectors_problem() is None and 0 < discovery.count_memory_keys(connection) <= MOST_COMPARED:
        groups = find_duplicates(connection, NEAR)
    else:
        groups = group_alike(connection)
    for group in sorted(groups, key=lambda group: -len(group.ids))[:SHOWN]:
        ids = ", ".join(group.ids[:SHOWN]) + (", …" if len(group.ids) > SHOWN else "")
        message = f"{len(group.ids)} memories say nearly the same (similarity {group.similarity:.2f} and more): {ids}"
        yield Finding("duplicates", False, message)
    if len(groups) > SHOWN:
        told = show_count(len(groups) - SHOWN, "more group")
        yield Finding("duplicates", False, f"{told} of memories say nearly the same")


def repair_vectors(connection: Connection) -> None:
    """Deletes what belongs to nothing, and owes what is missing."""
    if vectors_problem() is None:
        vector_checks.let_go(connection, _list_others(connection))
        vector_checks.repair_vectors(connection)
