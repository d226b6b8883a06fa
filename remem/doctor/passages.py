"""Passages in the doctor: are they, and is their full-text index, what follows from the nodes? Both can be rebuilt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from remem.records import Finding, Passage, PassageRow
from remem.rendering.lines import show_count
from remem.search.passages import make_passages
from remem.storage import documents as document_rows
from remem.storage import nodes as node_rows
from remem.storage import outline, sqlite
from remem.storage import passages as passage_rows
from remem.storage.faults import CORRUPT, get_code
from remem.writing import lifecycle
from remem.writing.passages import index_passages, make_row, replace_passages

if TYPE_CHECKING:
    from sqlite3 import Connection

CHUNK = 500
"""So many documents are held at a time."""


def check_passages(connection: Connection) -> Iterator[Finding]:
    """Compares the stored passages with those that follow from the nodes, then the index word by word."""
    faulty = False
    places = {key: f"{root}/{source}" for key, (root, source) in outline.load_places(connection).items()}
    scratch = _open_scratch(connection)
    try:
        for document, passages, keys in _derive_all(connection):
            if keys is None:
                faulty = True
                where = places.get(document, "a memory")
                yield Finding("passages", True, f"{where}: the passages are not those of its nodes")
            else:
                index_passages(scratch, zip(keys, passages, strict=True))
        lost = passage_rows.load_lost_documents(connection)
        if lost:
            gone = show_count(len(lost), "document that is", "documents that are")
            yield Finding("passages", True, f"passages of {gone} gone are left")
        # Where passages are wrong their index is; it is worth a word of its own only where they are right.
        if not faulty and not lost and not _hold_the_same(connection, scratch):
            yield Finding("full text", True, "the full-text index does not hold the words of the passages")
    finally:
        scratch.close()


def repair_passages(connection: Connection) -> None:
    """Gives every document its passages (those whose text stays keep their keys) and builds the index anew. Must run
    inside a write transaction."""
    lost = passage_rows.load_lost_documents(connection)
    if lost:
        replace_passages(connection, lost, ())
    for chunk in _chunk_documents(connection):
        replace_passages(connection, chunk, list(_derive(connection, chunk).values()))
    passage_rows.clear_texts(connection)
    for _, passages, keys in _derive_all(connection):
        index_passages(connection, zip(keys or (), passages, strict=True))


def _open_scratch(connection: Connection) -> Connection:
    """An empty full-text index in memory, made as that of the store."""
    scratch: Connection = sqlite.choose().connect(":memory:", isolation_level=None)
    for statement in passage_rows.load_index_definition(connection):
        scratch.execute(statement)
    return scratch


def _hold_the_same(connection: Connection, other: Connection) -> bool:
    """Whether two indexes hold the same words at the same places; one that is damaged does not."""
    try:
        words = zip_longest(passage_rows.iterate_words(connection), passage_rows.iterate_words(other))
        return all(have == want for have, want in words)
    except sqlite.Error as error:
        if get_code(error) != CORRUPT:
            raise
        return False


def _derive_all(connection: Connection) -> Iterator[tuple[int, list[Passage], list[int] | None]]:
    """(document, its passages as they should be, their keys; None where other passages are stored)."""
    for chunk in _chunk_documents(connection):
        stored: dict[int, list[PassageRow]] = {}
        for row in passage_rows.load_passages(connection, chunk):
            stored.setdefault(row.document, []).append(row)
        for document, passages in _derive(connection, chunk).items():
            rows = stored.get(document, [])
            wanted = [make_row(row.key, passage) for row, passage in zip(rows, passages, strict=False)]
            same = len(rows) == len(passages) and rows == wanted
            yield document, passages, [row.key for row in rows] if same else None


def _derive(connection: Connection, documents: Sequence[int]) -> dict[int, list[Passage]]:
    trees = node_rows.load_trees(connection, documents)
    tags = node_rows.load_tags(connection, documents)
    titles = document_rows.load_title_headings(connection, documents)
    sources = passage_rows.load_sources(connection, documents)
    contexts = lifecycle.load_contexts(connection, documents)
    return {
        document: make_passages(
            nodes, tags, sources.get(document, ""), titles.get(document), contexts.get(document, "")
        )
        for document, nodes in trees.items()
    }


def _chunk_documents(connection: Connection) -> Iterator[list[int]]:
    documents = list(outline.iterate_documents(connection))
    for start in range(0, len(documents), CHUNK):
        yield documents[start : start + CHUNK]
