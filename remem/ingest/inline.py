"""Inline forms that the parser reports otherwise than they are meant: a bracketed link text, a link torn by a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from remem.ingest.links import find_urls, may_hold_url
from remem.ingest.syntax import BARE_PIPE

_ADDRESS = re.compile(
    r"\([ \t]{0,9}(?:<([^<>\n]{0,2000})>|([^\s()<>]{0,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,200}){0,9}))"
    r"([ \t]{1,9}(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?[ \t]{0,9}\)"
)
_PLAIN_WORD = re.compile(r"[^./#:]*")
_MAX_URL = 2000
_BRACKETS = re.compile(r"(!?)\[\[([^\[\]\n]{0,1000})\]\]")


class TornLink(NamedTuple):
    """A link in a table that a bare pipe tore: its span, and what stands between its brackets with pipes as meant.

    `raw` is empty where more than one pipe leaves that open."""

    start: int
    end: int
    raw: str
    embed: bool


def find_address(text: str, position: int) -> tuple[str, int] | None:
    """The address in `[[text]](address "title")`, of which the parser sees a wiki-link and a parenthesis, and where it
    ends. None where the parenthesis at `position` may as well be prose: `[[cat]](s)`."""
    match = _ADDRESS.match(text, position)
    if match is None:
        return None
    address = match[1] or match[2] or ""
    return None if not match[3] and _PLAIN_WORD.fullmatch(address) else (address, match.end())


def is_in_url(text: str, position: int) -> bool:
    """Whether the `[[` at `position` goes on with a URL that stands bare in the text."""
    begin = max(position - _MAX_URL, 0)
    if not may_hold_url(text, begin, position):
        return False
    word = text[begin:position].split()[-1]
    return any(end > len(word) for _, end in find_urls(word + "[["))


def find_torn_links(text: str, start: int, end: int) -> Iterator[TornLink]:
    """The links of a table's source with pipes that are not escaped. Those behind a backtick are code."""
    for match in _BRACKETS.finditer(text, start, end):
        pipes = len(BARE_PIPE.findall(match[2]))
        row = text.rfind("\n", 0, match.start()) + 1
        if pipes and text.count("`", row, match.start()) % 2 == 0:
            raw = match[2].replace("\\|", "|") if pipes == 1 else ""
            yield TornLink(match.start(), match.end(), raw, bool(match[1]))
