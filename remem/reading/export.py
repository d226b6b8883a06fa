"""Exports: everything in a store as records, and the documents' texts as files again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from remem.errors import RefusedError
from remem.reading.nodes import load_all_nodes, make_edge
from remem.reading.pending import list_pending
from remem.reading.text import render_document
from remem.records import Export
from remem.storage import documents as document_rows
from remem.storage import edges as edge_rows
from remem.storage import nodes as node_rows
from remem.storage import outline

if TYPE_CHECKING:
    from sqlite3 import Connection


class DocumentText(NamedTuple):
    """A document's text as it stood in its file: lines end with `\\n`, no byte order mark."""

    root: str
    source: str
    text: str


def export_all(connection: Connection) -> Export:
    """All nodes in tree order, all edges, all pending edges."""
    nodes = load_all_nodes(connection, outline.iterate_documents(connection))
    edges = tuple(make_edge(row) for row in edge_rows.load_all_edges(connection))
    return Export(tuple(nodes), edges, tuple(list_pending(connection, suggest=False)))


def render_documents(connection: Connection) -> list[DocumentText]:
    """The texts of all documents, by root and source."""
    texts = []
    for root in document_rows.load_roots(connection):
        for source, document in document_rows.load_documents(connection, root.key).items():
            rows = node_rows.load_trees(connection, [document.node])[document.node]
            texts.append(DocumentText(root.name, source, render_document(rows, document.tail)))
    return texts


def write_files(folder: Path, texts: Iterable[DocumentText]) -> list[Path]:
    """Writes the texts below `folder`, each root in a folder of its name.

    Raises RefusedError where the folder holds anything already, or a name would lead out of it.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RefusedError(f"{folder} is not an empty folder; export into a new one", path=str(folder))
    written = []
    for root, source, text in texts:
        parts = PurePosixPath(root, source).parts
        if any(part in ("..", "/") for part in parts):
            raise RefusedError(f"{root}/{source} leads out of {folder}", source=source)
        target = folder.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8"))
        written.append(target)
    return written
