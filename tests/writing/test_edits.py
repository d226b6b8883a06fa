"""Writing by a call: in the place of a section, block, document or memory, below a section, or as a memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remem.errors import AmbiguousError, ConflictError, InvalidInputError, NotFoundError, RememError
from remem.records import Edited
from tests.cases.vault import Vault
from tests.writing.notes import NOTE, compile_files, document_of, export, id_of, open_notes


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """Two notes."""
    with open_notes(tmp_path) as made:
        yield made


def ids(edited: Edited, field: str) -> set[str]:
    return {node.id for node in getattr(edited, field)}


# --- in the place of something ----------------------------------------------------------------------------------------


def test_section_is_replaced_and_its_nodes_keep_their_ids(vault: Vault) -> None:
    costs, pay, deep = id_of(vault, "Costs"), id_of(vault, "We pay"), id_of(vault, "A deep text")
    snapshots = vault.remem.stats().snapshots
    text = "## Costs\n\nWe pay eleven, see [[b#Two]].\n\n### Deep\n\nA deep text about the harbor.\n\nNew words."
    edited = vault.remem.write(text, anchor=costs)
    assert (edited.id, edited.kind, edited.root, edited.source) == (costs, "heading", "notes", "a.md")
    assert edited.snapshot == vault.remem.stats().snapshots == snapshots + 1
    assert ids(edited, "modified") == {pay}
    assert [node.label for node in edited.added] == ["New words."]
    assert [node.kind for node in edited.removed] == ["list"]
    assert id_of(vault, "A deep text") == deep
    assert export(vault) == NOTE.replace("ten,", "eleven,").replace("- one\n- two\n\n", "").replace(
        "harbor.\n", "harbor.\n\nNew words.\n"
    )
    assert (vault.folder / "a.md").read_text(encoding="utf-8") == NOTE


def test_headings_move_to_the_level_of_the_section_that_they_replace(vault: Vault) -> None:
    edited = vault.remem.write("# Prices\n\n## Sub\n\nwords", anchor=id_of(vault, "Costs"))
    assert edited.id in ids(edited, "modified")
    assert [node.content for node in vault.nodes("a.md", "heading")] == ["# Head", "## Prices", "### Sub", "## Usage"]
    assert vault.outline("a.md")[4:7] == ["    heading Prices", "      heading Sub", "        text words"]


def test_links_follow_a_heading_that_a_call_renames(vault: Vault) -> None:
    before = {(edge.source_id, edge.target_id) for edge in vault.export.edges}
    vault.remem.write("## Prices\n\nWe pay ten, see [[b#Two]].", anchor=id_of(vault, "Costs"))
    assert {(edge.source_id, edge.target_id) for edge in vault.export.edges} == before
    assert vault.stale != []


def test_block_is_replaced_in_its_place(vault: Vault) -> None:
    pay = id_of(vault, "We pay")
    edited = vault.remem.write("Nothing of the kind [[Nope]].\n\n```\ncode\n```", anchor=pay)
    assert edited.id == pay
    assert [node.kind for node in edited.added] == ["code"]
    assert "## Costs\n\nNothing of the kind [[Nope]].\n\n```\ncode\n```\n\n- one" in export(vault)
    assert "Nope" in vault.pending[0]


def test_block_in_a_quote_is_replaced_there(vault: Vault) -> None:
    vault.remem.write("new\n\n# no section\n\nmore", anchor=id_of(vault, "code", "b.md"))
    assert export(vault, "b.md").endswith("> quoted\n>\n> new\n>\n> # no section\n>\n> more\n")
    quote = next(node for node in vault.nodes("b.md", "quote"))
    assert [node.parent_id for node in vault.nodes("b.md")[-3:]] == [quote.id] * 3


def test_document_is_replaced_whole_with_its_front_matter(vault: Vault) -> None:
    document, costs = document_of(vault), id_of(vault, "Costs")
    text = "---\ntitle: Omega\naliases: [Om]\ntags: [end]\n---\n\n# Head\n\n## Costs\n\nother\n"
    edited = vault.remem.write(text, anchor=document)
    assert (edited.id, edited.label) == (document, "Omega")
    assert id_of(vault, "Costs") == costs
    assert export(vault) == text
    assert vault.nodes("a.md")[0].tags == ("end",)
    assert any("[[Al]]" in line or line.startswith("b.md") for line in vault.pending)
    assert vault.remem.show("Om").items[0].node.source == "a.md"


def test_front_matter_is_replaced_alone(vault: Vault) -> None:
    edited = vault.remem.write("---\ntitle: Beta\n---", anchor=id_of(vault, "title: Alpha"))
    assert edited.kind == "kv"
    assert vault.nodes("a.md")[0].label == "Beta"
    assert export(vault) == "---\ntitle: Beta\n---" + NOTE.split("---")[2]


def test_writing_the_same_again_changes_nothing(vault: Vault) -> None:
    text = "## Usage\n\nHow to use it in the morning."
    assert vault.remem.write(text, anchor=id_of(vault, "Usage")).snapshot is None
    assert vault.remem.write("## Usage\n\nIn the evening.", anchor=id_of(vault, "Usage")).snapshot is not None
    assert vault.remem.write("## Usage\n\nIn the evening.", anchor=id_of(vault, "Usage")).snapshot is None


def test_memory_as_anchor_gets_the_text(vault: Vault) -> None:
    memory = vault.remem.store("old words [[a]]", tags=["x"])
    edited = vault.remem.write("# Title\n\nnew words [[b]]", anchor=memory.id)
    assert (edited.id, edited.kind, edited.label, edited.source) == (memory.id, "memory", "Title", "")
    assert ids(edited, "modified") == {memory.id}
    found = vault.remem.get(memory.id)
    assert (found.content, found.tags) == ("# Title\n\nnew words [[b]]", ("x",))
    assert vault.remem.write("# Title\n\nnew words [[b]]", anchor=memory.id).snapshot is None


# --- below something --------------------------------------------------------------------------------------------------


def test_text_is_added_to_a_section_before_the_sections_below_it(vault: Vault) -> None:
    costs = id_of(vault, "Costs")
    edited = vault.remem.write("More words.\n\n# Late\n\nend", parent=costs)
    assert [node.label for node in edited.added] == ["More words.", "Late", "end"]
    assert edited.id == edited.added[0].id
    assert "- two\n\nMore words.\n\n### Deep\n\nA deep text about the harbor.\n\n### Late\n\nend\n\n## Usage" in export(
        vault
    )
    late = next(node for node in vault.nodes("a.md", "heading") if node.label == "Late")
    assert late.parent_id == costs


def test_text_below_a_document_lies_below_its_title_heading(vault: Vault) -> None:
    vault.remem.write("words\n\n# Part\n\n## Sub", parent=document_of(vault))
    assert export(vault) == NOTE.replace("[[b]].\n", "[[b]].\n\nwords\n").rstrip("\n") + "\n\n## Part\n\n### Sub\n"


def test_text_is_added_to_a_document_without_headings_or_text(vault: Vault) -> None:
    compile_files(vault, {"e.md": "", "f.md": "words\n"})
    vault.remem.write("# One\n\ntext", parent=document_of(vault, "e.md"))
    vault.remem.write("more", parent=document_of(vault, "f.md"))
    assert export(vault, "e.md") == "# One\n\ntext"
    assert export(vault, "f.md") == "words\n\nmore\n"


def test_headings_never_go_below_level_six(vault: Vault) -> None:
    compile_files(vault, {"d.md": "# 1\n\n## 2\n\n### 3\n\n#### 4\n\n##### 5\n"})
    edited = vault.remem.write("line\n\n# six\n\n## seven\n\nwords", parent=id_of(vault, "5", "d.md"))
    assert [(found.code, found.line) for found in edited.diagnostics] == [("heading-level", 5)]
    assert [node.content for node in vault.nodes("d.md", "heading")][-2:] == ["###### six", "###### seven"]


def test_setext_headings_move_too(vault: Vault) -> None:
    vault.remem.write("One\n===\n\nTwo words\n---------\n\nx", parent=id_of(vault, "Usage"))
    assert [node.content for node in vault.nodes("a.md", "heading")][-2:] == ["### One", "#### Two words"]


# --- with neither -----------------------------------------------------------------------------------------------------


def test_with_neither_it_is_stored_as_a_memory(vault: Vault) -> None:
    edited = vault.remem.write("# Rota\n\nThe key rotates, see [[b]].")
    assert (edited.kind, edited.label, ids(edited, "added")) == ("memory", "Rota", {edited.id})
    assert vault.remem.get(edited.id).content == "# Rota\n\nThe key rotates, see [[b]]."
    again = vault.remem.write("# Rota\n\nThe key rotates, see [[b]].")
    assert (again.id, again.snapshot, again.added) == (edited.id, None, ())


def test_html_is_written_as_readable_text(vault: Vault) -> None:
    html = "<h1>Plan</h1><p>Pay <b>now</b>, see <a href='b.md#two'>two</a> and [[a]].</p><ul><li>x<li>y</ul>"
    vault.remem.write(html, parent=id_of(vault, "Usage"), format="html")
    assert [(node.kind, node.content) for node in vault.nodes("a.md")[-3:]] == [
        ("heading", "### Plan"),
        ("text", "Pay now, see [two](b.md#two) and [[a]]."),
        ("list", "- x\n- y"),
    ]
    edited = vault.remem.write("<title>T</title><h2>Memo</h2><p>see [[b]]", format="html")
    assert (edited.kind, edited.label) == ("memory", "Memo")
    assert vault.remem.get(edited.id).content == "## Memo\n\nsee [[b]]"


def test_long_blocks_are_split_like_those_of_a_file(vault: Vault) -> None:
    long = " ".join(f"Sentence number {n} tells of the harbor." for n in range(300))
    edited = vault.remem.write(long, parent=id_of(vault, "Usage"))
    assert len(edited.added) > 3
    assert all(node.tokens <= 512 for node in vault.nodes("a.md"))
    assert long in export(vault)


def test_search_and_graph_see_what_was_written_at_once(vault: Vault) -> None:
    vault.remem.write("## Costs\n\nxylophone [[b]]", anchor=id_of(vault, "Costs"))
    hits = vault.remem.search("xylophone", mode="keyword")
    assert [hit.label for hit in hits][:1] == ["Costs"]
    assert document_of(vault, "b.md") in {item.node.id for item in vault.remem.related(id_of(vault, "Costs"))}


# --- bad input --------------------------------------------------------------------------------------------------------


BAD_WRITES: list[tuple[dict[str, Any], type[RememError], str | None]] = [
    ({"payload": ""}, InvalidInputError, "payload"),
    ({"payload": " \n\t"}, InvalidInputError, "payload"),
    ({"payload": None}, InvalidInputError, "payload"),
    ({"payload": "a\x00b"}, InvalidInputError, "payload"),
    ({"payload": "a\ud800"}, InvalidInputError, "payload"),
    ({"payload": "x" * 1_000_001, "parent": "Costs"}, InvalidInputError, "payload"),
    ({"payload": "x" * 100_001}, InvalidInputError, "payload"),
    ({"payload": "[a]: b.md\n", "parent": "Costs"}, InvalidInputError, "payload"),
    ({"payload": "---\ntitle: x\n---\n\ny", "anchor": "Costs"}, InvalidInputError, "payload"),
    ({"payload": "x", "format": "rtf"}, InvalidInputError, "format"),
    ({"payload": "x", "anchor": "Costs", "parent": "Costs"}, InvalidInputError, "parent"),
    ({"payload": "x", "anchor": ""}, InvalidInputError, "anchor"),
    ({"payload": "x", "parent": 7}, InvalidInputError, "parent"),
    ({"payload": "x", "anchor": "nobody"}, NotFoundError, None),
    ({"payload": "x", "parent": "gone-memory"}, NotFoundError, None),
    ({"payload": "x", "anchor": "gone-memory"}, NotFoundError, None),
    ({"payload": "x", "parent": "a-memory"}, InvalidInputError, "parent"),
    ({"payload": "x", "anchor": "Ada"}, ConflictError, None),
    ({"payload": "x", "parent": "Ada"}, ConflictError, None),
    ({"payload": "x", "anchor": "Usage Twice"}, AmbiguousError, None),
]


def test_bad_input_gets_an_error_and_changes_nothing(vault: Vault) -> None:
    compile_files(vault, {"c.md": "## Usage Twice\n\nx\n\n# One\n\n## Usage Twice\n"})
    vault.remem.store("living", id="a-memory", graph_extraction={"entities": [{"name": "Ada", "type": "person"}]})
    vault.remem.forget(vault.remem.store("archived", id="gone-memory").id)
    before, snapshots = vault.export, vault.remem.stats().snapshots
    for arguments, error, field in BAD_WRITES:
        with pytest.raises(error) as caught:
            vault.remem.write(**arguments)
        assert caught.value.facts.get("field") == field, arguments
    assert (vault.export, vault.remem.stats().snapshots) == (before, snapshots)


def test_text_below_a_text_is_refused(vault: Vault) -> None:
    with pytest.raises(InvalidInputError) as caught:
        vault.remem.write("x", parent=id_of(vault, "We pay"))
    assert caught.value.facts["field"] == "parent"


def test_update_of_a_note_is_a_conflict_that_names_its_place(vault: Vault) -> None:
    for call in (lambda id: vault.remem.update(id, content="x"), vault.remem.delete):
        with pytest.raises(ConflictError) as caught:
            call(id_of(vault, "We pay"))
        assert caught.value.facts["place"] == "notes/a.md:13"
