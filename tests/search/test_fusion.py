"""Scores of words and meaning become one; a walk begins at the best of them."""

from __future__ import annotations

import pytest

from remem.search.fusion import fuse_scores, scale_cosines, weigh_use
from remem.search.phrases import list_phrases
from remem.search.spreading import MOST_SEEDS, SEEDS, blend_scores, pick_seeds


def test_what_both_find_goes_before_what_one_finds() -> None:
    fused = fuse_scores({1: 4.0, 2: 4.0}, {1: 0.8, 3: 0.8, 4: 0.1}, {1, 2})
    assert fused[1].score == 1.0 and fused[1].score > fused[2].score > 0 and fused[3].score > fused[4].score == 0


def test_what_is_not_embedded_is_at_no_disadvantage() -> None:
    fused = fuse_scores({1: 4.0, 2: 4.0, 3: 2.0}, {1: 0.8, 9: 0.2}, {1, 3})
    assert fused[2].score == fused[1].score == 1.0 and fused[2].semantic is None
    assert fused[3].score < 0.5 and fused[3].semantic == 0.0


def test_words_alone_are_scored_by_words_alone() -> None:
    assert {key: part.score for key, part in fuse_scores({1: 4.0, 2: 1.0}, {}, ()).items()} == {1: 1.0, 2: 0.25}


def test_cosines_that_lie_close_together_are_not_torn_apart() -> None:
    scaled = scale_cosines({1: 0.52, 2: 0.51})
    assert scaled[1] == 1.0 and scaled[2] > 0.8
    assert scale_cosines({}) == {}


def test_only_the_nearest_hundred_count_by_meaning() -> None:
    scaled = scale_cosines({key: 1 - key / 150 for key in range(150)})
    assert len(scaled) == 100 and scaled[0] == 1.0 and scaled[99] == 0.0
    assert scale_cosines({key: 1 - key / 1000 for key in range(300)})[0] < 0.25


def test_use_is_a_mild_factor() -> None:
    assert weigh_use(0.5, 0.5) == 1.0
    assert 0.9 <= weigh_use(0.0, 0.0) < weigh_use(0.5, 0.5) < weigh_use(1.0, 1.0) <= 1.11


def test_seeds_are_the_best_and_those_that_are_as_good_as_the_last_of_them() -> None:
    assert len(pick_seeds({key: 100.0 - key for key in range(50)})) == SEEDS
    assert len(pick_seeds(dict.fromkeys(range(50), 1.0))) == 50
    assert len(pick_seeds(dict.fromkeys(range(5000), 1.0))) == MOST_SEEDS
    assert pick_seeds({1: 0.0}) == {} and pick_seeds({1: 1.0, 2: 0.25})[2] == pytest.approx(0.25**2.5)


def test_a_node_to_relate_to_is_a_seed_as_good_as_the_best() -> None:
    assert pick_seeds({1: 0.5}, 9)[9] == pick_seeds({1: 0.5})[1]
    assert pick_seeds({}, 9) == {9: 1.0}


def test_the_final_score_is_that_of_the_text_and_of_what_arrives_each_against_the_best() -> None:
    blended = blend_scores({1: 0.5, 2: 0.25}, {1: 0.1, 3: 0.2}, 0.8)
    assert blended == pytest.approx({1: 0.2 + 0.4, 2: 0.1, 3: 0.8})
    assert blend_scores({1: 0.5}, {}, 0.8) == pytest.approx({1: 0.2})


def test_phrases_are_capitalised_names_without_the_words_around_them() -> None:
    one = list_phrases("The American Psychological Association met. However, Hall's theory won.")
    other = list_phrases("He led the American Psychological Association in Boston with Hall.")
    assert len(one.keys() & other.keys()) == 2 and sorted(one.values()) == [False, True]
    assert list_phrases("nothing to see here, The And") == {}
    assert len(list_phrases(" ".join(f"Name{number}x, " for number in range(1000)))) == 200
