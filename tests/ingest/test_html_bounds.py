"""Pages that would take a careless reader forever, or its stack: each is read at once, and none of its text is lost."""

from __future__ import annotations

import pytest

from remem.ingest.html.document import parse_html
from remem.ingest.html.source import MAX_DEPTH, prepare_source
from tests.guard import guard_hang

HOSTILE = {
    "divs": "<div>" * 100_000 + "word0",
    "divs with text": "<div>word0" * 30_000,
    "divs and paragraphs": "<div>" * 20_000 + "<p>word0" * 20_000,
    "quotes": "<blockquote>word0" * 30_000,
    "lists": "<ul><li>word0" * 10_000,
    "definitions": "<dl><dt>word0<dd>" * 10_000,
    "tables": "<table><tr><td>word0" * 15_000,
    "spans of cells": "<table>" + "<tr><td rowspan=65000 colspan=1000>word0" * 2_000,
    "wide table": "<table><tr>" + "<td>word0" * 10_000 + "</tr>" + "<tr><td>word0" * 10_000,
    "fonts": "".join(f"<p><font color={n}>word0" for n in range(10_000)),
    "code": "<p><code>word0" * 4_000,
    "knowledge": "<knowledge>word0" * 10_000,
    "drawings": "<svg><td>" * 30_000 + "word0",
    "templates": "<template>" * 30_000 + "</template>" * 30_000 + "word0",
    "open comments": "word0" + "<!--" * 50_000,
    "open tags": "word0" + "<a " * 50_000,
    "open quotes": "word0" + '<a href="' * 50_000,
    "open scripts": "word0" + "<script>" * 50_000,
    "open brackets": "word0" + "[[" * 50_000,
    "entities": "word0" + "&amp" * 50_000 + "&lt;" * 50_000,
    "backslashes": "word0" + "\\" * 50_000 + "*`_",
    "backticks": "word0<code>" + "`" * 50_000 + "</code>",
    "dollars": "word0" + "$[[x]]" * 5_000,
    "breaks": "word0<br>" * 30_000,
    "ids": "".join(f"<p id=a{n}>word0" for n in range(10_000)),
    "links": "<a href=x.html>word0" * 10_000,
    "frames": "<frameset>" + "<frame src=a.html>" * 2_000,
    "one line": "word0 " * 300_000,
    "khmer": "word0" + "ខ្មែរ" * 24_000,
    "attributes": "<p " + "a=b " * 50_000 + ">word0",
    "xhtml": "<?xml version='1.0'?>" + "<div/>word0" * 20_000 + "<![CDATA[]]>" + "<![CDATA[" * 10_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_are_read_in_linear_time(name: str) -> None:
    page = HOSTILE[name]
    with guard_hang(f"the parsing of {name}"):
        document = parse_html("n.html", page)
    found = sum(node.content.count("word0") for node in document.nodes)
    assert found == page.count("word0")
    assert {problem.code for problem in document.diagnostics} <= {"empty-knowledge"}


def test_a_table_too_ragged_for_markdown_is_kept_row_by_row() -> None:
    page = "<table><tr>" + "<td>a" * 3_000 + "".join(f"<tr id=r{n}><td>row{n}" for n in range(100)) + "</table>"
    nodes = parse_html("n.html", page).nodes
    assert [node.content for node in nodes if node.blocks == ("r99",)] == ["row99"]
    assert sum(node.content.count("a") for node in nodes) == 3_000


def test_elements_at_a_sane_depth_are_untouched() -> None:
    page = "<div><b>" * 16 + "x" + "</b></div>" * 16 + "<p>unclosed <br>" * 1_000 + "<ul><li>" * 100
    assert prepare_source(page) is page


def test_deeper_elements_are_left_out_and_what_follows_is_not() -> None:
    depth = MAX_DEPTH + 50
    page = "<section>" * depth + "<h2>Deep</h2>" + "</section>" * depth + "<h1>After</h1><p>text <b>bold</b>"
    labels = [(node.kind, node.content) for node in parse_html("n.html", page).nodes[1:]]
    assert labels == [("text", "Deep"), ("heading", "# After"), ("text", "text bold")]


def test_tags_in_scripts_and_comments_count_for_no_depth() -> None:
    page = "<script>" + "'<div>'" * 1_000 + "</script><!--" + "<div>" * 1_000 + "--><h1>H</h1>"
    assert prepare_source(page) is page
    assert parse_html("n.html", page).nodes[1].content == "# H"
