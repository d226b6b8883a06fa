"""Drafts of documents as they were: nodes of the history, made to rows again with their links, tags and names. The text
is parsed again; where other nodes come out, as after a call that changed some, each node's own text is, with the links
that definitions elsewhere in the document give it. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import orjson

from remem.ids import text_hash
from remem.ingest.levels import read_level
from remem.ingest.parse import PARSER_VERSION, WHOLE, parse_source
from remem.ingest.render import DEFAULT_GAP
from remem.ingest.tokens import count_tokens
from remem.keys import strict_key
from remem.reading.past import PastNode
from remem.reading.text import render_document
from remem.records import FileStat, NodeRow, ParsedDocument, ParsedLink, ParsedNode
from remem.storage import summaries as summary_rows
from remem.writing.closed import settle_links
from remem.writing.drafts import Draft, NewFile, OldTree, make_document, make_rows
from remem.writing.kept import unpack_links
from remem.writing.naming import stem_of
from remem.writing.standing import MARKED, find_title, find_title_heading, retitle

if TYPE_CHECKING:
    from sqlite3 import Connection

DEFAULT_LIMIT = 512


class Wanted(NamedTuple):
    """A node as it is to be: `parent` is the key of what it lies in, `section` says whether it opens a section."""

    key: int
    id: str
    kind: str
    label: str | None
    content: str
    parent: int | None
    piece: int
    gap: str | None
    prefix: str | None
    section: bool
    tags: tuple[str, ...]


class FileState(NamedTuple):
    """The file that a document stands against: the hash of its bytes (empty: there is none), its stat, when it was seen
    (milliseconds)."""

    hash: bytes
    stat: FileStat
    seen_at: int


class WantedDocument(NamedTuple):
    """A document as it is to be, with the key of its root and the file that it stands against. `was` is the source at
    which it was so."""

    root: int
    source: str
    format: str
    settings: str
    title: int | None
    tail: str
    nodes: Sequence[Wanted]
    file: FileState
    was: str


def want_past(node: PastNode) -> Wanted:
    """A node as it was."""
    place, state = node.place, node.state
    return Wanted(
        node.key, node.id, state.kind, state.label, node.text, place.parent, place.piece, place.gap, place.prefix,
        place.section, state.tags,
    )  # fmt: skip


def want_row(row: NodeRow, tags: Mapping[int, tuple[str, ...]]) -> Wanted:
    """A node as it is."""
    return Wanted(
        row.key, row.id, row.kind, row.label, row.content, row.parent, row.piece, row.gap, row.prefix,
        row.station == row.key, tags.get(row.key, ()),
    )  # fmt: skip


def draft_document(connection: Connection, wanted: WantedDocument, old: OldTree | None, *, exact: bool) -> Draft:
    """The draft of a document. With `exact` its nodes are just what is wanted; otherwise what their text makes of them
    counts, if these are the same nodes."""
    wanted = _retitle(wanted)
    kept = _load_kept(connection, wanted)
    parsed = _parse_whole(wanted)
    if parsed is not None:
        draft = _make_draft(wanted, _keep_links(parsed, kept), old)
        if not exact or _is_wanted(draft, wanted):
            return draft
    whole = _compose(wanted)
    composed = _keep_links(whole if exact else _settle_title(whole), kept)
    return _make_draft(wanted, settle_links(composed, "", f"/{_find_limit(wanted)}"), old)


def _find_limit(wanted: WantedDocument) -> int:
    """The most tokens that a node has."""
    limit = wanted.settings.rpartition("/")[2]
    return int(limit) if limit.isdigit() else DEFAULT_LIMIT


def _retitle(wanted: WantedDocument) -> WantedDocument:
    """With the title that it has at its source, where it cannot return to the one that it had."""
    first, *others = wanted.nodes
    if wanted.source == wanted.was or first.label != stem_of(wanted.was):
        return wanted
    nodes = _compose(wanted).nodes
    label = retitle(nodes, wanted.format, wanted.was, wanted.source, has_heading=wanted.title is not None)
    return wanted._replace(nodes=(first._replace(label=label), *others))


def _load_kept(connection: Connection, wanted: WantedDocument) -> dict[int, tuple[ParsedLink, ...]]:
    """The links that summaries keep, by the place of their node."""
    rows = summary_rows.load_summaries(connection, [node.key for node in wanted.nodes])
    return {
        place: unpack_links(rows[node.key].links)
        for place, node in enumerate(wanted.nodes)
        if node.key in rows and rows[node.key].hash == text_hash(node.content)
    }


def _keep_links(parsed: ParsedDocument, kept: Mapping[int, tuple[ParsedLink, ...]]) -> ParsedDocument:
    if not kept:
        return parsed
    nodes = [node._replace(links=(*node.links, *kept.get(place, ()))) for place, node in enumerate(parsed.nodes)]
    return replace(parsed, nodes=tuple(nodes))


def _make_draft(wanted: WantedDocument, parsed: ParsedDocument, old: OldTree | None) -> Draft:
    keys = tuple(node.key for node in wanted.nodes)
    before, _, limit = wanted.settings.rpartition("/")
    _, plus, redacted = before.partition("+")
    settings = f"{PARSER_VERSION}{plus}{redacted}/{limit}" if limit.isdigit() else wanted.settings
    size = sum(len(node.content) for node in wanted.nodes)
    found = wanted.file
    file = NewFile(parsed, found.hash, found.stat, found.seen_at, settings, parsed.diagnostics, size, keys)
    rows = make_rows(file, keys, [node.id for node in wanted.nodes])
    return Draft(file, make_document(file, wanted.root, keys), rows, old)


def _is_wanted(draft: Draft, wanted: WantedDocument) -> bool:
    tags = draft.node_tags()
    for row, node in zip(draft.nodes, wanted.nodes, strict=True):
        made = (row.parent, row.label, order_strictly(tags.get(row.key, ())))
        if made != (node.parent, node.label, node.tags):
            return False
    return True


def order_strictly(tags: Iterable[str]) -> tuple[str, ...]:
    """The tags as the store will return them: one for each key, by key."""
    by_key = {strict_key(tag): tag for tag in tags}
    return tuple(by_key[key] for key in sorted(by_key))


# --- from the text ----------------------------------------------------------------------------------------------------


def _parse_whole(wanted: WantedDocument) -> ParsedDocument | None:
    """The document's text, parsed; None where other nodes come out."""
    text = render_document((_make_row(node) for node in wanted.nodes), wanted.tail)
    parsed = parse_source(
        wanted.source, text, wanted.format, max_tokens=_find_limit(wanted), previous=list_pieces(wanted.nodes)
    )
    made = [(node.kind, node.content) for node in parsed.nodes]
    return parsed if made == [(node.kind, node.content) for node in wanted.nodes] else None


