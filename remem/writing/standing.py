"""Standing documents: one as the store holds it, in the shape of a parsed file whose nodes have their keys, so that a
call can change some of it and write the rest as it was. Links and tags are those of the rows; no text is parsed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from remem.ingest.html.marks import FORMAT
from remem.ingest.levels import read_level
from remem.ingest.parse import parse_source
from remem.ingest.render import render_parsed
from remem.ingest.splice import BLANK_LINE, Splice
from remem.records import (
    MICRO,
    RELATIONSHIP_TYPES,
    Diagnostic,
    DocumentRow,
    FileStat,
    KeyedNode,
    LinkRow,
    NodeRow,
    ParsedDocument,
    ParsedLink,
    ParsedNode,
)
from remem.storage import documents as document_rows
from remem.storage import links as link_rows
from remem.storage import names as name_rows
from remem.storage import nodes as node_rows
from remem.writing.drafts import NewFile, OldTree
from remem.writing.naming import stem_of

if TYPE_CHECKING:
    from sqlite3 import Connection


MARKED = ("markdown", FORMAT)
"""Formats of texts that are Markdown, front matter and all."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A document as it stands: its rows, and the same as keyed nodes."""

    old: OldTree
    splice: Splice
    aliases: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def document(self) -> DocumentRow:
        """The document's row."""
        return self.old.document

    @property
    def front(self) -> int:
        """How many nodes stand at the top that are the document itself and its front matter."""
        markdown = self.document.format in MARKED
        return find_front([item.node for item in self.splice.nodes]) if markdown else 1


def load_standing(connection: Connection, document: DocumentRow) -> Standing:
    """A living document."""
    rows = node_rows.load_trees(connection, [document.node])[document.node]
    tags = node_rows.load_tags(connection, [document.node])
    links: dict[int, list[ParsedLink]] = {}
    for link in link_rows.load_links_of_nodes(connection, [row.key for row in rows]):
        links.setdefault(link.node, []).append(read_link(link))
    blocks: dict[int, list[str]] = {}
    aliases: list[str] = []
    for name in name_rows.load_node_names(connection, [row.key for row in rows]):
        if name.kind == "block":
            blocks.setdefault(name.node, []).append(name.text)
        elif name.kind == "alias":
            aliases.append(name.text)
    nodes = _key_nodes(rows, document, links, blocks, tags)
    problems = document_rows.load_document_diagnostics(connection, document.node, document.source)
    return Standing(OldTree(document, rows, tags), Splice(nodes, document.tail), tuple(sorted(aliases)), problems)


def _key_nodes(
    rows: Sequence[NodeRow],
    document: DocumentRow,
    links: Mapping[int, Sequence[ParsedLink]],
    blocks: Mapping[int, Sequence[str]],
    tags: Mapping[int, tuple[str, ...]],
) -> list[KeyedNode]:
    places = {row.key: index for index, row in enumerate(rows)}
    return [
        KeyedNode(
            ParsedNode(
                row.kind, row.content, row.label or "", -1 if row.parent is None else places[row.parent], row.last,
                BLANK_LINE if row.gap is None else row.gap,
                tuple(orjson.loads(row.prefix)) if row.prefix else (),
                find_level(row, document), row.piece, row.tokens, 0,
                tuple(sorted(blocks.get(row.key, ()))), tuple(links.get(row.key, ())), tags.get(row.key, ()),
            ),
            row.key,
        )
        for row in rows
    ]  # fmt: skip


def find_level(row: NodeRow, document: DocumentRow) -> int:
    """The level of a heading or a record of data that opens a section, 0 for any other node."""
    if row.parent is None or (row.station != row.key and row.key != document.title_heading):
        return 0
    return (read_level(row.content) or 1) if row.kind == "heading" else 1


def read_link(row: LinkRow) -> ParsedLink:
    """A link as it was written, from its row."""
    return ParsedLink(
        row.form, row.label, row.anchor, row.shown, row.source, row.id, RELATIONSHIP_TYPES[row.type],
        row.weight / MICRO,
    )  # fmt: skip


def make_file(standing: Standing, after: Splice, top: ParsedDocument | None = None) -> NewFile:
    """The document with other nodes, as a file to be written. `top` is the text that its front matter is of now, where
    a call changed that: aliases and tags of the document are those of it."""
    document = standing.document
    nodes = [item.node for item in after.nodes]
    title_heading, title = _settle_title(standing, after, top)
    first = nodes[0]._replace(label=title)
    if top is not None:
        first = first._replace(tags=top.nodes[0].tags)
    parsed = ParsedDocument(
        document.source, document.format, (first, *nodes[1:]), after.tail, title_heading,
        standing.aliases if top is None else top.aliases, standing.diagnostics,
    )  # fmt: skip
    return _wrap(document, parsed, tuple(item.key for item in after.nodes), document.settings)


