"""HTML among notes: links to and from it, ids as anchors, identity, reading, export, calls; by the whole product."""

from __future__ import annotations

import codecs
import random
from pathlib import Path

import pytest

from tests.cases.vault import Vault
from tests.ingest.soups import make_soup

PAGE = """<!DOCTYPE html>
<html><head><title>River plan</title><meta name="keywords" content="water, two words"></head>
<body><nav><a href="index.html">Home</a></nav>
<h1 id="top">The river plan</h1>
<p id="sum">Summary with [[Costs note]] and #budget.</p>
<h2 id="c-1">Costs</h2>
<ul><li id="dam">Dam</li><li id="mill">Mill</li></ul>
<h2>Next</h2><p><a href="#dam">the dam</a>, <a href="notes.md#later">later</a>, <a href="sub/other.htm">other</a></p>
<knowledge weight="2.5" type="caused_by">Rain</knowledge>
</body></html>
"""
NOTES = "# Notes\n\n[a](plan.html#sum) [b](plan.html#mill) [[plan#dam]] [[River plan#Costs]]\n\n## Later\n"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path)


def compile_twice(vault: Vault, files: dict[str, str | bytes | None]) -> None:
    """Compiles; then a second compile and the doctor find nothing to do."""
    vault.write(files)
    vault.remem.compile(vault.folder)
    again = vault.remem.compile(vault.folder)
    assert (again.snapshot, again.files_added, again.files_changed, again.files_removed) == (None, 0, 0, 0)
    assert [finding for finding in vault.remem.doctor().findings if finding.fault] == []


def find_targets(vault: Vault, source: str) -> list[str]:
    """The contents that the parsed edges of a file lead to."""
    nodes = {node.id: node for node in vault.export.nodes}
    edges = [edge for edge in vault.export.edges if edge.origin == "parsed" and nodes[edge.source_id].source == source]
    return sorted(nodes[edge.target_id].content or nodes[edge.target_id].label for edge in edges)


def test_links_between_pages_and_notes_resolve_both_ways(vault: Vault) -> None:
    with vault.remem:
        compile_twice(
            vault, {"plan.html": PAGE, "notes.md": NOTES, "sub/other.htm": "<p>other <a href='../plan.html'>"}
        )
        found = find_targets(vault, "notes.md")
        assert found == ["## Costs", "- Dam\n- Mill", "Summary with [[Costs note]] and #budget."]
        assert find_targets(vault, "plan.html") == ["## Later", "- Dam\n- Mill", "other"]
        assert find_targets(vault, "sub/other.htm") == ["River plan"]
        assert vault.pending == ["plan.html: Costs note", "plan.html: Rain; w=2.5", "plan.html: index.html"]
        assert vault.tags("plan.html") == ["budget", "two-words", "water"]


def test_a_page_that_comes_later_or_goes_heals_and_breaks_links(vault: Vault) -> None:
    with vault.remem:
        compile_twice(vault, {"notes.md": NOTES})
        assert len(vault.pending) == 4
        compile_twice(vault, {"plan.html": PAGE})
        assert not [pending for pending in vault.pending if pending.startswith("notes.md")]
        compile_twice(vault, {"plan.html": PAGE.replace('id="mill"', 'id="wheel"')})
        assert [pending for pending in vault.pending if pending.startswith("notes.md")] == ["notes.md: plan.html#mill"]
        compile_twice(vault, {"plan.html": None})
        assert len(vault.pending) == 4


def test_ids_of_nodes_stay_when_the_markup_around_them_changes(vault: Vault) -> None:
    with vault.remem:
        compile_twice(vault, {"plan.html": PAGE})
        before = {node.content: node.id for node in vault.nodes("plan.html")}
        edited = PAGE.replace("<p id", "<p class='x' id").replace("<h2>Next", "<p>New words.</p>\n<div><h2>Next")
        compile_twice(vault, {"plan.html": edited})
        after = {node.content: node.id for node in vault.nodes("plan.html")}
        assert {content: after[content] for content in before} == before
        assert len(after) == len(before) + 1
        vault.write({"plan.html": edited.replace("\n", "\n\n").replace("<h1", "<h1 style='color:red'")})
        assert vault.remem.compile(vault.folder).snapshot is None


