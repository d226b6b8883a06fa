"""Checks documents one by one: everything that follows from a text is derived from it again and compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from remem.ingest.parse import PARSER_VERSION, parse_source
from remem.reading.text import render_document
from remem.records import DocumentRow, FileStat, Finding, LinkRow, NodeRow, ParsedDocument
from remem.storage import links as link_rows
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows
from remem.writing import naming
from remem.writing.documents import sorted_tags
from remem.writing.drafts import Draft, NewFile, make_document, make_rows
from remem.writing.linking import draft_links
from remem.writing.standing import load_standing, make_file

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Stored:
    """A document as the store holds it. `held`: a call changed it, so that its tree need not be that of its text."""

    root: str
    document: DocumentRow
    nodes: list[NodeRow]
    tags: dict[int, tuple[str, ...]]
    held: bool = False


def load_stored(connection: Connection, root: str, document: DocumentRow, held: bool = False) -> Stored:
    """One document with its nodes and tags."""
    nodes = node_rows.load_trees(connection, [document.node]).get(document.node, [])
    return Stored(root, document, nodes, node_rows.load_tags(connection, [document.node]), held)


def is_current(document: DocumentRow) -> bool:
    """Whether the document was parsed by this version of the parser, so that the same must come out again."""
    return document.settings.rpartition("/")[0].partition("+")[0] == PARSER_VERSION


def parse_again(connection: Connection, stored: Stored) -> NewFile:
    """The document's own text, parsed as it was; a held one with the links and block ids that it has."""
    document = stored.document
    if stored.held:
        standing = load_standing(connection, document)
        return make_file(standing, standing.splice)
    text = render_document(stored.nodes, document.tail)
    pieces = node_rows.load_pieces(connection, [document.node]).get(document.node, [])
    limit = int(document.settings.rpartition("/")[2])
    parsed = parse_source(document.source, text, document.format, max_tokens=limit, previous=pieces)
    stat = FileStat(document.size, document.mtime, document.inode)
    return NewFile(parsed, document.hash, stat, document.seen_at, document.settings, parsed.diagnostics, len(text))


def check_document(connection: Connection, stored: Stored) -> Iterator[Finding]:
    """What of a document does not follow from its text."""
    source = f"{stored.root}/{stored.document.source}"
    file = parse_again(connection, stored)
    if not _same_tree(file.parsed, stored.nodes):
        yield Finding("tree", True, f"{source}: the nodes are not those of its text", stored.nodes[0].id)
        return
    keys = [row.key for row in stored.nodes]
    nodes = make_rows(file, keys, [row.id for row in stored.nodes])
    draft = Draft(file, make_document(file, stored.document.root, keys), nodes, None)
    for have, want in zip(stored.nodes, nodes, strict=True):
        if have != want:
            wrong = ", ".join(f for f, a, b in zip(NodeRow._fields, have, want, strict=True) if a != b)
            yield Finding("tree", True, f"{source}: {wrong} of node {have.id} does not follow from the text", have.id)
    if draft.document != stored.document:
        yield Finding("documents", True, f"{source}: the document's row does not follow from its text", nodes[0].id)
    if sorted_tags(draft) != stored.tags:
        yield Finding("tags", True, f"{source}: the tags are not those of its text", nodes[0].id)
    yield from _check_names(connection, draft, source)
    yield from _check_links(connection, draft, stored.root, source)


def _same_tree(parsed: ParsedDocument, rows: Sequence[NodeRow]) -> bool:
    texts = [(node.kind, node.content) for node in parsed.nodes]
    return texts == [(row.kind, row.content) for row in rows]


def _check_names(connection: Connection, draft: Draft, source: str) -> Iterator[Finding]:
    keys = [row.key for row in draft.nodes]
    stored = {n for n in name_rows.load_node_names(connection, keys) if n.kind not in naming.EARLIER_KINDS}
    if stored != set(naming.document_names(draft.file.parsed, draft.nodes)):
        yield Finding("names", True, f"{source}: the names are not those of its text", draft.nodes[0].id)


def _check_links(connection: Connection, draft: Draft, root: str, source: str) -> Iterator[Finding]:
    stored = link_rows.load_links_of_nodes(connection, [row.key for row in draft.nodes])
    wanted = [row for row, _ in draft_links(draft, root, 0)]
    if sorted(map(_as_written, stored)) != sorted(map(_as_written, wanted)):
        yield Finding("links", True, f"{source}: the links are not those of its text", draft.nodes[0].id)


def _as_written(row: LinkRow) -> tuple[object, ...]:
    """A link without its key and what it leads to."""
    return (*row[1:12], row.source_key or "")
