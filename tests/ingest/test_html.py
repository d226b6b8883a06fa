"""What HTML becomes: the tree of each case in data/html.md, titles, lines, anchors, pieces."""

from __future__ import annotations

import pytest

from remem.ingest.html.document import parse_html
from remem.ingest.html.page import parse_page
from remem.ingest.labels import block_label
from remem.ingest.render import render
from remem.ingest.tokens import count_tokens
from remem.records import ParsedDocument, ParsedNode
from tests.ingest.notation import DATA, describe_tree, read_cases

CASES = read_cases("html.md")


def render_document(document: ParsedDocument) -> str:
    return render([(node.gap, node.content, node.prefixes) for node in document.nodes], document.tail)


def strip_lines(document: ParsedDocument) -> list[ParsedNode]:
    return [node._replace(line=0, links=tuple(link._replace(line=0) for link in node.links)) for node in document.nodes]


def check_kept(document: ParsedDocument) -> None:
    """What is kept of a page says all that the page said."""
    text = render_document(document)
    again = parse_page(document.source, text)
    assert strip_lines(again) == strip_lines(document)
    assert (again.tail, again.title_heading, again.aliases) == (
        document.tail,
        document.title_heading,
        document.aliases,
    )
    assert render_document(again) == text


@pytest.mark.parametrize(("name", "page", "expected"), CASES, ids=[case[0] for case in CASES])
def test_a_page_becomes_the_tree(name: str, page: str, expected: str) -> None:
    document = parse_html("Page.html", page)
    assert describe_tree(document) == expected
    check_kept(document)


def test_labels_of_nested_lists_keep_words_apart() -> None:
    page = "<ul><li>alpha<ul><li>bravo</ul><li>charlie</ul><ol><li>one<ol><li>two</ol></ol><p>x<br>y</p>"
    nodes = parse_html("a.html", page).nodes[1:]
    assert [block_label(node.kind, node.content) for node in nodes] == ["alpha bravo charlie", "one two", "x y"]


def test_the_case_file_is_read_whole() -> None:
    text = (DATA / "html.md").read_text(encoding="utf-8")
    assert text.count("\n~~~~~~~~\n") + text.endswith("\n~~~~~~~~\n") >= 4 * len(CASES) > 200


@pytest.mark.parametrize(
    ("page", "title", "heading"),
    [
        ("", "Plan 3.2", None),
        ("text", "Plan 3.2", None),
        ("<h1>One</h1>text", "One", 1),
        ("<h1>One</h1><h1>Two</h1>", "Plan 3.2", None),
        ("text<h1>One</h1>", "Plan 3.2", None),
        ("<title>Named</title><h1>One</h1>", "Named", 2),
        ("<title> </title><h1>One</h1>", "One", 1),
        ("<title>Named</title>text", "Named", None),
        ("<svg><title>Drawn</title></svg>", "Plan 3.2", None),
        ("<body><title>Late</title><h1>One</h1>", "Plan 3.2", None),
        ("<title>x: 'y' \"z\" \\ # \u0085\u2028 {{t}}</title>", "x: 'y' \"z\" \\ # \u0085\u2028 {{t}}", None),
    ],
)
def test_the_title_is_that_of_the_head_else_of_the_only_first_heading_else_the_stem(
    page: str, title: str, heading: int | None
) -> None:
    document = parse_html("notes/Plan 3.2.html", page)
    assert " ".join(document.nodes[0].label.split()) == " ".join(title.split())
    assert document.title_heading == heading
    assert document.diagnostics == ()


def test_lines_of_nodes_and_problems_are_those_of_the_file() -> None:
    page = "<html>\n<head>\n<title>T</title>\n</head>\n<body class='some more text'>\n\n<h1>\n  Head</h1>\n"
    page += "<p>some more\ntext\n"
    page += "<ul>\n<li>one\n<li>two\n</ul>\n<pre>\ncode\n</pre>\n<table>\n<tr><td>cell<td>b\n</table>\n<p>[[x; w=y]]\n"
    document = parse_html("n.html", page)
    lines = page.split("\n")
    begin = {"heading": "Head", "list": "one", "code": "code", "table": "cell"}
    for node in document.nodes[2:]:
        assert begin.get(node.kind, node.content[:9]) in lines[node.line - 1], node
    assert [(lines[problem.line - 1], problem.code) for problem in document.diagnostics] == [
        ("<p>[[x; w=y]]", "bad-link-weight")
    ]


