"""The SQL engine answers what listing every path answers: results, order, scores, ways, direct edges, distances."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from remem.graph.service import find_path
from remem.records import DirectEdge, PathStep, Related, TraversalRequest
from tests.graph.oracle import Answer, Oracle
from tests.graph.store import Link, World, open_store, related
from tests.graph.worlds import make_request, make_world


def describe(world: World, link: Link, direction: str) -> DirectEdge:
    ids = world.nodes[link.source].id, world.nodes[link.target].id
    return DirectEdge(*ids, link.type, link.origin, link.weight, direction)


def tell_answer(world: World, answer: Answer) -> tuple[object, ...]:
    steps = [(world.nodes[station].id, describe(world, link, direction)) for station, link, direction in answer.path]
    direct = None if answer.direct is None else describe(world, *answer.direct)
    station = world.nodes[answer.station].id
    return station, float(answer.score), answer.distance, len(answer.path), direct, steps


def tell_related(item: Related) -> tuple[object, ...]:
    steps = [(step.id, as_edge(step)) for step in item.path]
    return item.node.id, item.score, item.distance, item.hops, item.direct, steps


def as_edge(step: PathStep) -> DirectEdge:
    return DirectEdge(step.source_id, step.target_id, step.relationship_type, step.origin, step.weight, step.direction)


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_every_answer_is_that_of_listing_all_paths(seed: int) -> None:
    random = Random(seed)
    world = make_world(random)
    connection = open_store(world)
    for _ in range(6):
        request = make_request(random, world)
        expected = [tell_answer(world, answer) for answer in Oracle(world, request).answer()]
        assert [tell_related(item) for item in related(connection, request)] == expected, request


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_the_path_between_two_nodes_is_the_one_that_a_traversal_of_depth_five_finds(seed: int) -> None:
    random = Random(seed)
    world = make_world(random)
    connection = open_store(world)
    for rank in ("sum", "strength"):
        a, b = random.choice(list(world.nodes)), random.choice(list(world.nodes))
        request = TraversalRequest(anchor=a, depth=5, rank=rank, limit=None)
        oracle = Oracle(world, request)
        goal = oracle.find_station(b)
        expected = [tell_answer(world, answer) for answer in oracle.answer() if answer.station == goal]
        found = find_path(connection, a, b, rank)
        assert [tell_related(item) for item in (found,) if item is not None] == expected
