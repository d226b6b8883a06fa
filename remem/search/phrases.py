"""Capitalised phrases of a text: names of people, places and things, as far as spelling tells. Text in, hashes out."""

from __future__ import annotations

import re
from hashlib import blake2b

from remem.search.words import STOP_WORDS

MOST = 200
"""Phrases of one text that are kept."""

_WORD = r"[A-Z\u00c0-\u00de][\w'\u2019-]+"
_PHRASE = re.compile(rf"(?<![\w'\u2019-]){_WORD}(?:(?: (?:of|the|de|la|von|van|and|for))*[ ]{_WORD})*")
_EDGES = frozenset({*STOP_WORDS, "however", "although", "while", "since", "also", "yes", "no", "oh", "hey", "hi", "ok"})


def list_phrases(text: str) -> dict[int, bool]:
    """The hashes (64 bits, signed) of the phrases, each with whether it is a single word. Linear in the text."""
    found: dict[int, bool] = {}
    for match in _PHRASE.finditer(text):
        words = match[0].replace("\u2019", "'").casefold().removesuffix("'s").split(" ")
        while words and words[0] in _EDGES:
            del words[0]
        while words and words[-1] in _EDGES:
            del words[-1]
        if words and len(" ".join(words)) > 2:
            found[_hash(" ".join(words))] = len(words) == 1
            if len(found) == MOST:
                break
    return found


def _hash(phrase: str) -> int:
    return int.from_bytes(blake2b(phrase.encode(), digest_size=8).digest(), "big", signed=True)
