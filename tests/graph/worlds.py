"""Random small worlds for the traversal tests: nested sections, title headings, memories, parallel edges, ties."""

from __future__ import annotations

from random import Random

from remem.records import KINDS, ORIGINS, RELATIONSHIP_TYPES, TraversalRequest
from tests.graph.store import Leaf, World

WEIGHTS = {
    "ties": (1.0,),
    "plain": (0.0, 0.5, 1.0, 1.0, 2.5),
    "fine": (0.8, 0.64, 0.000001, 0.1, 0.3, 0.7, 1.0),
    "huge": (0.0, 1.0, 1.0, 2.5, 1_000_000.0),
}


def make_world(random: Random) -> World:
    """Up to about 25 nodes and 45 edges."""
    world, ids = World(), make_ids(random)
    for _ in range(random.randint(1, 3)):
        add_document(world, random, ids)
    for _ in range(random.randint(0, 6)):
        world.add(ids.pop(), random.choice(("memory", "entity")))
    leaves, weights = list(world.nodes.values()), WEIGHTS[random.choice(tuple(WEIGHTS))]
    types = RELATIONSHIP_TYPES[: random.choice((1, 2, 8))]
    for _ in range(random.randint(len(leaves) // 2, 2 * len(leaves))):
        source, target = random.choice(leaves), random.choice(leaves)
        if source is not target:
            world.join(source, target, random.choice(weights), random.choice(types), random.choice(ORIGINS))
    return world


def make_ids(random: Random) -> list[str]:
    """Ids whose order has nothing to do with that of the keys."""
    ids = [f"{letter}{number}" for letter in ("B", "a", "_", "é", "Z-") for number in range(12)]
    random.shuffle(ids)
    return ids


def add_document(world: World, random: Random, ids: list[str]) -> None:
    """A document with sections down to the third level, blocks, and headings that open nothing."""
    root = world.add(ids.pop(), "document")
    open_leaves = [root]
    if random.random() < 0.6:
        open_leaves.append(world.add(ids.pop(), "heading", root, opens=True, title=True))
    for _ in range(random.randint(1, 6)):
        parent = random.choice(open_leaves[-3:])
        if random.random() < 0.45:
            open_leaves.append(world.add(ids.pop(), "heading", parent, opens=True))
            continue
        block = world.add(ids.pop(), random.choice(("text", "list", "quote")), parent)
        if random.random() < 0.3:
            world.add(ids.pop(), random.choice(("text", "heading")), block)


def make_request(random: Random, world: World) -> TraversalRequest:
    """Any request that is allowed, more often a deep one without filters."""
    leaf: Leaf = random.choice(list(world.nodes.values()))
    return TraversalRequest(
        anchor=leaf.key,
        direction=random.choice(("out", "in", "both", "both")),
        depth=random.choice((1, 2, 3, 3, 4, 5)),
        weight_min=random.choice((0, 0, 0, 0.5, 1.0, 1.5)),
        types=random.choice((None, None, None, RELATIONSHIP_TYPES[:1])),
        origins=random.choice((None, None, None, ("manual", "parsed"))),
        kinds=random.choice((None, None, None, ("document", "memory"), KINDS[:2])),
        scope=random.choice(("section", "section", "document", "node")),
        rank=random.choice(("sum", "sum", "strength")),
        limit=random.choice((None, 1, 2, 3, 5, 100)),
    )
