"""The catalog that resolution looks into, loaded for just the links in question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from remem.graph.catalog import Catalog
from remem.graph.resolve import hint_keys, needed_outlines
from remem.ingest.html.marks import FORMAT as PAGE
from remem.records import Hint, Name, Outline, OutlineHeading, Place
from remem.storage import documents as document_rows
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows

if TYPE_CHECKING:
    from sqlite3 import Connection


def load_catalog(connection: Connection, asked: Sequence[tuple[Hint, Place]]) -> Catalog:
    """Everything that may decide where the hints lead: names under their keys, ids, and the outlines of the documents
    that anchors lead into. One statement for each kind, whatever the number of hints."""
    keys: set[str] = set()
    ids: set[str] = set()
    for hint, _ in asked:
        wanted = hint_keys(hint)
        keys |= {wanted.name_key, wanted.source_key or wanted.name_key}
        if wanted.id:
            ids.add(wanted.id)
    names = _load_names(connection, keys)
    refs = node_rows.find_refs(connection, ids)
    documents = {name.document for found in names.values() for name in found}
    documents |= {ref.document for ref in refs.values()} | {place.document for _, place in asked}
    titles = document_rows.load_title_headings(connection, documents)
    catalog = Catalog(names, refs, {}, titles)
    needed: set[int] = set()
    for hint, place in asked:
        if hint.anchor:
            needed |= needed_outlines(hint, place, catalog)
    return Catalog(names, refs, load_outlines(connection, needed), titles) if needed else catalog


def _load_names(connection: Connection, keys: Iterable[str]) -> dict[str, list[Name]]:
    names: dict[str, list[Name]] = {}
    for name in name_rows.load_candidates(connection, keys):
        names.setdefault(name.key, []).append(name)
    return names


def load_outlines(connection: Connection, documents: Iterable[int]) -> dict[int, Outline]:
    """The outlines of the documents, by document key."""
    headings: dict[int, dict[int, OutlineHeading]] = {}
    blocks: dict[int, dict[str, int]] = {}
    earlier: dict[int, list[str]] = {}
    found = name_rows.load_outlines(connection, documents)
    for kind, node, text, document, position, last in found:
        if kind == "heading":
            headings.setdefault(document, {})[node] = OutlineHeading(node, text, position, last)
        elif kind == "block":
            blocks.setdefault(document, {}).setdefault(text, node)
        else:
            earlier.setdefault(node, []).append(text)
    rows = document_rows.load_document_rows(connection, blocks)
    pages = {document for document, row in rows.items() if row.format == PAGE}
    outlines = {}
    for document in headings.keys() | blocks.keys():
        own = [
            heading._replace(earlier=tuple(earlier.get(node, ())))
            for node, heading in headings.get(document, {}).items()
        ]
        outlines[document] = Outline(own, blocks.get(document, {}), html=document in pages)
    return outlines
