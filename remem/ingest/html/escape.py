"""Text of HTML as Markdown source that means just this text; addresses as they stand in links. It reads no elements."""

from __future__ import annotations

import re
from urllib.parse import urljoin

_SPACE = re.compile(r"[ \t\n\r\f\xa0]+")
_MARKS = re.compile(r"[`<*_&\]~]")
_ESCAPED = re.compile(
    r"(\\*)(`|<(?=[A-Za-z/!?]|\Z)|(?<! )\*|\*(?! )|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w{1,32};)|(?<!\])\](?=[(])|~(?=~))"
)
_BRACKET = re.compile(r"(?<!\[)\[(?!\[)|(?<!\])\](?!\])")
# What would begin another block at the start of a line: a heading, a list, a quote, a rule or the line below a table's
# header, code, a definition.
_START = re.compile(
    r"#{1,6}(?=[ \t]|\Z)|[-+*](?=[ \t]|\Z)|>|[-=+*_|: \t]+\Z|[0-9]{1,9}(?=[.)](?:[ \t]|\Z))|\[[^\]]*\]:|~~~|```|\$\$"
)
_ENDING_MARKS = re.compile(r"(?:^|(?<= ))#+\Z")
_TICKS = re.compile(r"`+")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_KEPT_SCHEMES = frozenset(("http", "https", "mailto", "ftp", "tel"))
_UNSAFE = re.compile(r"[\x00-\x20\x7f<>()\[\]\\`|]")
_REMOVED = re.compile(r"[\t\n\r]")
_REFERENCE = re.compile(r"&(?=#?\w{1,32};)")
MAX_ADDRESS = 2000
"""Longer addresses are left out: they are data, not places."""


def collapse_space(text: str) -> str:
    """`text` with each run of white space, no-break spaces among it, as one space."""
    return _SPACE.sub(" ", text)


def escape_text(text: str, *, in_link: bool = False) -> str:
    """A run of text as Markdown. Brackets of wiki-links stay; within a link's text single brackets are escaped."""
    if _MARKS.search(text):
        text = _ESCAPED.sub(_escape_mark, text)
    if in_link and ("[" in text or "]" in text):
        text = _BRACKET.sub(r"\\\g<0>", text)
    return text


def escape_line(line: str) -> str:
    """A line of a paragraph so that it begins no other block."""
    match = _START.match(line)
    if match is None or not line:
        return line
    place = match.end() if line[0].isdigit() else 0
    return line[:place] + "\\" + line[place:]


def escape_heading(text: str) -> str:
    """The text of a heading so that marks at its end stay text."""
    return _ENDING_MARKS.sub(r"\\\g<0>", text)


def hide_dollars(text: str) -> str:
    """A paragraph in which links stand between dollars: these enclose no formula."""
    return text.replace("$", "\\$") if text.count("$") > 1 and "[[" in text else text


def write_code(text: str) -> str:
    """A code span; empty for text without any but white space."""
    text = collapse_space(text).strip(" ")
    if not text:
        return ""
    ticks = "`" * (_count_ticks(text) + 1)
    space = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def write_fence(text: str, language: str) -> list[str]:
    """The lines of a code block. Lines that look like a line of anchors are kept apart from these by one space."""
    ticks = "`" * max(_count_ticks(text) + 1, 3)
    lines = [ticks + language, *text.split("\n"), ticks]
    return [" " + line for line in lines] if "\n<!--#" in "\n" + text else lines


def _count_ticks(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0) if "`" in text else 0


def read_address(href: str, base: str) -> str:
    """An address as it stands in a Markdown link, empty for one that leads nowhere: scripts, data, an empty one.

    Relative ones are taken from `base`, the address of the `<base>` element, but for parts of the page itself.
    """
    href = _REMOVED.sub("", href).strip()
    if base and href and not href.startswith("#"):
        href = _join(base, href)
    scheme = _SCHEME.match(href)
    if not href or len(href) > MAX_ADDRESS or (scheme and scheme[1].lower() not in _KEPT_SCHEMES):
        return ""
    href = _REFERENCE.sub("%26", href) if "&" in href else href
    return _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", href)


def _join(base: str, href: str) -> str:
    """The address as seen from `base`. A relative base is kept as a path from the page's own folder."""
    try:
        if base.startswith("//") or _SCHEME.match(base):
            return urljoin(base, href)
    except ValueError:
        return href
    return href if href.startswith("/") or _SCHEME.match(href) else base.rpartition("/")[0] + "/" * ("/" in base) + href


def _escape_mark(match: re.Match[str]) -> str:
    return match[1] * 2 + "\\" + match[2]
