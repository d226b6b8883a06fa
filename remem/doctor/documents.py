"""Checks documents one by one: everything that follows from a text is derived from it again and compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from remem.ids import text_hash
from remem.ingest.html.marks import FORMAT
from remem.ingest.parse import PARSER_VERSION, parse_source
from remem.ingest.redacted import CODE, NAME_CODE
from remem.keys import strict_key
from remem.reading.text import render_document
from remem.records import (
    Diagnostic,
    DocumentRow,
    FileStat,
    Finding,
    LinkRow,
    NodeRow,
    ParsedDocument,
    ParsedLink,
    ParsedNode,
    SummaryRow,
)
from remem.storage import documents as document_rows
from remem.storage import links as link_rows
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows
from remem.storage import summaries as summary_rows
from remem.writing import naming
from remem.writing.closed import settle_closed
from remem.writing.documents import sorted_tags
from remem.writing.drafts import Draft, NewFile, make_document, make_rows
from remem.writing.kept import is_kept, unpack_links
from remem.writing.linking import draft_links
from remem.writing.standing import MARKED, load_standing, make_file

if TYPE_CHECKING:
    from sqlite3 import Connection

READING_CODES = ("bad-encoding", "nul", CODE, NAME_CODE)
"""Diagnostics of reading a file: its text does not tell them."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A document as the store holds it. `held`: a call changed it, so that its tree need not be that of its text."""

    root: str
    document: DocumentRow
    nodes: list[NodeRow]
    tags: dict[int, tuple[str, ...]]
    held: bool = False
    trusted: bool = True


def load_stored(
    connection: Connection, root: str, document: DocumentRow, held: bool = False, trusted: bool = True
) -> Stored:
    """One document with its nodes and tags. `trusted`: the newest snapshot says that its state is as it should be."""
    nodes = node_rows.load_trees(connection, [document.node]).get(document.node, [])
    return Stored(root, document, nodes, node_rows.load_tags(connection, [document.node]), held, trusted)


def is_current(document: DocumentRow) -> bool:
    """Whether the document was parsed by this version of the parser, so that the same must come out again."""
    return document.settings.rpartition("/")[0].partition("+")[0] == PARSER_VERSION


def parse_again(connection: Connection, stored: Stored) -> NewFile:
    """The document's own text, parsed as it was; a held one with the links and block ids that it has."""
    document = stored.document
    if stored.held:
        return _parse_held(connection, stored)
    text = render_document(stored.nodes, document.tail)
    pieces = node_rows.load_pieces(connection, [document.node]).get(document.node, [])
    limit = int(document.settings.rpartition("/")[2])
    parsed = parse_source(document.source, text, document.format, max_tokens=limit, previous=pieces)
    stat = FileStat(document.size, document.mtime, document.inode)
    problems = _list_problems(connection, document, parsed)
    return NewFile(parsed, document.hash, stat, document.seen_at, document.settings, problems, len(text))


def _parse_held(connection: Connection, stored: Stored) -> NewFile:
    """A held document as its text makes it, with what summaries keep; as it stands where its tree is another and the
    state of the store is not in doubt."""
    document, standing = stored.document, load_standing(connection, stored.document)
    file = make_file(standing, standing.splice)
    closed = replace(file, parsed=replace(file.parsed, nodes=_close_nodes(file.parsed.nodes)))
    pieces = node_rows.load_pieces(connection, [document.node]).get(document.node, [])
    text, limit = render_document(stored.nodes, document.tail), int(document.settings.rpartition("/")[2])
    parsed = parse_source(document.source, text, document.format, max_tokens=limit, previous=pieces)
    if document.format not in MARKED:
        return closed
    kept = summary_rows.load_summaries(connection, [row.key for row in stored.nodes])
    links = [_find_kept(row, kept.get(row.key)) for row in stored.nodes]
    closed = replace(closed, parsed=settle_closed(closed.parsed, parsed, links, limit))
    if not _same_tree(parsed, stored.nodes):
        return closed
    nodes = tuple(
        _keep_more(node, old, kept.get(row.key), own)
        for node, old, row, own in zip(parsed.nodes, file.parsed.nodes, stored.nodes, links, strict=True)
    )
    again = replace(file, parsed=replace(parsed, nodes=nodes, diagnostics=file.parsed.diagnostics))
    same = [_show_state(node) for node in nodes] == [_show_state(item.node) for item in standing.splice.nodes]
    return again if same or not stored.trusted else closed


def _find_kept(row: NodeRow, summary: SummaryRow | None) -> tuple[ParsedLink, ...]:
    """The links that the summary keeps that a node is."""
    if summary is None or summary.hash != text_hash(row.content) or not is_kept(summary.links):
        return ()
    return unpack_links(summary.links)


