"""Places within a block: offsets in its content and positions in the text, items of lists, block ids. Cuts nothing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from remem.ingest.tree import Block

_ID = re.compile(r"[A-Za-z0-9-]+")
_LINE_ID = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*$", re.MULTILINE)
_SPACE = re.compile(r"[ \t]*")


class Item(NamedTuple):
    """An item of a list: its span as offsets in the list's content, and how many lists it lies in beyond the first."""

    start: int
    end: int
    depth: int


class Places:
    """Offsets in a block's content to positions in the text, and back. Without prefixes they differ by the start."""

    def __init__(self, content: str, start: int, prefixes: Sequence[str]) -> None:
        self._start = start
        self._offsets: list[int] = [0]
        self._sources: list[int] = [start]
        if prefixes:
            self._map_lines(content, prefixes)

    def _map_lines(self, content: str, prefixes: Sequence[str]) -> None:
        offset, source = 0, self._start
        for line, prefix in zip(content.split("\n"), prefixes, strict=False):
            offset += len(line) + 1
            source += len(line) + 1 + len(prefix)
            self._offsets.append(offset)
            self._sources.append(source)

    def find_source(self, offset: int) -> int:
        """The position in the text of an offset in the content."""
        line = bisect_right(self._offsets, offset) - 1
        return self._sources[line] + offset - self._offsets[line]

    def find_offset(self, source: int) -> int:
        """The offset in the content of a position in the text; within a prefix, that of the line's start."""
        line = max(bisect_right(self._sources, source) - 1, 0)
        offset = self._offsets[line] + max(source - self._sources[line], 0)
        return min(offset, self._offsets[line + 1]) if line + 1 < len(self._offsets) else offset


def find_items(block: Block, places: Places) -> list[Item]:
    """All items of a list and of the lists in it, in order of their starts."""
    found: list[Item] = []
    waiting = [(item, 0) for item in reversed(block.children)]
    while waiting:
        block, depth = waiting.pop()
        if block.kind == "item":
            found.append(Item(places.find_offset(block.start), places.find_offset(block.end), depth))
        deeper = depth + 1 if block.kind == "item" else depth
        waiting += [(child, deeper) for child in reversed(block.children)]
    return found


def find_block_id(content: str) -> str:
    """The id of a ` ^id` at the end of a block, or an empty text."""
    mark = content.rfind("^")
    if mark < 0 or (mark and not content[mark - 1].isspace()):
        return ""
    return content[mark + 1 :] if _ID.fullmatch(content, mark + 1) else ""


def find_item_ids(content: str, items: Sequence[Item]) -> list[tuple[int, str]]:
    """The ids in a list that end an item's own text: the offset of each mark and the id."""
    starts = {item.start for item in items}
    return [
        (match.start(1) - 1, match[1])
        for match in _LINE_ID.finditer(content)
        if _ends_text(content, match.end(), starts)
    ]


def find_item_cuts(items: Sequence[Item], marks: Sequence[tuple[int, str]]) -> list[int]:
    """Where a list is cut so that each item with an id is a piece of its own: its start, and the next item after it."""
    starts = [item.start for item in items]
    parents = _find_parents(items)
    cuts: list[int] = []
    for mark, _ in marks:
        index = bisect_right(starts, mark) - 1
        while index >= 0 and items[index].end <= mark:
            index = parents[index]
        if index < 0:
            continue
        cuts.append(starts[index])
        after = bisect_right(starts, items[index].end - 1)
        cuts += starts[after : after + 1]
    return cuts


def _find_parents(items: Sequence[Item]) -> list[int]:
    """For each item the index of the item around it, -1 for those of the outer list."""
    parents: list[int] = []
    around: list[int] = []
    for index, item in enumerate(items):
        del around[item.depth :]
        parents.append(around[-1] if around else -1)
        around.append(index)
    return parents


def _ends_text(content: str, position: int, starts: set[int]) -> bool:
    """Whether the line that ends at `position` is the last of its paragraph: a blank line or an item follows."""
    if position >= len(content):
        return True
    space = _SPACE.match(content, position + 1)
    first = space.end() if space else position + 1
    return first >= len(content) or content[first] == "\n" or first in starts
