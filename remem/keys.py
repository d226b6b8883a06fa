"""Keys by which labels are compared, and what of a label is its name. Stored text is never changed; a key is only for
comparing."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

NOTE_EXTENSIONS = frozenset(
    (".md", ".markdown", ".mdx", ".html", ".htm", ".yaml", ".yml", ".json", ".jsonl", ".toml", ".txt", ".text")
)
"""The closed list of what may be left out at the end of a note's name, in lower case."""

INVISIBLE = re.compile(
    "[\u00ad\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef]"
)
"""Soft hyphen, joiners, bidi marks, zero-width characters, variation selectors, BOM."""

# Beside white space, control characters and the invisible ones: fillers and the blank of Braille.
_VISIBLE = re.compile(
    "[^\\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_SEPARATORS = re.compile(r"[-_\s]+")
_MARKED = re.compile(r"[*`~=_]|^\s*#{1,6}\s")
_OPENING_MARKS = re.compile(r"^\s*#{1,6}\s+(?=\S)")
_EMPHASIS = re.compile(
    r"(\*{1,3})(?=\S)([^*]++)(?<=\S)\1|(`{1,2})([^`]++)\3|(~~|==)(?=\S)([^~=]++)(?<=\S)\5"
    r"|(?<!\w)(_{1,3})(?=[^\s_])([^_]++)(?<=\S)\7(?!\w)"
)
_DEEPEST_EMPHASIS = 4
_SLUG_DROP = re.compile(r"[^\w\- ]")
_CACHED = 1 << 13


@lru_cache(_CACHED)
def strict_key(text: str) -> str:
    """What labels are compared by: NFC, case-folded, white space collapsed and trimmed, invisible marks and the markup
    of headings dropped. Empty only for a blank text."""
    if _MARKED.search(text):
        text = _drop_markup(text)
    if text.isascii():
        return " ".join(text.lower().split())
    shown = INVISIBLE.sub("", text)
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", shown).casefold())
    return " ".join(folded.split()) or text.strip()


def is_blank(text: str) -> bool:
    """Whether nothing of a text can be seen: white space, zero-width and other invisible characters alone."""
    return _VISIBLE.search(text) is None


def loose_key(text: str) -> str:
    """The strict key with `-`, `_` and white space taken as equal."""
    strict = strict_key(text)
    if "-" not in strict and "_" not in strict:
        return strict
    return _SEPARATORS.sub(" ", strict).strip() or strict


def exact_key(text: str) -> str:
    """The text as far as its exact spelling counts: case and markup stay, white space and invisible marks do not."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", INVISIBLE.sub("", text))
    return " ".join(text.split())


def strip_note_extension(text: str) -> str:
    """The text without a note extension at its end; a text that is nothing but an extension stays."""
    stem, dot, extension = text.rpartition(".")
    if stem and not stem.endswith("/") and dot + extension.rstrip().lower() in NOTE_EXTENSIONS:
        return stem
    return text


@lru_cache(_CACHED)
def name_key(label: str) -> str:
    """What names and links are indexed by: the loose key of the last path segment without its note extensions.

    `folder/` gives the folder's name, an empty label `""`. Texts of one strict key have one name key, and a file has
    that of its stem.
    """
    name = strict_key(label)
    if "/" in name:
        name = name.rstrip("/").rpartition("/")[2].strip()
    while (stem := strip_note_extension(name)) != name:
        name = stem
    return loose_key(name)


def github_slug(label: str) -> str:
    """The anchor that GitHub makes of a heading's text, without the suffix of repeats and without invisible marks."""
    text = label.strip().lower()
    if text.isascii():
        return _SLUG_DROP.sub("", text).replace(" ", "-")
    text = unicodedata.normalize("NFC", INVISIBLE.sub("", text))
    return _SLUG_DROP.sub(_keep_mark, text).replace(" ", "-")


def _drop_markup(text: str) -> str:
    """The text without the marks of a heading and of emphasis that is closed; a lone mark stays."""
    text = _OPENING_MARKS.sub("", text)
    for _ in range(_DEEPEST_EMPHASIS):
        plain = _EMPHASIS.sub(lambda match: match[2] or match[4] or match[6] or match[8], text)
        if plain == text:
            break
        text = plain
    return text


def _keep_mark(match: re.Match[str]) -> str:
    """Combining marks and connectors are part of a word, though `\\w` leaves them out."""
    return match[0] if unicodedata.category(match[0]) in ("Mn", "Mc", "Me", "Pc") else ""
