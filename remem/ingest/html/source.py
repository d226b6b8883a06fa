"""HTML source made safe for the parser: nesting that would take quadratic time, what XHTML writes otherwise."""

from __future__ import annotations

import html as entities
import re
from collections import Counter

MAX_DEPTH = 256
"""Elements nested deeper than this are left out, with their text kept. Pages nest about sixty deep."""
MAX_FORMATTING = 16
"""The same for elements that only say how text looks."""

_TAG = re.compile(r"<(?:(!--)|(/?)([A-Za-z][^\s/<>]*))")
_RAW = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"))
_VOID = frozenset(
    (
        "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source",
        "track", "wbr",
    )
)  # fmt: skip
# Each of them ends an open one of its kind, or stands where none can lie in another but by way of a counted element.
_ENDED = frozenset(
    (
        "a", "p", "li", "dt", "dd", "td", "th", "tr", "tbody", "thead", "tfoot", "option", "optgroup", "html",
    )
)  # fmt: skip
_FOREIGN = ("svg", "math")
# Left open, they are opened anew in each block that follows.
_FORMATTING = frozenset(("b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"))
_EMPTY_KNOWLEDGE = re.compile(r"<knowledge\b([^<>]*)/>", re.IGNORECASE)
_SELF_CLOSED = re.compile(r"<([A-Za-z][^\s/<>]*)([^<>]*)/>")
_CDATA = re.compile(r"<!\[CDATA\[((?:(?!<!\[CDATA\[).)*?)\]\]>", re.DOTALL)


def prepare_source(text: str) -> str:
    """The source as it is given to the parser: `text` itself but for the few pages that need a change. Linear.

    `<knowledge …/>` is closed at once; so is every element of a file that begins with `<?xml`, whose CDATA becomes
    text. Tags of elements that lie deeper than MAX_DEPTH are left out.
    """
    if "<knowledge" in text or "<KNOWLEDGE" in text:
        text = _EMPTY_KNOWLEDGE.sub(r"<knowledge\1></knowledge>", text)
    if text.lstrip("\ufeff \t\n").startswith("<?xml"):
        text = _read_xhtml(text)
    return _limit_depth(text)


def _read_xhtml(text: str) -> str:
    if "]]>" in text:
        text = _CDATA.sub(lambda match: entities.escape(match[1], quote=False), text)
    return _SELF_CLOSED.sub(_close_element, text)


def _close_element(match: re.Match[str]) -> str:
    name = match[1]
    return match[0] if name.lower() in _VOID else f"<{name}{match[2]}></{name}>"


class _Depth:
    """How many elements are open, as far as their tags tell, and which of them were left out."""

    def __init__(self) -> None:
        self.open: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.total = 0
        self.formatting = 0

    def enter(self, name: str) -> bool:
        """Whether the start tag may stay."""
        if name in _VOID or (name in _ENDED and not any(self.open[foreign] for foreign in _FOREIGN)):
            return True
        formatting = name in _FORMATTING
        if self.total >= MAX_DEPTH or (formatting and self.formatting >= MAX_FORMATTING):
            self.dropped[name] += 1
            return False
        self.open[name] += 1
        self.total += 1
        self.formatting += formatting
        return True

    def leave(self, name: str) -> bool:
        """Whether the end tag may stay."""
        if self.dropped[name]:
            self.dropped[name] -= 1
            return False
        if self.open[name]:
            self.open[name] -= 1
            self.total -= 1
            self.formatting -= name in _FORMATTING
        return True


def _limit_depth(text: str) -> str:
    depth = _Depth()
    parts: list[str] = []
    kept = position = 0
    closings: dict[str, int] = {}
    while (match := _TAG.search(text, position)) is not None:
        position = match.end()
        if match[1]:
            position = _find_after(text, "-->", position, closings)
            continue
        name = match[3].lower()
        stays = depth.leave(name) if match[2] else depth.enter(name)
        if not stays:
            end = _find_after(text, ">", position, closings)
            parts += (text[kept : match.start()], "" if name in _FORMATTING or name == "span" else " ")
            kept = position = end
        elif name in _RAW and not match[2]:
            position = _find_after(text, f"</{name}", position, closings)
    return "".join((*parts, text[kept:])) if parts else text


def _find_after(text: str, mark: str, position: int, closings: dict[str, int]) -> int:
    """The end of the next `mark`; the end of the text where there is none, which is looked for once."""
    if closings.get(mark, 0) < 0:
        return len(text)
    if mark[0] != "<":
        found = text.find(mark, position)
    else:
        match = re.compile(re.escape(mark), re.IGNORECASE).search(text, position)
        found = match.start() if match else -1
    if found < 0:
        closings[mark] = -1
        return len(text)
    return found + len(mark)
