"""Tags and runs of text in HTML source, read leniently in linear time. It builds no tree and knows nothing of links."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterator

_SKIPPED = frozenset(("script", "style", "pre", "code", "template"))
_RAW = frozenset(("script", "style"))
_TAG_NAME = re.compile(r"/?[A-Za-z][A-Za-z0-9:-]*")
_TAG_STOP = re.compile(r">|=\s*[\"']")
# The value is optional, so that a match never fails after a long name: retries would take quadratic time.
_ATTRIBUTE = re.compile(r"([^\s\"'<>/=]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_ANY_TAG = re.compile(r"<[A-Za-z/!][^<>]*>")
_SAME_NAME = {name: re.compile(rf"<(/?){name}(?=[\s/>])", re.IGNORECASE) for name in ("a", "knowledge")}


class Tag:
    """A tag of HTML: its name in lower case ("/name" for an end tag), the source of its attributes, its span."""

    __slots__ = ("end", "name", "source", "start")

    def __init__(self, name: str, source: str, start: int, end: int) -> None:
        self.name = name
        self.source = source
        self.start = start
        self.end = end

    def parse_attributes(self) -> dict[str, str]:
        """The attributes by lower-case name, entities decoded; the first of repeated ones counts."""
        found: dict[str, str] = {}
        for match in _ATTRIBUTE.finditer(self.source):
            found.setdefault(match[1].lower(), entities.unescape(match[2] or match[3] or match[4] or ""))
        return found


def find_pieces(html: str) -> Iterator[tuple[int, int, Tag | None]]:
    """Spans of HTML source, in order: runs of text (tag None), `a` and `knowledge` start tags with the text they hold.

    Other tags, comments, script, style, pre, code and template are left out. The text of an `a` comes again as a run
    of its own, that of a knowledge element does not.
    """
    position = 0
    for tag in _join_skipped(html, _find_tags(html)):
        if tag.end <= position:
            continue
        if position < tag.start:
            yield position, tag.start, None
        position = tag.end
        if tag.name == "a":
            yield tag.start, _find_inner_end(html, tag), tag
        elif tag.name == "knowledge":
            position = _find_inner_end(html, tag)
            yield tag.start, position, tag
    if position < len(html):
        yield position, len(html), None


def read_text(source: str) -> str:
    """The text of HTML source without its tags, entities decoded, white space collapsed."""
    return " ".join(entities.unescape(_ANY_TAG.sub("", source)).split())


def _join_skipped(html: str, tags: Iterator[Tag]) -> Iterator[Tag]:
    """The tags, each skipped element with all it holds as one tag named "!"; an unclosed one runs to the end."""
    for tag in tags:
        if tag.name not in _SKIPPED or tag.source.endswith("/"):
            yield tag
            continue
        depth, end = 1, len(html)
        for inner in tags:
            if inner.name.lstrip("/") == tag.name:
                depth += -1 if inner.name[0] == "/" else 1
            if not depth:
                end = inner.end
                break
        yield Tag("!", "", tag.start, end)


def _find_tags(html: str) -> Iterator[Tag]:
    """Every tag in order; a comment is a tag named "!", the inside of script and style is passed over."""
    position, quoted = 0, True
    while (start := html.find("<", position)) >= 0:
        if html.startswith("<!--", start):
            end = html.find("-->", start + 2 if html.startswith("<!-->", start) else start + 4)
            position = len(html) if end < 0 else end + 3
            yield Tag("!", "", start, position)
            continue
        match = _TAG_NAME.match(html, start + 1)
        if match is None:
            position = start + 1
            continue
        end = _find_tag_end(html, match.end()) if quoted else html.find(">", start)
        if end < 0 and quoted:
            # Reading quotes ran to the end of the text; doing so again for each tag would take quadratic time.
            quoted, end = False, html.find(">", start)
        if end < 0:
            return
        name, position = match[0].lower(), end + 1
        yield Tag(name, html[match.end() : end], start, position)
        if name in _RAW:
            closing = re.compile(f"</{name}", re.IGNORECASE).search(html, position)
            position = closing.start() if closing else len(html)


def _find_tag_end(html: str, position: int) -> int:
    """The position of the `>` that ends a tag, those in quoted attribute values left out; -1 where there is none."""
    while (match := _TAG_STOP.search(html, position)) is not None:
        if match[0] == ">":
            return match.start()
        closing = html.find(match[0][-1], match.end())
        if closing < 0:
            return -1
        position = closing + 1
    return -1


def _find_inner_end(html: str, tag: Tag) -> int:
    """Where the text of an element ends: at its end tag; at its own start tag if it is empty or another one follows."""
    closing = None if tag.source.endswith("/") else _SAME_NAME[tag.name].search(html, tag.end)
    return closing.start() if closing and closing[1] else tag.end
