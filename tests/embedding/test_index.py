"""The index finds the nearest vectors, whatever was added, replaced and removed before."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.embedding import index
from remem.embedding.index import BitIndex

Matrix = npt.NDArray[np.float32]
WIDTH = 96


@cache
def make_vectors(count: int, *, seed: int = 1, width: int = WIDTH, common: float = 0.0) -> Matrix:
    """Unit vectors in loose groups of sixty; `common` is what they all have in common."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((max(1, count // 60), width)) + common
    vectors = centres[random.integers(0, len(centres), count)] + 0.7 * random.standard_normal((count, width))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def fill_index(vectors: Matrix, load: index.Load | None = None) -> BitIndex:
    found = BitIndex(vectors.shape[1], load)
    found.put(np.arange(len(vectors)), vectors)
    return found


def find_nearest(vectors: Matrix, query: Matrix, k: int, allowed: Sequence[int] | None = None) -> set[int]:
    scores = vectors @ query
    if allowed is not None:
        others = np.delete(np.arange(len(vectors)), allowed)
        scores[others] = -2
        k = min(k, len(allowed))
    return set(np.argsort(-scores)[:k].tolist())


def measure_recall(found: BitIndex, vectors: Matrix, queries: Matrix, allowed: Sequence[int] | None = None) -> float:
    hits = 0
    for query in queries:
        hits += len({near.key for near in found.search(query, 10, allowed)} & find_nearest(vectors, query, 10, allowed))
    return hits / (10 * len(queries))


@pytest.mark.parametrize("common", [0.0, 3.0])
def test_nearly_all_of_the_ten_nearest_of_many_are_found(common: float) -> None:
    vectors = make_vectors(20_000, width=384, common=common)
    assert measure_recall(fill_index(vectors), vectors, vectors[:30]) >= 0.99


def test_few_vectors_are_compared_exactly() -> None:
    vectors = make_vectors(1500)
    assert measure_recall(fill_index(vectors), vectors, make_vectors(20, seed=2)) == 1.0


def test_similarities_are_cosines_in_falling_order() -> None:
    vectors = make_vectors(5000)
    near = fill_index(vectors).search(vectors[7], 20)
    assert near[0].key == 7
    assert abs(near[0].similarity - 1) < 1e-3
    assert [item.similarity for item in near] == sorted((item.similarity for item in near), reverse=True)
    assert all(abs(item.similarity - vectors[item.key] @ vectors[7]) < 1e-3 for item in near)


def test_equal_vectors_come_in_the_order_of_their_keys_and_are_not_too_many_to_search() -> None:
    vectors = np.tile(make_vectors(1), (50_000, 1))
    keys = [near.key for near in fill_index(vectors).search(vectors[0], 5)]
    assert keys == sorted(keys)
    assert [near.key for near in fill_index(vectors[:100]).search(vectors[0], 5)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("share", [3, 400, 4000, 15_000])
def test_only_allowed_keys_are_found_and_as_many_as_without_the_others(share: int) -> None:
    vectors = make_vectors(20_000, width=384)
    allowed = np.random.default_rng(3).permutation(20_000)[:share].tolist()
    found = fill_index(vectors)
    for near in (found.search(query, 10, allowed) for query in vectors[:5]):
        assert len(near) == min(10, share)
        assert {item.key for item in near} <= set(allowed)
    if share >= 10:
        assert measure_recall(found, vectors, vectors[:20], allowed) >= 0.99


def test_allowed_keys_that_are_not_there_and_none_at_all_find_nothing() -> None:
    vectors = make_vectors(10)
    found = fill_index(vectors)
    assert found.search(vectors[0], 5, []) == found.search(vectors[0], 5, [77]) == []
    assert [near.key for near in found.search(vectors[0], 5, [3, 77])] == [3]
    assert found.search(vectors[0], 5, list(range(100_000, 105_000))) == []


def test_an_empty_index_and_a_wish_for_none_find_nothing() -> None:
    query = make_vectors(1)[0]
    assert BitIndex(WIDTH).search(query, 10) == []
    assert fill_index(make_vectors(5)).search(query, 0) == []
    assert len(fill_index(make_vectors(5)).search(query, 100)) == 5


def test_a_replaced_vector_is_found_in_its_new_place_only() -> None:
    vectors = make_vectors(3000)
    found = fill_index(vectors)
    found.put([5], vectors[9:10])
    assert len(found) == 3000
    assert {near.key for near in found.search(vectors[9], 2)} == {5, 9}
    assert found.search(vectors[5], 1)[0].key != 5


def test_a_removed_vector_is_never_found_and_its_key_can_come_back() -> None:
    vectors = make_vectors(3000)
    found = fill_index(vectors)
    found.remove([5, 2999, 5, 123_456])
    assert (len(found), 5 in found, 6 in found) == (2998, False, True)
    assert 5 not in {near.key for near in found.search(vectors[5], 3000)}
    found.put([5], vectors[5:6])
    assert found.search(vectors[5], 1)[0].key == 5


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.integers(0, 199)), max_size=60))
def test_after_any_changes_it_holds_what_a_dictionary_holds(changes: list[tuple[bool, int, int]]) -> None:
    vectors, found, held = make_vectors(200), BitIndex(WIDTH), dict[int, int]()
    for adding, key, place in changes:
        if adding:
            found.put([key], vectors[place : place + 1])
            held[key] = place
        else:
            found.remove([key])
            held.pop(key, None)
    assert len(found) == len(held)
    near = found.search(vectors[0], 100)
    assert {item.key for item in near} == set(held)
    assert all(abs(item.similarity - vectors[held[item.key]] @ vectors[0]) < 1e-3 for item in near)