def _make_row(node: Wanted) -> NodeRow:
    return NodeRow(
        node.key, node.id, node.kind, 0, node.parent, 0, 0, 0, node.piece, 0, node.label, node.content, node.gap,
        node.prefix,
    )  # fmt: skip


def list_pieces(nodes: Sequence[Wanted]) -> list[list[str]]:
    """The contents of the pieces of each split block, in order."""
    ends = list_ends(nodes)
    blocks: list[list[str]] = []
    for index, node in enumerate(nodes):
        after = ends[index] + 1
        if node.piece and blocks:
            blocks[-1].append(node.content)
        elif not node.piece and after < len(nodes) and nodes[after].piece == 1:
            blocks.append([node.content])
    return blocks


def list_ends(nodes: Sequence[Wanted]) -> list[int]:
    """The index of the last node below each, its own where there is none."""
    places = {node.key: index for index, node in enumerate(nodes)}
    ends = list(range(len(nodes)))
    for index in range(len(nodes) - 1, 0, -1):
        above = places.get(nodes[index].parent or 0)
        if above is not None:
            ends[above] = max(ends[above], ends[index])
    return ends


# --- node by node -----------------------------------------------------------------------------------------------------


def _compose(wanted: WantedDocument) -> ParsedDocument:
    """The document put together of its nodes: what each says of links, blocks and aliases is read of it alone."""
    places = {node.key: index for index, node in enumerate(wanted.nodes)}
    aliases: tuple[str, ...] = ()
    nodes = []
    for node, last in zip(wanted.nodes, list_ends(wanted.nodes), strict=True):
        alone = parse_source("", node.content, wanted.format, max_tokens=WHOLE) if node.content else None
        if alone is not None and node.kind == "kv":
            aliases = aliases or alone.aliases
        parent = -1 if node.parent is None else places[node.parent]
        nodes.append(_compose_node(node, parent, last, alone, is_section=node.section or node.key == wanted.title))
    title = None if wanted.title is None else places.get(wanted.title)
    return ParsedDocument(wanted.source, wanted.format, tuple(nodes), wanted.tail, title, aliases, ())


def _settle_title(composed: ParsedDocument) -> ParsedDocument:
    """With the title, and the title heading, that the nodes of a Markdown document give it."""
    nodes = composed.nodes
    if composed.format not in MARKED:
        return composed
    first = nodes[0]._replace(label=find_title(nodes, composed.source))
    return replace(composed, nodes=(first, *nodes[1:]), title_heading=find_title_heading(nodes))


def _compose_node(
    node: Wanted, parent: int, last: int, alone: ParsedDocument | None, *, is_section: bool
) -> ParsedNode:
    inner = () if alone is None else alone.nodes
    return ParsedNode(
        node.kind, node.content, node.label or "", parent, last,
        DEFAULT_GAP if node.gap is None else node.gap,
        tuple(orjson.loads(node.prefix)) if node.prefix else (),
        (read_level(node.content) or 1) if is_section and parent >= 0 else 0,
        node.piece, count_tokens(node.content), 0,
        tuple(block for one in inner for block in one.blocks),
        tuple(link for one in inner for link in one.links),
        node.tags,
    )  # fmt: skip
