"""What is looked for, taken from the notes themselves: headings as they are written, and rare words of a paragraph.
Always the same for the same notes. Reads no file and no store."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from remem.benching.notes import Note
from remem.records import TreeLine

SEED = 7
WORDS_ASKED = 3
LEAST_WORDS = 12
"""Paragraphs with fewer words are not asked for."""

T = TypeVar("T")

_WORD = re.compile(r"[^\W\d_]{4,}")
_PARAGRAPHS = re.compile(r"\n\s*\n")
# Code, tables, headings, lists, quotes, HTML, front matter: words in there are often no prose.
_NO_PROSE = re.compile(r"\s*(```|~~~|\||#|---|\+\+\+|<|[-*+] |\d+[.)] |>| {4}|\t)")


@dataclass(frozen=True, slots=True)
class Question:
    """A query and the note that answers it; `node` is the section that does, "" where any of the note will do."""

    query: str
    words: tuple[str, ...]
    root: str
    source: str
    node: str = ""


def pick_headings(lines: Sequence[TreeLine], count: int) -> list[Question]:
    """Up to `count` headings of two words or more that no other line of the index is called by."""
    called = Counter(line.label.casefold() for line in lines if line.kind == "heading")
    fit = [
        line
        for line in lines
        if line.kind == "heading" and len(line.label.split()) > 1 and called[line.label.casefold()] == 1
    ]
    fit = [line for line in fit if _WORD.search(line.label)]
    return [Question(line.label, (line.label,), line.root, line.source, line.id) for line in _sample(fit, count)]


def pick_passages(notes: Sequence[Note], count: int) -> list[Question]:
    """Up to `count` paragraphs, each asked for by its three rarest words, in the order in which they stand."""
    spread = Counter(word for note in notes for word in set(_WORD.findall(note.text.casefold())))
    found = []
    for note in _sample([note for note in notes if _list_prose(note.text)], count):
        words = random.Random(note.source).choice(_list_prose(note.text))
        rarest = sorted(set(words), key=lambda word: (spread[word], word))[:WORDS_ASKED]
        rarest.sort(key=words.index)
        found.append(Question(" ".join(rarest), tuple(rarest), note.root, note.source))
    return found


def _list_prose(text: str) -> list[list[str]]:
    """The words of each paragraph that has enough of them."""
    paragraphs = (part for part in _PARAGRAPHS.split(text) if not _NO_PROSE.match(part))
    words = (_WORD.findall(part.casefold()) for part in paragraphs)
    return [found for found in words if len(set(found)) >= LEAST_WORDS]


def _sample(items: Sequence[T], count: int) -> list[T]:
    return random.Random(SEED).sample(list(items), min(count, len(items)))
