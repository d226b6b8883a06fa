"""What holds of every text that is read, whatever it says."""

from __future__ import annotations

from remem.ingest.parse import parse_source
from remem.ingest.render import render
from remem.records import MAX_WEIGHT, RELATIONSHIP_TYPES, ParsedDocument

SUFFIXES = {"markdown": "md", "text": "txt", "html": "html", "toml": "toml"}


def read_whole(text: str, format: str, limit: int = 512) -> None:
    """Parses a text. Raises AssertionError where it is not read as a whole."""
    document = parse_source(f"a.{SUFFIXES[format]}", text, format, max_tokens=limit)
    assert "parse-failed" not in {problem.code for problem in document.diagnostics}
    check_document(document, text)


def check_document(document: ParsedDocument, text: str) -> None:
    """The tree is one, links are within bounds, nothing is lost."""
    rendered = render(((node.gap, node.content, node.prefixes) for node in document.nodes), document.tail)
    if document.format != "page":
        assert rendered == text
    for place, node in enumerate(document.nodes[1:], 1):
        assert 0 <= node.parent < place <= node.last <= document.nodes[node.parent].last
        assert node.content.strip() or node.last > place
    for link in (link for node in document.nodes for link in node.links):
        assert link.type in RELATIONSHIP_TYPES
        assert 0 <= link.weight <= MAX_WEIGHT
        assert link.label or link.anchor or link.source or link.id


def normalise(text: str) -> str:
    """A text as it comes out of reading a file."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
