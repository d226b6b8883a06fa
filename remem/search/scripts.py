"""Scripts: how text is folded for the full-text index, and how runs of scripts without spaces become pairs. The index
and the queries go through the same functions. Nothing is stemmed here."""

from __future__ import annotations

import re
import unicodedata

# Han, kana, Hangul, Thai, Lao, Burmese, Khmer with their marks, after NFKC.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u109f\u1780-\u17d3\u2e80-\u2fdf\u3005-\u3007"
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# Marks that belong to words but are no word characters for `re`.
_MARKS = "\u0300-\u036f\u0900-\u0903\u093a-\u0963\u0980-\u0dff\u1040-\u1049"
_RUN = re.compile(f"[{_UNSPACED}]+")
_TOKEN = re.compile(f"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])(?:[^\\W_]|[{_MARKS}]))+")
_HIRAGANA = re.compile("[\u3041-\u309f]+")

_DROPPED = "\u00ad\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
_INVISIBLE = re.compile(f"[{_DROPPED}]")
# Accents, Hebrew points, Arabic vowel signs.
_POINTS = "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670"
_ACCENTS = re.compile(f"[{_POINTS}]")
# Names that would be nothing but a letter: C++, F#.
_NAMED = r"(?<![A-Za-z0-9])(?:([A-Za-z]{1,12})\+\+|([A-Za-z])#)(?![A-Za-z_+#^])"
_SYMBOLS = re.compile(_NAMED)
_ASCII_TOKEN = re.compile("[a-z0-9]+")
_WRITTEN = re.compile(f"{_NAMED}|[{_UNSPACED}]+|(?:(?![{_UNSPACED}])(?:[^\\W_]|[{_MARKS}{_POINTS}{_DROPPED}]))+")


def fold_text(text: str) -> str:
    """`text` as it is compared: NFKC, case folded, accents and invisible marks dropped, `C++` as a word. Other signs
    stay. ASCII keeps its case, which the index folds itself."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", _INVISIBLE.sub("", text))
        text = unicodedata.normalize("NFC", _ACCENTS.sub("", text).casefold())
    if "++" in text or "#" in text:
        text = _SYMBOLS.sub(_name_symbol, text)
    return text


def index_text(text: str) -> str:
    """`text` as it goes into the index: folded, each run of a script without spaces as overlapping pairs.

    The last characters of runs, which begin no pair, stand once at the end, where they part no phrase.
    """
    text = fold_text(text)
    if text.isascii() or not _RUN.search(text):
        return text
    endings = {run[-1]: None for run in _RUN.findall(text) if len(run) > 1}
    return " ".join((_RUN.sub(lambda match: f" {' '.join(split_run(match[0]))} ", text), *endings))


def split_tokens(folded: str) -> list[str]:
    """The words of a folded text in lower case; a run of a script without spaces is one of them."""
    return [match[0].lower() for match in _TOKEN.finditer(folded)]


def find_tokens(text: str) -> list[tuple[int, int, str]]:
    """(start, end, folded) of each word of an unfolded text."""
    if text.isascii() and "#" not in text and "++" not in text:
        return [(match.start(), match.end(), match[0]) for match in _ASCII_TOKEN.finditer(text.lower())]
    return [(match.start(), match.end(), fold_text(match[0]).strip().lower()) for match in _WRITTEN.finditer(text)]


def is_unspaced(token: str) -> bool:
    """Whether a word is a run of a script without spaces."""
    return _RUN.fullmatch(token) is not None


def split_run(run: str) -> list[str]:
    """The overlapping pairs of a run; a run of one character is itself."""
    return [run[index : index + 2] for index in range(len(run) - 1)] or [run]


def is_grammar(pair: str) -> bool:
    """Whether a pair is of hiragana alone, which in Japanese is mostly grammar."""
    return _HIRAGANA.fullmatch(pair) is not None


def _name_symbol(match: re.Match[str]) -> str:
    return f"{match[1]}plusplus " if match[1] else f"{match[2]}sharp "
