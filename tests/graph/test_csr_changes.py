"""The graph in memory follows what is written: after any sequence of writes it answers what the tables say."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.errors import NotFoundError
from remem.graph.forest import GAP, rank_between
from remem.graph.memory import snapshot as snapshots
from remem.graph.memory.snapshot import Snapshot
from remem.graph.memory.walker import GraphMemory, Walker
from remem.graph.tape import Tape
from remem.records import MICRO, ORIGINS, Related, TraversalRequest
from remem.storage import adjacency
from remem.storage.hiding import hide_nodes
from tests.graph.store import Leaf, World, open_store, related, write_tree
from tests.graph.worlds import add_document, make_request, make_world

if TYPE_CHECKING:
    from sqlite3 import Connection


def write_edge(connection: Connection, random: Random, world: World) -> None:
    source, target = random.choice(list(world.nodes)), random.choice(list(world.nodes))
    if source == target:
        return
    codes = random.randrange(2), random.randrange(len(ORIGINS))
    connection.execute(
        "INSERT INTO edges (source, target, type, origin, weight, created_at, updated_at) VALUES (?, ?, ?, ?, ?, 0, 0)"
        " ON CONFLICT DO UPDATE SET weight = excluded.weight",
        (source, target, *codes, random.choice((0, 1, MICRO, 2_500_000, 10**12))),
    )


def drop_edges(connection: Connection, random: Random, world: World) -> None:
    node = random.choice(list(world.nodes))
    connection.execute("DELETE FROM edges WHERE source = ? OR (target = ? AND type = 0)", (node, node))


def drop_document(connection: Connection, random: Random, world: World) -> None:
    roots = [leaf for leaf in world.nodes.values() if leaf.parent is None]
    if len(roots) > 2:
        remove_tree(connection, world, random.choice(roots), edges=True)


def remove_tree(connection: Connection, world: World, root: Leaf, *, edges: bool) -> None:
    for leaf in world.list_tree(root):
        connection.execute("DELETE FROM nodes WHERE key = ?", (leaf.key,))
        if edges:
            connection.execute("DELETE FROM edges WHERE source = ?1 OR target = ?1", (leaf.key,))
            del world.nodes[leaf.key]
    connection.execute("DELETE FROM documents WHERE node = ?", (root.key,))


def add_tree(connection: Connection, random: Random, world: World) -> None:
    offset = int(connection.execute("SELECT max(key) FROM nodes").fetchone()[0])
    built = World()
    ids = [f"{random.choice('Aam_é')}{offset}-{number}" for number in range(20)]
    random.shuffle(ids)
    if random.random() < 0.5:
        built.add(ids.pop(), "memory")
    else:
        add_document(built, random, ids)
    for leaf in built.nodes.values():
        leaf.key += offset
        leaf.parent = None if leaf.parent is None else leaf.parent + offset
        world.nodes[leaf.key] = leaf
    root = next(leaf for leaf in built.nodes.values() if leaf.parent is None)
    write_tree(connection, world.list_tree(root))


def edit_document(connection: Connection, random: Random, world: World) -> None:
    """Rewrites a tree: a block or section comes or goes, the rest stays and moves up or down."""
    roots = [leaf for leaf in world.nodes.values() if leaf.kind == "document"]
    if not roots:
        return
    root = random.choice(roots)
    tree = world.list_tree(root)
    remove_tree(connection, world, root, edges=False)
    removable = [leaf for leaf in tree[1:] if not any(other.parent == leaf.key for other in tree)]
    if removable and random.random() < 0.5:
        leaf = random.choice(removable)
        connection.execute("DELETE FROM edges WHERE source = ?1 OR target = ?1", (leaf.key,))
        del world.nodes[leaf.key]
    else:
        key = max(world.nodes) + 1000
        opens = random.random() < 0.5
        parent = random.choice([leaf for leaf in tree if leaf.opens or leaf is root])
        kind = "heading" if opens else "text"
        world.nodes[key] = Leaf(key, f"n{key}", kind, parent.key, opens=opens, label=f"n{key}" if opens else None)
    write_tree(connection, world.list_tree(root))


WRITES = (write_edge, write_edge, write_edge, drop_edges, drop_document, add_tree, edit_document)


def ask(memory: GraphMemory, connection: Connection, request: TraversalRequest) -> Sequence[Related]:
    walker = Walker(memory, patient=True)
    found = walker.walk(connection, request).tell_all()
    assert not walker.missed
    return found


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_after_any_writes_the_answers_are_those_of_sql(seed: int) -> None:
    random = Random(seed)
    world = make_world(random)
    connection = open_store(world)
    memory = GraphMemory()
    memory.put(Snapshot(connection))
    for _ in range(5):
        for _ in range(random.choice((1, 1, 3, 8))):
            random.choice(WRITES)(connection, random, world)
        for _ in range(3):
            request = make_request(random, world)
            assert ask(memory, connection, request) == related(connection, request), request


def test_a_burst_of_single_writes_with_reads_between_never_reads_everything_again() -> None:
    random, world = Random(5), World()
    hub = world.add("hub", "memory")
    for number in range(300):
        world.join(hub, world.add(f"m{number}", "memory"))
    connection = open_store(world)
    memory = GraphMemory()
    start = Snapshot(connection)
    memory.put(start)
    for _ in range(60):
        random.choice((write_edge, add_tree))(connection, random, world)
        request = TraversalRequest(hub.key, depth=2)
        assert ask(memory, connection, request) == related(connection, request)
    assert memory.snapshot is start


def test_a_node_that_was_just_deleted_is_no_anchor_and_one_just_made_is() -> None:
    world = World()
    a, b = world.add("a", "memory"), world.add("b", "memory")
    world.join(a, b)
    connection = open_store(world)
    memory = GraphMemory()
    memory.put(Snapshot(connection))
    remove_tree(connection, world, b, edges=True)
    with pytest.raises(NotFoundError):
        ask(memory, connection, TraversalRequest(b.key))
    assert ask(memory, connection, TraversalRequest(a.key, depth=5)) == []
    c = Leaf(77, "c", "memory", None, label="c")
    write_tree(connection, [c])
    connection.execute("INSERT INTO edges VALUES (?, 77, 3, 1, 1, 1, 0, 0, 0)", (a.key,))
    assert [item.node.id for item in ask(memory, connection, TraversalRequest(77))] == ["a"]


def test_more_changes_than_the_log_keeps_need_a_new_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    leaves = [world.add(f"m{number}", "memory") for number in range(80)]
    connection = open_store(world)
    old = Snapshot(connection)
    rows = [(s.key, t.key) for s in leaves for t in leaves if s is not t]
    connection.executemany("INSERT INTO edges VALUES (?, ?, 3, 1, 1, 1, 0, 0, 0)", rows)
    assert not old.follow(connection)
    assert connection.execute("SELECT count(*) FROM graph_changes").fetchone()[0] < 5000
    new = Snapshot(connection)
    assert new.follow(connection)
    monkeypatch.setattr(snapshots, "MOST_EDGES", 10)
    drop_edges(connection, Random(1), world)
    connection.execute("UPDATE nodes SET kind = 'entity' WHERE key = 1")
    assert not new.follow(connection)


def test_a_graph_without_edges_and_an_empty_store_have_no_answers() -> None:
    world = World()
    lone = world.add("lone", "memory")
    connection = open_store(world)
    memory = GraphMemory()
    memory.put(Snapshot(connection))
    for rank in ("sum", "strength"):
        assert ask(memory, connection, TraversalRequest(lone.key, depth=5, rank=rank)) == []
    empty = open_store()
    memory.put(Snapshot(empty))
    with pytest.raises(NotFoundError):
        ask(memory, empty, TraversalRequest(1))


def test_new_ids_find_ranks_between_their_neighbours_until_there_is_no_room() -> None:
    assert rank_between([None, None, 500], [None, 100, None]) is not None
    ranks = rank_between([100, None, 900], [None, 200, None])
    assert ranks is not None
    assert 100 < ranks[0] < ranks[1] < 200
    assert ranks[2] == 900 + GAP
    assert rank_between([100], [101]) is None
    assert rank_between([], []) is not None


def test_a_tape_keeps_what_was_read_and_takes_values_of_any_width() -> None:
    tape = Tape(np.arange(3, dtype=np.int32))
    before = tape.values
    tape.append(np.array([2**40, 7]))
    assert before.tolist() == [0, 1, 2]
    assert tape.values.tolist() == [0, 1, 2, 2**40, 7]
    tape.append(np.zeros(0, np.int64))
    assert len(tape) == 5


def test_memories_that_have_expired_are_neither_passed_nor_anchors_though_their_rows_still_lie_there() -> None:
    world = World()
    a, b, c, d = (world.add(id, "memory") for id in "abcd")
    world.join(a, b, 5)
    world.join(b, c)
    world.join(a, d)
    world.join(d, c)
    connection = open_store(world)
    memory = GraphMemory()
    memory.put(Snapshot(connection))
    connection.execute(
        "INSERT INTO memories (node, id, type, importance, source, metadata, tags, hash, created_at, updated_at, ttl,"
        " expires_at) VALUES (?, 'b', 'short_term', 0.5, '', '{}', '[]', x'00', 0, 0, 1, 1)",
        (b.key,),
    )
    request = TraversalRequest(a.key, depth=3)
    assert [item.node.id for item in ask(memory, connection, request)] == ["d", "c", "b"]
    connection.execute("BEGIN")
    hide_nodes(connection, [b.key])
    connection.execute("PRAGMA query_only = OFF")
    assert [item.node.id for item in ask(memory, connection, request)] == ["c", "d"]
    assert ask(memory, connection, request) == related(connection, request)
    assert Walker(memory, patient=True).spread(connection, {a.key: 1.0})[0].tolist() == [a.key, c.key, d.key]
    with pytest.raises(NotFoundError):
        ask(memory, connection, TraversalRequest(b.key))
    fresh = GraphMemory()
    fresh.put(Snapshot(connection))
    connection.execute("ROLLBACK")
    assert [item.node.id for item in ask(fresh, connection, request)] == ["d", "c", "b"]


def test_a_large_file_is_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = open_store(make_world(Random(4)))
    whole = Snapshot(connection)
    monkeypatch.setattr(adjacency, "LARGEST_PART", 20_000)
    parts = Snapshot(connection)
    assert parts.edges == whole.edges > 5
    for one, other in zip(parts.tables["section"].columns, whole.tables["section"].columns, strict=True):
        assert one.tolist() == other.tolist()
