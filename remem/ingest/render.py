"""Nodes back to the text of their file, byte for byte. It knows nothing of kinds or Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from remem.records import ParsedDocument

DEFAULT_GAP = "\n\n"
"""What stands between two nodes where nothing else is known."""


def render(parts: Iterable[tuple[str, str, Sequence[str]]], tail: str) -> str:
    """The text of a file: of each node, in order, its gap, its content and the container prefixes of the content's
    second and later lines (empty where it has none); then the tail."""
    out: list[str] = []
    for gap, content, prefixes in parts:
        out.append(gap)
        out.append(add_prefixes(content, prefixes) if prefixes else content)
    out.append(tail)
    return "".join(out)


def render_parsed(parsed: ParsedDocument) -> str:
    """The text that the nodes of a document make."""
    return render(((node.gap, node.content, node.prefixes) for node in parsed.nodes), parsed.tail)


def add_prefixes(content: str, prefixes: Sequence[str]) -> str:
    """`content` with a prefix before each line after the first. Lines that have no prefix of their own get none."""
    first, *rest = content.split("\n")
    padded = [*prefixes, *[""] * (len(rest) - len(prefixes))]
    return "\n".join([first, *[prefix + line for prefix, line in zip(padded, rest, strict=False)]])
