"""Stems of English words by Porter's algorithm, as the full-text index has them. Needed where matched words are shown;
the index itself stems on its own.

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

LONGEST = 64
"""Longer words and those below three letters are their own stems."""

# In each step the first suffix that fits decides, whether or not what it leaves is long enough.
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("logi", "log"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"),
    ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
    ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip
# What can follow a stem in a word.
_ENDING_LIST = """
able ables ably ability abilities al alism ality ally als ance ances ancies ancy ant ants ate ated ately ates ating
ation ational ations ative atively ator ators e ed edly eed ement ements ence ences encies ency ent ently ents er ers
es ful fully fulness ible ibles ibly ibility ic ical ically icate icates icity ics ied ies ily ing ingly ings ion
ional ionally ions ism isms ities ity ive ively iveness ives ivity ization izations ize ized izer izers izes izing ly
ment mentally ments ness nesses or ors ous ously ousness s y
"""
_ENDINGS = tuple(_ENDING_LIST.split())
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@lru_cache(1 << 15)
def stem_word(word: str) -> str:
    """The stem of a folded lower-case word."""
    if not 3 <= len(word.encode("utf-8", "replace")) <= LONGEST:
        return word
    word = _drop_plural(word)
    word = _drop_past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace_suffix(word, _STEP_2)
    word = _replace_suffix(word, _STEP_3)
    word = _drop_suffix(word)
    return _drop_final(word)


@lru_cache(1 << 10)
def list_words(prefix: str) -> tuple[str, ...]:
    """Words that begin with `prefix`, one for each stem that `list_prefixes` does not find: for `runn` one of the stem
    `run`. At least two letters of the prefix stay."""
    if not prefix.isascii():
        return ()
    words = {prefix}
    for length in range(2, len(prefix) + 1):
        start, rest = prefix[:length], prefix[length:]
        words |= {start + ending for ending in _ENDINGS if ending.startswith(rest)}
        if rest and start[-1] == rest[0] and rest[0] not in "aeiouy":
            words |= {start + rest[0] + ending for ending in _ENDINGS if ending.startswith(rest[1:])}
    covered = list_prefixes(prefix)
    stems = {stem: word for word in sorted(words, reverse=True) if not (stem := stem_word(word)).startswith(covered)}
    return tuple(stems.values())


def list_prefixes(prefix: str) -> tuple[str, ...]:
    """What to look for as prefixes instead of one which the index, that stems it as if it were a word, would change:
    with each letter that may follow. `mary` would be `mari`, and `cases` `cas`."""
    if not prefix.isascii() or stem_word(prefix) == prefix:
        return (prefix,)
    longer = (prefix + letter for letter in _LETTERS)
    return tuple(word for word in longer if stem_word(word) == word)


def _is_vowel(word: str, index: int) -> bool:
    letter = word[index]
    return letter in "aeiou" or (letter == "y" and index > 0 and not _is_vowel(word, index - 1))


def _has_vowel(word: str) -> bool:
    return any(_is_vowel(word, index) for index in range(len(word)))


def _measure(word: str) -> int:
    """How often a consonant follows a vowel."""
    vowels = [_is_vowel(word, index) for index in range(len(word))]
    return sum(before and not after for before, after in pairwise(vowels))


def _ends_short(word: str) -> bool:
    """Whether the end is consonant, vowel, consonant other than w, x, y."""
    size = len(word)
    return (
        size > 2
        and not _is_vowel(word, size - 1)
        and word[-1] not in "wxy"
        and _is_vowel(word, size - 2)
        and not _is_vowel(word, size - 3)
    )


def _drop_plural(word: str) -> str:
    if word.endswith("sses") or (word.endswith("ies") and len(word) > 3):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _drop_past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        stem = word.removesuffix(suffix)
        if stem != word and _has_vowel(stem):
            return _mend(stem)
    return word


def _mend(stem: str) -> str:
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and not _is_vowel(stem, len(stem) - 1) and stem[-1] not in "lsz":
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _replace_suffix(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for suffix, new in rules:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + new if _measure(stem) else word
    return word


def _drop_suffix(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            stem = word[: -len(suffix)] + ("" if suffix not in ("sion", "tion") else suffix[0])
            return stem if _measure(stem) > 1 else word
    return word


def _drop_final(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _ends_short(stem)):
            word = stem
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word
