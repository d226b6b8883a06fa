"""A store's graph in the formats of other programs: GraphML, DOT (Graphviz), Mermaid. Texts out; reads and writes
nothing.

GraphML holds every node and edge. DOT and Mermaid, which are drawn, hold the nodes that have edges.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeAlias
from xml.sax.saxutils import escape, quoteattr

from remem.records import Edge, Export, Node
from remem.rendering.lines import show_number

GraphFormat: TypeAlias = Literal["graphml", "dot", "mermaid"]
FORMATS: dict[str, GraphFormat] = {"graphml": "graphml", "dot": "dot", "mermaid": "mermaid"}

# What XML 1.0 cannot hold, even as a reference.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")
_MERMAID = re.compile(r"[\"#&<>`\\]")

_GRAPHML_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="kind" for="node" attr.name="kind" attr.type="string"/>
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="root" for="node" attr.name="root" attr.type="string"/>
  <key id="source" for="node" attr.name="source" attr.type="string"/>
  <key id="parent" for="node" attr.name="parent" attr.type="string"/>
  <key id="type" for="edge" attr.name="type" attr.type="string"/>
  <key id="origin" for="edge" attr.name="origin" attr.type="string"/>
  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>
  <graph id="remem" edgedefault="directed">
"""
_GRAPHML_FOOT = "  </graph>\n</graphml>\n"


def write_graph(export: Export, form: GraphFormat) -> str:
    """The graph in one of the formats."""
    writers: dict[str, Callable[[Export], Iterator[str]]] = {
        "graphml": _list_graphml,
        "dot": _list_dot,
        "mermaid": _list_mermaid,
    }
    return "".join(writers[form](export))


# --- GraphML ---------------------------------------------------------------------------------------------------------


def _list_graphml(export: Export) -> Iterator[str]:
    yield _GRAPHML_HEAD
    for node in export.nodes:
        place = (("root", node.root), ("source", node.source), ("parent", node.parent_id or ""))
        data = _list_data((("kind", node.kind), ("label", node.label), *place))
        yield f"    <node id={_quote_xml(node.id)}>{data}</node>\n"
    for edge in export.edges:
        ends = f"source={_quote_xml(edge.source_id)} target={_quote_xml(edge.target_id)}"
        fields = (("type", edge.relationship_type), ("origin", edge.origin), ("weight", show_number(edge.weight)))
        yield f"    <edge {ends}>{_list_data(fields)}</edge>\n"
    yield _GRAPHML_FOOT


def _list_data(fields: Iterable[tuple[str, str]]) -> str:
    cells = (f'<data key="{name}">{escape(_NOT_XML.sub("", value))}</data>' for name, value in fields if value)
    return "".join(cells)


def _quote_xml(text: str) -> str:
    return quoteattr(_NOT_XML.sub("", text))


# --- DOT -------------------------------------------------------------------------------------------------------------


def _list_dot(export: Export) -> Iterator[str]:
    yield "digraph remem {\n  node [shape=box];\n"
    for node in _list_linked(export):
        yield f"  {_quote_dot(node.id)} [label={_quote_dot(node.label)}, kind={_quote_dot(node.kind)}];\n"
    for edge in export.edges:
        ends = f"{_quote_dot(edge.source_id)} -> {_quote_dot(edge.target_id)}"
        told = f"label={_quote_dot(edge.relationship_type)}, origin={_quote_dot(edge.origin)}"
        yield f"  {ends} [{told}, weight={_quote_dot(show_number(edge.weight))}];\n"
    yield "}\n"


def _quote_dot(text: str) -> str:
    plain = _CONTROL.sub(" ", text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


# --- Mermaid ---------------------------------------------------------------------------------------------------------


def _list_mermaid(export: Export) -> Iterator[str]:
    yield "flowchart LR\n"
    # Ids may be words that Mermaid keeps for itself.
    names = {node.id: f"n{number}" for number, node in enumerate(_list_linked(export))}
    for node in _list_linked(export):
        yield f'  {names[node.id]}["{_escape_mermaid(node.label)}"]\n'
    for edge in export.edges:
        yield f"  {names[edge.source_id]} -->|{_tell_edge(edge)}| {names[edge.target_id]}\n"


def _tell_edge(edge: Edge) -> str:
    weight = "" if edge.weight == 1 else f" {show_number(edge.weight)}"
    return f'"{_escape_mermaid(edge.relationship_type + weight)}"'


def _escape_mermaid(text: str) -> str:
    return _MERMAID.sub(lambda match: f"#{ord(match[0])};", _CONTROL.sub(" ", text)) or " "


def _list_linked(export: Export) -> list[Node]:
    """The nodes that edges join, in tree order."""
    ends = {end for edge in export.edges for end in (edge.source_id, edge.target_id)}
    return [node for node in export.nodes if node.id in ends]
