"""The parts of a data file become nodes: what is small together, what is large taken apart. Finds no parts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from remem.ingest.data.groups import MOST, group_parts
from remem.ingest.data.names import label_group, label_part
from remem.ingest.data.parts import MAX_DEPTH, Part, Scan
from remem.ingest.prefixes import count_columns
from remem.ingest.rows import RowWriter
from remem.ingest.tokens import fits_limit
from remem.ingest.tree import Block

_SPACE = re.compile(r"\s*")
_NEAR = 200
"""A line's indent is looked for so far back: in a file of one line it would be a long way."""
_LONGEST_TOKEN = 16
"""What has more characters for each token that a node may have is not counted, but taken for too large."""
_LEVELS = 6


class DataWriter:
    """Writes the parts of one file as `kv` nodes through `writer`; what could not be read as `code`."""

    def __init__(self, writer: RowWriter, text: str, limit: int) -> None:
        self._writer = writer
        self._text = text
        self._limit = limit
        self._small = min(MOST, 2 * limit) // 3

    def add_scan(self, scan: Scan) -> None:
        """All parts of a file. Records, and items of a list at the first level, are sections of the document."""
        self._add_parts(scan.parts, 0, "", 0, records=scan.kind in ("records", "list"))

    def _add_parts(self, parts: Sequence[Part], parent: int, path: str, depth: int, *, records: bool = False) -> None:
        for group in group_parts(self._text, parts, self._limit, records=records):
            opens = self._opens_section(group, records)
            self._add_group(group, parent, path, depth, opens=opens)

    def _opens_section(self, group: Sequence[Part], records: bool) -> bool:
        """Whether a group is a section: a part that is no small one, or records."""
        if records:
            return any(part.kind != "scalar" for part in group)
        return len(group) == 1 and group[0].kind != "code" and group[0].end - group[0].start >= self._small

    def _add_group(self, group: Sequence[Part], parent: int, path: str, depth: int, *, opens: bool) -> None:
        if len(group) == 1:
            self._add_part(group[0], parent, path, depth, opens=opens)
        elif self._fits(group[0].start, group[-1].end):
            self._add_leaf(group, parent, path, depth, opens=opens)
        else:
            middle = len(group) // 2
            self._add_group(group[:middle], parent, path, depth, opens=opens)
            self._add_group(group[middle:], parent, path, depth, opens=opens)

    def _add_part(self, part: Part, parent: int, path: str, depth: int, *, opens: bool) -> None:
        if depth >= MAX_DEPTH or self._fits(part.start, part.end):
            self._add_leaf([part], parent, path, depth, opens=opens)
        elif part.children:
            self._add_tree(part, parent, path, depth)
        elif part.start < part.inner < part.end:
            self._add_long(part, parent, path, depth)
        else:
            self._add_leaf([part], parent, path, depth, opens=opens)

    def _add_long(self, part: Part, parent: int, path: str, depth: int) -> None:
        """A long text: its key opens a section, and the pieces of the text lie in it."""
        label = label_part(part, path)
        first = len(self._writer.rows)
        self._add_block("kv", part.start, part.inner, parent)
        head = len(self._writer.rows) - 1
        self._add_block("kv", part.inner, part.end, head)
        self._name_rows(first, label, head, depth)

    def _add_tree(self, part: Part, parent: int, path: str, depth: int) -> None:
        label = label_part(part, path)
        rest = self._take_head(part)
        first = len(self._writer.rows)
        self._add_block("kv", part.start, rest[0].start if rest else part.end, parent)
        # What a head holds that is too long for one node, a comment, comes before it.
        head = len(self._writer.rows) - 1
        if head < first:
            self._add_parts(rest, parent, label, depth)
            return
        self._name_rows(first, label, head if rest else None, depth)
        self._add_parts(rest, head, label, depth + 1)

    def _take_head(self, part: Part) -> list[Part]:
        """The parts in a part that are nodes of their own. An item of a list keeps its first small ones: they say who
        it is, and its bracket or dash alone says nothing."""
        children = part.children
        if (part.key is not None and part.name is None) or part.kind != "map":
            return children
        most = min(MOST, 2 * self._limit)
        for index, child in enumerate(children):
            if child.end - part.start > most or not self._fits(part.start, child.end):
                return children[index:]
        return []

    def _add_leaf(self, group: Sequence[Part], parent: int, path: str, depth: int, *, opens: bool) -> None:
        first = len(self._writer.rows)
        kind = "code" if group[0].kind == "code" else "kv"
        self._add_block(kind, group[0].start, group[-1].end, parent)
        is_whole = len(self._writer.rows) == first + 1
        self._name_rows(first, label_group(group, path), first if opens and is_whole else None, depth)

    def _name_rows(self, first: int, label: str, section: int | None, depth: int) -> None:
        """Labels the rows from `first` on; the row `section` opens a section."""
        for row in self._writer.rows[first:]:
            row.label = label
        if section is not None:
            self._writer.rows[section].level = min(depth + 1, _LEVELS)

    def _add_block(self, kind: str, start: int, end: int, parent: int) -> None:
        space = _SPACE.match(self._text, start)
        start = space.end() if space else start
        width = self._find_indent(start) if self._text.find("\n", start, end) >= 0 else 0
        self._writer.add_block(Block(kind, start, end), kind, parent, (width,) if width else ())

    def _find_indent(self, start: int) -> int:
        """The columns before `start` where nothing else stands before it in its line, else 0."""
        near = max(0, start - _NEAR)
        line = self._text.rfind("\n", near, start)
        if line < 0 and near:
            return 0
        lead = self._text[line + 1 : start]
        return 0 if lead.strip(" \t") else count_columns(lead)

    def _fits(self, start: int, end: int) -> bool:
        if end - start > self._limit * _LONGEST_TOKEN:
            return False
        return fits_limit(self._text[start:end], self._limit)
