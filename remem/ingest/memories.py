"""The text of a memory: its title, links and tags out of Markdown, and the hash by which equal ones are known. Pure."""

from __future__ import annotations

from remem.ids import text_hash
from remem.ingest.tokens import count_tokens
from remem.records import MemoryText


def read_memory(content: str) -> MemoryText:
    """What a memory's text says. Its title is its first section heading; links and tags are those of all its blocks, in
    order. The content itself stays as it was given. Linear in the text."""
    # These load the parsers, which those who only read memories seldom need.
    from remem.ingest.parse import WHOLE, parse_source
    from remem.ingest.tags import drop_repeats

    text = content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    nodes = parse_source("", text, "markdown", max_tokens=WHOLE).nodes
    title = next((node.label for node in nodes if node.level and node.label), "")
    links = tuple(link for node in nodes for link in node.links)
    tags = tuple(drop_repeats(tag for node in nodes for tag in node.tags))
    return MemoryText(content, title, links, tags, count_tokens(content))


def hash_memory(content: str) -> bytes:
    """The hash under which a content is known, taken before anything in it is redacted."""
    return text_hash(content)
