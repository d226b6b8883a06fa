"""A file's text to its parsed document, by format. The parsers do the work; none of their faults gets past this."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Protocol

from remem.errors import InvalidInputError
from remem.ingest.data.document import parse_json, parse_jsonl, parse_toml, parse_yaml
from remem.ingest.html.page import parse_page
from remem.ingest.markdown import parse_markdown
from remem.ingest.rows import WHOLE as WHOLE
from remem.ingest.text import parse_text
from remem.ingest.tokens import count_tokens
from remem.records import Diagnostic, ParsedDocument, ParsedNode

PARSER_VERSION = "2"
"""Raised whenever the same text may give other nodes, labels, links or tags: files are then parsed again."""


class _Parser(Protocol):
    def __call__(
        self, source: str, text: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
    ) -> ParsedDocument: ...


def _parse_html(
    source: str, text: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
) -> ParsedDocument:
    from remem.ingest.html.document import parse_html  # its parser is loaded where there is HTML alone

    return parse_html(source, text, max_tokens=max_tokens, previous=previous)


_PARSERS: dict[str, _Parser] = {
    "markdown": parse_markdown,
    "text": parse_text,
    "yaml": parse_yaml,
    "json": parse_json,
    "jsonl": parse_jsonl,
    "toml": parse_toml,
    "html": _parse_html,
    "page": parse_page,  # the text that is kept of an HTML file
}
_FORMATS = {".md": "markdown", ".markdown": "markdown", ".mdx": "markdown", ".txt": "text"}
_FORMATS |= {".yaml": "yaml", ".yml": "yaml", ".json": "json", ".jsonl": "jsonl", ".toml": "toml"}
_FORMATS |= {".html": "html", ".htm": "html"}


def find_format(name: str) -> str | None:
    """The format of a file by the extension of its name or path, None where it is none that is read."""
    return _FORMATS.get(PurePosixPath(name).suffix.lower())


def parse_source(
    source: str, text: str, format: str, *, max_tokens: int = 512, previous: Sequence[Sequence[str]] = ()
) -> ParsedDocument:
    """Parse the text of the file `source` (decoded, line ends `\\n`, no BOM), whose format `find_format` names.

    No node but headings and parents of other blocks holds more than `max_tokens` tokens; with `WHOLE`, no block is
    split, and none is counted. `previous` holds, for each block that was split when this file was parsed before, the
    contents of its pieces. Where a parser fails, the whole text is one text node without links, and the diagnostic
    `parse-failed` says so.

    Raises:
        InvalidInputError: the format is unknown.
    """
    parser = _PARSERS.get(format)
    if parser is None:
        raise InvalidInputError(f"unknown format {format!r}; known are {', '.join(_PARSERS)}", field="format")
    try:
        return parser(source, text, max_tokens=max_tokens, previous=previous)
    except Exception as error:  # a fault of ours must not cost the other files of a compile
        return _keep_whole(source, text, format, error)


def _keep_whole(source: str, text: str, format: str, error: Exception) -> ParsedDocument:
    content = text.strip()
    gap = text[: len(text) - len(text.lstrip())]
    nodes = [ParsedNode("document", "", PurePosixPath(source).stem, -1, int(bool(content)), gap="")]
    if content:
        line = gap.count("\n") + 1
        nodes.append(ParsedNode("text", content, "", 0, 1, gap=gap, tokens=count_tokens(content), line=line))
    tail = text[len(gap) + len(content) :] if content else text
    message = f"the file could not be parsed ({type(error).__name__}) and is kept as one text"
    problem = Diagnostic(source, 0, "parse-failed", message)
    return ParsedDocument(source, format, tuple(nodes), tail, None, (), (problem,))
