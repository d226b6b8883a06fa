"""WordPiece: text to the token ids of an uncased or cased BERT vocabulary, as its reference tokeniser gives them.

Normalises (control characters, accents, case, Chinese characters), splits at whitespace and punctuation, and takes of
each word the longest known pieces. It reads no files.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST_WORD = 100
"""Characters; a longer word is unknown as a whole."""
CACHED_WORDS = 50_000

_MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_MARK = re.compile("(" + "|".join(map(re.escape, _MARKS)) + ")")
# What the reference takes as Chinese characters, each a word of its own.
_CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """A tokeniser for one vocabulary, whose entries are given in the order of their ids. Safe to share by threads."""

    def __init__(self, vocabulary: Iterable[str], *, lower: bool = True) -> None:
        """Raises KeyError where one of the special entries is missing."""
        self._ids = {entry: number for number, entry in enumerate(vocabulary)}
        self._starts = {entry: number for entry, number in self._ids.items() if not entry.startswith("##")}
        self._insides = {entry[2:]: number for entry, number in self._ids.items() if entry.startswith("##")}
        self._longest = max(map(len, self._ids))
        self._unknown, self._first, self._last = self._ids["[UNK]"], self._ids["[CLS]"], self._ids["[SEP]"]
        self._table = _CharacterTable(lower)
        self._lower = lower
        self._words: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def encode(self, text: str, longest: int = 256) -> list[int]:
        """The ids of a text, with those that begin and end it, at most `longest` of them."""
        ids = [self._first]
        for piece in _MARK.split(text) if "[" in text else (text,):
            if piece in _MARKS:
                ids.append(self._ids[piece])
            else:
                self._extend(ids, piece, longest)
            if len(ids) >= longest:
                break
        del ids[longest - 1 :]
        ids.append(self._last)
        return ids

    def _extend(self, ids: list[int], text: str, longest: int) -> None:
        words = self._words
        for word in self._split(text):
            found = words.get(word)
            if found is None:
                if len(words) >= CACHED_WORDS:
                    words.clear()
                found = words[word] = self._take_pieces(word)
            ids.extend(found)
            if len(ids) >= longest:
                return

    def _split(self, text: str) -> list[str]:
        if self._lower and not text.isascii():
            text = unicodedata.normalize("NFD", text)
        return text.translate(self._table).split()

    def _take_pieces(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return (self._unknown,)
        pieces: list[int] = []
        start = 0
        while start < len(word):
            known = self._insides if start else self._starts
            for end in range(min(len(word), start + self._longest), start, -1):
                number = known.get(word[start:end])
                if number is not None:
                    break
            else:
                return (self._unknown,)
            pieces.append(number)
            start = end
        return tuple(pieces)


class _CharacterTable(dict[int, str]):
    """What `str.translate` puts for a character; each is worked out when first met."""

    def __init__(self, lower: bool) -> None:
        super().__init__()
        self._lower = lower

    def __missing__(self, code: int) -> str:
        found = self[code] = classify_character(chr(code), self._lower)
        return found


def classify_character(character: str, lower: bool) -> str:
    """What becomes of a character (after NFD where `lower`): nothing, a space, a word of its own, or itself."""
    code, category = ord(character), unicodedata.category(character)
    if character in "\t\n\r":
        return " "
    if code in (0, 0xFFFD) or category in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if character.isspace():
        return " "
    if lower and category == "Mn":
        return ""
    if is_chinese(code) or is_punctuation(character, category):
        return f" {character} "
    return character.lower() if lower else character


def is_chinese(code: int) -> bool:
    """Whether a character is one of Chinese script, as the reference counts them."""
    return any(first <= code <= last for first, last in _CHINESE)


def is_punctuation(character: str, category: str) -> bool:
    """Whether a character is a word of its own: punctuation, and every ASCII sign."""
    return category.startswith("P") or (character.isascii() and character.isprintable() and not character.isalnum())
