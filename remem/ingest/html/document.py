"""HTML to a parsed document: a page becomes Markdown text, whose nodes, links and tags are then the page's.

What is kept of a page is this text, not its source. It is read again by `page.parse_page`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from remem.ingest.html.head import find_base, write_head
from remem.ingest.html.page import parse_page
from remem.ingest.html.source import prepare_source
from remem.ingest.html.walk import Walker
from remem.ingest.tokens import replace_surrogates
from remem.records import ParsedDocument

_NEEDLE = re.compile(r"\s*([^\n&<>\xa0]{1,40})")
_WINDOW = 16_384
"""How far the beginning of a block is looked for behind that of the block before, in characters; after each one that
was not found, twice as far."""

_Lines = list[tuple[int, int]]


def parse_html(
    source: str, text: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
) -> ParsedDocument:
    """The nodes, links and tags of an HTML file, of format `page`. Never raises; linear in the text.

    The arguments are those of `markdown.parse_markdown`. Lines are those of the file where the beginning of a block
    stands there as it is read, else those of the block before.
    """
    written, blocks = write_page(text)
    document = parse_page(source, written, max_tokens=max_tokens, previous=previous)
    return _number_lines(document, _find_lines(text, blocks))


def write_page(text: str) -> tuple[str, list[tuple[int, str]]]:
    """The text of a page as Markdown with lines of anchors, and the line and the beginning of each of its blocks."""
    page = LexborHTMLParser(prepare_source(replace_surrogates(text)), options=LexborDocumentOptions.WO_EVENTS)
    walker = Walker(find_base(page))
    head = write_head(page)
    if head:
        walker.sheet.add(head)
    if page.root is not None:
        walker.walk(page.root)
    return walker.sheet.finish()


def _find_lines(text: str, blocks: Sequence[tuple[int, str]]) -> _Lines:
    """For each block its line in the page's text, and its line in the file. Linear: what is searched in vain counts."""
    lines: _Lines = []
    position, counted, line = 0, 0, 1
    window, budget = _WINDOW, 8 * len(text) + _WINDOW
    for own, beginning in blocks:
        needle = _NEEDLE.match(beginning)
        if needle is not None and budget > 0:
            word, end = needle[1].rstrip(), position + window
            found = text.find(">" + word, position, end) + 1 if needle.start(1) == 0 else 0
            found = found if found > 0 else text.find(word, position, end)
            if found >= 0:
                line += text.count("\n", counted, found)
                counted, position = found, found + len(word)
                window = _WINDOW
            else:
                budget -= window
                window *= 2
        lines.append((own, line))
    return lines


def _number_lines(document: ParsedDocument, lines: _Lines) -> ParsedDocument:
    starts = [own for own, _ in lines]

    def find(line: int) -> int:
        index = bisect_right(starts, line) - 1
        return lines[index][1] if index >= 0 else 1

    nodes = tuple(
        node._replace(line=find(node.line), links=tuple(link._replace(line=find(link.line)) for link in node.links))
        for node in document.nodes
    )
    problems = tuple(replace(problem, line=find(problem.line)) for problem in document.diagnostics)
    return replace(document, nodes=nodes, diagnostics=problems)
