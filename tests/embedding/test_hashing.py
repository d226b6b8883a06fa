"""The embedder without a model: the same everywhere, near where words are shared."""

from __future__ import annotations

import numpy as np

from remem.embedding.base import Embedder
from remem.embedding.hashing import HashingEmbedder
from remem.records import Refusal


def embed(*texts: str) -> np.ndarray:
    return np.array(HashingEmbedder().embed_passages(texts))


def test_texts_with_the_same_words_are_equal_and_those_without_a_common_one_are_far() -> None:
    first, same, some, other = embed("Deploy the key", "key: DEPLOY the", "Deploy a key again", "cake oven sugar")
    assert first @ same > 0.9999
    assert first @ some > 0.4
    assert abs(first @ other) < 0.25


def test_vectors_are_the_same_on_every_machine_and_of_unit_length() -> None:
    (vector,) = embed("deploy")
    assert abs(np.linalg.norm(vector) - 1) < 1e-6
    assert [int(place) for place in np.flatnonzero(np.abs(vector) > 0.5)] == [217]


def test_empty_texts_are_refused_and_odd_ones_are_not() -> None:
    empty, odd, signs = HashingEmbedder(8).embed_queries(["", "\ud800", "!?"])
    assert isinstance(empty, Refusal)
    assert np.asarray(odd).shape == np.asarray(signs).shape == (8,)


def test_it_is_an_embedder_that_tells_its_width() -> None:
    embedder: Embedder = HashingEmbedder()
    assert embedder.dimensions == 384
    assert embedder.fingerprint != HashingEmbedder(8).fingerprint