def restore_file(standing: Standing, source: str, stat: FileStat, seen_at: int, settings: str) -> NewFile:
    """The document as it stands, under another source, or as seen again."""
    document, nodes = standing.document, [item.node for item in standing.splice.nodes]
    title = document.title_heading
    keys = tuple(item.key for item in standing.splice.nodes)
    label = retitle(nodes, document.format, document.source, source, has_heading=title is not None)
    parsed = ParsedDocument(
        source, document.format, (nodes[0]._replace(label=label), *nodes[1:]), document.tail,
        None if title is None else keys.index(title), standing.aliases, standing.diagnostics,
    )  # fmt: skip
    found = DocumentRow(
        document.node, document.root, source, document.format, title, document.tail, document.hash,
        stat.size, stat.mtime, stat.inode, seen_at, settings,
    )  # fmt: skip
    return _wrap(found, parsed, keys, settings)


def _wrap(document: DocumentRow, parsed: ParsedDocument, keys: tuple[int | None, ...], settings: str) -> NewFile:
    stat = FileStat(document.size, document.mtime, document.inode)
    size = sum(len(node.content) for node in parsed.nodes)
    return NewFile(parsed, document.hash, stat, document.seen_at, settings, parsed.diagnostics, size, keys)


# --- nesting ----------------------------------------------------------------------------------------------------------


def nest_nodes(standing: Standing, after: Splice) -> Splice:
    """The document with its nodes nested as their text says, where that has these nodes. One that a call nested in a
    way that its text does not say stays as it is."""
    was, will = (_parse(standing.document, splice) for splice in (standing.splice, after))
    if not was or not will or any(a.parent != b.node.parent for a, b in zip(was, standing.splice.nodes, strict=True)):
        return after
    nested = [
        KeyedNode(item.node._replace(parent=node.parent, last=node.last, level=node.level), item.key)
        for item, node in zip(after.nodes, will, strict=True)
    ]
    return Splice(nested, after.tail)


def _parse(document: DocumentRow, splice: Splice) -> Sequence[ParsedNode]:
    """The nodes that a document's text makes; none where these are others."""
    nodes = tuple(item.node for item in splice.nodes)
    whole = ParsedDocument(document.source, document.format, nodes, splice.tail, None, (), ())
    parsed = parse_again(whole, document.settings).nodes
    return parsed if [n[:2] for n in parsed] == [n[:2] for n in nodes] else ()


def parse_again(parsed: ParsedDocument, settings: str) -> ParsedDocument:
    """What the text of a document makes, under its settings; blocks that are split are cut where they are."""
    nodes = parsed.nodes
    pieces: list[list[str]] = []
    for node, after in zip(nodes, [*nodes[1:], None], strict=True):
        if node.piece and pieces:
            pieces[-1].append(node.content)
        elif after is not None and after.piece == 1:
            pieces.append([node.content])
    text = render_parsed(parsed)
    limit = int(settings.rpartition("/")[2])
    return parse_source(parsed.source, text, parsed.format, max_tokens=limit, previous=pieces)


# --- titles -----------------------------------------------------------------------------------------------------------


def find_front(nodes: Sequence[ParsedNode]) -> int:
    """How many nodes at the top of a Markdown document are itself and its front matter."""
    end = 1
    while end < len(nodes) and nodes[end].kind == "kv" and (end == 1 or nodes[end].piece):
        end += 1
    return end


def find_title_heading(nodes: Sequence[ParsedNode]) -> int | None:
    """The place of a Markdown document's title heading: its only heading of level 1, if that is the first node after
    front matter."""
    first = find_front(nodes)
    tops = [index for index, node in enumerate(nodes) if node.level == 1 and node.parent == 0]
    return first if tops == [first] else None


def find_title(nodes: Sequence[ParsedNode], source: str) -> str:
    """What a Markdown document is called: by its front matter, else by its title heading, else by its file."""
    title_heading = find_title_heading(nodes)
    heading = None if title_heading is None else nodes[title_heading].label
    return _front_title(nodes) or heading or stem_of(source)


def retitle(nodes: Sequence[ParsedNode], format: str, was: str, source: str, *, has_heading: bool) -> str:
    """What a document is called that stood at the source `was` and stands at another one: one that was called by its
    file is called by that of now."""
    label = nodes[0].label
    if label != stem_of(was):
        return label
    if format in MARKED:
        return find_title(nodes, source)
    return label if has_heading else stem_of(source)


def _front_title(nodes: Sequence[ParsedNode]) -> str:
    end = find_front(nodes)
    text = "".join((node.gap if node.piece else "") + node.content for node in nodes[1:end])
    return parse_source("", text, "markdown").nodes[0].label if text else ""


def _settle_title(standing: Standing, after: Splice, top: ParsedDocument | None) -> tuple[int | None, str]:
    """The title heading and the title of a document as it is to be. In what is not Markdown, the heading is the one
    that it was."""
    document, nodes = standing.document, [item.node for item in after.nodes]
    if document.format in MARKED:
        return find_title_heading(nodes), find_title(nodes, document.source)
    former = document.title_heading
    place = next((index for index, item in enumerate(after.nodes) if former is not None and item.key == former), None)
    heading = None if place is None else nodes[place].label
    if top is not None:
        return place, top.nodes[0].label or heading or stem_of(document.source)
    label = standing.old.nodes[0].label or ""
    was = next((row.label for row in standing.old.nodes if row.key == former), None)
    stem = stem_of(document.source)
    return place, label if label not in (was, stem) else heading or stem
