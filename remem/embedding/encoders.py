"""Named tensors to an encoder: floats of a model folder, and the int8 ones of the default model. It reads no files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from remem.embedding.bert import Bert, Layer, Linear, Norm, Table, join_attention
from remem.embedding.weights import Tensors

PARTS = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
"""The linear layers of an encoder layer, in the order in which the default model's file has their matrices."""


def build_floats(tensors: Tensors, *, layers: int, heads: int, epsilon: float, pooling: str) -> Bert:
    """The encoder of tensors as sentence-transformers names them, with or without a leading `bert.`. Raises KeyError
    for one that is not there, ValueError where shapes do not fit."""
    tensors = {name.removeprefix("bert."): tensor for name, tensor in tensors.items()}

    def take(name: str) -> Any:
        return np.ascontiguousarray(tensors[name], dtype=np.float32)

    def linear(name: str) -> Linear:
        return Linear(np.ascontiguousarray(take(f"{name}.weight").T), take(f"{name}.bias"))

    def norm(name: str) -> Norm:
        return Norm(take(f"{name}.weight"), take(f"{name}.bias"))

    return Bert(
        words=Table(take("embeddings.word_embeddings.weight")),
        positions=Table(take("embeddings.position_embeddings.weight")),
        types=take("embeddings.token_type_embeddings.weight")[0],
        norm=norm("embeddings.LayerNorm"),
        layers=tuple(_build_layer(f"encoder.layer.{number}", heads, linear, norm) for number in range(layers)),
        heads=heads,
        epsilon=epsilon,
        pooling=pooling,
    )


def build_int8(tensors: Tensors, *, layers: int, heads: int) -> Bert:
    """The encoder of the default model's tensors. Its matrices have no names but numbers: their order tells them."""
    places = [f"inner.encoder.layer.{number}" for number in range(layers)]
    names = [name[:-2] for name in tensors if name.startswith("val_") and name.endswith("_q")]
    matrices = dict(zip((f"{place}.{part}" for place in places for part in PARTS), names, strict=True))

    def linear(name: str) -> Linear:
        scaled = tensors[f"{matrices[name]}_q"].astype(np.float32)
        scaled *= tensors[f"{matrices[name]}_scale"].astype(np.float32)
        return Linear(scaled, np.array(tensors[f"{name}.bias"]))

    def norm(name: str) -> Norm:
        return Norm(np.array(tensors[f"{name}.weight"]), np.array(tensors[f"{name}.bias"]))

    def table(name: str) -> Table:
        rows: Any = tensors[f"{name}.weight_q"]
        scales: Any = tensors[f"{name}.weight_scale"]
        return Table(rows, scales)

    return Bert(
        words=table("inner.embeddings.word_embeddings"),
        positions=table("inner.embeddings.position_embeddings"),
        types=np.array(tensors["inner.embeddings.token_type_embeddings.weight"][0]),
        norm=norm("inner.embeddings.LayerNorm"),
        layers=tuple(_build_layer(place, heads, linear, norm) for place in places),
        heads=heads,
    )


def _build_layer(place: str, heads: int, linear: Callable[[str], Linear], norm: Callable[[str], Norm]) -> Layer:
    query, key, value, merge, widen, narrow = (linear(f"{place}.{part}") for part in PARTS)
    return Layer(
        attend=join_attention(query, key, value, heads),
        merge=merge,
        merge_norm=norm(f"{place}.attention.output.LayerNorm"),
        widen=widen,
        narrow=narrow,
        narrow_norm=norm(f"{place}.output.LayerNorm"),
    )
