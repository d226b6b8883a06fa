"""What models and people read: every answer as lines, with ids, as the notes have them."""

from __future__ import annotations

from remem.records import (
    Crumb,
    Edge,
    Node,
    NodeView,
    PathStep,
    PendingEdge,
    Related,
    Root,
    Searched,
    SearchHit,
    TreeLine,
)
from remem.rendering.hits import render_hit, render_notes
from remem.rendering.node import render_edge, render_head
from remem.rendering.pending import render_pending
from remem.rendering.related import render_path, render_related
from remem.rendering.roots import render_root
from remem.rendering.tree import Branch, render_index

NODE = Node("B2", "heading", "Costs", "## Costs", "notes", "ferry.md", "A1", 3, 1, 12, ("money",), 0.62, True)
STEPS = (
    PathStep("B2", "Costs", "P9", "B2", "references", "parsed", 2.5, "out"),
    PathStep("C3", "Tide", "C3", "B2", "caused_by", "manual", 1.0, "in"),
)


def make_line(id: str, label: str, depth: int, parent: str | None = None, kind: str = "heading") -> TreeLine:
    return TreeLine(id, kind, label, "notes", "ferry.md", parent, depth, 12, 0, 0.5)


def test_the_index_has_one_indented_line_a_node_with_what_is_left_out_below() -> None:
    branches = [
        Branch(make_line("A1", "Ferry", 0, kind="document"), 4),
        Branch(make_line("B2", "Costs", 1, "A1"), 0, Crumb("A1", "Ferry")),
    ]
    assert render_index(branches).split("\n") == [
        "- Ferry [document] A1 12t 0.50° notes/ferry.md … 4 below",
        "  - Costs [heading] B2 12t 0.50°",
    ]


def test_what_lies_in_a_node_that_is_not_shown_is_put_under_its_name() -> None:
    parent = Crumb("B2", "Costs")
    branches = [
        Branch(make_line("C3", "Fuel", 2, "B2"), 0, parent),
        Branch(make_line("D4", "Crew", 2, "B2"), 0, parent),
    ]
    assert render_index(branches).split("\n") == [
        "  under Costs B2:",
        "    - Fuel [heading] C3 12t 0.50°",
        "    - Crew [heading] D4 12t 0.50°",
    ]


def test_a_result_comes_with_its_path_and_the_nodes_that_hold_the_links() -> None:
    found = Related(NODE, False, 3.5, 1, 2, None, STEPS)
    assert render_related("A1", "Ferry", found).split("\n") == [
        "- 3.5 2 hops: Costs [heading] B2 notes/ferry.md",
        "  Ferry -references 2.5-> Costs <-caused_by 1- Tide (links in P9)",
    ]


def test_a_path_along_edges_of_its_stations_names_no_holders() -> None:
    assert render_path("P9", "Ferry", STEPS[:1]) == "Ferry -references 2.5-> Costs"


def test_a_node_says_where_it_stands_and_how_it_is_used() -> None:
    view = NodeView(NODE, (Crumb("A1", "Ferry"), Crumb("A2", "Year")), "", (), ())
    assert render_head(view) == ["Ferry › Year", "Costs [heading] B2 notes/ferry.md 12t 0.62° pinned #money"]


def test_an_edge_is_seen_from_the_node_that_is_read() -> None:
    edge = Edge("B2", "C3", "supports", "manual", 1.5, 1, False, 0, 0)
    assert render_edge(edge, "B2", Crumb("C3", "Tide")) == "-supports 1.5-> Tide C3 manual"
    assert render_edge(edge, "C3", Crumb("B2", "Costs")) == "<-supports 1.5- Costs B2 manual"


def test_a_pending_edge_shows_its_whole_hint_and_what_may_be_meant() -> None:
    edge = PendingEdge(
        "B2", "Costs", "notes", "ferry.md", "Fuel", "oil.md", "", "Price", "references", "parsed", 2.0, False,
        (("D4", "Fuel oil"),),
    )  # fmt: skip
    assert render_pending(edge) == (
        "- [[Fuel#Price; source=oil.md]] references 2 from Costs B2 in notes/ferry.md; may be Fuel oil D4"
    )


def test_an_edge_that_a_call_made_from_a_node_that_is_gone_says_both() -> None:
    edge = PendingEdge("B2", "Costs", "", "", "Fuel", "", "D4", "", "supports", "manual", 1.0, True)
    assert render_pending(edge) == "- [[Fuel; id=D4]] supports 1 by a call from Costs B2 (gone)"


def test_a_hit_shows_score_name_breadcrumb_and_the_part_that_matches() -> None:
    hit = SearchHit(
        "B2", "heading", "Costs", "notes", "ferry.md", (Crumb("A1", "Ferry"),), 0.834, "fuel is <b>dear</b>",
        ((0, 4),), "P9", 20,
    )  # fmt: skip
    assert render_hit(hit).split("\n") == [
        "- 0.83 Costs [heading] B2 notes/ferry.md",
        "  Ferry: fuel is <b>dear</b>",
    ]
    assert (
        render_notes(Searched(12, 40), ["nothing is embedded"])
        == "searched 12 passages of 40 nodes\nnothing is embedded"
    )
    assert render_notes(Searched(1, 1), []) == "searched 1 passage of 1 node"


def test_a_root_says_where_it_lies_and_when_it_was_compiled() -> None:
    assert render_root(Root(1, "notes", "/srv/notes", 1, 1_772_443_800_000)) == (
        "- notes /srv/notes 1 document, compiled 2026-03-02 09:30 UTC"
    )


def test_a_label_never_takes_more_than_its_line() -> None:
    text = render_index([Branch(make_line("A1", "Fer\nry\u2028\x1b[2J\tnow", 0), 0)])
    assert text.startswith("- Fer ry [2J now [heading] A1 ") and "\n" not in text and "\x1b" not in text
