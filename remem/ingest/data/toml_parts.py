"""TOML to parts: where each key and table stands. It goes on past faults; the standard parser says what is wrong."""

from __future__ import annotations

import re
import tomllib

from remem.ingest.data.names import find_name
from remem.ingest.data.parts import WANTED, Part, Report, Scan
from remem.ingest.data.places import place_parts
from remem.ingest.yaml_toml import check_dots

_TOKEN = re.compile(
    r'"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+"{3,5}'
    r"|'''[^']*+(?:'(?!'')[^']*+)*+'{3,5}"
    r'|"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"'
    r"|'[^'\n]*'|\"[^\n]*|'[^\n]*|\#[^\n]*|[\[\]{}=,\n]|[^\s\[\]{}=,\#\"']+",
    re.DOTALL,
)
_PLACE = re.compile(r"\(at line ([0-9]+), column [0-9]+\)")
_MAX_CHECKED = 2_000_000
"""Characters of a file that the standard parser, which is slow, is asked about."""


def scan_toml(text: str, report: Report) -> Scan:
    """The parts of a TOML text: keys, and tables as maps; a table `a.b` behind `a` lies in it."""
    if len(text) <= _MAX_CHECKED:
        _check(text, report)
    root = _Scanner(text, report).scan()
    if not root.children:
        return Scan("scalar", [Part("scalar", 0, len(text))])
    place_parts(text, root, 0, len(text))
    return Scan("map", root.children)


def _check(text: str, report: Report) -> None:
    try:
        check_dots(text)
        tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        reason = str(error)
        place = _PLACE.search(reason)
        position = report.find_start(int(place[1])) if place else len(text)
        report.add_problem(position, "data-invalid", f"invalid TOML: {_PLACE.sub('', reason).strip()}")
    except (ValueError, RecursionError):
        report.add_problem(0, "data-too-deep", "nested too deep to be checked")


class _Scanner:
    """Reads statements: a key with its value, or the head of a table, each up to the end of its line."""

    def __init__(self, text: str, report: Report) -> None:
        self.root = Part("map", 0, len(text))
        self._text = text
        self._report = report
        self._tables: list[tuple[str, Part]] = [("", self.root)]
        self._clear()

    def scan(self) -> Part:
        """The document, with the spans of keys and values alone."""
        for match in _TOKEN.finditer(self._text):
            token = match[0]
            if token == "\n":
                if not self._depth or self._is_head:
                    self._finish()
            elif token[0] != "#" or self._depth:
                self._add_token(token, match.start(), match.end())
        self._finish()
        while len(self._tables) > 1:
            self._leave()
        return self.root

    def _clear(self) -> None:
        self._start = self._end = -1
        self._key = ""
        self._is_head = False
        self._value: Part | None = None
        self._depth = 0
        self._item = -1
        self._item_value: str | None = None

    def _add_token(self, token: str, start: int, end: int) -> None:
        if self._start < 0:
            self._start = start
            self._is_head = token == "["
        if token in ("]", "}"):
            self._close(start)
        elif token == "," and self._depth == 1:
            self._finish_item()
        elif token == "=" and not self._depth and self._value is None and not self._is_head:
            self._value = Part("scalar", end, end)
        elif self._value is None and token not in ("[", "{"):
            self._key += read_word(token)
        elif self._value is not None:
            self._add_value(self._value, token, start)
        if token in ("[", "{"):
            self._depth += 1
        if token[0] != "#":
            self._end = end

    def _add_value(self, value: Part, token: str, start: int) -> None:
        if not self._depth and self._end <= value.start:
            value.kind = {"[": "list", "{": "map"}.get(token, "scalar")
        if token[0] in "\"'" and "[[" in token:
            self._report.add_text(read_word(token), start, start + len(token), self._key)
        if self._depth == 1 and self._item < 0:
            self._item = start
        if token[0] not in "[{#" and self._key.lower() in WANTED:
            self._item_value = read_word(token)

    def _close(self, start: int) -> None:
        self._depth = max(self._depth - 1, 0)
        if not self._depth:
            self._finish_item()

    def _finish_item(self) -> None:
        """An item of a list that is a value."""
        if self._value is not None and self._value.kind == "list" and self._item >= 0:
            item = Part("scalar", self._item, self._end)
            item.value = self._item_value
            self._value.children.append(item)
            self._item_value = None
        self._item = -1

    def _finish(self) -> None:
        if self._start >= 0:
            if self._is_head:
                self._add_table()
            else:
                self._add_key()
        self._clear()

    def _add_key(self) -> None:
        part = self._value if self._value is not None else Part("scalar", 0, 0)
        part.inner = part.start
        part.start, part.end, part.key = self._start, self._end, self._key
        part.flow = part.kind == "list"
        part.value = self._item_value if part.kind == "scalar" else None
        self._tables[-1][1].children.append(part)

    def _add_table(self) -> None:
        while len(self._tables) > 1 and not self._key.startswith(self._tables[-1][0] + "."):
            self._leave()
        above, outer = self._tables[-1]
        table = Part("map", self._start, self._end, self._key[len(above) + 1 :] if above else self._key)
        table.name = "" if self._text.startswith("[[", self._start) else None
        outer.children.append(table)
        self._tables.append((self._key, table))

    def _leave(self) -> None:
        """A table ends where its last part does; an item of a list of tables gets its name."""
        table = self._tables.pop()[1]
        if table.children:
            table.end = table.children[-1].end
        if table.name is not None:
            table.name = None
            table.name = find_name(table) or ""


def read_word(token: str) -> str:
    """The text that a word or a token in quotes stands for."""
    if token[0] not in "\"'":
        return token
    try:
        return str(tomllib.loads(f"x = {token}")["x"])
    except ValueError:
        return token.strip("\"'")
