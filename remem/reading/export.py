"""Exports: everything in a store as records, and the documents' texts as files again."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from remem.errors import RefusedError
from remem.ingest.html.marks import FORMAT as PAGE
from remem.reading.nodes import load_all_nodes, make_edge
from remem.reading.pending import list_pending
from remem.reading.text import render_document, render_section
from remem.records import Export, ExportRows
from remem.storage import documents as document_rows
from remem.storage import edges as edge_rows
from remem.storage import nodes as node_rows
from remem.storage import outline, transfer

if TYPE_CHECKING:
    from sqlite3 import Connection

    from remem.records import DocumentRow


class DocumentText(NamedTuple):
    """A document's text as it stood in its file: lines end with `\\n`, no byte order mark. Of an HTML file it is
    the text that is kept of it, in Markdown, and `.md` is appended to its source."""

    root: str
    source: str
    text: str


def export_all(connection: Connection) -> Export:
    """All nodes in tree order, all edges, all pending edges."""
    nodes = load_all_nodes(connection, outline.iterate_documents(connection))
    edges = tuple(make_edge(row) for row in edge_rows.load_all_edges(connection))
    return Export(tuple(nodes), edges, tuple(list_pending(connection, suggest=False)), read_rows(connection))


def read_rows(connection: Connection) -> ExportRows:
    """What an export tells beside nodes and edges."""
    texts: dict[str, tuple[str, str]] = {}
    ids = transfer.load_document_ids(connection)
    for root in document_rows.load_roots(connection):
        documents = document_rows.load_documents(connection, root.key)
        for source, document in documents.items():
            found = render_text(connection, root.name, source, documents)
            texts[ids[document.node]] = found.source, found.text
    return ExportRows(
        tuple(transfer.load_living_memories(connection)),
        tuple(transfer.load_archived_memories(connection)),
        transfer.load_entity_types(connection),
        texts,
    )


def render_documents(connection: Connection) -> list[DocumentText]:
    """The texts of all documents, by root and source."""
    texts = []
    for root in document_rows.load_roots(connection):
        documents = document_rows.load_documents(connection, root.key)
        texts += [render_text(connection, root.name, source, documents) for source in documents]
    return texts


def render_text(connection: Connection, root: str, source: str, documents: Mapping[str, DocumentRow]) -> DocumentText:
    """The text of one of the documents of a root."""
    document = documents[source]
    rows = node_rows.load_trees(connection, [document.node])[document.node]
    if document.format == PAGE:
        return DocumentText(root, _name_page(source, documents), f"{render_section(rows)}\n")
    return DocumentText(root, source, render_document(rows, document.tail))


def load_texts(connection: Connection, root: str) -> dict[str, str]:
    """The texts of all documents of the root of that name, by the name of the file that each would be."""
    key = next(known.key for known in document_rows.load_roots(connection) if known.name == root)
    documents = document_rows.load_documents(connection, key)
    found = (render_text(connection, root, source, documents) for source in documents)
    return {text.source: text.text for text in found}


def _name_page(source: str, taken: Container[str]) -> str:
    """The name of the Markdown file of a page: its own with `.md`, with a number where a note has that name."""
    name, number = f"{source}.md", 1
    while name in taken:
        number += 1
        name = f"{source}.{number}.md"
    return name


def write_files(folder: Path, texts: Iterable[DocumentText]) -> list[Path]:
    """Writes the texts below `folder`, each root in a folder of its name.

    Raises RefusedError where the folder holds anything already or cannot be written, or a name would lead out of it.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RefusedError(f"{folder} is not an empty folder; export into a new one", path=str(folder))
    try:
        return [write_text(folder, text) for text in texts]
    except OSError as error:
        raise RefusedError(f"{folder} cannot be written: {error.strerror}", path=str(folder)) from None


def write_text(folder: Path, text: DocumentText) -> Path:
    """Writes one text below `folder`. Raises RefusedError where its name would lead out of it."""
    parts = PurePosixPath(text.root, text.source).parts
    marks = ("\0", "\\", ":") if os.name == "nt" else ("\0",)  # on Windows these lead to other folders and drives
    if any(part in ("..", "/") or any(mark in part for mark in marks) for part in parts):
        raise RefusedError(f"{text.root}/{text.source} leads out of {folder}", source=text.source)
    target = folder.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.text.encode("utf-8"))
    return target
