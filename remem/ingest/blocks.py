"""Blocks to nodes: which block becomes a node, and below which. It reads no events and cuts no text.

A container that is one leaf (a list of paragraphs, a quote of paragraphs) becomes one node; any other becomes a node
with its blocks below it. Headings on the top level open sections.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from remem.ingest.labels import block_label
from remem.ingest.prefixes import FOOTNOTE_WIDTH, item_width
from remem.ingest.rows import RowWriter
from remem.ingest.tree import SIMPLE_PARTS, Block

MAX_DEPTH = 32
"""Containers nested deeper than this are kept as leaves."""

_NODE_KINDS = {"indented": "code", "footnote": "text", "item": "list"}
_BULLET_ONLY = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)]|\[\^[^\]\n]*\]:)[ \t]*")
_DEFINITION = re.compile(r"\[[^\]\n]+\]:")
_LEAD = re.compile(r"[\s>]*")


class TreeWriter:
    """Walks a tree of blocks and has the writer make their rows."""

    def __init__(self, writer: RowWriter) -> None:
        self._writer = writer
        self._text = writer.text
        self._rows = writer.rows

    def add_document(self, root: Block) -> None:
        """All blocks of the top level, sections nested by the level of their headings."""
        sections = [(0, 0)]
        for block in root.children:
            if block.kind == "heading":
                while sections[-1][0] >= block.level:
                    sections.pop()
                row = self._writer.add_block(block, "heading", sections[-1][1], ())
                if row is not None:
                    row.level = block.level
                    sections.append((block.level, len(self._rows) - 1))
            else:
                self._add_block(block, sections[-1][1], ())

    def _add_block(self, block: Block, parent: int, widths: tuple[int, ...], inline: int = -1) -> None:
        kind = block.kind
        if kind == "rule":
            return
        if not block.complex or len(widths) >= MAX_DEPTH:
            self._writer.add_block(block, _NODE_KINDS.get(kind, kind), parent, widths)
        elif kind == "list":
            self._add_items(block, parent, widths, inline)
        elif kind == "quote":
            self._add_quote(block, parent, widths)
        else:
            self._add_item(block, _NODE_KINDS.get(kind, kind), parent, widths, inline)

    def _add_items(self, block: Block, parent: int, widths: tuple[int, ...], inline: int) -> None:
        """A list of which some item holds more than paragraphs and lists: that item is a node, the runs between too."""
        run: Block | None = None
        for item in block.children:
            if not item.complex:
                run = run or Block("list", item.start, item.end)
                run.children.append(item)
                run.end = item.end
                continue
            if run is not None:
                self._writer.add_block(run, "list", parent, widths)
                run = None
            self._add_item(item, "list", parent, widths, inline if item is block.children[0] else -1)
        if run is not None:
            self._writer.add_block(run, "list", parent, widths)

    def _add_quote(self, block: Block, parent: int, widths: tuple[int, ...]) -> None:
        index = self._add_parent(block, "quote", block.start, parent, widths)
        content_start = block.start + (2 if self._text.startswith("> ", block.start) else 1)
        self._add_children(block, block.children, index, (*widths, 0), content_start)

    def _add_item(self, item: Block, kind: str, parent: int, widths: tuple[int, ...], inline: int) -> None:
        """An item (or footnote) that holds more than paragraphs: what comes before such a block is its content."""
        lead, children = _split_lead(item)
        index = self._add_parent(item, kind, lead, parent, widths)
        width = FOOTNOTE_WIDTH if item.kind == "footnote" else item_width(self._text, item.start, widths, inline)
        mark = _BULLET_ONLY.match(self._text, item.start)
        self._add_children(item, children, index, (*widths, width), mark.end() if mark else item.start)

    def _add_parent(self, block: Block, kind: str, lead: int, parent: int, widths: tuple[int, ...]) -> int:
        """The node of a container: its content is the text up to `lead`, or empty where that is only a bullet."""
        text = self._text[block.start : lead]
        index = len(self._rows)
        if text.strip() and not _BULLET_ONLY.fullmatch(text.rstrip(" \t>")):
            leaf = Block(block.kind, block.start, lead)
            self._writer.add_block(leaf, kind, parent, widths, whole=True)
        else:
            self._writer.add_row(kind, "", block.start, block.start, parent)
        return index

    def _add_children(
        self, block: Block, children: Sequence[Block], parent: int, widths: tuple[int, ...], inline: int
    ) -> None:
        line_end = self._text.find("\n", block.start)
        for child in children:
            if child.kind != "rule":
                self._add_rest(child.start, parent, widths)
                shared = inline if line_end < 0 or child.start < line_end else -1
                self._add_block(child, parent, widths, shared)
            elif self._has_words(child.start):
                self._add_rest(child.start, parent, widths)
        self._add_rest(block.end, parent, widths)
        self._set_label(parent)

    def _add_rest(self, end: int, parent: int, widths: tuple[int, ...]) -> None:
        """Text between the blocks of an item for which the parser reports no paragraph (a tight list)."""
        if not self._has_words(end):
            return
        start = self._writer.end
        lead = _LEAD.match(self._text, start, end)
        start = lead.end() if lead else start
        self._writer.add_block(Block("text", start, end), "text", parent, widths)

    def _has_words(self, end: int) -> bool:
        """Whether more than prefixes, rules and link definitions stands between the last content and `end`."""
        rest = self._text[self._writer.end : end].strip(" \t\n>")
        if not rest:
            return False
        lines = (line.strip(" \t>") for line in rest.split("\n"))
        return any(
            line.strip("-*_ \t") and not _DEFINITION.match(line) and not _BULLET_ONLY.fullmatch(line) for line in lines
        )

    def _set_label(self, index: int) -> None:
        """A container without content carries the label of its first block."""
        row = self._rows[index]
        if row.content or row.label or index + 1 >= len(self._rows):
            return
        child = self._rows[index + 1]
        row.label = child.label or block_label(child.kind, child.content)


def _split_lead(item: Block) -> tuple[int, list[Block]]:
    """Where an item's own text ends, and the blocks from there on: those that are no paragraph and no plain list."""
    for index, child in enumerate(item.children):
        if child.complex or child.kind not in SIMPLE_PARTS[item.kind]:
            return child.start, item.children[index:]
    return item.end, []
