"""Queries: what a person or an agent wrote becomes an expression for the full-text index. No text is an error.

Words are looked for one by one: a passage answers that holds any of them, and more and rarer ones rank higher. Stop
words count only where nothing else is left. "Phrases" must occur; `prefix*` is the beginning of a word. `AND`, `OR`,
`NOT` and parentheses join what stands between them, where all of them have their operands; otherwise they are words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from remem.records import SearchQuery, SearchTerm
from remem.search.scripts import fold_text, is_grammar, is_unspaced, split_run, split_tokens
from remem.search.stems import list_prefixes, list_words
from remem.search.words import CONTRACTIONS, STOP_WORDS

MAX_TERMS = 64
"""So many different things are looked for; the rest of a longer query is left out."""
LONGEST = 20_000
"""So many characters of a query are looked at."""
DEEPEST = 8
"""Where parentheses nest deeper, the query is one of words."""

_ITEM = re.compile(r'"([^"]*)"|([^\s"]+)')
_QUOTES = str.maketrans("\u201c\u201d\u201e\u201f\u00ab\u00bb\x00", '"""""" ')
_SURROGATES = re.compile("[\ud800-\udfff]")
_APOSTROPHES = ("'", "\u2019")
_OPERATORS = ("AND", "OR", "NOT")


@dataclass(frozen=True, slots=True)
class _Item:
    """A word as written, or a quoted phrase."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class _Part:
    """An expression for the index, and what it marks in a hit."""

    expression: str
    terms: tuple[SearchTerm, ...]


class _NotWellFormedError(Exception):
    """The operators lack an operand; the query is one of words."""


def parse_query(text: str) -> SearchQuery:
    """What is to be looked for. Linear in the text."""
    text = text[:LONGEST].translate(_QUOTES)
    text = text if text.isascii() else _SURROGATES.sub("\ufffd", text)
    items = _split_items(text)
    part = _parse_operators(items)
    if part is None:
        part = _join_group([item for item in items if item.quoted or item.text not in _OPERATORS]) or _join_group(items)
    if part is None:
        return SearchQuery("", (), ("the query holds no words",))
    return SearchQuery(part.expression, tuple(dict.fromkeys(part.terms)), _list_notes(text, items))


def _list_notes(text: str, items: Sequence[_Item]) -> tuple[str, ...]:
    if len(text) < LONGEST and len({item.text for item in items if not item.quoted}) <= MAX_TERMS:
        return ()
    return (f"the query is long: no more than {MAX_TERMS} of its words were looked for",)


def _split_items(text: str) -> list[_Item]:
    if text.count('"') % 2:
        head, _, tail = text.rpartition('"')
        text = f"{head} {tail}"
    return [_Item(match[1] or "", True) if match[2] is None else _Item(match[2]) for match in _ITEM.finditer(text)]


# --- words and phrases ------------------------------------------------------------------------------------------------


def _join_group(items: Iterable[_Item]) -> _Part | None:
    """What stands side by side: every phrase must occur, of the words any may. None where nothing can be looked for."""
    items = list(items)
    phrases = [part for item in items if item.quoted and (part := _make_phrase(item.text))]
    words = list(islice(dict.fromkeys(_list_words(items)), MAX_TERMS))
    terms = tuple(term for part in (*phrases, *words) for term in part.terms)
    required = [part.expression for part in phrases[:MAX_TERMS]]
    if required and words:
        any_of = " OR ".join([required[0], *(part.expression for part in words)])
        return _Part(f"({' AND '.join(required)} AND ({any_of}))", terms)
    if required:
        return _Part(f"({' AND '.join(required)})", terms)
    return _Part(f"({' OR '.join(part.expression for part in words)})", terms) if words else None


def _list_words(items: Sequence[_Item]) -> Iterator[_Part]:
    """The parts of the words, without stop words unless nothing else is left."""
    words = [item.text for item in items if not item.quoted]
    telling = [part for word in words for part in _read_word(word, STOP_WORDS)]
    if not telling and not any(item.quoted and split_tokens(fold_text(item.text)) for item in items):
        telling = [part for word in words for part in _read_word(word, frozenset())]
    yield from telling


def _read_word(word: str, stops: frozenset[str]) -> list[_Part]:
    """What a word is looked for by: itself; where signs part it, the whole as a phrase and each of its parts."""
    folded = fold_text(word)
    tokens = split_tokens(folded)
    if not tokens:
        return []
    if _is_prefix(word, tokens):
        return [_make_prefix(tokens[-1])]
    if len(tokens) == 1:
        return [] if tokens[0] in stops else _read_token(tokens[0])
    if stops and any(mark in word for mark in _APOSTROPHES):
        stops = stops | CONTRACTIONS
    if all(token in stops for token in tokens):
        return []
    phrase = _make_phrase(folded)
    telling = [token for token in tokens if token not in stops and not token.isdecimal()]
    parts = [part for token in telling if len(token) > 1 or is_unspaced(token) for part in _read_token(token)]
    return [phrase, *parts] if phrase else parts