def test_growing_by_single_vectors_finds_as_much_as_filling_at_once() -> None:
    vectors = make_vectors(6000, width=384, common=3.0)
    found = BitIndex(384)
    found.put([0], vectors[:1])
    for start in range(1, 6000, 100):
        found.put(np.arange(start, min(start + 100, 6000)), vectors[start : start + 100])
    assert measure_recall(found, vectors, vectors[:30]) >= 0.99


def test_vectors_that_are_fetched_are_found_as_well_and_take_a_bit_for_a_number() -> None:
    vectors = make_vectors(20_000, width=384)
    asked: list[int] = []

    def load(keys: Sequence[int]) -> tuple[Sequence[int], Matrix]:
        asked.append(len(keys))
        present = [key for key in keys if key != 3]
        return present, vectors[present]

    held, fetched = fill_index(vectors), fill_index(vectors, load)
    assert measure_recall(fetched, vectors, vectors[10:20]) >= 0.99
    assert max(asked) <= index.FETCHED_CANDIDATES
    assert 3 not in {near.key for near in fetched.search(vectors[3], 10)}
    assert fetched.bytes <= 20_000 * 56
    assert held.bytes <= 20_000 * 824


def test_wrong_widths_and_numbers_that_are_none_are_refused_and_change_nothing() -> None:
    vectors = make_vectors(3)
    found = fill_index(vectors)
    bad = vectors[:1].copy()
    bad[0, 0] = np.nan
    for wrong in (bad, vectors[:1, :-1], vectors[:2]):
        with pytest.raises(ValueError, match="finite numbers"):
            found.put([1], wrong)
    for query in (bad[0], vectors[0][:-1], vectors[:1]):
        with pytest.raises(ValueError, match="finite numbers"):
            found.search(query, 1)
    assert len(found.search(vectors[1], 10)) == 3


@pytest.mark.parametrize("width", [1, 3, 64, 100])
def test_any_width_serves(width: int) -> None:
    vectors = make_vectors(3000, width=width)
    assert fill_index(vectors).search(vectors[1], 1)[0].similarity > 0.99


def test_searches_while_others_change_it_see_whole_vectors() -> None:
    vectors = make_vectors(4000)
    found = fill_index(vectors)
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            found.remove(list(range(1000, 1100)))
            found.put(np.arange(1000, 1100), vectors[1000:1100])

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for number in range(200):
            for near in found.search(vectors[number], 10):
                assert abs(near.similarity - vectors[near.key] @ vectors[number]) < 1e-3
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("count", [0, 1, 700, 6000])
def test_several_searches_at_once_find_what_each_alone_finds(count: int) -> None:
    vectors, queries = make_vectors(count) if count else np.zeros((0, WIDTH), np.float32), make_vectors(30, seed=2)
    found = fill_index(vectors)
    for query, near in zip(queries, found.search_many(queries, 12), strict=True):
        assert len(near) == min(12, count)
        assert {item.key for item in near} == find_nearest(vectors, query, 12) if count else near == []
        assert [item.similarity for item in near] == sorted((item.similarity for item in near), reverse=True)


def test_several_searches_at_once_of_more_than_is_compared_at_once_are_made_one_by_one() -> None:
    vectors = make_vectors(20_000, width=384)
    found = fill_index(vectors)
    assert found.search_many(vectors[:2], 10) == [found.search(query, 10) for query in vectors[:2]]


def test_equal_vectors_come_in_the_order_of_their_keys_to_several_searches_too() -> None:
    vectors = np.tile(make_vectors(1), (9000, 1))
    for near in fill_index(vectors).search_many(np.tile(vectors[:1], (40, 1)), 5):
        assert [item.key for item in near] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("queries", [np.zeros((2, WIDTH + 1)), np.zeros(WIDTH), np.full((1, WIDTH), np.nan)])
def test_several_searches_refuse_what_are_no_vectors(queries: npt.NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="finite numbers"):
        fill_index(make_vectors(10)).search_many(queries.astype(np.float32), 5)


def test_numbers_of_16_bits_are_widened_exactly() -> None:
    half = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    half = half[np.isfinite(half)]
    assert np.array_equal(index.widen(half), half.astype(np.float32))
