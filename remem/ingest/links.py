"""The grammar of links: text in, `ParsedLink` out. What a link leads to is decided elsewhere.

A problem is a triple (line, code, message); codes are stable, messages hold no more of the note than the faulty value.
All functions take time linear in their input and never raise.
"""

from __future__ import annotations

import html as entities
import math
import re
from collections.abc import Iterator
from typing import TypeAlias
from urllib.parse import unquote

from remem.ingest.elements import Tag, find_pieces, read_text
from remem.ingest.syntax import SIZE
from remem.keys import NOTE_EXTENSIONS
from remem.records import MAX_WEIGHT, RELATIONSHIP_TYPES, ParsedLink

Problems: TypeAlias = list[tuple[int, str, str]]

_IMAGES = ("avif", "bmp", "gif", "heic", "ico", "jpeg", "jpg", "png", "psd", "svg", "tif", "tiff", "webp")
_SOUNDS = ("aac", "flac", "m4a", "mid", "mp3", "oga", "ogg", "opus", "wav", "wma")
_VIDEOS = ("avi", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "ogv", "webm")
_PAPERS = ("csv", "doc", "docx", "epub", "odp", "ods", "odt", "pdf", "ppt", "pptx", "rtf", "tsv", "xls", "xlsx")
_PACKED = ("7z", "bz2", "gz", "rar", "tar", "tgz", "xz", "zip")
ATTACHMENT_EXTENSIONS = frozenset("." + ending for ending in _IMAGES + _SOUNDS + _VIDEOS + _PAPERS + _PACKED)
"""Endings of files that are embedded but hold no notes."""

_PARAMETER = re.compile(r"\s*(w|weight|source|id|type)\s*=(.*)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\s)")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
_SITE = re.compile(r"(?<![^\s*_~(])www\.\w")
_URL_END = re.compile(r"[\s<>\"|()\[\]]")
_TYPED = re.compile(r"\s*(?:(?:[-*+]|[0-9]{1,9}[.)])\s+(?:\[.\]\s+)?)?([a-z_]+)(?:\s*::)?\s*")
_SCHEME_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-")
_SCHEME_LENGTH = 20


# --- wiki-links ------------------------------------------------------------------------------------------------------


def parse_wiki(raw: str, *, embed: bool, line: int, problems: Problems) -> ParsedLink | None:
    """The link that `[[raw]]` (or `![[raw]]`) stands for, None where it is none.

    No links: an empty one, one with nothing before the pipe, an embedded attachment, a URL. Parameters
    (`; key=value`) may stand before or after the pipe. A number shown by an embed is a size and is dropped.
    """
    target, pipe, shown = raw.partition("|")
    if pipe:
        target = target.removesuffix("\\")
    hints = _Hints()
    if ";" in raw:
        target = hints.take(target, line, problems)
        shown = hints.take(shown, line, problems)
    label, _, anchor = target.partition("#")
    label, anchor, shown = label.strip(), anchor.strip(), shown.strip()
    if not (label or anchor or hints.source or hints.id) or _is_url(label):
        return None
    if embed and _is_attachment(label):
        return None
    if embed and SIZE.fullmatch(shown):
        shown = ""
    form = "embed" if embed else "wiki"
    return ParsedLink(form, label, anchor, shown, hints.source, hints.id, hints.type, hints.weight, line)


def unwrap_name(text: str) -> str | None:
    """What a name written as one wiki-link (`[[Label#Heading|shown]]`) names; any other text is the name itself.

    None where it is no link, or says more than a name: it has parameters.
    """
    raw = text[2:-2]
    if not (text.startswith("[[") and text.endswith("]]")) or "[[" in raw or "]]" in raw:
        return text
    hints = _Hints()
    hints.take(raw, 0, [])
    link = parse_wiki(raw, embed=False, line=0, problems=[])
    if link is None or hints.given:
        return None
    return f"{link.label}#{link.anchor}" if link.anchor else link.label


def scan_text(text: str, line: int, problems: Problems) -> list[ParsedLink]:
    """The wiki-links of plain text whose first line is `line`. A backslash before `[[` escapes; URLs hold no links.

    Of nested brackets the inner pair wins; a link may run over a line's end but not over a blank line.
    """
    found = []
    start, counted = 0, line
    for opening, closing in _find_brackets(text):
        counted += text.count("\n", start, opening)
        start = opening
        embed = opening > 0 and text[opening - 1] == "!"
        link = parse_wiki(text[opening + 2 : closing], embed=embed, line=counted, problems=problems)
        if link is not None:
            found.append(link)
    return found


