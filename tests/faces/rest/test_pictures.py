"""The picture of the graph in columns, and where nodes were put, by REST."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.faces.rest.site import Site


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "harbour"
    folder.mkdir()
    (folder / "Deploy.md").write_text(
        "---\ntags: [work]\n---\n# Deploy\n\nSee [[Keys; w=2.5]] and [[To come]].\n\n## Steps\n\nOne, see [[Keys]].\n",
        encoding="utf-8",
    )
    (folder / "Keys.md").write_text("# Keys\n\nRotate on Fridays. #work #keys\n", encoding="utf-8")
    return folder


def check_columns(picture: Any) -> None:
    """All columns of a kind have one length, and numbers lead somewhere."""
    for kind in ("nodes", "edges", "ghosts"):
        assert len({len(column) for column in picture[kind].values()}) == 1, kind
    nodes, edges, ghosts = picture["nodes"], picture["edges"], picture["ghosts"]
    count = len(nodes["id"])
    assert count == picture["shown_nodes"] == len(set(nodes["id"]))
    for ends in (edges["source"], edges["target"], ghosts["source"]):
        assert all(0 <= end < count for end in ends)
    for column, words in (("kind", "kinds"), ("root", "roots"), ("source", "sources"), ("parent", None)):
        most = count if words is None else len(picture[words])
        assert all(-1 <= number < most for number in nodes[column]), column
    assert all(0 <= tag < len(picture["tags"]) for tags in nodes["tags"] for tag in tags)
    assert all(0 <= number < len(picture["types"]) for number in [*edges["type"], *ghosts["type"]])
    assert all(0 <= number < len(picture["origins"]) for number in edges["origin"])


def test_the_compact_picture_says_in_columns_what_the_other_says_in_objects(site: Site, notes: Path) -> None:
    site.run(site.remem.compile, notes)
    site.store("fact", "The key of [[Keys]].", tags=["safe"])
    compact, plain = site.get("/graph", compact="true"), site.get("/graph")
    check_columns(compact)
    nodes, edges = compact["nodes"], compact["edges"]
    shown = {
        (nodes["id"][edges["source"][at]], nodes["id"][edges["target"][at]], compact["types"][edges["type"][at]],
         compact["origins"][edges["origin"][at]], edges["weight"][at])
        for at in range(len(edges["source"]))
    }  # fmt: skip
    told = ("source_id", "target_id", "relationship_type", "origin", "weight")
    assert shown == {tuple(edge[name] for name in told) for edge in plain["edges"]} and shown
    assert sorted(nodes["id"]) == sorted(node["id"] for node in plain["nodes"])
    at = nodes["label"].index("Deploy")
    assert compact["sources"][nodes["source"][at]] == "Deploy.md" and compact["roots"][nodes["root"][at]] == "harbour"
    assert {compact["tags"][tag] for tag in nodes["tags"][nodes["label"].index("Keys")]} == {"work", "keys"}
    assert compact["ghosts"]["label"] == ["To come"] and compact["total_edges"] >= 3
    assert nodes["created_at"][at] > 1_600_000_000 and nodes["updated_at"][at] > 1_600_000_000


def test_the_compact_picture_is_of_a_part_too(site: Site, notes: Path) -> None:
    site.run(site.remem.compile, notes)
    part = site.get("/graph", compact="true", nodes="Keys", depth=0)
    check_columns(part)
    assert part["nodes"]["label"] == ["Keys"] and part["total_nodes"] == 3 and not part["truncated"]
    few = site.get("/graph", compact="true", limit=1)
    assert (few["truncated"], few["left_out"], few["shown_nodes"]) == (True, 2, 1)
    empty = site.get("/graph", compact="true", nodes="Keys", depth=5)
    check_columns(empty)


def test_an_empty_store_has_an_empty_picture(site: Site) -> None:
    picture = site.get("/graph", compact="true")
    assert picture["nodes"]["id"] == [] and picture["total_nodes"] == 0 and not picture["truncated"]


@pytest.mark.parametrize(
    "query", ["compact=maybe", "limit=0", "limit=10001", "depth=6", "depth=x", "nodes=", "colour=red"]
)
def test_a_wrong_request_for_a_picture_says_which_field(site: Site, query: str) -> None:
    problem = site.refuse("GET", f"/graph?{query}", 422, "invalid_input")
    assert problem["field"] == query.partition("=")[0]


def test_labels_of_any_kind_come_as_they_are_and_long_ones_cut(site: Site) -> None:
    site.store("one", "<script>alert(1)</script> 👩‍👩‍👧 مرحبا")
    site.store("two", "x" * 10_000)
    labels = dict(zip(*(site.get("/graph", compact="true")["nodes"][name] for name in ("id", "label")), strict=True))
    assert "<script>" in labels["one"] and "👩‍👩‍👧 مرحبا" in labels["one"]
    assert len(labels["two"]) <= 300


def test_where_nodes_were_put_is_kept(site: Site) -> None:
    site.store("one", "A fact.")
    answer = site.ask(
        "PUT",
        "/graph/positions",
        json={"positions": [{"id": "one", "x": 1.25, "y": -3}, {"id": "gone", "x": 0, "y": 0}]},
    )
    assert answer == {"placed": 1}
    nodes = site.get("/graph", compact="true")["nodes"]
    assert (nodes["x"], nodes["y"]) == ([1.25], [-3.0])


@pytest.mark.parametrize(
    "body",
    [
        {}, {"positions": None}, {"positions": {}}, {"positions": ["one"]}, {"positions": [{"id": "one", "x": 1}]},
        {"positions": [{"id": "one", "x": "1", "y": 1}]}, {"positions": [{"id": "", "x": 1, "y": 1}]},
        {"positions": [{"id": "one", "x": 1, "y": 1, "z": 1}]}, {"positions": [{"id": "one", "x": 1e10, "y": 1}]},
        {"positions": [{"id": "one", "x": None, "y": 1}]}, {"positions": [{"id": 7, "x": 1, "y": 1}]},
        {"positions": [{"id": "o\x00ne", "x": 1, "y": 1}]},
    ],
)  # fmt: skip
def test_wrong_places_are_refused_and_none_is_put(site: Site, body: Any) -> None:
    site.store("one", "A fact.")
    site.refuse("PUT", "/graph/positions", 422, "invalid_input", json=body)
    assert site.get("/graph", compact="true")["nodes"]["x"] == [None]
