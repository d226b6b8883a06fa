"""Mentions: which names count when a text uses them without a link, where a text uses them, how much that weighs. Pure;
what a name leads to is decided by resolution (graph/resolve)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import ahocorasick_rs

from remem.graph.commons import FUNCTION_WORDS, is_common
from remem.graph.prose import Prose, fold_spaces, join_words
from remem.keys import name_key, strict_key
from remem.records import MICRO

RULES = 2
"""The version of these rules: another one has all texts matched again."""
HEAVIEST = 0.5
LONGEST = 200
"""Names with more characters are no names but sentences."""
NAMING_KINDS = frozenset(("title", "stem", "alias", "heading", "memory", "entity"))
"""Kinds of names (storage `names`) that texts may use."""
_STRONG_KINDS = frozenset(("title", "alias", "memory", "entity"))
_FILE_KINDS = frozenset(("title", "stem", "alias"))
_EMPTY_WORDS = FUNCTION_WORDS | frozenset(("see", "read", "reading", "step", "steps", "work", "works"))
"""Names of such words alone say nothing, however many there are: "See also", "How it works"."""
_SINGLE_RUN = 4
"""From so many characters on, a run of a script without spaces counts as two words."""

# Han, kana, Hangul, Thai, Lao, Burmese, Khmer: words stand there without spaces.
_UNSPACED = (
    "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
# Marks that belong to words but are no word characters for `re`.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0903\u093a-\u0963\u0980-\u0dff"
_SIGN = re.compile(f"[^\\W_]|[{_MARKS}]")
_BARE = re.compile(f"[{_UNSPACED}]")
_WORD = re.compile(f"[{_UNSPACED}]|(?:(?![{_UNSPACED}])(?:[^\\W_]|[{_MARKS}]))+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_ASCII_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
# A sign that makes one word of what stands on its two sides: paths, addresses, identifiers, `key=value`.
_JOINTS = frozenset("./\\:=&@#$+'’")
_MARKS_BEFORE = frozenset("@#$\\")


class NameUse(NamedTuple):
    """The first use of a name in a text: the key of the name, the key of the node, how it is spelled."""

    name: int
    node: int
    spelling: str


@lru_cache(1 << 14)
def make_pattern(text: str) -> str:
    """How a name is looked for in texts: its key with `-` and `_` as spaces. Empty for what can name nothing."""
    if len(text) > LONGEST:
        return ""
    pattern = join_words(fold_spaces(strict_key(text))).strip()
    return pattern if split_words(pattern) and name_key(pattern) == name_key(text) else ""


def split_words(text: str) -> list[str]:
    """The words of a folded text; each character of a script without spaces is one."""
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


@lru_cache(1 << 14)
def is_single(pattern: str) -> bool:
    """Whether a name is one word."""
    words = split_words(pattern)
    return len(words) == 1 or (len(words) < _SINGLE_RUN and all(map(_BARE.fullmatch, words)))


def can_name(pattern: str, kinds: Set[str]) -> bool:
    """Whether a name of these kinds counts when a text uses it: two words or more, or one that is a title, alias or
    entity and no common word."""
    words = split_words(pattern)
    has_letter = any(map(str.isalpha, "".join(words)))
    if is_single(pattern):
        return bool(kinds & _STRONG_KINDS) and len(pattern) > 1 and has_letter and not is_common(words[0])
    if not has_letter and not kinds & _FILE_KINDS:
        return False
    return bool(kinds & NAMING_KINDS) and not _EMPTY_WORDS.issuperset(words)


def is_strong(kind: str) -> bool:
    """Whether a single word of this kind may name its node."""
    return kind in _STRONG_KINDS


def find_head(pattern: str) -> str:
    """What a name is filed under: its first two words."""
    return " ".join(split_words(pattern)[:2])


def list_heads(prose: Prose) -> set[str]:
    """What all names that the text may use are filed under: each word, and each two that follow each other."""
    words = split_words(prose.text)
    return {*words, *map(" ".join, pairwise(words))}


def weigh(texts: int) -> int:
    """The weight, in millionths, of a mention of what `texts` texts (at least 1) name."""
    return round(HEAVIEST / (1 + math.log(texts)) * MICRO)


class Matcher:
    """Finds names in texts, in time linear in the text whatever the number of names."""

    def __init__(self, names: Iterable[tuple[int, str]]) -> None:
        """`names` are (key, pattern)."""
        known = list(names)
        self._keys = [key for key, _ in known]
        self._patterns = [pattern for _, pattern in known]
        # Three times as fast as the one that the package chooses.
        machine = ahocorasick_rs.Implementation.ContiguousNFA
        self._machine = ahocorasick_rs.AhoCorasick(self._patterns, implementation=machine, store_patterns=False)

    def find_uses(self, prose: Prose, own: Set[str] = frozenset()) -> list[NameUse]:
        """The first use of each name, in the order of the text. What is in `own`, the names of the text's own document,
        is passed over. A name within a longer one is not used there, whatever that leads to; one word in front matter,
        which keeps paths and tags, names nothing."""
        found: dict[int, NameUse] = {}
        reach = 0
        for start, end, number in self._find_whole(prose):
            if end <= reach or self._patterns[number] in own:
                continue
            reach = end
            key = self._keys[number]
            if key in found:
                continue
            node = prose.find_node(start)
            spelling = prose.find_spelling(start, end)
            if prose.kinds[node] == "kv" and " " not in spelling:
                continue
            found[key] = NameUse(key, node, spelling)
        return list(found.values())

    def _find_whole(self, prose: Prose) -> list[tuple[int, int, int]]:
        """(start, end, number of the name) of whole words, by start, the longest first."""
        whole = prose.whole
        matches = self._machine.find_matches_as_indexes(prose.text, overlapping=True)
        found = [
            (start, end, number)
            for number, start, end in matches
            if not (whole[start - 1] in _ASCII_SIGNS and whole[start] in _ASCII_SIGNS)
            and not (whole[end] in _ASCII_SIGNS and whole[end - 1] in _ASCII_SIGNS)
            and _is_whole(whole, start, end)
        ]
        found.sort(key=lambda match: (match[0], -match[1]))
        return found


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a part of a text, which has a sign before and after it, is whole words there; without a space in it, not
    a part of a path, address or identifier."""
    before, after = text[start - 1], text[end]
    if _are_joined(before, text[start]) or _are_joined(text[end - 1], after):
        return False
    if before == "_" or after == "_":
        return not ((before == "_" and _is_sign(text[start - 2])) or (after == "_" and _is_sign(text[end + 1])))
    if " " in text[start:end]:
        return True
    if before in _MARKS_BEFORE or (before in _JOINTS and _is_sign(text[start - 2])):
        return False
    return not (after in _JOINTS and after not in "'’" and _is_sign(text[end + 1]))


def _are_joined(left: str, right: str) -> bool:
    """Whether two characters that follow each other belong to one word."""
    if not (_is_sign(left) and _is_sign(right)):
        return False
    return left.isascii() or not (_BARE.match(left) or _BARE.match(right))


def _is_sign(character: str) -> bool:
    return character in _ASCII_SIGNS or (not character.isascii() and _SIGN.match(character) is not None)
