"""Single nodes taken back to where other nodes stand by now: the text is fit to be read again, and the document is
called by what it says. Each rollback leaves a store that the doctor accepts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cases.vault import Vault

BODY = "# Title\n\nbody text of it here\n"
FRONT = "---\ntitle: front\n---\n\n"
OPENED = ["document x", "  text intro para here", "  heading Title", "    text body text of it here"]
CASES = {
    "a paragraph before the title": ("x.md", "intro para here\n\n" + BODY, BODY, "intro para here", OPENED),
    "a paragraph of a page": (
        "x.html",
        "<p>intro para here</p><h1>Title</h1><p>body text of it here</p>",
        "<h1>Title</h1><p>body text of it here</p>",
        "intro para here",
        OPENED,
    ),
    "a quote before the title": (
        "x.md",
        "> intro para here\n\n" + BODY,
        BODY,
        "> intro para here",
        ["document x", "  quote intro para here", *OPENED[2:]],
    ),
    "front matter": (
        "x.md",
        FRONT + BODY,
        BODY,
        "---\ntitle: front\n---",
        ["document front", "  kv title: front", *OPENED[2:]],
    ),
    "what stood at the top, behind front matter": (
        "x.md",
        "intro para here\n\n" + BODY,
        FRONT + BODY,
        "intro para here",
        ["document front", "  kv title: front", *OPENED[1:]],
    ),
    "the first text of a quote": (
        "x.md",
        "> some text here\n>\n> - a\n> - b\n>\n> ## H2\n",
        "> - a\n> - b\n>\n> ## H2\n",
        "some text here",
        ["document x", "  quote some text here", "    text some text here", "    list a b", "    heading H2"],
    ),
}


@pytest.fixture(autouse=True)
def _sound(vault: Vault) -> Iterator[None]:
    yield
    assert [finding for finding in vault.remem.doctor().findings if finding.fault] == []


@pytest.mark.parametrize("case", CASES)
def test_node_that_comes_back_leaves_a_text_that_says_its_nodes(vault: Vault, case: str) -> None:
    source, before, after, text, outline = CASES[case]
    vault.write({source: before})
    vault.remem.compile(vault.folder)
    id = next(node.id for node in vault.export.nodes if node.content == text)
    vault.write({source: after})
    vault.remem.compile(vault.folder)
    vault.remem.rollback(1, id)
    assert vault.outline(source) == outline
    assert vault.remem.compile(vault.folder).snapshot is None


def test_document_that_holds_a_summary_is_called_by_what_it_says(vault: Vault) -> None:
    vault.compile({"x.md": "intro para here\n\n" + BODY})
    intro, body = vault.id_of("intro para here"), vault.id_of("body text of it here")
    vault.compile({"x.md": BODY})
    vault.remem.summarise(body, "two blocks\n\nin the place of one")
    vault.remem.rollback(1, intro)
    assert vault.outline("x.md")[:3] == OPENED[:3]
    vault.remem.rollback(3, intro)
    assert vault.outline("x.md")[:2] == ["document Title", "  heading Title"]


def test_text_after_a_node_that_goes_is_a_block_of_its_own(vault: Vault) -> None:
    words = "# Title\n\nfirst words of the note\n{}other words of it\n"
    vault.compile({"x.md": words.format("\n")})
    vault.compile({"x.md": words.format("```\ncode of it\n```\n")})
    vault.remem.rollback(1, vault.id_of("```\ncode of it\n```"))
    assert vault.remem.show("Title")[0].text == words.format("\n").strip()


def test_link_definitions_stay_behind_a_node_that_comes_before_them(vault: Vault) -> None:
    vault.compile({"b.md": "# B\n", "a.md": "# Plan\n\nSee [ref].\n"})
    text = vault.id_of("See [ref].")
    vault.compile({"a.md": "[ref]: b.md\n"})
    vault.remem.rollback(1, text)
    assert vault.id_of("See [ref].") == text
    assert [(edge.source_id, edge.target_id) for edge in vault.export.edges] == [(text, vault.id_of("# B"))]


def test_what_is_written_below_a_note_of_definitions_stands_before_them(vault: Vault) -> None:
    vault.compile({"b.md": "# B\n", "a.md": "[ref]: b.md\n"})
    (note,) = [node.id for node in vault.export.nodes if node.source == "a.md"]
    vault.remem.write("See [ref].", parent=note)
    assert [edge.target_id for edge in vault.export.edges] == [vault.id_of("# B")]
    assert vault.outline("a.md") == ["document a", "  text See [ref]."]
