"""Spreading: which hits a walk over the graph begins at, and what it makes of their scores. Pure; the walk itself is
`graph.pagerank`."""

from __future__ import annotations

from collections.abc import Mapping

SEEDS = 20
MOST_SEEDS = 200
POWER = 2.5


def pick_seeds(scores: Mapping[int, float], related: int | None = None) -> dict[int, float]:
    """How often the walk begins where: at the best hits (and at those that score as the last of them), by a power of
    their scores; at `related` as often as at the best of them."""
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:MOST_SEEDS]
    if len(best) > SEEDS:
        least = best[SEEDS - 1][1]
        best = [item for item in best if item[1] >= least]
    seeds = {node: score**POWER for node, score in best if score > 0}
    if related is not None:
        seeds[related] = max(seeds.values(), default=1.0)
    return seeds


def blend_scores(scores: Mapping[int, float], activation: Mapping[int, float], spread: float) -> dict[int, float]:
    """The final score (0 to 1) of each node that is found by its text or reached by the walk, each against the best."""
    text, active = max(scores.values(), default=0.0) or 1.0, max(activation.values(), default=0.0) or 1.0
    return {
        node: (1 - spread) * scores.get(node, 0.0) / text + spread * activation.get(node, 0.0) / active
        for node in scores.keys() | activation.keys()
    }
