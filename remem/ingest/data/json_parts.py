"""JSON to parts. It goes on past comments, commas too many, an end that is missing. No value is converted."""

from __future__ import annotations

import json
import re

import orjson

from remem.ingest.data.parts import MAX_DEPTH, WANTED, Part, Report, Scan

_TOKEN = re.compile(
    r'"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"|[{}\[\],:]|//[^\n]*|/\*(?s:.*?\*/|.*)|"[^\n]*|[^\s{}\[\],:"]+'
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS = frozenset(("true", "false", "null"))
_ODD_NUMBERS = frozenset(("NaN", "Infinity", "-Infinity"))
_ESCAPE = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\[^u]", re.DOTALL
)
_CLOSING = {"map": "}", "list": "]"}
CODE = "data-invalid"


def show_escapes(text: str) -> str:
    r"""The text with the characters that `\uXXXX` stands for, where they can be seen: that is what is searched. Quotes,
    backslashes, control characters and lone surrogates stay escaped, so it is the same JSON."""
    return _ESCAPE.sub(_show_escape, text) if "\\u" in text else text


def _show_escape(match: re.Match[str]) -> str:
    high, low, single = match.groups()
    if high:
        character = chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    elif single:
        character = chr(int(single, 16))
    else:
        return match[0]
    return character if character.isprintable() and character not in '"\\' else match[0]


def scan_json(text: str, report: Report) -> Scan:
    """The parts of a JSON text; the whole as code where it has faults that leave its structure in doubt."""
    scanner = JsonScanner(text, 0, len(text), report)
    values = scanner.scan()
    if scanner.is_broken:
        return Scan("records", [Part("code", 0, len(text))])
    if len(values) > 1:
        report.add_problem(values[1].start, CODE, "more than one value; each counts as a record")
        return Scan("records", values)
    root = next(iter(values), None)
    if root is None or not root.children:
        return Scan("scalar", values)
    # What stands before the opening bracket, a comment, goes with the first part, what follows the last with that.
    if text[root.start] == "/":
        root.children[0].start = root.start
    return Scan(root.kind, root.children)


class _Frame:
    """A map or list that is open. `key` is the key that waits for its value, or the key of the list itself."""

    __slots__ = ("awaits", "colon", "key", "key_start", "keys", "outer", "part")

    def __init__(self, part: Part, outer: str | None) -> None:
        self.part = part
        self.outer = outer
        self.awaits = True
        self.colon = False
        self.key: str | None = None
        self.key_start = 0
        self.keys: set[str] = set()