def test_labels_show_what_a_reader_sees() -> None:
    page = (
        "<h1>A <a href='b.html'>b</a> &amp; 2*3*4 <code>c_d</code></h1><p>[[Plan; w=2]] and <a href='x.html'>more</a>"
    )
    document = parse_html("n.html", page)
    assert document.nodes[1].label == "A b & 2*3*4 c_d"


def test_large_blocks_are_split_and_ids_lead_to_the_piece_that_holds_them() -> None:
    items = "".join(f"<li id=i{n}>item{n} {'word ' * 60}[[L{n}]]" for n in range(40))
    rows = "".join(f"<tr id=r{n}><td>row{n}<td>{'cell ' * 30}" for n in range(40))
    page = f"<h1 id=top>H</h1><ul>{items}</ul><table><tr><th>A<th>B{rows}</table><p>{'Some sentence here. ' * 400}</p>"
    document = parse_html("n.html", page, max_tokens=128)
    check = {name: node for node in document.nodes for name in node.blocks}
    for number in range(40):
        assert f"item{number} " in check[f"i{number}"].content
        assert f"row{number} " in check[f"r{number}"].content
    assert all(node.tokens <= 128 and node.tokens == count_tokens(node.content) for node in document.nodes)
    assert [link.label for node in document.nodes for link in node.links] == [f"L{n}" for n in range(40)]
    text = render_document(document)
    assert strip_lines(parse_page("n.html", text, max_tokens=128)) == strip_lines(document)


def test_earlier_cuts_stay_where_they_fit() -> None:
    sentences = [f"Sentence number {n} says something of its own." for n in range(120)]
    first = parse_html("n.html", f"<p>{' '.join(sentences)}", max_tokens=64)
    pieces = [[node.content for node in first.nodes[1:]]]
    edited = parse_html("n.html", f"<p>New words. {' '.join(sentences)}", max_tokens=64, previous=pieces)
    assert {node.content for node in first.nodes[2:]} <= {node.content for node in edited.nodes}


def test_text_that_looks_like_a_line_of_anchors_is_none() -> None:
    page = "<pre id=a>x\n<!--#b-->\n</pre><p>&lt;!--#c--&gt;</p><textarea>\n&lt;!--#d--></textarea>"
    page = page.replace("<!--#b", "&lt;!--#b")
    document = parse_html("n.html", page)
    assert [node.blocks for node in document.nodes[1:]] == [("a",), (), ()]
    assert "<!--#b-->" in document.nodes[1].content
    check_kept(document)


def test_thousands_of_ids_are_kept() -> None:
    document = parse_html("n.html", "".join(f"<a id='x{n}'></a>" for n in range(1000)) + "<p>text<p id=x1>more")
    assert document.nodes[1].blocks == tuple(f"x{n}" for n in range(1000))
    assert document.nodes[2].blocks == ()
    check_kept(document)


@pytest.mark.parametrize(
    "page",
    [
        "<p>\ud800 lone [[a\udfff]] <a id='\ud800'></a>",
        "<p>nul \0 [[a]]",
        "\ufeff<p>mark",
        "<p>&#13;# x &#10; y &#12; z",
        "<pre>a&#13;```&#13;b</pre>",
        "<p title='" + "x" * 100_000 + "'>y",
        "<" * 1000 + "a",
        "<a href='" + "x" * 10_000 + ".html'>t</a>",
        "<ol start=-5><li>a</ol><ol start=99999999999999999999><li>b</ol><ol start=x><li>c</ol><ol start=²><li>d</ol>",
        "<table><tr><td colspan=9999999999 rowspan=0>a<td colspan=1000>b<tr><td rowspan=²>c</table>",
        "<base href='http://[bad'><a href='x.html'>t</a>",
        "<select><div><option>a</select><p>b",
        "<math><mi>a<svg><desc><p>b</math>c",
        "<table><caption><table><tr><td>a</table></caption><tr><td>b",
        "<h1><table><tr><td>a<td>b</table></h1>",
        "<template><template></template><p>x</template><p>y",
        "<plaintext><p>a</plaintext> b",
        "</body></html><p>after",
        "<frameset></frameset><noframes></noframes>",
    ],
)
def test_odd_pages_are_read(page: str) -> None:
    document = parse_html("n.html", page)
    assert "parse-failed" not in {problem.code for problem in document.diagnostics}
    check_kept(document)
