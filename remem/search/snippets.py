"""Snippets: where a text holds what a query looks for, and the part of it that shows most. Text in, text and positions
out; nothing is marked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from remem.records import SearchTerm
from remem.search.scripts import find_tokens, is_unspaced
from remem.search.stems import list_words, stem_word

SNIPPET = 240
"""A snippet has about so many characters at most."""
_LEAD = 60
"""So much is shown before the first match."""

_SPACE = re.compile(r"\s")
_WORD = re.compile(r"[a-z0-9]+")


class Match(NamedTuple):
    """A place where a term stands: (start, end) in characters, and which of the terms."""

    start: int
    end: int
    term: int


class Matcher:
    """Finds the terms of one query in texts."""

    def __init__(self, terms: Sequence[SearchTerm]) -> None:
        self.terms = tuple(terms)
        self._words: dict[str, int] = {}
        self._phrases: dict[str, list[int]] = {}
        self._prefixes: list[tuple[str, frozenset[str], int]] = []
        self._runs: list[tuple[str, int]] = []
        for index, term in enumerate(terms):
            self._add_term(term, index)
        starts = [*self._words, *self._phrases, *(prefix for prefix, _, _ in self._prefixes)]
        self._initials = frozenset(word[0] for word in starts)
        self._starts = None if self._phrases or self._runs else _shorten_stems(starts)

    def _add_term(self, term: SearchTerm, index: int) -> None:
        first = term.words[0]
        if len(term.words) > 1:
            self._phrases.setdefault(_stem(first), []).append(index)
        elif is_unspaced(first):
            self._runs.append((first, index))
        elif term.prefix:
            self._prefixes.append((first, frozenset(map(stem_word, list_words(first))), index))
        else:
            self._words.setdefault(_stem(first), index)

    def find(self, text: str) -> list[Match]:
        """All matches in order. The words of a phrase are one match each."""
        if self._starts is not None and text.isascii() and "#" not in text and "++" not in text:
            tokens = _find_candidates(text.lower(), self._starts)
        else:
            tokens = find_tokens(text)
        found: list[Match] = []
        for number, (start, end, word) in enumerate(tokens):
            if word[:1] in self._initials:
                found += self._match_word(tokens, number)
            if self._runs and not word.isascii():
                found += self._match_run(start, end, word)
        return sorted(set(found))

    def _match_word(self, tokens: Sequence[tuple[int, int, str]], number: int) -> Iterable[Match]:
        start, end, word = tokens[number]
        stem = _stem(word)
        if (term := self._words.get(stem)) is not None:
            yield Match(start, end, term)
        for prefix, shorter, index in self._prefixes:
            if word.startswith(prefix) or stem in shorter:
                yield Match(start, end, index)
        for index in self._phrases.get(stem, ()):
            words = self.terms[index].words
            following = tokens[number : number + len(words)]
            if [_stem(token[2]) for token in following] == [_stem(other) for other in words]:
                yield from (Match(token[0], token[1], index) for token in following)

    def _match_run(self, start: int, end: int, word: str) -> Iterable[Match]:
        for run, index in self._runs:
            at = word.find(run)
            while at >= 0:
                # Where folding changed the length, positions within the word are lost.
                whole = len(word) != end - start
                yield Match(start, end, index) if whole else Match(start + at, start + at + len(run), index)
                at = -1 if whole else word.find(run, at + 1)

    def count_terms(self, text: str) -> set[int]:
        """Which of the terms the text holds."""
        return {match.term for match in self.find(text)}


def _shorten_stems(stems: Iterable[str]) -> tuple[str, ...]:
    """How words begin that may have one of the stems. Stemming changes no letter but the last of what it leaves."""
    return tuple({stem[: max(1, len(stem) - 1)] for stem in stems})


def _find_candidates(text: str, starts: Iterable[str]) -> list[tuple[int, int, str]]:
    """The words (start, end, word) of a lower-case ASCII text that begin so, by their beginnings."""
    found = []
    for start in starts:
        at = text.find(start)
        while at >= 0:
            end = at + 1
            if not (at and text[at - 1].isalnum()):
                end = _find_word_end(text, at)
                found.append((at, end, text[at:end]))
            at = text.find(start, end)
    return found


def _find_word_end(text: str, start: int) -> int:
    match = _WORD.match(text, start)
    return start + 1 if match is None else match.end()


def cut_snippet(text: str, matches: Sequence[Match]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The part of `text` that holds most of the terms, and the (start, end) of matched words in it.

    It is cut between words where it can be, never inside a grapheme; `…` stands where something was left out.
    """
    start, end = _choose_window(text, matches)
    before, after = "…" if start else "", "…" if end < len(text) else ""
    part = before + text[start:end] + after
    shift = len(before) - start
    inside = [(match.start, match.end) for match in matches if start <= match.start and match.end <= end]
    spans = _unite([_widen(text, *span) for span in inside])
    return part, tuple((first + shift, min(last, end) + shift) for first, last in spans)


def _choose_window(text: str, matches: Sequence[Match]) -> tuple[int, int]:
    if len(text) <= SNIPPET:
        return 0, len(text)
    best, chosen = (0, 0), 0
    for number, match in enumerate(matches):
        inside = [other.term for other in matches[number : number + SNIPPET] if other.end - match.start <= SNIPPET]
        value = (len(set(inside)), len(inside))
        if value > best:
            best, chosen = value, match.start
    if not chosen or chosen <= _LEAD:
        start = 0
    else:
        last = max(
            (match.end for match in matches if match.start >= chosen and match.end - chosen <= SNIPPET), default=chosen
        )
        room = max(0, SNIPPET - (last - chosen))
        start = _begin_word(text, max(0, min(chosen - min(_LEAD, room), len(text) - SNIPPET)), chosen)
    return start, _end_word(text, start, min(len(text), start + SNIPPET))


def _begin_word(text: str, start: int, latest: int) -> int:
    """The first beginning of a word from `start` on, up to `latest`."""
    if start == 0:
        return 0
    space = _SPACE.search(text, start - 1, latest)
    return find_border(text, start) if space is None else space.end()


def _end_word(text: str, start: int, end: int) -> int:
    if end == len(text) or text[end].isspace():
        return end
    space = max(text.rfind(" ", start + (end - start) // 2, end), -1)
    return find_border(text, end) if space < 0 else space


def find_border(text: str, index: int) -> int:
    """The last border between graphemes at or before `index`."""
    start = text.rfind(" ", 0, index) + 1
    if text[start : index + 1].isascii():
        return index
    import regex

    for match in regex.finditer(r"\X", text, pos=start):
        if match.end() > index:
            return int(match.start()) if match.start() < index else index
    return index


def _widen(text: str, start: int, end: int) -> tuple[int, int]:
    """The span with the graphemes at its ends whole."""
    if text[start : end + 1].isascii():
        return start, end
    first = find_border(text, start)
    while end < len(text) and find_border(text, end) != end:
        end += 1
    return first, end


def _unite(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order without overlaps."""
    united: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if united and start < united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united


def _stem(word: str) -> str:
    return stem_word(word) if word.isascii() else word
