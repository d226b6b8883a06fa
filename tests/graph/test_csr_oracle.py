"""The graph in memory answers what the SQL engine and listing every path answer."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from remem.graph.memory.snapshot import Snapshot
from remem.graph.memory.walker import GraphMemory, Walker
from remem.graph.service import find_path
from tests.graph.oracle import Oracle
from tests.graph.store import open_store, related
from tests.graph.test_traversal_oracle import tell_answer, tell_related
from tests.graph.worlds import make_request, make_world


@settings(max_examples=100)
@given(st.integers(0, 2**32))
def test_every_answer_is_that_of_sql_and_of_listing_all_paths(seed: int) -> None:
    random = Random(seed)
    world = make_world(random)
    connection = open_store(world)
    memory = GraphMemory()
    memory.put(Snapshot(connection))
    for _ in range(8):
        request = make_request(random, world)
        walker = Walker(memory, patient=True)
        found = walker.walk(connection, request).tell_all()
        assert not walker.missed
        assert found == related(connection, request), request
        expected = [tell_answer(world, answer) for answer in Oracle(world, request).answer()]
        assert [tell_related(item) for item in found] == expected, request


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_the_path_between_two_nodes_is_that_of_sql(seed: int) -> None:
    random = Random(seed)
    world = make_world(random)
    connection = open_store(world)
    memory = GraphMemory()
    memory.put(Snapshot(connection))
    for rank in ("sum", "strength"):
        a, b = random.choice(list(world.nodes)), random.choice(list(world.nodes))
        assert Walker(memory, patient=True).find_path(connection, a, b, rank) == find_path(connection, a, b, rank)