def _read_token(token: str) -> list[_Part]:
    if not is_unspaced(token):
        return [_Part(f'"{token}"', (SearchTerm((token,)),))]
    if len(token) == 1:
        return [_Part(f'"{token}" *', (SearchTerm((token,), prefix=True),))]
    pairs = split_run(token)
    whole = _Part(f'"{" ".join(pairs)}"', (SearchTerm((token,)),))
    if len(pairs) == 1:
        return [whole]
    telling = [pair for pair in pairs if not is_grammar(pair)] or pairs
    return [whole, *(_Part(f'"{pair}"', (SearchTerm((pair,)),)) for pair in telling)]


def _is_prefix(word: str, tokens: Sequence[str]) -> bool:
    return len(tokens) == 1 and word.endswith("*") and word.count("*") == 1 and word[-2:-1].isalnum()


def _make_prefix(token: str) -> _Part:
    """The index holds stems: what begins with the prefix may have been cut to less than it."""
    term = SearchTerm((token,), prefix=True)
    if is_unspaced(token) and len(token) > 1:
        return _Part(f'"{" ".join(split_run(token))}"', (SearchTerm((token,)),))
    ways = [*(f'"{prefix}" *' for prefix in list_prefixes(token)), *(f'"{word}"' for word in list_words(token))]
    return _Part(f"({' OR '.join(ways)})", (term,))


def _make_phrase(text: str) -> _Part | None:
    tokens = split_tokens(fold_text(text))
    if not tokens:
        return None
    if len(tokens) == 1 and len(tokens[0]) == 1 and is_unspaced(tokens[0]):
        return _read_token(tokens[0])[0]
    words = " ".join(" ".join(split_run(token)) if is_unspaced(token) else token for token in tokens)
    return _Part(f'"{words}"', (SearchTerm(tuple(tokens)),))


# --- operators --------------------------------------------------------------------------------------------------------

_Token = str | tuple[_Item, ...]
"""An operator, a parenthesis, or the words and phrases between two of these."""


def _parse_operators(items: Sequence[_Item]) -> _Part | None:
    """The query by its operators. None where it has none, or where they are not well formed."""
    if not any(item.text in _OPERATORS for item in items if not item.quoted):
        return None
    try:
        return _Reader(_group_tokens(_split_parentheses(items))).read_query()
    except _NotWellFormedError:
        return None


def _split_parentheses(items: Sequence[_Item]) -> Iterator[_Item | str]:
    """Items, and as plain strings the operators and the parentheses at the outside of words."""
    for item in items:
        if item.quoted or item.text in _OPERATORS:
            yield item if item.quoted else item.text
            continue
        word = item.text.lstrip("(")
        yield from "(" * (len(item.text) - len(word))
        closing = min(max(0, word.count(")") - word.count("(")), len(word) - len(word.rstrip(")")))
        inner = word[: len(word) - closing]
        if inner:
            yield _Item(inner)
        yield from ")" * closing


def _group_tokens(tokens: Iterable[_Item | str]) -> list[_Token]:
    grouped: list[_Token] = []
    for token in tokens:
        if isinstance(token, str):
            grouped.append(token)
        elif grouped and isinstance(grouped[-1], tuple):
            grouped[-1] = (*grouped[-1], token)
        else:
            grouped.append((token,))
    return grouped


class _Reader:
    """Reads OR over AND over NOT. What stands beside parentheses without an operator must hold as well. Every method
    raises _NotWellFormedError where an operand is missing."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        if len(tokens) > 4 * MAX_TERMS:
            raise _NotWellFormedError

    def read_query(self) -> _Part:
        part = self._read_any(0)
        if self._at < len(self._tokens):
            raise _NotWellFormedError
        return part

    def _read_any(self, depth: int) -> _Part:
        parts = [self._read_all(depth)]
        while self._take("OR"):
            parts.append(self._read_all(depth))
        return _join_parts(parts, " OR ")

    def _read_all(self, depth: int) -> _Part:
        parts, excluded = [self._read_operand(depth)], []
        while True:
            joined = self._take("AND")
            if self._take("NOT"):
                excluded.append(self._read_operand(depth))
            elif joined or self._is_at_operand():
                parts.append(self._read_operand(depth))
            else:
                break
        part = _join_parts(parts, " AND ")
        for other in excluded:
            part = _Part(f"({part.expression} NOT {other.expression})", part.terms)
        return part

    def _read_operand(self, depth: int) -> _Part:
        if self._take("("):
            if depth == DEEPEST:
                raise _NotWellFormedError
            part = self._read_any(depth + 1)
            if not self._take(")"):
                raise _NotWellFormedError
            return part
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        group = None if isinstance(token, str) else _join_group(token)
        if group is None:
            raise _NotWellFormedError
        self._at += 1
        return group

    def _is_at_operand(self) -> bool:
        return self._at < len(self._tokens) and (
            self._tokens[self._at] == "(" or isinstance(self._tokens[self._at], tuple)
        )

    def _take(self, token: str) -> bool:
        found = self._at < len(self._tokens) and self._tokens[self._at] == token
        self._at += found
        return found


def _join_parts(parts: Sequence[_Part], operator: str) -> _Part:
    if len(parts) == 1:
        return parts[0]
    terms = tuple(term for part in parts for term in part.terms)
    return _Part(f"({operator.join(part.expression for part in parts)})", terms)
