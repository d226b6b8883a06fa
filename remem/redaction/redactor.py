"""Redaction: secrets in a text are replaced by `[redacted:kind]`. Pure: keeps no text, tells only kinds and lines.

One pass over the text looks for the beginnings of all known secrets at once; what stands there is then looked at
closely, within bounds. So it is linear in the text, but for patterns of the user's own, which have a time limit.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick

from remem.errors import ConfigError, InvalidInputError
from remem.redaction import given
from remem.redaction.blocks import BLOCK_LITERALS, find_block
from remem.redaction.marks import MARK, MARK_START, make_mark
from remem.redaction.tokens import SECRET_NEAR, TOKEN_RULES

RULES_VERSION = 1
"""Raised whenever other secrets are found: files are then read again."""
KINDS = ("private_key", "api_key", "token", "jwt", "password", "connection_string")
MOST_PASSES = 4
PATTERN_SECONDS = 0.5

_ENTITY = re.compile(r"&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,5}|[a-zA-Z]{2,8});")


class Secret(NamedTuple):
    """A secret that was found: its kind, and the line on which it began, counted from 1."""

    kind: str
    line: int


class Redacted(NamedTuple):
    """A text without its secrets. `removed` says for lines of this text how many lines are missing before them: pairs
    of the line from which on that holds, and how many in all."""

    text: str
    secrets: tuple[Secret, ...] = ()
    removed: tuple[tuple[int, int], ...] = ()

    def find_line(self, line: int) -> int:
        """The line that a line of this text had before."""
        return line + max((missing for first, missing in self.removed if line >= first), default=0)


class _Span(NamedTuple):
    start: int
    end: int
    kind: str
    quotes: bool = False


_Check = Callable[[str, int, int], "_Span | None"]


class Redactor:
    """Finds secrets of some kinds, and of patterns of the user's own."""

    def __init__(
        self, kinds: Sequence[str] = KINDS, patterns: Sequence[str] = (), seconds: float = PATTERN_SECONDS
    ) -> None:
        """`patterns` are written as `kind=regular expression`: its first group is the secret where it has one. Each may
        take so many `seconds` for a text, and as long again for each million characters.

        Raises ConfigError for a pattern that cannot be used.
        """
        self._kinds = frozenset(kinds)
        self._checks: list[_Check] = []
        literals: list[bytes] = []
        for literal, check in _list_checks(self._kinds):
            literals.append(literal.encode())
            self._checks.append(check)
        self._search = BytesAhoCorasick(literals) if literals else None
        self._own = [_OwnPattern(pattern, seconds) for pattern in patterns]
        told = "\n".join([str(RULES_VERSION), *sorted(kinds), "", *patterns])
        self.fingerprint = blake2b(told.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
        """What texts were redacted under: letters and digits."""

    def redact(self, text: str) -> Redacted:
        """The text without its secrets. Redacting it again finds nothing.

        Raises InvalidInputError where a pattern of the user's own takes too long: such a text must not be kept.
        """
        spans, text = self._find_all(text)
        if not spans:
            return Redacted(text)
        secrets: list[Secret] = []
        removed: list[tuple[int, int]] = []
        for _ in range(MOST_PASSES):
            done = Redacted(text, removed=tuple(removed))
            text, found, gone = _replace(text, spans)
            secrets += [Secret(secret.kind, done.find_line(secret.line)) for secret in found]
            removed = _join_removed(removed, gone)
            spans, text = self._find_all(text)
            if not spans:
                break
        return Redacted(text, tuple(sorted(secrets, key=lambda secret: secret.line)), tuple(removed))

    def clean(self, text: str) -> str:
        """The text alone of `redact`."""
        return self.redact(text).text

    def clean_field(self, name: str, value: str | int) -> str | int:
        """The value of a field without its secrets; as a whole it is one where the field's name says so."""
        text = str(value)
        cleaned = self.clean(text)
        if cleaned != text:
            return cleaned
        secrets = self.redact(f'"{name}": "{text}"').secrets if '"' not in text else ()
        return make_mark(secrets[0].kind) if secrets else value

    def _find_all(self, text: str) -> tuple[list[_Span], str]:
        """The secrets of a text, with the text in which they stand: where they show only when entities are read, that
        is the text with its entities read."""
        spans = self._find(text)
        if spans or "&" not in text or not _ENTITY.search(text):
            return spans, text
        plain = _ENTITY.sub(_read_entity, text)
        spans = self._find(plain) if plain != text else []
        return spans, plain if spans else text

    def _find(self, text: str) -> list[_Span]:
        spans: list[_Span] = []
        if self._search is not None:
            # One byte a character, so that places in the bytes are places in the text.
            data = text.encode("ascii", "replace").lower()
            done = 0
            # Those too that overlap: where one name ends, another one may have begun.
            for number, start, end in self._search.find_matches_as_indexes(data, overlapping=True):
                span = self._checks[number](text, start, end) if start >= done else None
                if span is not None and span.start >= done:
                    spans += (span, *_find_near(text, span))
                    done = spans[-1].end
        for own in self._own:
            spans = _merge(spans, own.find(text))
        return spans


@lru_cache(maxsize=16)
def make_redactor(kinds: tuple[str, ...] = KINDS, patterns: tuple[str, ...] = ()) -> Redactor:
    """The redactor of these kinds and patterns, made once. Raises ConfigError."""
    return Redactor(kinds, patterns)


# --- what is looked for -----------------------------------------------------------------------------------------------


def _list_checks(kinds: frozenset[str]) -> Iterator[tuple[str, _Check]]:
    """Each literal in lower case, with what looks closely at the place where it stands."""
    if "private_key" in kinds:
        for literal in BLOCK_LITERALS:
            yield literal, _check_block
    for rule in TOKEN_RULES:
        if rule.kind in kinds:
            for literal in rule.literals:
                yield literal, _make_check(rule.kind, rule.pattern)
    if kinds & {"password", "api_key", "token"}:
        for literal in given.NAMINGS:
            yield literal, _make_named(literal, kinds)
    if kinds & {"token", "password"}:
        for literal in given.HEADER_LITERALS:
            yield literal, lambda text, start, end: _keep(given.find_header(text, start), kinds)
    if kinds & {"connection_string", "password"}:
        for literal in given.ADDRESS_LITERALS:
            yield literal, lambda text, start, end: _keep(given.find_address(text, start), kinds)


def _check_block(text: str, start: int, end: int) -> _Span | None:
    found = find_block(text, start)
    return None if found is None else _Span(*found, "private_key")


def _make_check(kind: str, pattern: re.Pattern[str]) -> _Check:
    group = min(pattern.groups, 1)

    def check(text: str, start: int, end: int) -> _Span | None:
        found = pattern.match(text, start)
        return None if found is None else _Span(found.start(group), found.end(group), kind)

    return check


def _make_named(literal: str, kinds: frozenset[str]) -> _Check:
    return lambda text, start, end: _keep(given.find_value(text, start, end, literal), kinds)


def _keep(found: given.Value | None, kinds: frozenset[str]) -> _Span | None:
    return _Span(*found) if found is not None and found.kind in kinds else None


def _find_near(text: str, span: _Span) -> Iterator[_Span]:
    """The secret key that stands behind an access key of Amazon."""
    found = SECRET_NEAR.match(text, span.end) if text.startswith(("AKIA", "ASIA"), span.start) else None
    if found is not None:
        yield _Span(*found.span(1), span.kind)


def _read_entity(found: re.Match[str]) -> str:
    """What an entity says where that is a letter, digit or sign of ASCII; else the entity."""
    char = html.unescape(found[0])
    return char if char.isascii() and char.isprintable() and char not in "&<>" else found[0]


class _OwnPattern:
    """A pattern of the user's own: `kind=regular expression`."""

    def __init__(self, written: str, seconds: float) -> None:
        import regex  # for its time limit; loaded only where there are such patterns

        self._seconds = seconds
        self._kind, _, expression = written.partition("=")
        try:
            self._pattern = regex.compile(expression)
            matches_nothing = self._pattern.search("", timeout=seconds) is not None
        except (regex.error, TimeoutError, ValueError) as error:
            message = f"[redaction] patterns: that of {self._kind} is no regular expression: {error}"
            raise ConfigError(message, name="redaction.patterns") from None
        if matches_nothing:
            message = f"[redaction] patterns: that of {self._kind} matches the empty text"
            raise ConfigError(message, name="redaction.patterns")

    def find(self, text: str) -> Iterator[_Span]:
        """What it matches, but for marks. Raises InvalidInputError where it takes too long."""
        group = min(self._pattern.groups, 1)
        try:
            for found in self._pattern.finditer(text, timeout=self._seconds * (1 + len(text) / 1e6)):
                start, end = found.span(group) if found.span(group) != (-1, -1) else found.span()
                if start < end and not _touches_mark(text, start, end):
                    yield _Span(start, end, self._kind)
        except TimeoutError:
            message = (
                f"the pattern of {self._kind} in [redaction] patterns takes too long for this text, which is therefore"
                " not taken in; write it without repetitions inside repetitions"
            )
            raise InvalidInputError(message, field="patterns") from None


def _touches_mark(text: str, start: int, end: int) -> bool:
    if MARK_START not in text:
        return False
    first = max(0, start - 80)
    return any(mark.start() < end and mark.end() > start for mark in MARK.finditer(text, first, end + 80))


# --- replacing --------------------------------------------------------------------------------------------------------


def _merge(spans: list[_Span], more: Iterable[_Span]) -> list[_Span]:
    """All spans in order, those that overlap as one of the first one's kind."""
    merged: list[_Span] = []
    for span in sorted([*spans, *more], key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(span.end, merged[-1].end))
        else:
            merged.append(span)
    return merged


def _replace(text: str, spans: Sequence[_Span]) -> tuple[str, list[Secret], list[tuple[int, int]]]:
    """The text with marks in place of the spans, what was found, and the lines that are gone."""
    parts: list[str] = []
    secrets: list[Secret] = []
    removed: list[tuple[int, int]] = []
    done = missing = 0
    line = 1
    for span in spans:
        start, end = _take_brackets(text, span.start, span.end, done)
        line += text.count("\n", done, start)
        secrets.append(Secret(span.kind, line))
        mark = make_mark(span.kind)
        parts += (text[done:start], f'"{mark}"' if span.quotes else mark)
        gone = text.count("\n", start, end)
        if gone:
            missing += gone
            removed.append((line - missing + gone + 1, missing))
        line += gone
        done = end
    parts.append(text[done:])
    return "".join(parts), secrets, removed


def _take_brackets(text: str, start: int, end: int, least: int) -> tuple[int, int]:
    """The span with square brackets that close around it: with those of its mark they would read as a wiki-link."""
    for _ in range(2):
        if start > least and text[start - 1] == "[" and text[end : end + 1] == "]":
            start, end = start - 1, end + 1
    return start, end


def _join_removed(first: Sequence[tuple[int, int]], then: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """What two passes removed, the second one told in the lines that the first one left."""
    if not first or not then:
        return list(first or then)
    early, late = Redacted("", removed=tuple(first)), Redacted("", removed=tuple(then))
    starts = {line for line, _ in then}
    starts |= {line - missing for line, _ in first for missing in (0, *(gone for _, gone in then))}
    return [(line, early.find_line(late.find_line(line)) - line) for line in sorted(starts)]