def _keep_more(node: ParsedNode, old: ParsedNode, summary: SummaryRow | None, kept: Sequence[ParsedLink]) -> ParsedNode:
    """A node as it stands, with what its text tells of it, and the label and links that a summary keeps. Block ids are
    those that it has: marks of what is gone may stand before it."""
    told = old._replace(
        label=node.label, parent=node.parent, last=node.last, level=node.level, links=node.links, tags=node.tags
    )
    if summary is None or summary.hash != text_hash(node.content) or not is_kept(summary.links):
        return told
    return told._replace(label=summary.label or node.label, links=(*node.links, *kept))


def _show_state(node: ParsedNode) -> tuple[object, ...]:
    """What the state of a document holds of a node."""
    return node.kind, node.content, node.label, node.parent, sorted(set(map(strict_key, node.tags)))


def _close_nodes(nodes: Sequence[ParsedNode]) -> tuple[ParsedNode, ...]:
    """The nodes with the last node below each as their parents make it."""
    last = list(range(len(nodes)))
    for place in range(len(nodes) - 1, 0, -1):
        parent = nodes[place].parent
        if 0 <= parent < place:
            last[parent] = max(last[parent], last[place])
    return tuple(node._replace(last=end) for node, end in zip(nodes, last, strict=True))


def _list_problems(connection: Connection, document: DocumentRow, parsed: ParsedDocument) -> tuple[Diagnostic, ...]:
    """The diagnostics of a document: those of its text, and those of reading its file, which nothing else tells. A page
    is not read again, but what was made of it."""
    stored = document_rows.load_document_diagnostics(connection, document.node, document.source)
    if document.format == FORMAT:
        return stored
    reading = [problem for problem in stored if problem.code in READING_CODES]
    return (*reading, *(problem for problem in parsed.diagnostics if problem not in reading))


def check_document(connection: Connection, stored: Stored) -> Iterator[Finding]:
    """What of a document does not follow from its text."""
    source, first = f"{stored.root}/{stored.document.source}", stored.nodes[0].id
    file = parse_again(connection, stored)
    if not _same_tree(file.parsed, stored.nodes):
        yield Finding("tree", True, f"{source}: the nodes are not those of its text", first)
        return
    draft = _draft_again(file, stored)
    for have, want in zip(stored.nodes, draft.nodes, strict=True):
        if have != want:
            wrong = ", ".join(f for f, a, b in zip(NodeRow._fields, have, want, strict=True) if a != b)
            yield Finding("tree", True, f"{source}: {wrong} of node {have.id} does not follow from the text", have.id)
    if draft.document != stored.document:
        yield Finding("documents", True, f"{source}: the document's row does not follow from its text", first)
    if sorted_tags(draft) != stored.tags:
        yield Finding("tags", True, f"{source}: the tags are not those of its text", first)
    if _list_stored_problems(connection, stored) != sorted(map(_show_problem, file.diagnostics)):
        yield Finding("diagnostics", True, f"{source}: the diagnostics are not those of its text", first)
    yield from _check_names(connection, draft, source)
    yield from _check_links(connection, draft, stored.root, source)


def mend_rows(connection: Connection, stored: Stored) -> None:
    """Gives a document whose nodes are those of its text the rows, tags and diagnostics that follow from it, in place:
    nothing that it says changes, so there is no snapshot. Must run inside a write transaction."""
    file = parse_again(connection, stored)
    if not _same_tree(file.parsed, stored.nodes):
        return
    draft = _draft_again(file, stored)
    wrong = [want for have, want in zip(stored.nodes, draft.nodes, strict=True) if have != want]
    node_rows.update_nodes(connection, wrong)
    if draft.document != stored.document:
        document_rows.save_documents(connection, [draft.document])
    if sorted_tags(draft) != stored.tags:
        tags = [(key, strict_key(tag), tag) for key, own in sorted_tags(draft).items() for tag in own]
        node_rows.replace_tags(connection, [row.key for row in stored.nodes], tags)
    if _list_stored_problems(connection, stored) != sorted(map(_show_problem, file.diagnostics)):
        rows = [(draft.document.node, *problem) for problem in sorted(map(_show_problem, file.diagnostics))]
        document_rows.replace_diagnostics(connection, [draft.document.node], rows)


def _draft_again(file: NewFile, stored: Stored) -> Draft:
    """The document as its text makes it, under the keys and ids that its nodes have."""
    keys = [row.key for row in stored.nodes]
    nodes = make_rows(file, keys, [row.id for row in stored.nodes])
    return Draft(file, make_document(file, stored.document.root, keys), nodes, None)


def _list_stored_problems(connection: Connection, stored: Stored) -> list[tuple[int, str, str]]:
    document = stored.document
    found = document_rows.load_document_diagnostics(connection, document.node, document.source)
    return sorted(map(_show_problem, found))


def _show_problem(problem: Diagnostic) -> tuple[int, str, str]:
    return problem.line, problem.code, problem.message


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
