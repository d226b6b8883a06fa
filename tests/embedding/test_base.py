"""What a model gives is checked item by item before anyone uses it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.embedding.base import check_vector, guess_threshold, make_fingerprint
from remem.records import Refusal


@pytest.mark.parametrize(
    "value",
    [
        [math.nan, 1.0],
        [math.inf, 1.0],
        [1.0, -math.inf],
        [0.0, 0.0],
        [],
        [1.0],
        [1.0, 2.0, 3.0],
        None,
        ["a", "b"],
        [True, False],
        [[1.0, 2.0], [3.0, 4.0]],
        [None, 1.0],
        "ab",
        {"0": 1.0},
        7,
        [10**400, 1],
        np.array([[1.0, 2.0]]),
        np.array([np.nan, 1.0], dtype=np.float32),
    ],
    ids=repr,
)
def test_what_is_no_vector_is_refused_with_a_reason_and_tried_again(value: object) -> None:
    found = check_vector(value, 2)
    assert isinstance(found, Refusal)
    assert found.retry
    assert found.reason


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_any_other_numbers_become_a_unit_vector_of_the_same_direction(numbers: list[float]) -> None:
    found = check_vector(numbers, 3)
    if not any(numbers):
        assert isinstance(found, Refusal)
        return
    assert not isinstance(found, Refusal)
    assert abs(float(np.linalg.norm(found.astype(np.float64))) - 1) < 1e-6
    assert int(np.argmax(np.abs(found))) in [n for n in range(3) if abs(numbers[n]) >= 0.999 * max(map(abs, numbers))]


def test_long_and_short_vectors_of_one_direction_are_equal() -> None:
    long, short = check_vector([30.0, 40.0], 2), check_vector([3, 4], 2)
    assert np.array_equal(np.asarray(long), np.asarray(short))
    assert np.allclose(np.asarray(long), [0.6, 0.8])


def test_a_fingerprint_changes_with_each_fact_and_shows_name_and_width() -> None:
    first = make_fingerprint("m", 3, pooling="mean", prefixes=["", ""])
    assert first.startswith("m/3/")
    assert first == make_fingerprint("m", 3, prefixes=["", ""], pooling="mean")
    others = {
        make_fingerprint("n", 3, pooling="mean", prefixes=["", ""]),
        make_fingerprint("m", 4, pooling="mean", prefixes=["", ""]),
        make_fingerprint("m", 3, pooling="cls", prefixes=["", ""]),
        make_fingerprint("m", 3, pooling="mean", prefixes=["query: ", ""]),
    }
    assert len(others | {first}) == 5


@pytest.mark.parametrize(
    ("name", "threshold"),
    [("intfloat/e5-small-v2", 0.92), ("multilingual-e5-base", 0.92), ("nomic-embed-text", 0.70), ("bge5", 0.70)],
)
def test_models_of_the_e5_family_link_from_a_higher_similarity(name: str, threshold: float) -> None:
    assert guess_threshold(name) == threshold
