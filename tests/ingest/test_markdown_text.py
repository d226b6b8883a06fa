"""Plain text: paragraphs are nodes, wiki-links and tags count, nothing else is markup."""

from __future__ import annotations

from remem.ingest.text import parse_text
from tests.ingest.test_render import render_document

TEXT = "# no heading\n- no list\n\n\nSecond [[Plan#Costs|x]] and #tag.\nMore [[B; w=2]]\n  \n> third [[C]] \\[[no]]\n"


def test_paragraphs_are_text_nodes_with_links_and_tags() -> None:
    document = parse_text("a/notes.txt", TEXT)
    assert document.nodes[0].label == "notes"
    assert [node.kind for node in document.nodes] == ["document", "text", "text", "text"]
    assert [node.line for node in document.nodes[1:]] == [1, 5, 8]
    assert [(link.label, link.anchor, link.weight, link.line) for link in document.nodes[2].links] == [
        ("Plan", "Costs", 1.0, 5),
        ("B", "", 2.0, 6),
    ]
    assert [link.label for link in document.nodes[3].links] == ["C"]
    assert document.nodes[2].tags == ("tag",)
    assert document.format == "text"
    assert render_document(document) == TEXT


def test_large_paragraphs_are_split_and_links_stay_with_their_words() -> None:
    text = "Some words about [[Note A]]. " * 40 + "\n\nshort"
    nodes = parse_text("n.txt", text, max_tokens=30).nodes
    assert all(node.tokens <= 30 and node.content.count("[[") == len(node.links) for node in nodes)
    assert sum(len(node.links) for node in nodes) == 40


def test_problems_tell_their_line() -> None:
    document = parse_text("n.txt", "x\n\ny\n[[a; w=many]]\n")
    assert [(problem.line, problem.code) for problem in document.diagnostics] == [(4, "bad-link-weight")]
