"""The texts of sections as a recall tells them, one after the other: what was told already is left out, block by block.
Ranks nothing, counts nothing. Reads only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import orjson

from remem.ingest.html.marks import strip_anchors
from remem.ingest.labels import label_row
from remem.ingest.plain import render_plain
from remem.ingest.render import render
from remem.keys import exact_key
from remem.records import Crumb, NodeRow
from remem.search.service.hits import show_plain
from remem.storage import nodes as node_rows
from remem.storage import passages as passage_rows

if TYPE_CHECKING:
    from sqlite3 import Connection

SHORT = 12
"""Blocks of fewer characters ("yes", "see above") are told again: they mean something else in each place."""

_BLANK_LINES = re.compile(r"(?:\n[ \t]*){2,}")
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE)
_UNDERLINE = re.compile(r"[ \t]*(?:=+|-+)[ \t]*\n+")


class Piece(NamedTuple):
    """A node, and of its content what is not told yet, with the keys by which that is known again."""

    node: NodeRow
    content: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Telling:
    """A section to be told: label, place (root, source), what it lies in, text without its own heading, pieces."""

    row: NodeRow
    label: str
    root: str
    source: str
    breadcrumb: tuple[Crumb, ...]
    text: str
    pieces: tuple[Piece, ...]


class Teller:
    """What was told so far, and the sections (keys) that may come."""

    def __init__(self, connection: Connection, sections: Sequence[int], most_tokens: int) -> None:
        """Sections that are longer than `most_tokens` with all below them come with their own text alone."""
        self._connection = connection
        self._most_tokens = most_tokens
        self._rows = node_rows.load_nodes(connection, sections)
        self._places = node_rows.load_places(connection, list(self._rows))
        self._crumbs = passage_rows.load_breadcrumbs(connection, list(self._rows))
        self._nodes: set[int] = set()
        self._keys: set[str] = set()
        self._texts: set[str] = set()

    def prepare(self, section: int) -> Telling | None:
        """What is left to tell of a section; None where that is nothing, or where it is gone. The text is empty where
        all of it stands in sections below that would be too long."""
        row = self._rows.get(section)
        if row is None:
            return None
        nodes, is_above = self._choose_nodes(row)
        known: set[str] = set()
        pieces = _drop_bare_headings(row, [self._cut_node(node, known) for node in nodes])
        label = label_row(row)
        text = _render_below(label, row, pieces)
        if fold_plain(text) in self._texts or not (text or is_above):
            return None
        root, source, _ = self._places[section]
        crumbs = tuple(Crumb(id, name) for id, name in self._crumbs.get(section, ()))
        return Telling(row, label, root or "", source, crumbs, text, tuple(pieces))

    def note(self, told: Telling) -> None:
        """Takes it as told."""
        self._texts.add(fold_plain(told.text))
        self._nodes.update(piece.node.key for piece in told.pieces)
        self._keys.update(key for piece in told.pieces for key in piece.keys)

    def is_new(self, left: Telling) -> bool:
        """Whether something of it was not told after all."""
        if not left.text:
            return True
        told = [piece.node.key in self._nodes or self._keys.issuperset(piece.keys or ("",)) for piece in left.pieces]
        texts = [known for known, piece in zip(told, left.pieces, strict=True) if piece.node.kind != "heading"]
        return not all(texts or told) and fold_plain(left.text) not in self._texts

    def _choose_nodes(self, row: NodeRow) -> tuple[list[NodeRow], bool]:
        """The nodes of a section that are not told: with all below it where that is not too long, else its own; and
        whether that is too long and there is no text of its own."""
        nodes = node_rows.load_subtree(self._connection, row)
        is_long = sum(node.tokens for node in nodes) > self._most_tokens
        if is_long:
            nodes = [node for node in nodes if node.station == row.key]
        is_above = is_long and not any(node.content and node.kind != "heading" for node in nodes)
        return [node for node in nodes if node.key not in self._nodes], is_above

    def _cut_node(self, node: NodeRow, known: set[str]) -> Piece:
        """A node without what was told, or stands further up (`known`); a heading always stays, and so does code that
        its own section repeats."""
        if node.kind == "heading":
            return Piece(node, node.content, ())
        parts = _split_content(node)
        kept: list[str] = []
        keys: list[str] = []
        for part in parts:
            key = _make_key(node.kind, part)
            if key in self._keys or (key in known and node.kind not in ("code", "table")):
                continue
            kept.append(part)
            if len(key) >= SHORT:
                keys.append(key)
                known.add(key)
        return Piece(node, node.content if len(kept) == len(parts) else "\n\n".join(kept), tuple(keys))


def _split_content(node: NodeRow) -> Sequence[str]:
    """A memory's content is one node whatever it holds: its paragraphs, unless a fence may go over several."""
    if node.kind != "memory" or _FENCE.search(node.content):
        return [node.content]
    return [part for part in _BLANK_LINES.split(node.content) if part.strip()]


def _make_key(kind: str, content: str) -> str:
    """What equal blocks have in common: their words, whatever their markup and case."""
    return exact_key(show_plain(kind, content)).casefold()


def _drop_bare_headings(row: NodeRow, pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with text, and the headings that stand above such and say something else. A section without any text
    is its own heading."""
    filled = [piece for piece in pieces if piece.content and piece.node.kind != "heading"]
    if not filled and row.last == row.position:
        return [piece for piece in pieces if piece.content]
    kept = []
    for piece in pieces:
        node = piece.node
        below = [other for other in filled if node.position <= other.node.position <= node.last]
        if not piece.content or not below:
            continue
        if node.kind != "heading" or fold_plain(piece.content) != fold_plain(below[0].content):
            kept.append(piece)
    return kept


def _render_below(label: str, row: NodeRow, pieces: Sequence[Piece]) -> str:
    """The texts in order, with what the file has between them, without the heading that says what the label says,
    unless that is all there is."""
    title = fold_plain(label)
    below = [
        piece
        for piece in pieces
        if piece.node.kind != "heading" or piece.node.station != row.key or fold_plain(piece.content) != title
    ]
    text = render(_list_parts(below or pieces), "").strip()
    return drop_title(text, title) if row.kind == "memory" else text


def _list_parts(pieces: Sequence[Piece]) -> Iterator[tuple[str, str, Sequence[str]]]:
    for node, content, _ in pieces:
        prefix = orjson.loads(node.prefix) if node.prefix and content == node.content else ()
        yield "\n\n" if node.gap is None else strip_anchors(node.gap), content, prefix


def drop_title(text: str, title: str) -> str:
    """A text without its first line where that says what the (folded) title says, unless it is all there is."""
    first, _, rest = text.partition("\n")
    if not rest.strip() or fold_plain(first) != title:
        return text
    underline = _UNDERLINE.match(rest)
    return (rest[underline.end() :] if underline else rest).strip("\n") or text


def fold_plain(text: str) -> str:
    """What is compared: the words of a text on one line, without markup and case."""
    return " ".join(render_plain(text).split()).casefold()
