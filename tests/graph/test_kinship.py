"""Ties that no edge states: consecutive texts, and texts that share a rare name."""

from __future__ import annotations

import numpy as np
import pytest

from remem.graph.kinship import RARE, RARE_NAME, Ties, join_ties, tie_names, tie_neighbours


def list_ties(ties: Ties) -> dict[tuple[int, int], float]:
    pairs: dict[tuple[int, int], float] = {}
    for one, other, weight in zip(ties.one.tolist(), ties.other.tolist(), ties.weight.tolist(), strict=True):
        pairs[one, other] = pairs.get((one, other), 0.0) + weight
    return pairs


def make_rows(*uses: tuple[int, int, int]) -> Ties:
    names, texts, single = (np.array(column, np.int64) for column in zip(*uses, strict=True))
    return tie_names(names, texts, single)


def test_what_was_told_one_after_the_other_is_tied_within_its_source() -> None:
    ties = tie_neighbours(np.array([7, 3, 9, 4]), np.array([1, 1, 1, 2]))
    assert list_ties(ties) == {(7, 3): 1.0, (3, 9): 1.0, (7, 9): 0.5}


def test_texts_that_share_a_name_are_tied_the_weaker_the_more_they_are() -> None:
    two = list_ties(make_rows((1, 10, 0), (1, 11, 0)))
    three = list_ties(make_rows((1, 10, 0), (1, 11, 0), (1, 12, 0)))
    assert two == pytest.approx({(10, 11): RARE_NAME})
    assert three == pytest.approx({(10, 11): RARE_NAME / 2, (10, 12): RARE_NAME / 2, (11, 12): RARE_NAME / 2})


def test_a_single_word_ties_half_as_strongly_and_a_common_name_not_at_all() -> None:
    assert list_ties(make_rows((1, 10, 1), (1, 11, 1))) == pytest.approx({(10, 11): RARE_NAME / 2})
    assert make_rows(*((1, text, 0) for text in range(RARE))).size == RARE * (RARE - 1) // 2
    assert make_rows(*((1, text, 0) for text in range(RARE + 1))).size == 0


def test_two_passages_of_one_text_are_not_tied_to_each_other() -> None:
    assert make_rows((1, 10, 0), (1, 10, 0)).size == 0


def test_nothing_makes_no_ties() -> None:
    none = np.zeros(0, np.int64)
    assert tie_names(none, none, none).size == tie_neighbours(none, none).size == join_ties([]).size == 0