class JsonScanner:
    """Reads the JSON from `start` to `end`. `is_broken` tells afterwards whether its structure is in doubt. With `each`
    a fault is reported though the text has others of its kind."""

    def __init__(self, text: str, start: int, end: int, report: Report, *, each: bool = False) -> None:
        self.is_broken = False
        self._text, self._start, self._end = text, start, end
        self._report = report
        self._each = each
        self._root = _Frame(Part("list", start, end), None)
        self._top = self._root
        self._stack: list[_Frame] = []
        self._deep = 0
        self._deep_start = 0
        self._lead = -1
        self._comment_end = 0
        self._last = start
        self._handlers = {
            "{": self._open, "[": self._open, "}": self._close, "]": self._close,
            ",": self._separate, ":": self._colon,
        }  # fmt: skip

    def scan(self) -> list[Part]:
        """The values at the first level, in order."""
        handlers = self._handlers
        for match in _TOKEN.finditer(self._text, self._start, self._end):
            token, start, end = match[0], match.start(), match.end()
            handler = handlers.get(token)
            if handler is not None:
                handler(token, start)
            elif token[0] == '"':
                self._add_string(token, start, end)
            elif token.startswith(("//", "/*")):
                self._add_comment(start, end)
            elif not self._deep:
                self._add_word(token, start, end)
            self._last = end
        self._finish()
        return self._root.part.children

    def _finish(self) -> None:
        if self._deep or self._stack:
            self._warn(self._last, "the text ends before everything is closed")
        if self._deep:
            self._deep = 0
            self._add_value(Part("list", self._deep_start, self._last))
        while self._stack:
            if self._top.key is not None and self._top.part.kind == "map":
                self._top.colon = self._top.awaits = True
                self._add_value(Part("scalar", self._last, self._last))
            self._pop()
        values = self._root.part.children
        if self._lead >= 0:
            self._keep_comment(values[-1].children if values and values[-1].children else values)

    def _open(self, token: str, start: int) -> None:
        if self._deep:
            self._deep += 1
            return
        if len(self._stack) >= MAX_DEPTH:
            self._report.add_problem(start, "data-too-deep", f"nested deeper than {MAX_DEPTH}: not taken apart there")
            self._deep, self._deep_start = 1, start
            return
        part = Part("map" if token == "{" else "list", start, start)
        key = self._top.key if self._top.part.kind == "map" else self._top.outer
        self._add_value(part)
        self._stack.append(self._top)
        self._top = _Frame(part, key)

    def _close(self, token: str, start: int) -> None:
        if self._deep:
            self._deep -= 1
            if not self._deep:
                self._add_value(Part("list", self._deep_start, start + 1))
        elif not self._stack:
            self._break(start, f"a {token} closes nothing")
        else:
            if token != _CLOSING[self._top.part.kind]:
                self._break(start, f"a {token} closes what it did not open")
            if self._top.awaits and self._top.part.children:
                self._warn(start, "a comma stands before the end")
            self._last = start + 1
            self._pop()

    def _pop(self) -> None:
        if self._top.key is not None and self._top.part.kind == "map":
            self._break(self._last, "a key has no value")
        children = self._top.part.children
        if self._lead >= 0 and children:
            self._keep_comment(children)
        self._top.part.end = self._last
        self._top = self._stack.pop()

    def _keep_comment(self, parts: list[Part]) -> None:
        """A comment that no part follows goes with the part before it."""
        if parts and not parts[-1].children:
            parts[-1].end = self._comment_end
        else:
            parts.append(Part("scalar", self._lead, self._comment_end))
        self._lead = -1

    def _separate(self, token: str, start: int) -> None:
        top = self._top
        if self._deep:
            return
        if top.awaits or (top.key is not None and top.part.kind == "map") or not self._stack:
            self._break(start, "a comma follows no value")
        top.awaits = True

    def _colon(self, token: str, start: int) -> None:
        if self._deep:
            return
        if self._top.part.kind != "map" or self._top.key is None or self._top.colon:
            self._break(start, "a colon follows no key")
        self._top.colon = True

    def _add_comment(self, start: int, end: int) -> None:
        self._warn(start, "JSON has no comments")
        self._comment_end = end
        if not self._deep and self._lead < 0:
            self._lead = start

    def _add_word(self, token: str, start: int, end: int) -> None:
        if token in _ODD_NUMBERS:
            self._warn(start, f"JSON has no {token}")
        elif token not in _WORDS and not _NUMBER.fullmatch(token):
            self._break(start, "what is neither in quotes nor a number, true, false or null")
        part = Part("scalar", start, end)
        key = self._top.key if self._top.part.kind == "map" else self._top.outer
        if key is not None and key.lower() in WANTED and token != "null":
            part.value = token
        self._add_value(part)

    def _add_string(self, token: str, start: int, end: int) -> None:
        if token[-1] != '"' or token[-2:-1] == "\\" or len(token) == 1:
            self._check_end(token, start, end)
        top = self._top
        if not self._deep and top.part.kind == "map" and not top.colon:
            self._add_key(token, start, end)
            return
        key = None if self._deep else top.key if top.part.kind == "map" else top.outer
        wanted = key is not None and key.lower() in WANTED
        value = read_string(token) if wanted or "[[" in token else ""
        if "[[" in value:
            self._report.add_text(value, start, end, key)
        if not self._deep:
            part = Part("scalar", start, end)
            part.value = value if wanted else None
            self._add_value(part)

    def _check_end(self, token: str, start: int, end: int) -> None:
        """A text in quotes may be cut off where its line ends; then a quote at its end is an escaped one."""
        if len(token) > 1 and _is_closed(token):
            return
        if end == self._end:
            self._warn(start, "the text ends before everything is closed")
        else:
            self._break(start, "a text in quotes has no end in its line")

    def _add_key(self, token: str, start: int, end: int) -> None:
        top = self._top
        if top.key is not None:
            self._break(start, "a key has no value")
        top.key = token[1:-1] if "\\" not in token else read_string(token)
        top.key_start = start if self._lead < 0 else self._lead
        self._lead = -1
        if "[[" in token:
            self._report.add_text(top.key, start, end, None)
        if top.key in top.keys:
            self._report.add_problem(
                start, "data-repeated-key", f"the key {top.key[:40]!r} stands here again", again=True
            )
        top.keys.add(top.key)

    def _add_value(self, part: Part) -> None:
        top = self._top
        if not top.awaits and self._stack:
            self._break(part.start, "a comma is missing")
        if top.part.kind == "map":
            if not top.colon:
                self._break(part.start, "a value has no key")
            part.key = top.key
            part.start = top.key_start if top.key is not None else part.start
            top.key, top.colon = None, False
        elif self._lead >= 0:
            part.start = self._lead
            self._lead = -1
        top.awaits = False
        top.part.children.append(part)

    def _warn(self, position: int, message: str) -> None:
        """A fault that leaves no doubt about the structure."""
        if not self.is_broken:
            self._report.add_problem(position, CODE, message, again=self._each)

    def _break(self, position: int, message: str) -> None:
        if not self.is_broken:
            self._report.add_problem(position, CODE, message, again=True)
        self.is_broken = True


def read_string(token: str) -> str:
    """The text that a token in quotes stands for; as it stands where that is no JSON."""
    try:
        return str(orjson.loads(token))
    except orjson.JSONDecodeError:
        pass
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        return token.strip('"')


def _is_closed(token: str) -> bool:
    """Whether the last quote of a token ends it."""
    if token[-1] != '"':
        return False
    slashes = len(token) - 1 - len(token[:-1].rstrip("\\"))
    return slashes % 2 == 0
