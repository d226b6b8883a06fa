"""Plain text to a parsed document: paragraphs, their links and tags. Nothing in it is markup but these."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from remem.ingest.links import Problems, scan_text
from remem.ingest.rows import RowWriter, Tagged
from remem.ingest.split import Span, find_raw_links
from remem.ingest.tags import find_tags
from remem.ingest.tree import Block, Found, place_links
from remem.records import Diagnostic, ParsedDocument

_PARAGRAPH_END = re.compile(r"\n(?:[ \t\r\f\v]*\n)+")


def parse_text(
    source: str, text: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
) -> ParsedDocument:
    """The paragraphs of a plain text file as `text` nodes, its title the file's stem. Never raises; linear in the text.

    `text`, `max_tokens` and `previous` are those of `markdown.parse_markdown`.
    """
    problems: Problems = []
    paragraphs = _find_paragraphs(text)
    links: list[Found] = []
    tags: list[Tagged] = []
    spans: list[Span] = []
    line, counted = 1, 0
    for start, end in paragraphs:
        line += text.count("\n", counted, start)
        counted = start
        paragraph = text[start:end]
        if "[[" in paragraph:
            links += place_links(text, start, line, scan_text(paragraph, line, problems))
            spans += [(start + begin, start + stop) for begin, stop in find_raw_links(paragraph)]
        if "#" in paragraph:
            tags += [(max(text.find("#" + tag, start, end), start), tag) for tag in find_tags(paragraph)]
    writer = RowWriter(text, max_tokens, previous, links, tags, spans)
    writer.rows[0].label = PurePosixPath(source).stem
    for start, end in paragraphs:
        writer.add_block(Block("text", start, end), "text", 0, ())
    nodes, tail = writer.finish()
    diagnostics = tuple(Diagnostic(source, *problem) for problem in sorted(problems))
    return ParsedDocument(source, "text", tuple(nodes), tail, None, (), diagnostics)


def _find_paragraphs(text: str) -> list[Span]:
    bounds = [0, *(position for match in _PARAGRAPH_END.finditer(text) for position in match.span()), len(text)]
    return list(zip(bounds[::2], bounds[1::2], strict=True))