def find_urls(text: str) -> list[tuple[int, int]]:
    """The character spans of URLs (`scheme://…`, and `www.…` where GFM links it) in text. An unmatched closing bracket
    ends a URL."""
    spans: list[tuple[int, int]] = []
    end = 0
    for start, inside in sorted([*_find_schemes(text), *_find_sites(text)]):
        if start >= end:
            end = _find_url_end(text, inside)
            spans.append((start, end))
    return spans


def may_hold_url(text: str, start: int, end: int) -> bool:
    """Whether part of a text has what begins URLs."""
    return text.find("://", start, end) >= 0 or text.find("www.", start, end) >= 0


def find_type(text: str) -> str | None:
    """The relationship type that types the links of an item or line, None where there is none.

    `text` is what stands before the first link: a type alone, with a bullet before it ("- caused_by "), or with
    two colons after it ("caused_by:: ").
    """
    match = _TYPED.fullmatch(text) if len(text) < 100 else None
    return match[1] if match and match[1] in RELATIONSHIP_TYPES else None


def _find_brackets(text: str) -> Iterator[tuple[int, int]]:
    """The positions of `[[` and `]]` of every pair outside URLs, innermost pairs only."""
    if "[[" not in text:
        return
    urls = find_urls(text)
    index, done, closing = 0, 0, text.find("]]")
    while closing >= 0:
        if _is_escaped(text, closing, done):
            closing = text.find("]]", closing + 1)
            continue
        opening = text.rfind("[[", done, closing)
        while index < len(urls) and urls[index][1] <= opening:
            index += 1
        hidden = opening < 0 or _is_escaped(text, opening, done) or (index < len(urls) and urls[index][0] <= opening)
        if not hidden and not _has_blank_line(text, opening, closing):
            yield opening, closing
        done = closing + 2
        closing = text.find("]]", done)


def _has_blank_line(text: str, start: int, end: int) -> bool:
    return text.find("\n", start, end) >= 0 and _BLANK_LINE.search(text, start, end) is not None


