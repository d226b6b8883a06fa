"""Fusion: one text score from those of words and of meaning, with mild factors of use. Pure; knows no store."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from remem.records import DEFAULT_IMPORTANCE, START_TEMPERATURE

DENSE_SHARE = 0.45
"""The share of meaning in a score; the rest is that of words."""
DENSE_TOP = 100
"""So many of the nearest count; the last of them counts as nothing."""
LEAST_RANGE = 0.5
"""Cosines that lie closer together than this say less about which is the better."""
IMPORTANCE_FACTOR = 0.1
TEMPERATURE_FACTOR = 0.1


class Fused(NamedTuple):
    """A text score (0 to 1) and its parts: `keyword` is BM25 against the best, `semantic` the cosine against the
    nearest ones (None: not embedded), `bm25` and `cosine` as they were (0 and None: not found so)."""

    score: float
    keyword: float
    semantic: float | None
    bm25: float
    cosine: float | None


def fuse_scores(
    words: Mapping[int, float], near: Mapping[int, float], embedded: Collection[int], share: float = DENSE_SHARE
) -> dict[int, Fused]:
    """The scores of all passages that were found. `words` are BM25 and `near` cosines by passage, `embedded` those of
    the passages found by words that have vectors; for the others the words stand for the meaning as well."""
    best = max(words.values(), default=0.0)
    scale = scale_cosines(near)
    known = set(embedded)
    fused = {}
    for key in words.keys() | near.keys():
        bm25, cosine = words.get(key, 0.0), near.get(key)
        keyword = bm25 / best if best > 0 else float(key in words)
        semantic = scale.get(key, 0.0) if key in known or cosine is not None else None
        score = keyword if semantic is None else share * semantic + (1 - share) * keyword
        fused[key] = Fused(score, keyword, semantic, bm25, cosine)
    return fused


def scale_cosines(near: Mapping[int, float]) -> dict[int, float]:
    """Cosines between that of the last that counts (0) and that of the nearest (1, or less where they lie close
    together)."""
    top = sorted(near.items(), key=lambda item: (-item[1], item[0]))[:DENSE_TOP]
    if not top:
        return {}
    high, low = top[0][1], top[-1][1]
    if len(top) < DENSE_TOP:
        low = min(low, max(0.0, high - LEAST_RANGE))  # all there is: the last of them may be near as well
    span = max(high - low, LEAST_RANGE)
    return {key: (cosine - low) / span for key, cosine in top}


def weigh_use(importance: float, temperature: float) -> float:
    """The factor of a text's importance and temperature (each 0 to 1): 1 in the middle, a twentieth more or less each
    at the ends. Temperature counts in tenths: the order should not change with every use."""
    temperature = round(temperature, 1)
    return (1 + IMPORTANCE_FACTOR * (importance - DEFAULT_IMPORTANCE)) * (
        1 + TEMPERATURE_FACTOR * (temperature - START_TEMPERATURE)
    )
