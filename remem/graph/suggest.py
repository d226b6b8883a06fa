"""Suggestions: names that a link which found nothing may have meant. They are only shown; no link is ever resolved by
them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from remem.keys import name_key
from remem.records import Hint, Name

MOST_SUGGESTIONS = 3
CLOSE_ENOUGH = 0.6
"""The least share of equal characters (difflib's ratio) of two names of which one may be meant for the other."""

_SHORTLIST = 64
_LONGEST = 100
_UNSEEN = frozenset(("block", "folder"))


class SuggestionIndex:
    """Finds close names by shared runs of three bytes.

    Making it takes time linear in the text of the names (0.15 s for 100 000); a search scans all runs for each run of
    the hint (25 ms for 100 000 names).
    """

    def __init__(self, names: Iterable[Name]) -> None:
        self._names: dict[str, list[Name]] = {}
        for name in names:
            if name.key and name.kind not in _UNSEEN:
                self._names.setdefault(name.key, []).append(name)
        self._keys = sorted(self._names)
        texts = [f"\n{key[:_LONGEST]}\n".encode("utf-8", "replace") for key in self._keys]
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        self._runs = _list_runs(b"".join(texts))
        self._rows = np.repeat(np.arange(len(texts)), sizes)[: len(self._runs)]
        self._sizes = sizes

    def find(self, hint: Hint, limit: int = MOST_SUGGESTIONS) -> tuple[Name, ...]:
        """At most `limit` names of different nodes, the closest first, then by place; one of a document and the heading
        that bears its name. The anchor does not count."""
        key = (name_key(hint.label) or name_key(hint.source))[:_LONGEST]
        if not key or not self._keys:
            return ()
        matcher = SequenceMatcher(autojunk=False)
        matcher.set_seq2(key)
        rated = [(_rate(matcher, self._keys[index]), self._keys[index]) for index in self._shortlist(key)]
        found: list[Name] = []
        for rating, close in sorted(rated, key=lambda item: (-item[0], item[1])):
            if rating < CLOSE_ENOUGH or len(found) >= limit:
                break
            found += _drop_repeats(sorted(self._names[close], key=_order), {name.node for name in found})
        return tuple(found[:limit])

    def _shortlist(self, key: str) -> list[int]:
        """The keys that share the most runs with this one, by Dice's coefficient."""
        runs = np.unique(_list_runs(f"\n{key}\n".encode("utf-8", "replace")))
        hits: NDArray[np.int64] = np.zeros(len(self._keys), np.int64)
        for run in runs:
            hits += np.bincount(self._rows[self._runs == run], minlength=len(hits)) > 0
        scores = hits / (self._sizes + len(runs) + 2)
        few = np.argsort(-scores, kind="stable")[:_SHORTLIST]
        return [int(index) for index in few if hits[index]]


def suggest(hint: Hint, names: Iterable[Name]) -> tuple[Name, ...]:
    """Up to three names that the hint may mean. For several hints, keep a SuggestionIndex."""
    return SuggestionIndex(names).find(hint)


def _rate(matcher: SequenceMatcher[str], key: str) -> float:
    matcher.set_seq1(key[:_LONGEST])
    return matcher.ratio()


def _drop_repeats(names: Iterable[Name], nodes: set[int]) -> list[Name]:
    """One name of each document, and none of the nodes that stand in the list already."""
    first: dict[int, Name] = {}
    for name in names:
        if name.node not in nodes:
            first.setdefault(name.document, name)
    return list(first.values())


def _list_runs(text: bytes) -> NDArray[np.uint32]:
    """The codes of all runs of three bytes, one per position."""
    codes = np.frombuffer(text, np.uint8).astype(np.uint32)
    return codes[:-2] << np.uint32(16) | codes[1:-1] << np.uint32(8) | codes[2:]


def _order(name: Name) -> tuple[str, str, int, int, str]:
    return name.root, name.source, name.position, name.node, name.text
