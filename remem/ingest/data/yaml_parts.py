"""YAML to parts: where keys and items stand, by the events of the parser. No value is converted, no alias followed."""

from __future__ import annotations

import re
from itertools import islice, pairwise
from typing import Protocol

import yaml

from remem.ingest.data.names import tag_record
from remem.ingest.data.parts import WANTED, Part, Report, Scan
from remem.ingest.data.places import place_parts
from remem.ingest.tokens import replace_surrogates
from remem.ingest.yaml_toml import FAULTS, MAX_SECTIONS, NULLS, YAML_LOADER, check_nesting

_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_SECTION = re.compile(r"^(?=[^\s#\-\]}]|---)", re.MULTILINE)
_ITEM = re.compile(r"^(?=[^\s#\]}])", re.MULTILINE)
_FIRST_ITEM = re.compile(r"(?:\s|#[^\n]*\n|---[ \t]*\n)*+-\s")
_KEY = re.compile(r"([a-z_]+)[ \t]*:")
_LINE = re.compile(r"[^\n]+")
_SHOWN = 80


class _Mark(Protocol):
    index: int


class _Frame:
    """A map or list that is open. `key` waits for its value, `outer` is the key of the map or list itself."""

    __slots__ = ("has_key", "key", "key_start", "keys", "outer", "part")

    def __init__(self, part: Part, outer: str | None) -> None:
        self.part = part
        self.outer = outer
        self.has_key = False
        self.key = ""
        self.key_start = 0
        self.keys: set[str] = set()


