"""Levels of headings: what level a heading's text has, and the same heading on another one. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from remem.ingest.tokens import count_tokens
from remem.records import KeyedNode, ParsedNode

DEEPEST = 6
_MARKS = re.compile(r"(#{1,6})(?=[ \t\n]|$)")
_UNDERLINE = re.compile(r"\n[ \t]*(=+|-+)[ \t]*$")


def read_level(content: str) -> int:
    """The level of a heading's Markdown text, 0 where it has no marks."""
    marks = _MARKS.match(content)
    if marks:
        return len(marks[1])
    line = _UNDERLINE.search(content)
    return 0 if line is None else 1 if line[1][0] == "=" else 2


def set_level(content: str, level: int) -> str:
    """A heading's Markdown text on another level; one without marks gets them."""
    marks = _MARKS.match(content)
    if marks:
        return "#" * level + content[marks.end() :]
    line = _UNDERLINE.search(content)
    if line and level <= 2:
        return content[: line.start(1)] + ("=-"[level - 1] * len(line[1])) + content[line.end(1) :]
    words = content[: line.start()] if line else content
    return f"{'#' * level} {' '.join(words.split())}"


def top_level(nodes: Sequence[KeyedNode]) -> int:
    """The highest level of any section heading, 0 where there is none."""
    return min((item.node.level for item in nodes if item.node.level), default=0)


def shift_levels(nodes: Sequence[KeyedNode], by: int) -> tuple[list[KeyedNode], list[ParsedNode]]:
    """The nodes with all section headings on deeper (or higher) levels, and the headings that would have gone below the
    deepest level, which they have now."""
    shifted: list[KeyedNode] = []
    clamped: list[ParsedNode] = []
    for node, key in nodes:
        if node.level:
            if node.level + by > DEEPEST:
                clamped.append(node)
            node = _move(node, min(node.level + by, DEEPEST))
        shifted.append(KeyedNode(node, key))
    return shifted, clamped


def _move(node: ParsedNode, level: int) -> ParsedNode:
    if level == read_level(node.content):
        return node._replace(level=level)
    content = set_level(node.content, level)
    return node._replace(level=level, content=content, tokens=count_tokens(content))
