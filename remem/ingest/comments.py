"""Comments of the form `%% … %%` in prose. Only their spans are found; HTML comments are the HTML reader's."""

from __future__ import annotations

import re

_MARK = re.compile("%%")


def find_comments(text: str) -> list[tuple[int, int]]:
    """The character spans of the comments in `text`, marks included, in order.

    Two marks on one line enclose a comment. A mark left over at the start or the end of its line opens one that runs
    to the first mark of the next line with a mark left over. One that finds no such line opens nothing.
    """
    if text.count("%%") < 2:
        return []
    lines = _group_by_line(text)
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(lines):
        marks = lines[index]
        spans += [(start, end + 2) for start, end in zip(marks[0::2], marks[1::2], strict=False)]
        closing = _find_odd(lines, index + 1) if len(marks) % 2 and _is_at_edge(text, marks[-1]) else None
        if closing is None:
            index += 1
            continue
        spans.append((marks[-1], lines[closing][0] + 2))
        lines[closing] = lines[closing][1:]
        index = closing
    return spans


def _group_by_line(text: str) -> list[list[int]]:
    """The positions of the marks of each line that holds any."""
    lines: list[list[int]] = []
    previous = 0
    for match in _MARK.finditer(text):
        position = match.start()
        if not lines or text.find("\n", previous, position) >= 0:
            lines.append([])
        lines[-1].append(position)
        previous = position
    return lines


def _find_odd(lines: list[list[int]], start: int) -> int | None:
    return next((index for index in range(start, len(lines)) if len(lines[index]) % 2), None)


def _is_at_edge(text: str, mark: int) -> bool:
    """Whether only white space stands before or after the mark in its line."""
    start = text.rfind("\n", 0, mark) + 1
    end = text.find("\n", mark)
    return text[start:mark].isspace() or start == mark or not text[mark + 2 : end if end >= 0 else len(text)].strip()
