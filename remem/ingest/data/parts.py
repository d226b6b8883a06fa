"""What the readers of data files find: parts (keys with their values, items of lists) as spans of the text, links, tags
and problems. It finds and writes nothing itself."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from remem.ingest.links import Problems, parse_wiki, scan_text
from remem.ingest.rows import Tagged
from remem.ingest.tree import Found
from remem.records import RELATIONSHIP_TYPES, ParsedLink

MAX_DEPTH = 64
"""Maps and lists that lie deeper are not taken apart."""

NAME_KEYS = ("title", "name", "label", "id", "key")
"""The keys whose value names an item of a list, the first one that it has."""

WANTED = frozenset((*NAME_KEYS, "alias", "aliases", "tag", "tags"))
"""The keys whose texts are kept, in lower case."""

_MAX_PROBLEMS = 20
_BREAK = re.compile(r"\n")


class Part:
    """A key with its value or an item of a list. `kind` is that of its value: map, list, scalar, or code for what
    cannot be read. The span holds key, value and the comments that go with them; the value begins at `inner`. `value`
    is the text of a scalar below a key that is wanted, `name` what an item that is not taken apart is called; `flow`
    tells one in brackets (in YAML and TOML)."""

    __slots__ = ("children", "end", "flow", "inner", "key", "kind", "name", "start", "value")

    def __init__(self, kind: str, start: int, end: int, key: str | None = None) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.inner = start
        self.key = key
        self.flow = False
        self.value: str | None = None
        self.name: str | None = None
        self.children: list[Part] = []


class Scan(NamedTuple):
    """What was found in one file. `kind` says what the parts are: keys of a map, items of a list, records (lines or
    documents, each a whole of its own), or one scalar."""

    kind: str
    parts: list[Part]
    tags: list[Tagged] = []  # noqa: RUF012 -- never changed


class Report:
    """The links and problems of one text. Of problems of one kind the first is kept, and twenty in all."""

    def __init__(self, text: str) -> None:
        self.links: list[Found] = []
        self._text = text
        self.problems: Problems = []
        self._known: set[tuple[str, str]] = set()
        self._left_out = 0
        self._breaks: list[int] | None = None

    def mark(self) -> tuple[int, int]:
        """Where the links and problems stand now, for `drop_since`."""
        return len(self.links), len(self.problems)

    def drop_since(self, mark: tuple[int, int]) -> None:
        """Forget what was found since: the text is read in another way."""
        del self.links[mark[0] :]
        del self.problems[mark[1] :]

    def find_line(self, position: int) -> int:
        """The line, from 1, of a position in the text."""
        if self._breaks is None:
            self._breaks = [match.start() for match in _BREAK.finditer(self._text)]
        return bisect_left(self._breaks, position) + 1

    def find_start(self, line: int) -> int:
        """The position at which a line, from 1, begins."""
        self.find_line(0)
        breaks = self._breaks or []
        return breaks[min(line - 2, len(breaks) - 1)] + 1 if line > 1 and breaks else 0

    def add_problem(self, position: int, code: str, message: str, *, again: bool = False) -> None:
        """Report a problem; one that was reported before only with `again`."""
        if (code, message) in self._known and not again:
            return
        self._known.add((code, message))
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append((self.find_line(position), code, message))
        else:
            self._left_out += 1

    def list_problems(self) -> Problems:
        """The problems by line, and how many were left out."""
        left_out = f"{self._left_out} more problems like these are not listed"
        return [(0, "data-more", left_out)] * bool(self._left_out) + sorted(self.problems)

    def add_text(self, value: str, start: int, end: int, key: str | None) -> None:
        """The links in a text that is written from `start` to `end`, as the value of `key`."""
        problems: Problems = []
        for link in scan_text(value, self.find_line(start), problems):
            place = self._text.find("[[", start, end)
            place = start if place < 0 else place
            start = min(place + 2, end)
            self._add_link(link, place, key)
        for _, code, message in problems:
            self.add_problem(start, code, message, again=True)

    def add_wiki(self, raw: str, start: int, key: str | None) -> None:
        """The link `[[raw]]` that stands at `start` without quotes."""
        problems: Problems = []
        link = parse_wiki(raw, embed=False, line=1, problems=problems)
        if link is not None:
            self._add_link(link, start, key)
        for _, code, message in problems:
            self.add_problem(start, code, message, again=True)

    def _add_link(self, link: ParsedLink, place: int, key: str | None) -> None:
        if link.type == "references" and key in RELATIONSHIP_TYPES:
            link = link._replace(type=key)
        self.links.append(Found(place, place, link._replace(line=self.find_line(place))))
