"""Container prefixes: what quotes and list items put before each line of the blocks that lie in them.

A container is its width: the columns of white space that an item's later lines begin with, 0 for a quote (`> `).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_QUOTE = re.compile(r" {0,3}>( ?)")
_MARKER = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])")
_SPACE = re.compile(r"[ \t]*")
_TAB = 4
FOOTNOTE_WIDTH = 4


def prefix_length(line: str, widths: Sequence[int]) -> int:
    """How many characters at the start of `line` are prefixes of the containers; fewer where it continues lazily."""
    position = column = 0
    for width in widths:
        if width == 0:
            match = _QUOTE.match(line, position)
            if match is None:
                return position
            column += match.end() - position
            position = match.end()
        elif line.startswith(" " * width, position):
            position += width
            column += width
        else:
            position, column, full = _skip_columns(line, position, column, width)
            if not full:
                return position
    return position


def split_prefixes(source: str, widths: Sequence[int]) -> tuple[str, tuple[str, ...], int]:
    """A block's source text taken apart: (content, prefixes of its second and later lines, length of the source that
    both make up). Blank lines at the end are left out."""
    first, *rest = source.split("\n")
    lines, prefixes = [first], []
    for line in rest:
        cut = prefix_length(line, widths)
        prefixes.append(line[:cut])
        lines.append(line[cut:])
    while prefixes and not lines[-1].strip():
        lines.pop()
        prefixes.pop()
    lines[-1] = lines[-1].rstrip()
    length = sum(map(len, lines)) + sum(map(len, prefixes)) + len(prefixes)
    return "\n".join(lines), tuple(prefixes) if any(prefixes) else (), length


def item_width(text: str, item_start: int, widths: Sequence[int], inline: int) -> int:
    """The columns by which a list item's later lines are indented within its containers.

    `inline` is the position from which the item counts: the content start of the container whose line it shares, or
    -1 where the item stands on a line of its own.
    """
    line_start = text.rfind("\n", 0, item_start) + 1
    base = inline if inline >= 0 else line_start + prefix_length(text[line_start:item_start], widths)
    match = _MARKER.match(text, item_start)
    marker_end = match.end() if match else item_start + 1
    space = _SPACE.match(text, marker_end)
    content = space.end() if space else marker_end
    start_column, marker_column = count_columns(text[line_start:base]), count_columns(text[line_start:marker_end])
    padding = count_columns(text[line_start:content]) - marker_column
    if padding > 4 or padding == 0 or content >= len(text) or text[content] == "\n":
        padding = 1
    return max(marker_column - start_column + padding, 1)


def count_columns(text: str) -> int:
    """The width of `text` in columns, tabs at every fourth."""
    return len(text.expandtabs(_TAB)) if "\t" in text else len(text)


def _skip_columns(line: str, position: int, column: int, width: int) -> tuple[int, int, bool]:
    target = column + width
    while column < target:
        character = line[position : position + 1]
        after = column + 1 if character == " " else column + _TAB - column % _TAB if character == "\t" else 0
        if not after:
            return position, column, False
        if after > target:
            break
        position, column = position + 1, after
    return position, target, True