def test_reading_shows_no_anchors_and_searching_finds_text_not_markup(vault: Vault) -> None:
    with vault.remem:
        compile_twice(vault, {"plan.html": PAGE})
        shown = vault.remem.show("plan.html").text
        assert "- Dam" in shown and "<!--#" not in shown and "<li" not in shown
        assert [hit.label for hit in vault.remem.search("mill").items][:1] == ["Costs"]
        told = vault.remem.recall("dam and mill").text
        assert "- Dam" in told and "<!--#" not in told
        assert not vault.remem.search("DOCTYPE").items
        assert not vault.remem.search("nav").items


def test_pages_are_exported_as_the_markdown_text_that_is_kept_of_them(vault: Vault) -> None:
    with vault.remem:
        compile_twice(vault, {"plan.html": PAGE, "plan.html.md": "# Taken\n", "n.md": "x\n"})
        out = vault.place / "out"
        vault.remem.export_markdown(out)
        files = {path.name: path.read_text(encoding="utf-8") for path in out.rglob("*") if path.is_file()}
        assert set(files) == {"plan.html.2.md", "plan.html.md", "n.md"}
        assert files["plan.html.md"] == "# Taken\n"
        text = files["plan.html.2.md"]
        assert text.startswith('---\ntitle: "River plan"\n') and "- Dam\n- Mill" in text and "<!--#" not in text


@pytest.mark.parametrize(
    ("data", "content", "code"),
    [
        (codecs.BOM_UTF8 + "<meta charset=latin-1><p>é".encode(), "é", None),
        (codecs.BOM_UTF16_LE + "<p>é 漢".encode("utf-16-le"), "é 漢", None),
        (b"<p>a\xff b", "a\ufffd b", "bad-encoding"),
        (b"<p>a\0b", "a\ufffdb", "nul"),
        (b"<p>one\r\n<p>two\r", "one", None),
    ],
)
def test_bytes_are_decoded_as_for_any_note(vault: Vault, data: bytes, content: str, code: str | None) -> None:
    with vault.remem:
        vault.write({"p.html": data})
        report = vault.remem.compile(vault.folder)
        assert vault.texts("p.html", "text")[0] == content
        assert [problem.code for problem in report.diagnostics] == ([code] if code else [])
        assert vault.remem.compile(vault.folder).snapshot is None


def test_soups_of_tags_are_compiled_once_and_pass_the_doctor(vault: Vault) -> None:
    seed = random.Random(7)
    with vault.remem:
        compile_twice(vault, {f"p{number}.html": make_soup(seed, 60) for number in range(40)})


def test_taking_a_page_back_restores_its_text_links_and_anchors(vault: Vault) -> None:
    with vault.remem:
        compile_twice(vault, {"plan.html": PAGE, "notes.md": NOTES})
        edges, texts = vault.edges, [node.content for node in vault.nodes("plan.html")]
        first = vault.remem.snapshots().items[0].id
        vault.write({"plan.html": "<h1>Gone</h1><p>all of it"})
        vault.remem.compile(vault.folder)
        assert vault.edges != edges
        vault.remem.rollback(first)
        assert [node.content for node in vault.nodes("plan.html")] == texts
        assert vault.edges == edges
        assert [finding for finding in vault.remem.doctor().findings if finding.fault] == []


def test_html_can_be_written_by_a_call(vault: Vault) -> None:
    with vault.remem:
        compile_twice(vault, {"plan.html": PAGE, "notes.md": NOTES})
        costs = next(node.id for node in vault.nodes("plan.html", "heading") if node.label == "Costs")
        html = "<h2>Costs</h2><p id=new>Now <a href='notes.md'>noted</a></p>"
        vault.remem.write(html, anchor=costs, format="html")
        assert "Now [noted](notes.md)" in vault.texts("plan.html", "text")
        assert [finding for finding in vault.remem.doctor().findings if finding.fault] == []
