"""Prose: what of a node's Markdown can name something, folded so that names are found in it. Code, math, comments,
addresses and link targets are taken out. It knows no names."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable

from remem.keys import INVISIBLE

END = "\x00"
"""Stands before, between and after the nodes of a folded text."""
GAP = "\x01"
"""Stands for what was taken out: no name reaches across it."""

_SILENT_KINDS = frozenset(("code", "embed", "entity"))
# Each part begins with a sign of its own, which lets `re` skip what has none, and ends at the latest with its node,
# whose length is bounded.
_HIDDEN = re.compile(
    r"`(?P<ticks>`*)[^\x00]+?(?<!`)`(?P=ticks)(?!`)"
    r"|~~~[^\x00]*?~~~+"
    r"|\$\$[^\x00]+?\$\$|\$(?<![\\\w$]\$)(?=[^\s$])[^$\n\x00]*?(?<=[^\s\\])\$(?![\w$])"
    r"|%%[^\x00]*?%%"
    r"|<!--[^\x00]*?(?:-->|(?=\x00))"
    r"|<(?P<raw>(?i:script|style|pre|code|template|kbd))\b[^\x00]*?</(?P=raw)\s*>"
    r"|<[A-Za-z/!?][^<>\x00]*>"
    r"|!\[\[[^\[\]\x00]*\]\]|\[\[(?P<wiki>[^\[\]\x00]*)\]\]"
    r"|\]\((?:[^()\n\x00]|\([^()\n\x00]*\))*\)|\]\[[^\[\]\n\x00]*\]"
    r"|\[(?<![^\n\x00]\[)(?!\^)[^\[\]\n\x00]+\]:[ \t]*[^\s\x00]+"
)
_ADDRESS = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*://|[Ww]{3}\.)[^\s<>\"|)\]\x00\x01]+")
_ENDS = re.compile(END)
_EMPHASIS = re.compile(r"\*+|_+|~~|==")


class Prose:
    """The folded text of one document. `text` is compared by the key of names (case, white space and invisible marks
    folded), with `-` and `_` as spaces; `whole` is the same with these marks kept, so places are the same in both."""

    __slots__ = ("_bounds", "_keys", "_shown", "kinds", "text", "whole")

    def __init__(self, nodes: Iterable[tuple[int, str, str]]) -> None:
        """`nodes` are (key, kind, content) in order."""
        read = [node for node in nodes if node[2] and node[1] not in _SILENT_KINDS]
        self._keys = [key for key, _, _ in read]
        self.kinds = {key: kind for key, kind, _ in read}
        contents = [content for _, _, content in read]
        self._shown = fold_spaces(hide_marked(END + END.join(contents) + END))
        self.whole = fold_case(self._shown)
        self.text = join_words(self.whole)
        self._bounds = [match.start() for match in _ENDS.finditer(self.whole)]

    def find_node(self, place: int) -> int:
        """The key of the node that a place of the text lies in."""
        return self._keys[bisect_right(self._bounds, place) - 1]

    def find_spelling(self, start: int, end: int) -> str:
        """A part of the text as it is spelled, but for white space; folded where folding changed lengths."""
        shown = self._shown if len(self._shown) == len(self.whole) else self.whole
        return shown[start:end]


def hide_marked(content: str) -> str:
    """Markdown (of nodes, an END around each) without what cannot name anything: a GAP stands for it. Of a link stays
    what it shows."""
    shown = _HIDDEN.sub(_hide, content)
    if "://" in shown or "www." in shown:
        shown = _ADDRESS.sub(GAP, shown)
    return shown


def _hide(match: re.Match[str]) -> str:
    target = match["wiki"]
    if target is None or "|" not in target:
        return GAP
    return GAP + target.partition("|")[2].partition(";")[0] + GAP


def fold_spaces(text: str) -> str:
    """The text on one line, without emphasis and invisible marks, in NFC."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", INVISIBLE.sub("", text))
    if "*" in text or "_" in text or "~~" in text or "==" in text:
        text = _EMPHASIS.sub(_drop_emphasis, text)
    return " ".join(text.split())


def _drop_emphasis(match: re.Match[str]) -> str:
    """Marks that stand at a word's edge are emphasis; those between two words or two spaces say something."""
    text, start, end = match.string, match.start(), match.end()
    before = text[start - 1 : start].isalnum()
    after = text[end : end + 1].isalnum()
    return "" if before != after else match[0]


def fold_case(text: str) -> str:
    """The case of a text folded, as in `keys.strict_key`."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def join_words(text: str) -> str:
    """A folded text with `-` and `_` as spaces."""
    return text.replace("-", " ").replace("_", " ")
