"""Cuts long texts into chunks that an embedder takes in whole: at ends of paragraphs, lines, sentences, else words.
It counts characters, not tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from remem.keys import is_blank

CHUNK_CHARACTERS = 800
"""Characters of a chunk at most; about 200 tokens of English."""
DENSE_CHARACTERS = 240
"""The same for scripts where nearly every character is a token."""

_DENSE = re.compile("[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]")
# Where to cut, best first: after a blank line, a line, a sentence, a half sentence, a word.
_ENDS = tuple(
    map(re.compile, (r"\n[ \t]*\n\s*", r"\n\s*", r"[.!?…][\"'”’)\]]*\s+|[。！？]", r"[,;:]\s+|[、，；：]", r"\s+"))
)


def split_chunks(text: str, longest: int = CHUNK_CHARACTERS) -> list[str]:
    """The chunks of a text in order, each at most `longest` characters (fewer in Chinese, Japanese, Korean), without
    whitespace at their ends. Nothing that shows is lost; a text that shows nothing has none. Linear in the text."""
    return [chunk for chunk in map(str.strip, _cut(text, longest)) if not is_blank(chunk)]


def _cut(text: str, longest: int) -> Iterator[str]:
    start, end = 0, len(text.rstrip())
    while start < end:
        room = fit_room(text, start, longest)
        rest = end - start
        if rest <= room:
            yield text[start:end]
            return
        if rest < 2 * room:
            # Two chunks of about the same length rather than a full one and a shred.
            room = max(1, min(room, rest * 5 // 8))
        cut = find_cut(text, start, start + room)
        yield text[start:cut]
        start = cut


def fit_room(text: str, start: int, longest: int) -> int:
    """How many characters from `start` make a chunk, by the share of dense scripts in what comes next."""
    ahead = text[start : start + longest]
    if ahead.isascii():
        return longest
    share = len(_DENSE.findall(ahead)) / len(ahead)
    dense = longest * DENSE_CHARACTERS / CHUNK_CHARACTERS
    return max(1, int(longest / (1 + share * (longest / dense - 1))))


def find_cut(text: str, start: int, end: int) -> int:
    """Where in the second half of `[start, end)` a chunk ends best, at its end where there is no place."""
    middle = (start + end + 1) // 2
    for pattern in _ENDS:
        last = 0
        for match in pattern.finditer(text, middle, end):
            last = match.end()
        if last > middle:
            return last
    return max(start + 1, end)
