"""Pictures of the graph: their nodes, edges and ghosts, and where nodes were put."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import InvalidInputError, NotFoundError
from remem.records import Picture, PlacedNode


def open_notes(tmp_path: Path, **texts: str) -> RememSync:
    """A store of notes, each named by its keyword."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    remem = Remem.open_sync(tmp_path / "memory.db")
    remem.compile(folder)
    return remem


def list_edges(picture: Picture) -> list[tuple[str, str]]:
    labels = {node.id: node.label for node in picture.nodes}
    return sorted((labels[edge.source_id], labels[edge.target_id]) for edge in picture.edges)


def test_a_picture_of_the_whole_agrees_with_the_neighbourhood_of_all(tmp_path: Path) -> None:
    with open_notes(
        tmp_path, A="# A\n\n[[B]] and [[C; w=3]]\n\n## Part\n\n[[B]]\n", B="# B\n\n[[A#Part]]\n", C="# C\n"
    ) as remem:
        remem.store("A fact about [[C]].", id="fact")
        picture = remem.picture()
        ids = [node.id for node in picture.nodes]
        around = remem.neighbourhood(ids, 0, 1000)
    assert {node.id for node in around.nodes} == set(ids) and len(ids) == len(set(ids)) == picture.total_nodes
    assert set(picture.edges) == set(around.edges) and picture.edges
    assert {node.id: node.degree for node in around.nodes} == {node.id: node.degree for node in picture.nodes}
    assert {end for edge in picture.edges for end in (edge.source_id, edge.target_id)} <= set(ids)
    parents = {node.label: node.parent_id for node in picture.nodes}
    assert parents["Part"] in ids and parents["C"] == ""


def test_an_edge_into_a_hidden_section_is_drawn_to_the_section_around_it(tmp_path: Path) -> None:
    inner = "# A\n\n## Outer\n\nText.\n\n### Inner\n\nText.\n"
    with open_notes(tmp_path, A=inner, B="# B\n\n[[A#Inner]]\n") as remem:
        assert list_edges(remem.picture()) == [("B", "Inner")]
        outer = next(node.id for node in remem.picture().nodes if node.label == "Outer")
        assert list_edges(remem.picture([outer, "B"], depth=0)) == [("B", "Outer")]
        assert list_edges(remem.picture(["A", "B"], depth=0)) == [("B", "A")]
        assert list_edges(remem.picture(["B"], depth=0)) == []


def test_an_edge_out_of_a_hidden_section_is_drawn_once_and_one_inside_not_at_all(tmp_path: Path) -> None:
    text = "# A\n\n## One\n\n[[B]] [[#Two]]\n\n## Two\n\nText.\n"
    with open_notes(tmp_path, A=text, B="# B\n") as remem:
        assert list_edges(remem.picture(["A", "B"], depth=0)) == [("A", "B")]


def test_a_limit_keeps_what_is_linked_most_and_says_what_it_left_out(tmp_path: Path) -> None:
    with open_notes(tmp_path, Hub="# Hub\n", A="[[Hub]]\n", B="[[Hub]]\n", C="[[Hub]]\n") as remem:
        picture = remem.picture(limit=2)
    assert picture.nodes[0].label == "Hub"
    assert (len(picture.nodes), picture.left_out, picture.total_nodes, picture.total_edges) == (2, 2, 4, 3)


def test_what_waits_is_told_with_the_station_that_waits(tmp_path: Path) -> None:
    with open_notes(tmp_path, A="# A\n\n[[Later]] [[Later]]\n\ncaused_by:: [[Other]]\n", B="# B\n") as remem:
        picture = remem.picture()
        assert remem.picture(["B"], depth=0).ghosts == ()
    source = next(node.id for node in picture.nodes if node.label == "A")
    assert {ghost.source_id for ghost in picture.ghosts} == {source}
    told = [(ghost.label, ghost.relationship_type, ghost.links) for ghost in picture.ghosts]
    assert told == [("Later", "references", 2), ("Other", "caused_by", 1)]


def test_the_picture_of_an_empty_store_is_empty(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        picture = remem.picture()
    assert (picture.nodes, picture.edges, picture.ghosts, picture.total_nodes, picture.left_out) == ((), (), (), 0, 0)


@pytest.mark.parametrize(
    ("nodes", "depth", "limit"),
    [("A", 1, 10), (["A"], -1, 10), (["A"], 6, 10), (["A"], 1, 0), (["A"], 1, 20_001), (["A"], True, 10), ([""], 1, 10),
     ([1], 1, 10)],
)  # fmt: skip
def test_wrong_requests_for_a_picture_are_refused(tmp_path: Path, nodes: object, depth: int, limit: int) -> None:
    with open_notes(tmp_path, A="# A\n") as remem, pytest.raises(InvalidInputError):
        remem.picture(nodes, depth, limit)  # type: ignore[arg-type]


def test_a_picture_around_nobody_is_not_found(tmp_path: Path) -> None:
    with open_notes(tmp_path, A="# A\n") as remem, pytest.raises(NotFoundError):
        remem.picture(["nobody"])


# --- where nodes were put ---------------------------------------------------------------------------------------------


def read_places(remem: RememSync) -> dict[str, tuple[float | None, float | None]]:
    return {node.label: (node.x, node.y) for node in remem.picture().nodes}


def test_nodes_stay_where_they_were_put_and_no_snapshot_is_made(tmp_path: Path) -> None:
    with open_notes(tmp_path, A="# A\n", B="# B\n") as remem:
        before = remem.picture()
        a = next(node.id for node in before.nodes if node.label == "A")
        assert remem.place([PlacedNode(a, 1.5, -2), PlacedNode("nobody", 0, 0)]) == 1
        assert read_places(remem) == {"A": (1.5, -2.0), "B": (None, None)}
        assert remem.place([PlacedNode(a, 7, 8)]) == 1 and remem.place([]) == 0
        after = remem.picture()
    assert (after.snapshot, after.change) == (before.snapshot, before.change)
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        assert read_places(remem)["A"] == (7.0, 8.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2e9, "1", None, True, [1]])
@pytest.mark.parametrize("axis", ["x", "y"])
def test_a_place_that_is_none_is_refused_and_nothing_is_put(tmp_path: Path, value: object, axis: str) -> None:
    with open_notes(tmp_path, A="# A\n") as remem:
        good, wrong = {"x": 1.0, "y": 1.0}, {"x": 1.0, "y": 1.0, axis: value}
        with pytest.raises(InvalidInputError) as told:
            remem.place([PlacedNode("A", **good), PlacedNode("A", **wrong)])  # type: ignore[arg-type]
        assert told.value.facts["field"] == f"positions[1].{axis}"
        assert read_places(remem) == {"A": (None, None)}


def test_too_many_places_at_once_are_refused(tmp_path: Path) -> None:
    with open_notes(tmp_path, A="# A\n") as remem, pytest.raises(InvalidInputError):
        remem.place([PlacedNode("A", 0, 0)] * 20_001)


def test_places_of_nodes_that_can_never_return_are_forgotten(tmp_path: Path) -> None:
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        remem.store("One fact.", id="one")
        remem.store("Another fact.", id="two")
        assert remem.place([PlacedNode("one", 1, 1), PlacedNode("two", 2, 2)]) == 2
        remem.forget("one")
        remem.place([PlacedNode("two", 3, 3)])
        remem.unarchive("one")
        assert sorted(read_places(remem).values()) == [(1.0, 1.0), (3.0, 3.0)]
