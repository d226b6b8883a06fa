"""The forward pass of a BERT encoder in numpy: token ids in, unit vectors out. It reads no files.

Texts are not padded: the tokens of a batch stand in one matrix for all linear layers, and attention runs over texts of
equal length together. So a text's vector does not depend on what else is in its batch (beyond rounding).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from remem.embedding.threads import keep_memory, limit_blas

Array = npt.NDArray[np.float32]

BATCH_TOKENS = 512
"""Tokens in one matrix. More make it no faster and its temporaries leave the cache."""

# The Gaussian distribution function as 0.5 + 0.5 * tanh(x * (C0 + C1 x² + C2 x⁴)), with x² at most the end. Fitted:
# x times it is off by 2.6e-5 at most.
_GELU = (np.float32(0.79750754), np.float32(0.037006037), np.float32(-0.00035159922))
_GELU_END = np.float32(20.25)


@dataclass(frozen=True, slots=True)
class Norm:
    """A layer norm: weight and bias, both (hidden,)."""

    weight: Array
    bias: Array


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear layer: weight (inputs, outputs), bias (outputs,)."""

    weight: Array
    bias: Array


@dataclass(frozen=True, slots=True)
class Layer:
    """One encoder layer. `attend` gives queries (already divided by the root of the head's width), keys and values side
    by side."""

    attend: Linear
    merge: Linear
    merge_norm: Norm
    widen: Linear
    narrow: Linear
    narrow_norm: Norm


@dataclass(frozen=True, slots=True)
class Table:
    """Embeddings by row (n, hidden): floats, or int8 with one scale (n, 1) a row that is applied after the gather."""

    rows: npt.NDArray[np.float32] | npt.NDArray[np.int8]
    scales: Array | None = None

    def gather(self, ids: npt.NDArray[np.intp]) -> Array:
        """The rows of `ids` (n,) as (n, hidden)."""
        rows = self.rows[ids].astype(np.float32)
        if self.scales is not None:
            rows *= self.scales[ids]
        return rows


@dataclass(frozen=True, slots=True)
class Bert:
    """An encoder. `types` is the embedding of the first token type, (hidden,). `pooling` is mean or cls."""

    words: Table
    positions: Table
    types: Array
    norm: Norm
    layers: tuple[Layer, ...]
    heads: int
    epsilon: float = 1e-12
    pooling: str = "mean"

    @property
    def hidden(self) -> int:
        """The width of its vectors."""
        return len(self.types)

    def encode(self, texts: Sequence[Sequence[int]]) -> Array:
        """The vectors (n, hidden) of n texts of token ids, in order, pooled, not yet of unit length."""
        pooled = np.empty((len(texts), self.hidden), dtype=np.float32)
        keep_memory()
        with limit_blas():
            for batch in plan_batches([len(text) for text in texts]):
                pooled[batch] = self._encode_batch([texts[place] for place in batch])
        return pooled

    def _encode_batch(self, texts: Sequence[Sequence[int]]) -> Array:
        groups = [(length, len(list(same))) for length, same in groupby(map(len, texts))]
        ids = np.fromiter((number for text in texts for number in text), dtype=np.intp)
        places = np.concatenate([np.tile(np.arange(length), count) for length, count in groups])
        states = self.words.gather(ids)
        states += self.positions.gather(places)
        states += self.types
        normalise(states, self.norm, self.epsilon)
        for layer in self.layers:
            states = self._run_layer(layer, states, groups)
        return self._pool(states, groups)

    def _run_layer(self, layer: Layer, states: Array, groups: Sequence[tuple[int, int]]) -> Array:
        merged = apply(layer.merge, self._attend(apply(layer.attend, states), groups))
        merged += states
        normalise(merged, layer.merge_norm, self.epsilon)
        wide = apply(layer.widen, merged)
        apply_gelu(wide)
        narrow = apply(layer.narrow, wide)
        narrow += merged
        normalise(narrow, layer.narrow_norm, self.epsilon)
        return narrow

    def _attend(self, mixed: Array, groups: Sequence[tuple[int, int]]) -> Array:
        """Attention over each text by itself: (tokens, 3 * hidden) to (tokens, hidden)."""
        result = np.empty((len(mixed), self.hidden), dtype=np.float32)
        start = 0
        for length, count in groups:
            end = start + length * count
            # (3, count, heads, length, width)
            parts = mixed[start:end].reshape(count, length, 3, self.heads, -1).transpose(2, 0, 3, 1, 4)
            scores = parts[0] @ parts[1].swapaxes(-1, -2)
            apply_softmax(scores)
            seen = scores @ parts[2]
            result[start:end] = seen.transpose(0, 2, 1, 3).reshape(length * count, self.hidden)
            start = end
        return result

    def _pool(self, states: Array, groups: Sequence[tuple[int, int]]) -> Array:
        pooled, start = [], 0
        for length, count in groups:
            end = start + length * count
            block = states[start:end].reshape(count, length, self.hidden)
            pooled.append(block[:, 0] if self.pooling == "cls" else block.mean(axis=1))
            start = end
        return np.concatenate(pooled)


def join_attention(query: Linear, key: Linear, value: Linear, heads: int) -> Linear:
    """The three layers as one, the queries divided by the root of the width of a head."""
    scale = np.float32((query.weight.shape[1] / heads) ** -0.5)
    weight = np.concatenate([query.weight * scale, key.weight, value.weight], axis=1)
    return Linear(weight, np.concatenate([query.bias * scale, key.bias, value.bias]))


def plan_batches(lengths: Sequence[int]) -> list[list[int]]:
    """The places of texts in batches of similar length and at most BATCH_TOKENS tokens (or one text)."""
    batches: list[list[int]] = []
    room = 0
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if lengths[place] > room:
            batches.append([])
            room = BATCH_TOKENS
        batches[-1].append(place)
        room -= lengths[place]
    return batches


def apply(layer: Linear, states: Array) -> Array:
    """A linear layer: (n, inputs) to (n, outputs)."""
    result: Array = states @ layer.weight
    result += layer.bias
    return result


def normalise(states: Array, norm: Norm, epsilon: float) -> None:
    """Layer norm over the last axis, in place."""
    states -= states.mean(axis=-1, keepdims=True)
    spread = np.einsum("ij,ij->i", states, states)[:, None] / np.float32(states.shape[1])
    states *= np.float32(1.0) / np.sqrt(spread + np.float32(epsilon))
    states *= norm.weight
    states += norm.bias


def apply_softmax(scores: Array) -> None:
    """Softmax over the last axis, in place."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)


def apply_gelu(states: Array) -> None:
    """The exact GELU (not its usual approximation) but for 2e-5, in place."""
    square = states * states
    np.minimum(square, _GELU_END, out=square)
    argument = square * _GELU[2]
    argument += _GELU[1]
    argument *= square
    argument += _GELU[0]
    argument *= states
    np.tanh(argument, out=argument)
    argument += np.float32(1.0)
    argument *= np.float32(0.5)
    states *= argument
