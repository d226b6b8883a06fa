"""Best paths over arrays, against listing every simple path: cycles, cliques, ties, huge weights, limits."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.graph.families import select_family
from remem.graph.memory.walker import number_paths
from remem.graph.paths import PathFound, Tuning, find_paths
from remem.graph.stations import ArrayGraph, BoolArray, Hops, IntArray
from remem.graph.vicinity import MOST_HOPS, cut_vicinity
from remem.records import MICRO, Rank

# The answer must not depend on where the search changes its ways.
TUNINGS = (Tuning(), Tuning(1, 0, 1), Tuning(3, 0, 4), Tuning(2, 40, 2), Tuning(6), Tuning(1, 10, 2))
WEIGHTS = (
    (1.0,),
    (0.0, 1.0),
    (0.0, 0.5, 1.0, 2.5, 1_000_000.0),
    (0.8, 0.64, 1.0, 0.512),
    (0.1, 0.3, 0.7, 0.9, 0.21),
    tuple(number / 64 for number in range(1, 130)),
)
Rows = dict[int, dict[int, int]]
"""Station to station to weight in millionths; station -1 is the anchor."""


def make_rows(random: Random, size: int, share: float) -> Rows:
    weights = random.choice(WEIGHTS)
    both = random.random() < 0.5
    rows: Rows = {station: {} for station in range(-1, size)}
    for source in range(-1, size):
        for target in range(size):
            if source != target and random.random() < share:
                rows[source][target] = round(random.choice(weights) * MICRO)
                if both and source >= 0:
                    rows[target][source] = rows[source][target]
    return rows


def make_graph(rows: Rows, rank: IntArray, masked: BoolArray) -> tuple[ArrayGraph, Hops]:
    size = len(rank)
    flat = [(s, t, w) for s in range(-1, size) for t, w in sorted(rows[s].items(), key=lambda hop: rank[hop[0]])]
    table = np.array(flat, np.int64).reshape(-1, 3)
    first = int((table[:, 0] == -1).sum())
    edges = np.arange(len(table))
    offset = np.concatenate(([0], np.cumsum(np.bincount(table[first:, 0], minlength=size))))
    target, weight = table[first:, 1], table[first:, 2]
    graph = ArrayGraph(offset, target, weight, edges[first:], rank, masked, int(weight.max(initial=0)))
    return graph, Hops(np.array([first]), table[:first, 1], table[:first, 2], edges[:first])


def list_paths(rows: Rows, masked: BoolArray, depth: int) -> list[tuple[int, ...]]:
    """All simple paths from the anchor."""
    paths: list[tuple[int, ...]] = [(target,) for target in rows[-1]]
    for path in paths:
        if len(path) < depth:
            paths.extend((*path, t) for t in rows[path[-1]] if t not in path and not masked[t])
    return paths


def score_path(rows: Rows, path: tuple[int, ...], rank: Rank) -> Fraction:
    weights = [Fraction(rows[s][t], MICRO) for s, t in zip((-1, *path), path, strict=False)]
    if rank == "sum":
        return sum(weights, Fraction(0))
    product = Fraction(4, 5) ** (len(path) - 1)
    for weight in weights:
        product *= min(weight, Fraction(1))
    return product


def list_expected(
    rows: Rows, ids: IntArray, masked: BoolArray, reported: BoolArray, depth: int, rank: Rank
) -> list[tuple[int, float, int, tuple[int, ...]]]:
    best: dict[int, tuple[Fraction, int, list[int], tuple[int, ...]]] = {}
    distance: dict[int, int] = {}
    for path in list_paths(rows, masked, depth):
        rating = (-score_path(rows, path, rank), len(path), [int(ids[s]) for s in path], path)
        best[path[-1]] = min(best.get(path[-1], rating), rating)
        distance[path[-1]] = min(distance.get(path[-1], 9), len(path))
    order = sorted((r[0], distance[s], r[1], int(ids[s]), s) for s, r in best.items() if reported[s])
    return [(s, float(-score), near, best[s][3]) for score, near, _, _, s in order]


def tell(found: list[PathFound]) -> list[tuple[int, float, int, tuple[int, ...]]]:
    return [(path.station, path.score, path.distance, path.stations) for path in found]


def check_graph(random: Random, rows: Rows, rank: Rank, depth: int) -> None:
    size = len(rows) - 1
    ids = np.array(random.sample(range(size), size), np.int64)
    masked = np.array([random.random() < 0.1 for _ in range(size)], np.bool_)
    reported = np.array([random.random() < random.choice((0.3, 1.0)) for _ in range(size)], np.bool_)
    graph, first = make_graph(rows, ids, masked)
    expected = list_expected(rows, ids, masked, reported, depth, rank)
    for limit in (None, 1, 2, 4, 7):
        for tuning in TUNINGS:
            found = find_paths(graph, first, depth, rank, limit, reported, tuning)
            assert tell(found) == expected[:limit], (limit, tuning)
            for path in found:
                check_edges(graph, first, path)


def check_edges(graph: ArrayGraph, first: Hops, path: PathFound) -> None:
    targets = dict(zip(first.edge.tolist(), first.target.tolist(), strict=True))
    targets.update(zip(graph.edge.tolist(), graph.target.tolist(), strict=True))
    assert tuple(targets[edge] for edge in path.edges) == path.stations


@settings(max_examples=200)
@given(st.integers(0, 2**32), st.integers(1, 5), st.sampled_from(["sum", "strength"]))
def test_the_best_paths_are_those_of_listing_all(seed: int, depth: int, rank: Rank) -> None:
    random = Random(seed)
    check_graph(random, make_rows(random, random.randint(1, 12), random.choice((0.1, 0.2, 0.35))), rank, depth)


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(3, 5), st.sampled_from(["sum", "sum", "strength"]))
def test_cliques_lose_no_path_to_the_thinning(seed: int, depth: int, rank: Rank) -> None:
    random = Random(seed)
    check_graph(random, make_rows(random, 7, 0.9), rank, depth)


@settings(max_examples=100)
@given(st.integers(0, 2**32), st.integers(1, 5), st.sampled_from(["sum", "strength"]), st.sampled_from([1, 4, None]))
def test_the_part_that_is_cut_out_has_the_best_paths_of_the_whole(
    seed: int, depth: int, rank: Rank, limit: int | None
) -> None:
    random = Random(seed)
    size = random.randint(1, 30)
    masked = np.array([random.random() < 0.1 for _ in range(size)], np.bool_)
    order = np.array(random.sample(range(size), size))
    graph, first = make_graph(make_rows(random, size, random.choice((0.03, 0.1, 0.3))), order, masked)
    reported = np.array([random.random() < 0.8 for _ in range(size)], np.bool_)
    near = cut_vicinity(graph, first, depth)
    assert near is not None
    found = find_paths(near.graph, near.first, depth, rank, limit, reported[near.stations])
    whole = find_paths(graph, first, depth, rank, limit, reported)
    assert number_paths(found, near.stations) == whole


def test_nothing_is_cut_out_of_where_a_walk_meets_much() -> None:
    hops = np.arange(MOST_HOPS // 2 + 1)
    rows: Rows = {-1: {0: MICRO}, 0: {int(at) + 1: MICRO for at in hops}, **{int(at) + 1: {0: MICRO} for at in hops}}
    graph, first = make_graph(rows, np.arange(len(hops) + 1), np.zeros(len(hops) + 1, np.bool_))
    assert cut_vicinity(graph, first, 2) is not None
    assert cut_vicinity(graph, first, 3) is None


@pytest.mark.parametrize(("inner", "hops_left", "most"), [(1, 3, 4), (2, 2, 6), (3, 1, 4), (1, 1, 2), (2, 1, 3)])
def test_a_station_keeps_few_labels_and_one_open_to_whatever_continues_any(
    inner: int, hops_left: int, most: int
) -> None:
    random = Random(inner * 10 + hops_left)
    visited = [random.sample(range(9), inner) for _ in range(60)] if inner > 1 else [[at] for at in range(9)]
    kept = select_family(np.zeros(len(visited), np.int64), np.array(visited), hops_left).tolist()
    assert len(kept) <= most
    continuations = [random.sample(range(9), random.randint(1, hops_left)) for _ in range(500)]
    for onward in continuations:
        open_labels = [label for label in range(len(visited)) if not set(visited[label]) & set(onward)]
        open_kept = [label for label in kept if label in open_labels]
        assert open_kept[:1] == open_labels[:1]


def test_a_heavy_edge_walked_to_and_fro_is_counted_once() -> None:
    rows: Rows = {-1: {0: MICRO}, 0: {1: 10**12}, 1: {0: 10**12, 2: MICRO}, 2: {}}
    graph, first = make_graph(rows, np.arange(3), np.zeros(3, np.bool_))
    found = find_paths(graph, first, 5, "sum", None, np.ones(3, np.bool_))
    assert tell(found) == [(2, 1_000_002.0, 3, (0, 1, 2)), (1, 1_000_001.0, 2, (0, 1)), (0, 1.0, 1, (0,))]


def test_sums_are_exact_where_floats_are_not() -> None:
    rows: Rows = {-1: {0: 100_000, 1: 300_000}, 0: {2: 200_000}, 1: {}, 2: {}}
    graph, first = make_graph(rows, np.arange(3), np.zeros(3, np.bool_))
    found = find_paths(graph, first, 2, "sum", None, np.ones(3, np.bool_))
    assert tell(found) == [(1, 0.3, 1, (1,)), (2, 0.3, 2, (0, 2)), (0, 0.1, 1, (0,))]


def test_an_anchor_without_hops_has_no_results() -> None:
    graph, first = make_graph({-1: {}, 0: {}}, np.arange(1), np.zeros(1, np.bool_))
    for rank in ("sum", "strength"):
        assert find_paths(graph, first, 5, rank, 10, np.ones(1, np.bool_)) == []


@pytest.mark.parametrize("tuning", TUNINGS)
def test_a_near_station_that_ties_late_goes_before_a_far_one_found_early(tuning: Tuning) -> None:
    # By ids: 0 leads to 1 and 2 leads to 3 and 4. Station 4 is a neighbour, but only its way over 0 and 2 is good.
    rows: Rows = {-1: {0: MICRO, 4: 1}, 0: {1: 2 * MICRO, 2: MICRO}, 1: {}, 2: {4: MICRO}, 3: {}, 4: {}}
    graph, first = make_graph(rows, np.arange(5), np.zeros(5, np.bool_))
    found = find_paths(graph, first, 3, "sum", 1, np.ones(5, np.bool_), tuning)
    assert tell(found) == [(4, 3.0, 1, (0, 2, 4))]


def test_equal_strengths_put_the_near_station_first_though_its_good_way_is_longer() -> None:
    rows: Rows = {-1: {0: MICRO, 4: 1}, 0: {1: 640_000, 2: MICRO}, 1: {3: MICRO}, 2: {4: 800_000}, 3: {}, 4: {}}
    graph, first = make_graph(rows, np.arange(5), np.zeros(5, np.bool_))
    found = find_paths(graph, first, 3, "strength", 3, np.ones(5, np.bool_))
    assert tell(found) == [(0, 1.0, 1, (0,)), (2, 0.8, 2, (0, 2)), (4, 0.512, 1, (0, 2, 4))]
    assert [path.score for path in found][2] == find_paths(graph, first, 3, "strength", 4, np.ones(5, np.bool_))[
        3
    ].score


def test_strengths_are_compared_exactly_where_floats_depend_on_the_order_of_factors() -> None:
    # 0.1 * 0.2 * 0.7 both ways to station 4; as floats the way over the greater ids comes out stronger.
    rows: Rows = {
        -1: {0: 100_000, 2: 700_000},
        0: {1: 200_000},
        1: {4: 700_000},
        2: {3: 200_000},
        3: {4: 100_000},
        4: {},
    }
    graph, first = make_graph(rows, np.arange(5), np.zeros(5, np.bool_))
    found = find_paths(graph, first, 3, "strength", None, np.ones(5, np.bool_))
    assert {path.station: path.stations for path in found}[4] == (0, 1, 4)
    assert {path.station: path.score for path in found}[4] == 0.00896


def test_a_shorter_way_of_the_same_weight_wins_though_it_is_searched_later() -> None:
    rows: Rows = {-1: {0: MICRO, 1: 2 * MICRO, 7: 3 * MICRO}, 7: {8: MICRO}, 8: {}}
    rows |= {0: {2: MICRO}, 2: {3: MICRO}, 3: {4: MICRO}, 4: {5: MICRO}, 5: {}, 1: {6: 2 * MICRO}, 6: {5: MICRO}}
    graph, first = make_graph(rows, np.arange(9), np.zeros(9, np.bool_))
    for tuning in TUNINGS:
        found = find_paths(graph, first, 5, "sum", 1, np.ones(9, np.bool_), tuning)
        assert tell(found) == [(5, 5.0, 3, (1, 6, 5))]


def test_only_edges_of_weight_zero_still_find_the_shortest_way_by_smallest_ids() -> None:
    rows: Rows = {-1: {0: MICRO, 1: 0}, 0: {2: 0}, 1: {2: 0, 3: MICRO}, 2: {}, 3: {}}
    ranks = np.array([1, 0, 2, 3])
    graph, first = make_graph(rows, ranks, np.zeros(4, np.bool_))
    found = find_paths(graph, first, 5, "strength", None, np.ones(4, np.bool_))
    assert tell(found) == [(0, 1.0, 1, (0,)), (1, 0.0, 1, (1,)), (2, 0.0, 2, (1, 2)), (3, 0.0, 2, (1, 3))]
