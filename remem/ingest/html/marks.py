"""Ids and names of a page's elements as lines of its text, before the blocks that they lead to. It places none.

Such a line, `<!--#intro #cost@4-->`, stands in the gap before a block of the top level; `@4` leads to the block's
fifth line. It is no part of any content.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

FORMAT = "page"
"""The format of the text that is kept of an HTML file."""

LINES = re.compile(r"^<!--#[^\s<>]+(?: #[^\s<>]+)*-->\n", re.MULTILINE)
_UNSAFE = re.compile(r"[\s%@<>]|-(?=-)|-\Z")
_MAX_NAMES = 200
"""Names in one line."""


def write_anchors(anchors: Sequence[tuple[str, int]]) -> list[str]:
    """The lines that keep anchors: each a name, and the number of the line that it leads to in the block below."""
    words = [f"#{_quote(name)}" + (f"@{line}" if line else "") for name, line in anchors]
    return [f"<!--{' '.join(words[start : start + _MAX_NAMES])}-->" for start in range(0, len(words), _MAX_NAMES)]


def strip_anchors(gap: str) -> str:
    """A gap of a page without its lines of anchors."""
    return LINES.sub("", gap) if "<!--#" in gap else gap


def read_mark(mark: str) -> list[tuple[str, int]]:
    """The anchors that a line keeps."""
    found = []
    for word in mark[4:-4].split(" "):
        name, _, line = word[1:].partition("@")
        found.append((unquote(name), int(line) if line.isdecimal() and len(line) < 10 else 0))
    return found


def _quote(name: str) -> str:
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace")), name)
