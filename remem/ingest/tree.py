"""What the parser found in a file: blocks in their tree, and links at their places. Positions in characters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from remem.records import ParsedLink

_PARAGRAPHS = ("text", "embed", "rule")
SIMPLE_PARTS = {"quote": _PARAGRAPHS, "footnote": _PARAGRAPHS, "item": (*_PARAGRAPHS, "list")}
"""What a container may hold and still be one leaf, or stand before the first block that is a node of its own."""


class Block:
    """One block: `kind` is text, heading, list, item, table, code, indented, quote, footnote, html, embed or rule. A
    container is `complex` where it holds more than its kind keeps as one leaf. `level` and `label` are a heading's."""

    __slots__ = ("children", "complex", "end", "kind", "label", "level", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.level = 0
        self.label = ""
        self.complex = False
        self.children: list[Block] = []


class Found(NamedTuple):
    """A link, with the span of the text that it was written in."""

    start: int
    end: int
    link: ParsedLink


def place_links(text: str, start: int, line: int, found: Iterable[ParsedLink]) -> list[Found]:
    """Links that were found in the raw text from `start` (in line `line`) on, in order: each where its label stands in
    its line, or else at the start of the line."""
    places: list[Found] = []
    for link in found:
        while line < link.line:
            start = text.find("\n", start) + 1
            line += 1
        end = text.find("\n", start)
        word = link.label or link.anchor
        place = text.find(word, start, end if end >= 0 else len(text))
        places.append(Found(max(place, start), max(place, start), link))
        start = place + len(word) if place >= 0 else start
    return places
