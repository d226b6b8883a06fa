"""Where to put the nodes of a small picture: forces between them, the same each time. Pure; for some hundred nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

ROUNDS = 300
GOLDEN = np.pi * (3 - np.sqrt(5))
LEAST = 1e-3
REACH = 4.0
"""So many spacings away nodes no longer push each other apart."""


def place_nodes(count: int, source: IntArray, target: IntArray, pull: FloatArray, spacing: float) -> FloatArray:
    """Positions, shape (count, 2), about `spacing` apart; node 0 stands at the origin.

    `source` and `target` are the ends of edges, `pull` how strongly each draws its ends together. Forces are those of
    Fruchterman and Reingold (1991) with a weak draw to the middle; time O(count²) a round.
    """
    if not count:
        return np.zeros((0, 2))
    order = np.arange(count)
    radius = spacing * np.sqrt(order)
    places = np.stack((radius * np.cos(order * GOLDEN), radius * np.sin(order * GOLDEN)), axis=1)
    heat = spacing
    for _ in range(ROUNDS if count > 1 else 0):
        force = _push_apart(places, spacing) - 0.06 * places
        _pull_together(force, places, source, target, pull, spacing)
        length = np.maximum(np.linalg.norm(force, axis=1), LEAST)
        places = places + force * (np.minimum(length, heat) / length)[:, None]
        places -= places[0]
        heat = max(heat * 0.985, spacing * 0.01)
    return _make_room(places, spacing)


def _push_apart(places: FloatArray, spacing: float) -> FloatArray:
    between = places[:, None, :] - places[None, :, :]
    squares = np.maximum((between**2).sum(axis=2), (spacing * 0.05) ** 2)
    # Who is far away is no matter: else parts that nothing joins would leave the picture.
    strength = np.where(squares < (REACH * spacing) ** 2, spacing**2 / squares, 0.0)
    pushed: FloatArray = (between * strength[:, :, None]).sum(axis=1)
    return pushed


def _pull_together(
    force: FloatArray, places: FloatArray, source: IntArray, target: IntArray, pull: FloatArray, spacing: float
) -> None:
    between = places[source] - places[target]
    length = np.linalg.norm(between, axis=1)
    drawn = between * (length * pull / spacing)[:, None]
    np.subtract.at(force, source, drawn)
    np.add.at(force, target, drawn)


def _make_room(places: FloatArray, spacing: float) -> FloatArray:
    """Moves nodes that stand too close for their labels apart, sideways more than up and down."""
    least = np.array([spacing * 0.85, spacing * 0.5])
    for _ in range(60):
        between = places[:, None, :] - places[None, :, :]
        lacking = least - np.abs(between)
        close = (lacking > 0).all(axis=2)
        close &= ~np.eye(len(places), dtype=np.bool_)
        if not close.any():
            break
        # Whichever way is shorter; of two on one spot the first goes up.
        way = np.where(lacking[..., 1] <= lacking[..., 0], 1, 0)
        sign = np.where(np.sign(between) == 0, np.triu(np.ones(close.shape), 1)[..., None] * 2 - 1, np.sign(between))
        step = np.zeros_like(places)
        for axis in (0, 1):
            move = np.where(close & (way == axis), sign[..., axis] * lacking[..., axis] / 2, 0.0)
            step[:, axis] = np.clip(move.sum(axis=1), -spacing, spacing)
        places = places + 0.5 * step
    centred: FloatArray = places - places[0]
    return centred
