"""The graph in the formats of other programs keeps every label and edge, whatever they hold."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from remem.records import Edge, Export, Node
from remem.rendering.graph_formats import write_graph
from remem.rendering.lines import show_number

NAMES = {"g": "http://graphml.graphdrawing.org/xmlns"}
texts = st.text(st.characters(codec="utf-8"), max_size=30)


def make_export(labels: list[str], weight: float = 1.0) -> Export:
    nodes = [Node(f"n{at}", "memory", label, "", "", "", None, 0, 0, 1) for at, label in enumerate(labels)]
    edges = [Edge(a.id, b.id, "supports", "manual", weight, 1, False, 0, 0) for a, b in pairwise(nodes)]
    return Export(tuple(nodes), tuple(edges), ())


@settings(max_examples=100)
@given(st.lists(texts, min_size=2, max_size=5))
def test_graphml_can_be_read_back(labels: list[str]) -> None:
    tree = ElementTree.fromstring(write_graph(make_export(labels), "graphml"))
    nodes = tree.findall("g:graph/g:node", NAMES)
    assert [node.get("id") for node in nodes] == [f"n{at}" for at in range(len(labels))]
    assert len(tree.findall("g:graph/g:edge", NAMES)) == len(labels) - 1
    for node, label in zip(nodes, labels, strict=True):
        found = node.find("g:data[@key='label']", NAMES)
        text = "" if found is None else found.text or ""
        kept = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", label).replace("\r\n", "\n").replace("\r", "\n")
        assert text == kept


@settings(max_examples=100)
@given(st.lists(texts, min_size=2, max_size=5))
def test_no_label_breaks_out_of_its_line_in_dot_and_mermaid(labels: list[str]) -> None:
    dot = write_graph(make_export(labels), "dot").split("\n")
    string = r'"(?:[^"\\]|\\.)*"'
    assert dot[0] == "digraph remem {"
    assert all(
        re.fullmatch(rf"  {string} \[label={string}, kind={string}\];", line) for line in dot[2 : 2 + len(labels)]
    )
    mermaid = write_graph(make_export(labels), "mermaid").split("\n")
    assert all(re.fullmatch(r'  n\d+\["[^"`<>]+"\]', line) for line in mermaid[1 : 1 + len(labels)])
    assert mermaid[1 + len(labels) : -1] == [f'  n{at} -->|"supports"| n{at + 1}' for at in range(len(labels) - 1)]


def test_nodes_without_edges_are_not_drawn_but_kept_in_graphml() -> None:
    export = make_export(["a"])
    assert "n0" in write_graph(export, "graphml")
    assert write_graph(export, "dot") == "digraph remem {\n  node [shape=box];\n}\n"
    assert write_graph(export, "mermaid") == "flowchart LR\n"


def test_weights_are_written_to_six_decimals() -> None:
    assert [show_number(weight) for weight in (1.0, 0.5, 0.000001, 1_000_000.0, 2.123456)] == [
        "1",
        "0.5",
        "0.000001",
        "1000000",
        "2.123456",
    ]
    assert 'weight="2.5"' in write_graph(make_export(["a", "b"], 2.5), "dot")
    assert '"supports 2.5"' in write_graph(make_export(["a", "b"], 2.5), "mermaid")
