"""A paragraph of a page while it is read: its text as Markdown, with the links that are open in it. No blocks."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Collection, Mapping
from urllib.parse import unquote

from remem.ingest.html.escape import collapse_space, escape_text, hide_dollars
from remem.ingest.links import parse_markdown_target

_BREAK = re.compile(r" *\n *")
_SPACES = re.compile(r"  +")
_LINE_END = re.compile(r"\s*\n\s*")
_WORD = re.compile(r"\w")
_BRACKETS = re.compile(r"[\[\]]")
_HINTS = ("weight", "source", "id", "type")
_MARKUP = {ord(mark): f"&#{ord(mark)};" for mark in "\\`$|[]"}


class OpenLink:
    """An `<a>` that has begun: its address, and where its text begins among the parts."""

    __slots__ = ("address", "start", "used")

    def __init__(self, address: str, start: int) -> None:
        self.address = address
        self.start = start
        self.used = False


class Inline:
    """Collects runs of text and what stands between them. `source` is the first text as the file has it."""

    def __init__(self) -> None:
        self.source = ""
        self._parts: list[str] = []
        self._links: list[OpenLink] = []
        self._formulas = False

    def add_text(self, text: str) -> None:
        """Add a run of text as the page has it."""
        plain = collapse_space(text)
        parts = self._parts
        if plain == " ":
            if parts and parts[-1][-1:] not in (" ", "\n"):
                parts.append(" ")
            return
        if not self.source:
            self.source = text
        plain = escape_text(plain, in_link=bool(self._links))
        if plain[:1] == "(" and parts and parts[-1].endswith("]"):
            plain = "\\" + plain
        parts.append(plain)

    def add_raw(self, markdown: str) -> None:
        """Add what is Markdown already."""
        if markdown:
            self._parts.append(markdown)

    def add_space(self) -> None:
        """Keep what came before apart from what follows."""
        if self._parts:
            self._parts.append(" ")

    def add_image(self, text: str, address: str) -> None:
        """Add an image by its text and address, of which either may be empty."""
        text = collapse_space(text).strip(" ")
        if address:
            self._parts.append(f"![{_BRACKETS.sub(_escape, escape_text(text))}]({address})")
        elif text:
            self.add_text(text)

    def add_knowledge(self, attributes: Mapping[str, str | None], text: str) -> None:
        """Add a `<knowledge>` element as it stands in Markdown."""
        hints = "".join(f' {key}="{_quote(attributes[key] or "")}"' for key in _HINTS if attributes.get(key))
        self._parts.append(f"<knowledge{hints}>{_quote(text)}</knowledge>")

    def add_formula(self, formula: str) -> None:
        """Add a formula: TeX between dollars, or its symbols as text."""
        self._formulas |= formula.startswith("$")
        self.add_raw(formula if formula.startswith("$") else escape_text(formula))

    def open_link(self, address: str) -> None:
        """Begin a link."""
        self._links.append(OpenLink(address, len(self._parts)))

    def close_link(self, own: Collection[str] | None = None) -> None:
        """End the link that began last. In a heading, of which `own` are the names: a link that leads to itself is but
        its text, and nothing where it leads into the page and shows no word."""
        if not self._links:
            return
        link = self._links.pop()
        inner = "".join(self._parts[link.start :])
        del self._parts[link.start :]
        if own is not None and link.address.startswith("#"):
            if not _WORD.search(inner):
                return
            link.address = "" if unquote(link.address[1:]) in own else link.address
        self.add_raw(_write_link(link, inner))

    def take(self) -> str:
        """The text so far, line ends as they were made by `<br>`; what follows begins anew, in the links still open."""
        if not self._parts:
            return ""
        if self._links:
            link = self._links[-1]
            inner = "".join(self._parts[link.start :])
            del self._parts[link.start :]
            if inner.strip():
                self._parts.append(_write_link(link, inner))
            for link in self._links:
                link.start = 0
        text = "".join(self._parts)
        self._parts.clear()
        if "\n" in text:
            text = _BREAK.sub("\n", text)
        text = _SPACES.sub(" ", text).strip(" \n")
        text, self._formulas = text if self._formulas else hide_dollars(text), False
        return text

    def take_line(self) -> str:
        """The same on one line."""
        return self.take().replace("\n", " ")


def _write_link(link: OpenLink, inner: str) -> str:
    """A link as Markdown; one without text only where it names a note, and behind a text that holds links itself."""
    address = link.address
    if not address:
        return inner
    text = _LINE_END.sub(" ", inner).strip(" ")
    if not text:
        bare = not link.used and parse_markdown_target(address, "", 0) is not None
        return f"{inner}[]({address})" if bare else inner
    link.used = True
    lead, tail = inner[: len(inner) - len(inner.lstrip(" \n"))], inner[len(inner.rstrip(" \n")) :]
    if "[[" in text or "<knowledge" in text or "](" in text.replace("![", ""):
        return f"{lead}{text} []({address}){tail}"
    return inner if text == address else f"{lead}[{text}]({address}){tail}"


def _quote(text: str) -> str:
    return entities.escape(collapse_space(text).strip(" ")).translate(_MARKUP)


def _escape(match: re.Match[str]) -> str:
    return "\\" + match[0]
