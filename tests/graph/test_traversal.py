"""What a user of `related` and `find_path` relies on: stations, filters, texts, refusals, bounded work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from remem.errors import InvalidInputError, NotFoundError
from remem.graph.service import find_path
from remem.records import Related, TraversalRequest
from tests.graph.store import Leaf, World, open_store, related
from tests.guard import guard_hang


def name_ways(items: Sequence[Related]) -> list[str]:
    return [f"{item.node.id} {item.score:g}: {' > '.join(step.id for step in item.path)}" for item in items]


def name_nodes(items: Sequence[Related]) -> list[str]:
    return [item.node.id for item in items]


def make_chain() -> tuple[World, Leaf, Leaf, Leaf]:
    """Three memories: a -> b of 1, b -> c of 1, and nothing else."""
    world = World()
    a, b, c = (world.add(id, "memory", content=f"Fact {id}.") for id in "abc")
    world.join(a, b)
    world.join(b, c)
    return world, a, b, c


@pytest.mark.parametrize(("direct", "score", "hops"), [(2.5, 2.5, 1), (1.5, 2.0, 2)])
def test_a_heavy_direct_edge_beats_a_chain_only_where_it_weighs_more(direct: float, score: float, hops: int) -> None:
    world, a, _, c = make_chain()
    world.join(a, c, direct)
    item = next(item for item in related(open_store(world), TraversalRequest(a.key, depth=2)) if item.node.id == "c")
    assert (item.score, item.hops, item.distance) == (score, hops, 1)
    assert item.direct is not None
    assert item.direct.weight == direct


def test_an_edge_walked_against_its_direction_says_so_and_keeps_its_own_ends() -> None:
    world, _, _, c = make_chain()
    items = related(open_store(world), TraversalRequest(c.key, direction="in", depth=2))
    assert [(step.id, step.source_id, step.target_id, step.direction) for step in items[0].path] == [
        ("b", "b", "c", "in"),
        ("a", "a", "b", "in"),
    ]
    assert items[0].direct is None
    assert related(open_store(world), TraversalRequest(c.key, direction="out", depth=5)) == []


def make_notes() -> tuple[World, dict[str, Leaf]]:
    """Two documents with a title heading and sections; links stand in paragraphs and point to headings."""
    world, leaves = World(), {}
    for name in ("deploy", "design"):
        root = world.add(name, "document")
        title = world.add(f"{name}-title", "heading", root, opens=True, title=True, content=f"# {name}")
        for part in ("one", "two"):
            head = world.add(f"{name}-{part}", "heading", title, opens=True, content=f"## {part}")
            leaves[f"{name}-{part}-text"] = world.add(f"{name}-{part}-text", "text", head, content=f"{name} {part}.")
            leaves[head.id] = head
        leaves[name], leaves[title.id] = root, title
    world.join(leaves["deploy-one-text"], leaves["design-title"])
    world.join(leaves["design-two-text"], leaves["deploy-two"])
    return world, leaves


def test_a_walk_goes_on_from_the_section_that_a_link_leads_to() -> None:
    world, leaves = make_notes()
    store = open_store(world)
    out = TraversalRequest(leaves["deploy-one"].key, direction="out", depth=3)
    assert name_ways(related(store, out)) == ["deploy-two 2: design > deploy-two", "design 1: design"]
    assert name_nodes(related(store, replace(out, scope="document"))) == ["design"]
    assert related(store, replace(out, scope="node")) == []
    text = TraversalRequest(leaves["deploy-one-text"].key, direction="out", depth=3, scope="node")
    assert name_ways(related(store, text)) == ["design-title 1: design-title"]


def test_a_title_heading_is_its_document_as_anchor_too() -> None:
    world, leaves = make_notes()
    store = open_store(world)
    for depth in (1, 3):
        request = TraversalRequest(leaves["design"].key, depth=depth)
        items = related(store, request)
        assert items == related(store, replace(request, anchor=leaves["design-title"].key))
        assert name_nodes(items) == ["deploy-one", "deploy-two"]


def test_a_link_inside_a_section_is_no_way_out_of_what_contains_it() -> None:
    world, leaves = make_notes()
    world.join(leaves["deploy-one-text"], leaves["deploy-two"], 3.0)
    store = open_store(world)
    assert "deploy-two" not in name_nodes(related(store, TraversalRequest(leaves["deploy"].key)))
    assert "deploy-two" in name_nodes(related(store, TraversalRequest(leaves["deploy-one"].key)))


def test_only_an_edge_of_the_anchor_itself_enters_what_lies_around_it() -> None:
    world, leaves = make_notes()
    world.join(leaves["design-one-text"], leaves["deploy"])
    store = open_store(world)
    text = leaves["deploy-one-text"]
    assert "deploy" not in name_nodes(related(store, TraversalRequest(text.key, depth=3)))
    world.join(text, leaves["deploy"], type="part_of", origin="manual")
    assert "deploy" in name_nodes(related(open_store(world), TraversalRequest(text.key)))


def test_kinds_filter_what_is_told_and_not_what_is_walked_through() -> None:
    world = World()
    a, b = world.add("a", "memory"), world.add("b", "entity")
    c = world.add("c", "memory")
    world.join(a, b)
    world.join(b, c)
    request = TraversalRequest(a.key, depth=2, kinds=("memory",), limit=1)
    assert name_ways(related(open_store(world), request)) == ["c 2: b > c"]


def test_filters_take_edges_away_and_distance_follows() -> None:
    world, a, _, c = make_chain()
    world.join(a, c, 0.5, type="supports", origin="manual")
    store = open_store(world)
    request = TraversalRequest(a.key, depth=2)
    assert [(item.node.id, item.distance) for item in related(store, request)] == [("c", 1), ("b", 1)]
    for less in ({"weight_min": 0.500001}, {"types": ("references",)}, {"origins": ("parsed", "discovered")}):
        items = related(store, replace(request, **less))
        assert [(item.node.id, item.distance, item.direct is None) for item in items] == [
            ("c", 2, True),
            ("b", 1, False),
        ]
    assert related(store, replace(request, types=())) == []


def test_of_parallel_edges_weight_origin_type_and_ids_decide() -> None:
    world, a, b, _ = make_chain()
    store = open_store(world)

    def told(store: object) -> tuple[str, str, str]:
        step = related(store, TraversalRequest(a.key))[0].path[0]  # type: ignore[arg-type]
        return step.relationship_type, step.origin, step.direction

    assert told(store) == ("references", "parsed", "out")
    world.join(b, a, type="supports")
    assert told(open_store(world)) == ("references", "parsed", "out")
    world.join(b, a, type="part_of")
    assert told(open_store(world)) == ("part_of", "parsed", "in")
    world.join(a, b, type="supports", origin="manual")
    assert told(open_store(world)) == ("supports", "manual", "out")
    world.join(a, b, 1.000001, origin="mentioned")
    assert told(open_store(world)) == ("references", "mentioned", "out")


def test_a_result_carries_its_section_in_order_cut_at_1200_characters() -> None:
    world = World()
    memory = world.add("memory", "memory")
    root = world.add("long", "document")
    head = world.add("head", "heading", root, opens=True, content="# Head")
    world.add("first", "text", head, content="x" * 700)
    world.add("rest", "text", head, content="y" * 700, piece=1, gap="\n")
    short = world.add("short", "heading", head, opens=True, content="## Short")
    world.add("end", "text", short, content="End.")
    world.join(memory, head, 2.0)
    world.join(memory, short)
    long, brief = related(open_store(world), TraversalRequest(memory.key))
    assert long.node.content == "# Head\n\n" + "x" * 700 + "\n" + "y" * 491
    assert long.truncated
    assert (brief.node.content, brief.truncated) == ("## Short\n\nEnd.", False)
    assert (brief.node.root, brief.node.source, brief.node.parent_id, brief.node.depth) == (
        "notes",
        "long.md",
        "head",
        2,
    )
    strict = related(open_store(world), TraversalRequest(memory.key, scope="node"))[0]
    assert (strict.node.content, strict.truncated) == ("# Head", False)


def test_embeds_in_a_circle_end() -> None:
    world = World()
    notes = [world.add(id, "document") for id in "abc"]
    texts = [world.add(f"{note.id}-text", "text", note, content="![[x]]") for note in notes]
    for text, note in zip(texts, [*notes[1:], notes[0]], strict=True):
        world.join(text, note)
    store = open_store(world)
    assert name_ways(related(store, TraversalRequest(notes[0].key, depth=5, direction="out"))) == [
        "c 2: b > c",
        "b 1: b",
    ]
    assert name_ways(related(store, TraversalRequest(notes[0].key, depth=5))) == ["b 2: c > b", "c 2: b > c"]


def test_links_of_different_paragraphs_to_one_note_are_one_hop_and_no_node_is_told_twice() -> None:
    world = World()
    a, b = world.add("a", "document"), world.add("b", "document")
    paragraphs = [world.add(f"p{number}", "text", a) for number in range(3)]
    for paragraph in paragraphs:
        world.join(paragraph, b)
    world.join(b, a)
    items = related(open_store(world), TraversalRequest(a.key, depth=2))
    assert name_nodes(items) == ["b"]
    assert items[0].path[0].source_id == "b"


def test_many_short_cycles_are_not_walked_path_by_path() -> None:
    world, random = World(), Random(94)
    leaves = [world.add(f"n{number:02}", "memory") for number in range(81)]
    for leaf in leaves:
        for target in random.sample([other for other in leaves if other is not leaf], 60):
            world.join(leaf, target)
    store = open_store(world)
    with guard_hang("a walk along 60 ** 5 paths"):
        items = related(store, TraversalRequest(leaves[0].key, depth=5, limit=100))
    assert len(items) == 80
    assert {item.score for item in items} == {5.0}


def test_one_result_of_a_star_is_the_first_of_all() -> None:
    world = World()
    hub = world.add("hub", "memory")
    for number in range(3000):
        world.join(hub, world.add(f"ray{number:04}", "memory"))
    store = open_store(world)
    for rank in ("sum", "strength"):
        assert name_nodes(related(store, TraversalRequest(hub.key, depth=3, rank=rank, limit=1))) == ["ray0000"]
        every = related(store, TraversalRequest(hub.key, depth=3, rank=rank, limit=None))
        assert name_nodes(every) == [f"ray{number:04}" for number in range(3000)]


def test_a_path_joins_two_nodes_or_says_none() -> None:
    world, leaves = make_notes()
    lone = world.add("lone", "memory")
    store = open_store(world)
    found = find_path(store, leaves["deploy-one-text"].key, leaves["deploy-two-text"].key)
    assert found is not None
    assert [step.id for step in found.path] == ["design", "deploy-two"]
    assert [step.direction for step in found.path] == ["out", "out"]
    assert found.score == 0.8
    assert find_path(store, leaves["deploy"].key, lone.key) is None
    assert find_path(store, lone.key, lone.key) is None


def test_nodes_that_do_not_exist_are_not_found() -> None:
    world, a, _, _ = make_chain()
    store = open_store(world)
    with pytest.raises(NotFoundError):
        related(store, TraversalRequest(99))
    for ends in ((a.key, 99), (99, a.key)):
        with pytest.raises(NotFoundError):
            find_path(store, *ends)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("depth", (0, 6, -1, True, 2.0, "2", None)),
        ("limit", (0, -5, True, 1.5, "all")),
        ("weight_min", (-0.1, 1_000_000.5, math.nan, math.inf, True, "1", None)),
        ("direction", ("forward", "", None, 1)),
        ("scope", ("sections", None)),
        ("rank", ("weight", None)),
        ("types", (("links",), ("references", 3), "references")),
        ("origins", (("human",), "manual")),
        ("kinds", (("note",), "memory")),
    ],
)
def test_what_is_out_of_range_or_unknown_is_refused_by_name(field: str, values: tuple[object, ...]) -> None:
    store = open_store(make_chain()[0])
    for value in values:
        with pytest.raises(InvalidInputError) as caught:
            related(store, replace(TraversalRequest(1), **{field: value}))  # type: ignore[arg-type]
        assert caught.value.facts["field"] == field


@pytest.mark.parametrize("least", [0.1, 0.3, 0.7, 0.000007, 1.1, 999_999.999999])
def test_an_edge_of_just_the_least_weight_is_there(least: float) -> None:
    world = World()
    a, b = world.add("a", "memory"), world.add("b", "memory")
    world.join(a, b, least)
    store = open_store(world)
    assert name_nodes(related(store, TraversalRequest(a.key, weight_min=least))) == ["b"]
    assert related(store, TraversalRequest(a.key, weight_min=math.nextafter(least, math.inf))) == []
