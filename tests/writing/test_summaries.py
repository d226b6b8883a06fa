"""Summarising: the node stays what it is, says less, and keeps its links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.errors import ConflictError, InvalidInputError, NotFoundError
from tests.cases.vault import Vault
from tests.writing.describe import connect
from tests.writing.notes import NOTE, compile_files, document_of, export, id_of, open_notes


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """Two notes."""
    with open_notes(tmp_path) as made:
        yield made


def targets_of(vault: Vault, id: str) -> set[str]:
    return {edge.target_id for edge in vault.export.edges if edge.source_id == id}


def forms_of(vault: Vault) -> list[tuple[str, str]]:
    connection = connect(vault.store)
    try:
        return connection.execute("SELECT form, label FROM links WHERE form = 'kept' ORDER BY key").fetchall()
    finally:
        connection.close()


def test_block_keeps_its_id_its_label_and_the_links_that_the_summary_leaves_out(vault: Vault) -> None:
    compile_files(
        vault, {"c.md": "Long words of [[a]], [[b#Two; w=3]] twice [[b#Two]] and [[Nope]]. ^mark\n\n[[#^mark]]\n"}
    )
    long = id_of(vault, "Long words", "c.md")
    label, before = vault.nodes("c.md")[1].label, targets_of(vault, long)
    edited = vault.remem.summarise(long, "Short: [[a]].\n\nAnd more.")
    assert (edited.id, edited.label, [node.id for node in edited.modified]) == (long, label, [long])
    node = vault.nodes("c.md")[1]
    assert (node.id, node.label, node.content) == (long, label, "Short: [[a]].\n\nAnd more.")
    assert targets_of(vault, long) == before
    assert forms_of(vault) == [("kept", "b"), ("kept", "Nope")]
    assert [edge.weight for edge in vault.export.edges if edge.source_id == long and edge.weight != 1] == [3]
    assert any("Nope" in line for line in vault.pending)
    assert any(edge.target_id == long for edge in vault.export.edges), "the block id still leads to it"


def test_kept_links_follow_names_like_all_others(vault: Vault) -> None:
    compile_files(vault, {"c.md": "See [[later]] and [[b]].\n"})
    node = id_of(vault, "See", "c.md")
    vault.remem.summarise(node, "Nothing.")
    compile_files(vault, {"later.md": "words\n", "b.md": None})
    assert targets_of(vault, node) == {document_of(vault, "later.md")}
    assert any("b" in line for line in vault.pending)


def test_kept_links_go_when_the_node_says_something_else(vault: Vault) -> None:
    pay = id_of(vault, "We pay")
    vault.remem.summarise(pay, "Little.")
    assert targets_of(vault, pay)
    vault.remem.write("Other words.", anchor=pay)
    assert targets_of(vault, pay) == set()


def faults_of(vault: Vault) -> list[str]:
    return [finding.message for finding in vault.remem.doctor().findings if finding.fault]


def test_file_that_comes_to_say_the_summary_keeps_nothing_of_the_text_before(vault: Vault) -> None:
    compile_files(vault, {"c.md": "We pay, see [[b]].\n\nOther.\n\nMore.\n"})
    pay = id_of(vault, "We pay", "c.md")
    vault.remem.summarise(pay, "Little.")
    compile_files(vault, {"c.md": "Little.\n\nOther.\n\nMore.\n"})
    assert [(node.id, node.label) for node in vault.nodes("c.md")[1:2]] == [(pay, "Little.")]
    assert (targets_of(vault, pay), faults_of(vault)) == (set(), [])
    vault.remem.forget(id_of(vault, "More", "c.md"))
    assert (targets_of(vault, pay), faults_of(vault)) == (set(), [])


def test_later_call_that_says_the_summary_again_keeps_nothing_of_the_text_before(vault: Vault) -> None:
    pay = id_of(vault, "We pay")
    vault.remem.summarise(pay, "Little.")
    for text in ("Other words.", "Little."):
        vault.remem.write(text, anchor=pay)
    vault.remem.forget(id_of(vault, "How to"))
    assert (targets_of(vault, pay), faults_of(vault)) == (set(), [])


def test_kept_links_outlive_other_calls_a_rename_and_a_rollback(vault: Vault) -> None:
    compile_files(vault, {"c.md": "We pay, see [[b]].\n\nOther.\n\nMore.\n"})
    pay = id_of(vault, "We pay", "c.md")
    bee = targets_of(vault, pay)
    made = vault.remem.summarise(pay, "Little.").snapshot
    vault.remem.forget(id_of(vault, "More", "c.md"))
    (vault.folder / "c.md").rename(vault.folder / "d.md")
    compile_files(vault, {})
    assert targets_of(vault, pay) == bee != set()
    vault.remem.write("Else.", anchor=pay)
    assert made is not None
    vault.remem.rollback(made)
    assert (targets_of(vault, pay), faults_of(vault)) == (bee, [])


def test_section_becomes_one_node_below_its_heading(vault: Vault) -> None:
    costs = id_of(vault, "Costs")
    gone = {id_of(vault, label) for label in ("We pay", "one", "Deep", "A deep text")}
    edited = vault.remem.summarise(costs, "It costs ten.\n\n- really")
    assert (edited.id, edited.label) == (costs, "Costs")
    assert {node.id for node in edited.removed} == gone
    (summary,) = edited.added
    node = next(node for node in vault.export.nodes if node.id == summary.id)
    assert (node.parent_id, node.content, node.kind) == (costs, "It costs ten.\n\n- really", "text")
    assert targets_of(vault, node.id) == {id_of(vault, "Two", "b.md")}
    assert "## Costs\n\nIt costs ten.\n\n- really\n\n## Usage" in export(vault)
    again = vault.remem.summarise(costs, "It costs.")
    assert [one.id for one in again.modified] == [node.id]
    assert targets_of(vault, node.id) == {id_of(vault, "Two", "b.md")}


def test_document_keeps_its_front_matter_and_title_heading(vault: Vault) -> None:
    document = document_of(vault)
    edited = vault.remem.summarise(document, "All in short.")
    assert (edited.id, edited.label) == (document, "Alpha")
    assert export(vault) == NOTE.split("Intro")[0] + "All in short.\n"
    assert vault.outline("a.md")[2:] == ["  heading Head", "    text All in short."]
    assert [edge.target_id for edge in vault.export.edges if edge.source_id == edited.added[0].id]


def test_summary_is_one_node_however_long(vault: Vault) -> None:
    text = "# A heading\n\n" + "\n\n".join("words " * 50 for _ in range(40))
    vault.remem.summarise(id_of(vault, "Usage"), text)
    assert vault.nodes("a.md")[-1].content == text.strip()
    assert vault.headings("a.md") == ["Head", "Costs", "Deep", "Usage"]


def test_memory_keeps_its_title_and_its_links(vault: Vault) -> None:
    memory = vault.remem.store("# Rota\n\nThe key of [[a]] rotates with [[b]].", tags=["ops"])
    before = targets_of(vault, memory.id)
    vault.remem.store("see [[Rota]]", id="other")
    edited = vault.remem.summarise(memory.id, "It rotates, [[a]].")
    assert (edited.id, edited.label) == (memory.id, "Rota")
    found = vault.remem.get(memory.id)
    assert (found.content, found.label, found.tags) == ("It rotates, [[a]].", "Rota", ("ops",))
    assert targets_of(vault, memory.id) == before
    assert targets_of(vault, "other") == {memory.id}
    vault.remem.forget(memory.id)
    vault.remem.unarchive(memory.id)
    assert (targets_of(vault, memory.id), targets_of(vault, "other")) == (before, {memory.id})
    vault.remem.update(memory.id, content="Nothing.")
    assert (targets_of(vault, memory.id), vault.remem.get(memory.id).label) == (set(), "Nothing.")


def test_same_summary_again_changes_nothing(vault: Vault) -> None:
    for node in (id_of(vault, "Costs"), id_of(vault, "How to use"), vault.remem.store("long [[a]]").id):
        assert vault.remem.summarise(node, "short").snapshot is not None
        edges = vault.export.edges
        assert vault.remem.summarise(node, "short").snapshot is None
        assert vault.export.edges == edges


def test_bad_input_gets_an_error_and_changes_nothing(vault: Vault) -> None:
    vault.remem.store("x", id="m", graph_extraction={"entities": [{"name": "Ada", "type": "person"}]})
    before = vault.export
    cases: list[tuple[object, object, type[Exception]]] = [
        ("Costs", "", InvalidInputError),
        ("Costs", " \n", InvalidInputError),
        ("Costs", 7, InvalidInputError),
        ("Costs", "a\x00", InvalidInputError),
        ("Costs", "\udc00", InvalidInputError),
        ("Costs", "x" * 100_001, InvalidInputError),
        ("", "x", InvalidInputError),
        (None, "x", InvalidInputError),
        ("nobody", "x", NotFoundError),
        ("Ada", "x", ConflictError),
        (id_of(vault, "title: Alpha"), "x", ConflictError),
    ]
    for node, text, error in cases:
        with pytest.raises(error):
            vault.remem.summarise(node, text)  # type: ignore[arg-type]
    assert vault.export == before
