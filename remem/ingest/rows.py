"""The rows of a file's nodes, written in the order of the text: content, gap, prefixes, pieces, links and tags of each.

Which block becomes which node is decided in `blocks`; where a large one is cut, in `split`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TypeAlias

from remem.ingest.labels import strip_block_id
from remem.ingest.pieces import Item, Places, find_block_id, find_item_cuts, find_item_ids, find_items
from remem.ingest.prefixes import split_prefixes
from remem.ingest.split import Span, find_raw_links, split_block
from remem.ingest.tokens import count_tokens, fits_limit
from remem.ingest.tree import Block, Found
from remem.records import ParsedLink, ParsedNode

INDENT = 4
_UNNAMED = ("code", "html", "kv")
"""Kinds whose text never ends in a block id: a `^` in them is their own."""

Tagged: TypeAlias = tuple[int, str]


class Row:
    """A node that is being made; `last` is known when all are."""

    label = ""
    prefixes: tuple[str, ...] = ()
    level = 0
    piece = 0
    tokens = 0
    blocks: tuple[str, ...] = ()
    links: tuple[ParsedLink, ...] = ()
    tags: tuple[str, ...] = ()

    def __init__(self, kind: str, content: str, gap: str, parent: int, line: int) -> None:
        self.kind = kind
        self.content = content
        self.gap = gap
        self.parent = parent
        self.line = line


class Leaf:
    """The source of one node before it is split: its content, where it lies, its prefixes."""

    __slots__ = ("content", "end", "prefixes", "start")

    def __init__(self, text: str, start: int, end: int, widths: Sequence[int]) -> None:
        raw = text[start:end]
        content = raw.lstrip()
        self.start = start + len(raw) - len(content)
        self.content = content = content.rstrip()
        self.prefixes: tuple[str, ...] = ()
        length = len(content)
        if widths and "\n" in content:
            self.content, self.prefixes, length = split_prefixes(content, widths)
        self.end = self.start + length


WHOLE = 1 << 40
"""More tokens than any text has: with this limit no block is split, and none is counted."""


class RowWriter:
    """Writes rows in order. `links`, `tags` and `spans` are in order of position; each link and tag goes to the node in
    which it begins. No node gets more than `limit` tokens but headings, parents of blocks, and single links; where that
    is `WHOLE`, tokens are not counted."""

    def __init__(
        self,
        text: str,
        limit: int,
        previous: Sequence[Sequence[str]],
        links: Sequence[Found],
        tags: Sequence[Tagged],
        spans: Sequence[Span],
    ) -> None:
        self.text = text
        self.rows = [Row("document", "", "", -1, 1)]
        self.end = 0
        self._limit = limit
        self._previous = previous
        self._links, self._link = links, 0
        self._tags, self._tag = tags, 0
        self._spans = sorted(spans)
        self._counted, self._line = 0, 1

    def finish(self) -> tuple[list[ParsedNode], str]:
        """The nodes, and the text after the last one's content."""
        rows = self.rows
        last = list(range(len(rows)))
        for index in range(len(rows) - 1, 0, -1):
            parent = rows[index].parent
            if last[index] > last[parent]:
                last[parent] = last[index]
        nodes = [
            ParsedNode(
                row.kind, row.content, row.label, row.parent, end, row.gap, row.prefixes,
                row.level, row.piece, row.tokens, row.line, row.blocks, row.links, row.tags,
            )
            for row, end in zip(rows, last, strict=True)
        ]  # fmt: skip
        return nodes, self.text[self.end :]

    def add_block(
        self, block: Block, kind: str, parent: int, widths: tuple[int, ...], *, whole: bool = False
    ) -> Row | None:
        """A block as one node, or as pieces unless `whole`; the first row. None where the block is empty or is nothing
        but the id of the block before it: then its text stands in the gap."""
        leaf = Leaf(self.text, block.start, block.end, (*widths, INDENT) if block.kind == "indented" else widths)
        content = leaf.content
        if not content or leaf.start < self.end:
            return None
        names: tuple[str, ...] = ()
        if "^" in content and kind not in _UNNAMED:
            if kind == "list":
                return self._add_list(block, leaf, parent, whole)
            name = find_block_id(content)
            if name and len(name) + 1 == len(content) and self._name_previous(name, parent):
                return None
            names = (name,) if name else ()
        tokens = 0 if self._limit == WHOLE else count_tokens(content)
        if tokens > self._limit and kind != "heading" and not whole:
            items = find_items(block, Places(content, leaf.start, leaf.prefixes)) if kind == "list" else []
            row = self._add_pieces(kind, leaf, self._split(kind, leaf, items), parent)
        else:
            row = self._add_leaf(kind, leaf, tokens, parent)
        if kind == "heading":
            row.label = _clean_label(block.label)
        if names:
            row.blocks = names
        return row

    def add_row(self, kind: str, content: str, start: int, end: int, parent: int) -> Row:
        """One row for the text from `start` to `end`; all since the last row's end is its gap."""
        self._line += self.text.count("\n", self._counted, start)
        self._counted = start
        row = Row(kind, content, self.text[self.end : start], parent, self._line)
        self.rows.append(row)
        self.end = end
        if self._link < len(self._links) and self._links[self._link].start < end:
            row.links = self._take_links(end)
        if self._tag < len(self._tags) and self._tags[self._tag][0] < end:
            row.tags = self._take_tags(end)
        return row

    def _add_leaf(self, kind: str, leaf: Leaf, tokens: int, parent: int) -> Row:
        row = self.add_row(kind, leaf.content, leaf.start, leaf.end, parent)
        if leaf.prefixes:
            row.prefixes = leaf.prefixes
        row.tokens = tokens
        return row

    def _add_list(self, block: Block, leaf: Leaf, parent: int, whole: bool) -> Row:
        """A list that may hold items with ids: each of them is a piece of its own and named by it."""
        items = find_items(block, Places(leaf.content, leaf.start, leaf.prefixes))
        marks = find_item_ids(leaf.content, items)
        spans = [(0, len(leaf.content))] if whole else self._split("list", leaf, items, find_item_cuts(items, marks))
        first = len(self.rows)
        row = self._add_pieces("list", leaf, spans, parent)
        done = 0
        for index, (_, end) in enumerate(spans, first):
            begun = done
            while done < len(marks) and marks[done][0] < end:
                done += 1
            self.rows[index].blocks = tuple(name for _, name in marks[begun:done])
        return row

    def _add_pieces(self, kind: str, leaf: Leaf, spans: Sequence[Span], parent: int) -> Row:
        places = Places(leaf.content, leaf.start, leaf.prefixes)
        first = len(self.rows)
        line, counted = 0, 0
        for piece, (start, end) in enumerate(spans):
            part = leaf.content[start:end]
            row = self.add_row(kind, part, places.find_source(start), places.find_source(end), parent)
            row.piece = piece
            row.tokens = count_tokens(part)
            line += leaf.content.count("\n", counted, start)
            counted = start
            prefixes = leaf.prefixes[line : line + part.count("\n")]
            row.prefixes = prefixes if any(prefixes) else ()
        return self.rows[first]

    def _split(self, kind: str, leaf: Leaf, items: Sequence[Item], forced: Sequence[int] = ()) -> list[Span]:
        places = Places(leaf.content, leaf.start, leaf.prefixes)
        spans = [(places.find_offset(start), places.find_offset(end)) for start, end in self._find_whole(leaf)]
        return split_block(
            kind,
            leaf.content,
            self._limit,
            forced=forced,
            items=[[item.start for item in items if not item.depth], [item.start for item in items]] if items else (),
            spans=spans + find_raw_links(leaf.content) if kind in ("html", "kv") else spans,
            previous=self._previous,
        )

    def _find_whole(self, leaf: Leaf) -> list[Span]:
        """The ranges in a block that stay whole: links to notes always, other links and images where they fit."""
        inside = self._spans[bisect_left(self._spans, (leaf.start,)) : bisect_left(self._spans, (leaf.end,))]
        first, after = (bisect_left(self._links, place, key=_start_of) for place in (leaf.start, leaf.end))
        firm = {found.start for found in self._links[first:after]}
        return [span for span in inside if span[0] in firm or fits_limit(self.text[span[0] : span[1]], self._limit)]

    def _take_links(self, end: int) -> tuple[ParsedLink, ...]:
        first = self._link
        while self._link < len(self._links) and self._links[self._link].start < end:
            self._link += 1
        return tuple(found.link for found in self._links[first : self._link])

    def _take_tags(self, end: int) -> tuple[str, ...]:
        first = self._tag
        while self._tag < len(self._tags) and self._tags[self._tag][0] < end:
            self._tag += 1
        return tuple(dict.fromkeys(tag for _, tag in self._tags[first : self._tag]))

    def _name_previous(self, name: str, parent: int) -> bool:
        """A paragraph that is nothing but a block id names the block before it, and stays in the gap."""
        index = len(self.rows) - 1
        while index > 0 and self.rows[index].parent != parent:
            index = self.rows[index].parent
        if index <= 0 or self.rows[index].kind in ("heading", "kv"):
            return False
        while self.rows[index].piece and self.rows[index - 1].parent == parent:
            index -= 1
        self.rows[index].blocks += (name,)
        return True


def _start_of(found: Found) -> int:
    return found.start


def _clean_label(label: str) -> str:
    """A heading's rendered text on one line, without a block id."""
    label = " ".join(label.split())
    return strip_block_id(label) if "^" in label else label