class _Reader:
    """Reads the events of a piece of text that begins at `offset` of the whole."""

    def __init__(self, text: str, offset: int, report: Report) -> None:
        self.text = text
        self.offset = offset
        self.report = report
        self.stack: list[_Frame] = []
        self.documents: list[Part] = []
        self.starts: list[int] = []

    def read(self, piece: str) -> None:
        """Raises the faults of the parser."""
        for event in yaml.parse(piece, Loader=YAML_LOADER):
            if isinstance(event, yaml.ScalarEvent):
                self.add_scalar(event)
            elif isinstance(event, yaml.CollectionStartEvent):
                self.open(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self.close(event)
            elif isinstance(event, yaml.AliasEvent):
                start, end = self.find_span(event)
                self.add_value(Part("scalar", start, end), f"*{event.anchor}")
            elif isinstance(event, yaml.DocumentStartEvent):
                self.starts.append(self.find_span(event)[0])

    def find_span(self, event: yaml.Event) -> tuple[int, int]:
        return self.offset + find_index(event.start_mark), self.offset + find_index(event.end_mark)

    def find_key(self) -> str | None:
        """The key whose value comes next."""
        if not self.stack:
            return None
        top = self.stack[-1]
        if top.part.kind == "list":
            return top.outer
        return top.key if top.has_key else None

    def add_scalar(self, event: yaml.ScalarEvent) -> None:
        start, end = self.find_span(event)
        key = self.find_key()
        if "[[" in event.value:
            self.report.add_text(event.value, start, end, key)
        part = Part("scalar", start, end)
        is_null = not event.style and event.value in NULLS
        if key is not None and key.lower() in WANTED and not is_null:
            part.value = event.value
        self.add_value(part, event.value)

    def open(self, event: yaml.CollectionStartEvent) -> None:
        start, end = self.find_span(event)
        kind = "map" if isinstance(event, yaml.MappingStartEvent) else "list"
        part = Part(kind, start, end)
        part.flow = bool(event.flow_style)
        self.stack.append(_Frame(part, self.find_key()))

    def close(self, event: yaml.CollectionEndEvent) -> None:
        frame = self.stack.pop()
        part = frame.part
        if part.flow:
            part.end = self.find_span(event)[1]
            self.find_wiki(frame)
        elif part.children:
            part.end = part.children[-1].end
        self.add_value(part, self.text[part.start : min(part.end, part.start + _SHOWN)])

    def add_value(self, part: Part, text: str) -> None:
        """Puts a scalar, map or list where it belongs; `text` is what it is called as a key."""
        if not self.stack:
            self.documents.append(part)
            return
        top = self.stack[-1]
        if top.part.kind == "list":
            part.start = part.start if top.part.flow else self.find_dash(top, part.start)
        elif not top.has_key:
            self.add_key(top, part, text)
            return
        else:
            part.key, part.start, top.has_key = top.key, top.key_start, False
        top.part.children.append(part)

    def add_key(self, top: _Frame, part: Part, text: str) -> None:
        top.has_key, top.key, top.key_start = True, text, part.start
        if text in top.keys and text != "<<":
            message = f"the key {text[:40]!r} stands here again"
            self.report.add_problem(part.start, "data-repeated-key", message, again=True)
        top.keys.add(text)

    def find_dash(self, top: _Frame, start: int) -> int:
        """Where the dash of an item stands whose value begins at `start`."""
        floor = top.part.children[-1].end if top.part.children else top.part.start
        place = self.text.rfind("-", floor, start)
        return place if place >= 0 else start

    def find_wiki(self, frame: _Frame) -> None:
        """A link `[[text]]` that, unquoted, was read as a list in a list."""
        outer, children = frame.part, frame.part.children
        if outer.kind != "list" or len(children) != 1 or children[0].kind != "list":
            return
        inner = children[0]
        if inner.start != outer.start + 1 or inner.end != outer.end - 1 or not inner.children:
            return
        if not any(child.kind == "list" for child in inner.children):
            self.report.add_wiki(self.text[inner.start + 1 : inner.end - 1], outer.start, frame.outer)


def find_index(mark: _Mark | None) -> int:
    """The position that a mark of the parser stands for."""
    return mark.index if mark is not None else 0


def scan_yaml(text: str, report: Report) -> Scan:
    """The parts of a YAML text. What cannot be read as a whole is read key by key, and then only the keys that are at
    fault are code."""
    clean = _FORBIDDEN.sub("\ufffd", replace_surrogates(text))
    mark = report.mark()
    try:
        documents, starts = _read_piece(clean, 0, len(clean), report)
    except FAULTS as error:
        report.drop_since(mark)
        return _scan_sections(clean, error, report)
    if not documents:
        return Scan("scalar", [Part("scalar", 0, len(text))])
    bounds = [0, *starts[1:], len(text)]
    for index, part in enumerate(documents):
        place_parts(clean, part, bounds[index], bounds[index + 1])
    if len(documents) > 1:
        return Scan("records", documents, [tag for part in documents for tag in tag_record(part)])
    root = documents[0]
    return Scan(root.kind, root.children) if root.children else Scan("scalar", [root])


def _read_piece(text: str, start: int, end: int, report: Report) -> tuple[list[Part], list[int]]:
    """The documents in a piece of the text, and where they begin. Raises the faults of the parser."""
    piece = text if end - start == len(text) else text[start:end]
    check_nesting(piece)
    reader = _Reader(text, start, report)
    reader.read(piece)
    return reader.documents, reader.starts


# --- what the parser refuses -----------------------------------------------------------------------------------------


def _scan_sections(text: str, error: Exception, report: Report) -> Scan:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or "it is nested too deep"
    report.add_problem(min(mark.index, len(text.rstrip())) if mark else 0, "data-invalid", f"invalid YAML: {reason}")
    parts: list[Part] = []
    bounds = _find_sections(text)
    for start, end in pairwise(bounds):
        found = _read_section(text, start, end, report)
        if found is None and parts and parts[-1].kind == "code":
            parts[-1].end = end
        else:
            parts += [Part("code", start, end)] if found is None else found
    return Scan("map" if any(part.key is not None for part in parts) else "list", parts)


def _find_sections(text: str) -> list[int]:
    """Where the keys of the first level begin, or the items where it is a list; and both ends of the text."""
    pattern = _ITEM if _FIRST_ITEM.match(text) else _SECTION
    starts = [match.start() for match in islice(pattern.finditer(text), MAX_SECTIONS + 1)]
    return sorted({0, *starts, len(text)})


def _read_section(text: str, start: int, end: int, report: Report) -> list[Part] | None:
    """The parts of one section: none of a line that only divides documents, None where it cannot be read."""
    piece = text[start:end]
    if not piece.strip(" \t\n-."):
        return []
    mark = report.mark()
    try:
        documents, _ = _read_piece(text, start, end, report)
    except FAULTS:
        documents = []
    if len(documents) == 1 and documents[0].children and not documents[0].flow:
        place_parts(text, documents[0], start, end)
        return documents[0].children
    report.drop_since(mark)
    key = _KEY.match(piece)
    for line in _LINE.finditer(text, start, end):
        if "[[" in line[0] and not line[0].lstrip().startswith("#"):
            report.add_text(line[0], line.start(), line.end(), key[1] if key else None)
    return None