def _is_escaped(text: str, position: int, start: int) -> bool:
    """Whether an odd number of backslashes, none before `start`, stands in front of `position`."""
    before = position
    while before > start and text[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 1


def _find_schemes(text: str) -> Iterator[tuple[int, int]]:
    """Where URLs with a scheme begin, and where it has ended."""
    colon = text.find("://")
    while colon >= 0:
        start = _find_scheme(text, colon)
        if start < colon:
            yield start, colon + 3
        colon = text.find("://", colon + 3)


def _find_sites(text: str) -> Iterator[tuple[int, int]]:
    """Where URLs without a scheme begin, and where their domain has begun."""
    return (match.span() for match in _SITE.finditer(text)) if "www." in text else iter(())


def _find_scheme(text: str, colon: int) -> int:
    start = colon
    floor = max(colon - _SCHEME_LENGTH, 0)
    while start > floor and text[start - 1] in _SCHEME_LETTERS:
        start -= 1
    while start < colon and not text[start].isalpha():
        start += 1
    return start


def _find_url_end(text: str, start: int) -> int:
    """Where the URL ends: white space, `<>"|`, or a bracket that was not opened in it. `[[` nests like any bracket."""
    depth = 0
    for match in _URL_END.finditer(text, start):
        character = match[0]
        if character in "([":
            depth += 1
        elif character in ")]" and depth:
            depth -= 1
        else:
            return match.start()
    return len(text)


def _is_url(label: str) -> bool:
    return "://" in label and _SCHEME.match(label) is not None


def _is_attachment(label: str) -> bool:
    return label[label.rfind(".") :].lower() in ATTACHMENT_EXTENSIONS if "." in label else False


# --- parameters ------------------------------------------------------------------------------------------------------


class _Hints:
    """The parameters of one link, at their defaults until `take` or `put` finds them."""

    __slots__ = ("given", "id", "source", "type", "weight")

    def __init__(self) -> None:
        self.source = ""
        self.id = ""
        self.type = "references"
        self.weight = 1.0
        self.given: set[str] = set()

    def take(self, text: str, line: int, problems: Problems) -> str:
        """Take the parameters out of `text`; what is left is returned. Splits before any normalisation."""
        first, *others = text.split(";")
        kept = [first]
        for part in others:
            match = _PARAMETER.fullmatch(part)
            if match is None:
                kept.append(part)
            else:
                self.put(match[1], match[2], line, problems)
        return ";".join(kept)

    def put(self, key: str, value: str, line: int, problems: Problems) -> None:
        """Set one parameter; a malformed or repeated one is a problem. Of repeated ones the last counts."""
        key = "weight" if key == "w" else key
        value = _strip_quotes(value.strip())
        if key in self.given:
            problems.append((line, "repeated-link-parameter", f"{key} is given twice; the last one counts"))
        self.given.add(key)
        if key == "weight":
            self.weight = _parse_weight(value, line, problems)
        elif key == "type":
            self.type = _parse_type(value, line, problems)
        elif not value:
            problems.append((line, "empty-link-parameter", f"{key} is empty and is left out"))
        else:
            setattr(self, key, value)


def _strip_quotes(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1].strip() if quoted else value


def _parse_weight(value: str, line: int, problems: Problems) -> float:
    weight = float(value) if len(value) < 400 and _NUMBER.fullmatch(value) else math.nan
    if 0.0 <= weight <= MAX_WEIGHT:
        return round(weight, 6) + 0.0
    problems.append((line, "bad-link-weight", f"weight {value[:40]!r} is not a number from 0 to 1000000; 1.0 is used"))
    return 1.0


def _parse_type(value: str, line: int, problems: Problems) -> str:
    if value in RELATIONSHIP_TYPES:
        return value
    problems.append((line, "bad-link-type", f"{value[:40]!r} is no relationship type; references is used"))
    return "references"


# --- Markdown links and addresses ------------------------------------------------------------------------------------


def parse_markdown_target(href: str, shown: str, line: int) -> ParsedLink | None:
    """The link that `[shown](href)` stands for, None unless the address is relative and names a note.

    An address without an extension names a note, one with an extension only if it is a note's. `#heading` alone leads
    into the document itself. Path and anchor are percent-decoded; a query after a note's extension is dropped.
    """
    return _parse_address("markdown", href, shown, line)


def _parse_address(form: str, href: str, shown: str, line: int) -> ParsedLink | None:
    href = href.strip()
    if href.startswith(("//", "\\\\")) or _SCHEME.match(href):
        return None
    path, _, anchor = href.partition("#")
    base, mark, query = path.partition("?")
    if mark and (not base or "=" in query or _EXTENSION.search(base)):
        path = base
    path, anchor = unquote(path).strip(), unquote(anchor).strip()
    if not (_names_note(path) if path else anchor):
        return None
    return ParsedLink(form, path, anchor, shown.strip(), line=line)


def _names_note(path: str) -> bool:
    segment = path.rstrip("/").rpartition("/")[2]
    if not segment.strip("."):
        return False
    extension = _EXTENSION.search(segment)
    return extension is None or path.endswith("/") or extension[0].lower() in NOTE_EXTENSIONS


# --- HTML ------------------------------------------------------------------------------------------------------------


def scan_html(html: str, line: int, problems: Problems, *, hrefs: bool = False) -> list[ParsedLink]:
    """The links of HTML source whose first line is `line`: `[[…]]` in its text, `<knowledge>`, and with `hrefs` `<a>`.

    Comments, script, style, pre, code, template and all attribute values hold no wiki-links. Entities inside a link are
    decoded after it was found, so `&#91;&#91;x]]` is none.
    """
    if "[[" not in html and "<" not in html:
        return []
    found: list[ParsedLink] = []
    done, counted = 0, line
    for start, end, tag in find_pieces(html):
        counted += html.count("\n", done, start)
        done = start
        if tag is None:
            found += map(_decode_link, scan_text(html[start:end], counted, problems))
        elif tag.name == "knowledge":
            found += _parse_knowledge(tag, html[tag.end : end], counted, problems)
        elif hrefs:
            found += _parse_href(tag, html[tag.end : end], counted)
    return found


def _parse_knowledge(tag: Tag, inner: str, line: int, problems: Problems) -> list[ParsedLink]:
    hints = _Hints()
    for key, value in tag.parse_attributes().items():
        if key in ("weight", "source", "id", "type") and value.strip():
            hints.put(key, value, line, problems)
    text = read_text(inner)
    label, _, anchor = text.removeprefix("[[").removesuffix("]]").partition("#")
    label, anchor = label.strip(), anchor.strip()
    if not (label or anchor or hints.source or hints.id):
        problems.append((line, "empty-knowledge", "a knowledge element has no label, id or source"))
        return []
    return [ParsedLink("knowledge", label, anchor, "", hints.source, hints.id, hints.type, hints.weight, line)]


def _parse_href(tag: Tag, inner: str, line: int) -> list[ParsedLink]:
    link = _parse_address("href", tag.parse_attributes().get("href", ""), read_text(inner), line)
    return [] if link is None else [link]


def _decode_link(link: ParsedLink) -> ParsedLink:
    decode = entities.unescape
    return link._replace(label=decode(link.label), anchor=decode(link.anchor), shown=decode(link.shown))
