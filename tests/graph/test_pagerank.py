"""Spreading, degrees and components, against networkx and against the definition."""

from __future__ import annotations

from random import Random

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.graph.components import count_degrees, find_components, group_documents
from remem.graph.memory.snapshot import Snapshot
from remem.graph.pagerank import SpreadGraph, Structure, build_spread_graph, spread
from remem.graph.stations import FloatArray
from tests.graph.store import World, open_store
from tests.graph.worlds import make_world

NONE = Structure(0, 0, 0)


def load_graph(world: World, structure: Structure | None = None) -> tuple[Snapshot, SpreadGraph]:
    connection = open_store(world)
    snapshot = Snapshot(connection)
    table = snapshot.load_table(connection, "node")
    return snapshot, build_spread_graph(table, snapshot.forest, structure)


def list_weights(world: World, snapshot: Snapshot, structure: Structure) -> FloatArray:
    """The dense symmetric matrix, by the numbers of the snapshot."""
    forest = snapshot.forest
    matrix = np.zeros((forest.size, forest.size))

    def join(a: int, b: int, weight: float) -> None:
        matrix[a, b] += weight
        matrix[b, a] += weight

    for link in world.links.values():
        join(forest.find(link.source), forest.find(link.target), min(link.weight, structure.most))
    for leaf in world.nodes.values():
        if leaf.parent is not None:
            join(forest.find(leaf.key), forest.find(leaf.parent), structure.parent)
    for root in [leaf for leaf in world.nodes.values() if leaf.parent is None]:
        tree = [forest.find(leaf.key) for leaf in world.list_tree(root)]
        for distance, weight in ((1, structure.near), (2, structure.next)):
            for a, b in zip(tree, tree[distance:], strict=False):
                join(a, b, weight)
    return matrix


def solve(matrix: FloatArray, seeds: list[int], shares: FloatArray, restart: float) -> FloatArray:
    """By linear algebra; what stands at a node without edges begins again."""
    size, degree = len(matrix), matrix.sum(axis=0)
    start = np.zeros(size)
    start[seeds] = shares / shares.sum()
    moves = np.divide(matrix, degree, out=np.outer(start, np.ones(size)), where=degree > 0)
    return np.linalg.solve(np.eye(size) - (1 - restart) * moves, restart * start)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from([0.15, 0.4, 0.8]))
def test_spreading_is_the_solution_of_its_equation(seed: int, restart: float) -> None:
    random = Random(seed)
    world = make_world(random)
    structure = random.choice((Structure(), NONE, Structure(0.3, 0.7, 0, 2)))
    snapshot, graph = load_graph(world, structure)
    seeds = random.sample(range(snapshot.forest.size), random.randint(1, min(4, snapshot.forest.size)))
    shares = np.array([random.random() + 0.1 for _ in seeds])
    found = spread(graph, np.array(seeds), shares, restart, 1e-5)
    expected = solve(list_weights(world, snapshot, structure), seeds, shares, restart)
    assert found.sum() == pytest.approx(1)
    assert np.abs(found - expected).max() < 2e-4


def test_spreading_agrees_with_networkx() -> None:
    world = make_world(Random(11))
    snapshot, graph = load_graph(world)
    matrix = list_weights(world, snapshot, Structure())
    seeds = {0: 2.0, snapshot.forest.size - 1: 1.0}
    peer = networkx.pagerank(networkx.from_numpy_array(matrix), alpha=0.6, personalization=seeds, tol=1e-12)
    found = spread(graph, np.array(list(seeds)), np.array(list(seeds.values())), 0.4, 1e-6)
    assert np.abs(found - np.array([peer[number] for number in range(len(found))])).max() < 1e-4


def test_a_seed_without_edges_keeps_all() -> None:
    world = World()
    world.add("a", "memory")
    world.join(world.add("b", "memory"), world.add("c", "memory"))
    _, graph = load_graph(world)
    assert spread(graph, np.array([0]), np.array([1.0])).tolist() == [1, 0, 0]


def test_spreading_leaves_out_what_was_deleted() -> None:
    world = World()
    a, b, c = (world.add(id, "memory") for id in "abc")
    world.join(a, b)
    world.join(b, c)
    connection = open_store(world)
    snapshot = Snapshot(connection)
    table = snapshot.load_table(connection, "node")
    connection.execute("DELETE FROM edges WHERE target = ?", (c.key,))
    connection.execute("DELETE FROM nodes WHERE key = ?", (c.key,))
    assert snapshot.follow(connection)
    found = spread(build_spread_graph(table, snapshot.forest), np.array([0]), np.array([1.0]))
    assert found[2] == 0
    assert found[0] == pytest.approx(1 / 1.6, abs=1e-3)


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_degrees_and_groups_of_documents_are_those_of_counting(seed: int) -> None:
    world = make_world(Random(seed))
    connection = open_store(world)
    snapshot = Snapshot(connection)
    table, forest = snapshot.load_table(connection, "node"), snapshot.forest
    degrees = count_degrees(table, forest)
    for leaf in world.nodes.values():
        number = forest.find(leaf.key)
        assert degrees.out[number] == sum(link.source == leaf.key for link in world.links.values())
        assert degrees.back[number] == sum(link.target == leaf.key for link in world.links.values())
    groups = [{leaf.key} for leaf in world.nodes.values() if leaf.parent is None]
    for link in world.links.values():
        ends = {world.find_document(world.nodes[end]).key for end in (link.source, link.target)}
        joined = [group for group in groups if group & ends]
        groups = [group for group in groups if not group & ends] + [set().union(*joined)]
    assert group_documents(table, forest).tolist() == sorted((len(group) for group in groups), reverse=True)


def test_a_long_chain_is_one_component() -> None:
    order = np.random.default_rng(1).permutation(5000)
    assert set(find_components(5001, order[:-1], order[1:])[:5000].tolist()) == {0}
