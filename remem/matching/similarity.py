"""How alike two texts are, and which of many are worth comparing. It measures texts; it knows nothing of trees."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

# Scripts that are written without spaces count by the character: Thai to Burmese, Khmer, kana, Han, Hangul.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(f"[{_UNSPACED}]|[^\\W_{_UNSPACED}]+")
_SIGN = re.compile(r"\S")

FEW_WORDS = 3
"""Texts of so many words at most are also compared by pairs of letters."""
SMALL_PRODUCT = 256
"""Up to so many pairs, each is measured; beyond, only those that share rare words or the place."""
SPELLED_ALIKE = 0.55
RARE = 8
CANDIDATES = 6
CONTAINED = 0.9
CONTAINED_SCORE = 0.45


class Bag(NamedTuple):
    """The words of a text with their counts, and their total length in characters."""

    counts: dict[str, int]
    weight: int


def list_words(text: str) -> list[str]:
    """The words of a text in lower case; where it has none, its signs."""
    return _WORD.findall(text.lower()) or _SIGN.findall(text)


def make_bag(text: str) -> Bag:
    """The bag of a text's words."""
    counts = Counter(list_words(text))
    return Bag(counts, sum(len(word) * count for word, count in counts.items()))


def merge_bags(bags: Iterable[Bag]) -> Bag:
    """All words of several texts."""
    counts: Counter[str] = Counter()
    weight = 0
    for bag in bags:
        counts.update(bag.counts)
        weight += bag.weight
    return Bag(counts, weight)


def measure_overlap(one: Bag, other: Bag) -> int:
    """The length of the words that both hold, each as often as both hold it."""
    counts, others = one.counts, other.counts
    return sum(len(word) * min(counts[word], others[word]) for word in counts.keys() & others.keys())


def measure_likeness(one: Bag, other: Bag) -> float:
    """From 0 (nothing shared) to 1 (the same words). Long words weigh more, so that articles and the like decide
    nothing. A text that holds nearly all of a much shorter one reaches at least `CONTAINED_SCORE`."""
    smaller, larger = sorted((one.weight, other.weight))
    if not smaller:
        return 1.0 if not larger else 0.0
    overlap = measure_overlap(one, other)
    score = 2 * overlap / (smaller + larger)
    if score < CONTAINED_SCORE and overlap >= CONTAINED * smaller and 4 * smaller >= larger and smaller >= 12:
        return CONTAINED_SCORE
    if len(one.counts) <= FEW_WORDS and len(other.counts) <= FEW_WORDS:
        return max(score, _measure_spelling(one, other))
    return score


def _measure_spelling(one: Bag, other: Bag) -> float:
    """Likeness by pairs of letters, for texts so short that one corrected letter changes all their words."""
    first, second = (Counter(a + b for word in bag.counts for a, b in pairwise(word)) for bag in (one, other))
    total = first.total() + second.total()
    score = 2 * (first & second).total() / total if total else 0.0
    return score if score >= SPELLED_ALIKE else 0.0


def list_candidates(old: Sequence[Bag], new: Sequence[Bag]) -> Iterator[tuple[int, int]]:
    """Pairs of indexes that are worth measuring: all of a small number, else for each new text the few that share its
    rare words, and those at the same place. Time is linear in the words."""
    if len(old) * len(new) <= SMALL_PRODUCT:
        yield from ((i, j) for i in range(len(old)) for j in range(len(new)))
        return
    places = _index_words(old)
    for j, bag in enumerate(new):
        middle = j * len(old) // len(new)
        near = {i for i in (middle - 1, middle, middle + 1, j) if 0 <= i < len(old)}
        near.update(_find_sharing(places, bag))
        yield from ((i, j) for i in sorted(near))


def _index_words(bags: Sequence[Bag]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for i, bag in enumerate(bags):
        for word in bag.counts:
            found = places.setdefault(word, [])
            if len(found) <= RARE:
                found.append(i)
    return places


def _find_sharing(places: dict[str, list[int]], bag: Bag) -> list[int]:
    shared: dict[int, int] = {}
    for word in bag.counts:
        found = places.get(word, ())
        if len(found) <= RARE:
            for i in found:
                shared[i] = shared.get(i, 0) + len(word)
    return sorted(shared, key=lambda i: (-shared[i], i))[:CANDIDATES]


def pair_alike(old: Sequence[Bag], new: Sequence[Bag], floor: float, crossing: bool) -> list[tuple[int, int]]:
    """Index pairs whose likeness reaches `floor`, the best first, each index once. Without `crossing`, a pair that
    would cross one already taken is left out."""
    if not old or not new:
        return []
    scored = []
    for i, j in list_candidates(old, new):
        score = measure_likeness(old[i], new[j])
        if score >= floor:
            scored.append((-score, abs(i * len(new) - j * len(old)), i, j))
    return take_best(sorted(scored), crossing)


def take_best(ranked: Iterable[tuple[float, float, int, int]], crossing: bool) -> list[tuple[int, int]]:
    """Takes pairs in the given order as long as both ends are free (and, without `crossing`, the order is kept)."""
    taken: list[tuple[int, int]] = []
    ends: set[int] = set()
    for _, _, i, j in ranked:
        place = bisect_left(taken, (i, j))
        if (place < len(taken) and taken[place][0] == i) or (place and taken[place - 1][0] == i) or j in ends:
            continue
        if not crossing and _crosses(taken, place, j):
            continue
        insort(taken, (i, j))
        ends.add(j)
    return taken


def _crosses(taken: list[tuple[int, int]], place: int, j: int) -> bool:
    return (place > 0 and taken[place - 1][1] > j) or (place < len(taken) and taken[place][1] < j)
