"""The text that is kept of an HTML file, back to nodes: Markdown, with lines that tell where ids and names lead."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from remem.ingest.html.marks import FORMAT, LINES, read_mark
from remem.ingest.markdown import parse_markdown
from remem.ingest.render import add_prefixes
from remem.records import ParsedDocument, ParsedNode


def parse_page(
    source: str, text: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
) -> ParsedDocument:
    """The nodes of the text that is kept of an HTML file: Markdown with lines of anchors. Never raises; linear.

    The arguments are those of `markdown.parse_markdown`. Lines of nodes count without lines of anchors.
    """
    clean, marks = _take_marks(text)
    document = replace(parse_markdown(source, clean, max_tokens=max_tokens, previous=previous), format=FORMAT)
    return _place_marks(document, clean, marks) if marks else document


def _take_marks(text: str) -> tuple[str, list[tuple[int, str]]]:
    """The text without lines of anchors, and each of these lines with its place in that text."""
    if "<!--#" not in text:
        return text, []
    marks: list[tuple[int, str]] = []
    parts: list[str] = []
    done = length = 0
    for match in LINES.finditer(text):
        parts.append(text[done : match.start()])
        length += match.start() - done
        marks.append((length, match[0]))
        done = match.end()
    parts.append(text[done:])
    return "".join(parts), marks


def _place_marks(document: ParsedDocument, text: str, marks: Sequence[tuple[int, str]]) -> ParsedDocument:
    nodes = list(document.nodes)
    starts, ends = _measure(nodes)
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    blocks: dict[int, list[str]] = {}
    seen: set[str] = set()
    tail = document.tail
    for place, mark in reversed(marks):
        index = bisect_right(ends, place)
        if index == len(nodes):
            at = max(place - (len(text) - len(document.tail)), 0)
            tail = tail[:at] + mark + tail[at:]
        elif place <= starts[index]:
            at = max(len(document.nodes[index].gap) - (starts[index] - place), 0)
            gap = nodes[index].gap
            nodes[index] = nodes[index]._replace(gap=gap[:at] + mark + gap[at:])
    for place, mark in marks:
        line = bisect_right(lines, place) - 1
        for name, offset in read_mark(mark):
            if name not in seen:
                seen.add(name)
                at = lines[min(line + offset, len(lines) - 1)]
                blocks.setdefault(min(bisect_right(ends, at), len(nodes) - 1), []).append(name)
    for index, names in blocks.items():
        own = nodes[index].blocks
        nodes[index] = nodes[index]._replace(blocks=(*own, *(name for name in names if name not in own)))
    return replace(document, nodes=tuple(nodes), tail=tail)


def _measure(nodes: Sequence[ParsedNode]) -> tuple[list[int], list[int]]:
    """Where each node's content begins and ends in the text."""
    starts, ends = [], []
    place = 0
    for node in nodes:
        place += len(node.gap)
        starts.append(place)
        place += len(add_prefixes(node.content, node.prefixes) if node.prefixes else node.content)
        ends.append(place)
    return starts, ends
