"""Documents taken back whose place or root is another by now. Each rollback leaves a store that the doctor accepts, and
rolling it back gives what there was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cases.vault import Vault

TEXT = "just a text that says a thing or two\n"
PAGES = {
    "a.md": TEXT,
    "a.html": f"<p>{TEXT}",
    "a.txt": TEXT,
    "a.yaml": f"- {TEXT}- another line of it\n",
    "a.jsonl": '{"text": "just a text that says a thing or two"}\n',
}


@pytest.fixture(autouse=True)
def _sound(vault: Vault) -> Iterator[None]:
    yield
    assert [finding for finding in vault.remem.doctor().findings if finding.fault] == []


def compile_notes(vault: Vault, files: dict[str, str | None]) -> None:
    vault.write(files)
    vault.remem.compile(vault.folder)


def list_titles(vault: Vault) -> list[tuple[str, str, str]]:
    """Root, source and title of all documents."""
    return [(node.root, node.source, node.label) for node in vault.export.nodes if node.kind == "document"]


def find_document(vault: Vault, source: str) -> str:
    return next(node.id for node in vault.export.nodes if node.kind == "document" and node.source == source)


@pytest.mark.parametrize("source", PAGES)
def test_document_whose_place_is_taken_is_called_by_the_place_that_it_keeps(vault: Vault, source: str) -> None:
    compile_notes(vault, {source: PAGES[source], "c.md": "see [[a]] there\n"})
    id, moved = find_document(vault, source), source.replace("a.", "b.")
    compile_notes(vault, {source: None, moved: PAGES[source]})
    compile_notes(vault, {source: "9: quite another thing, long and new in every word of it\n"})
    compile_notes(vault, {moved: f"{PAGES[source]}\n"})
    report = vault.remem.rollback(1, id)
    assert (report.snapshot, report.held) == (None, ())
    assert ("notes", moved, "b") in list_titles(vault)
    assert vault.remem.compile(vault.folder).snapshot is None


def test_title_of_the_text_goes_back_to_whatever_place(vault: Vault) -> None:
    compile_notes(vault, {"a.md": f"---\ntitle: a\n---\n\n{TEXT}"})
    id = find_document(vault, "a.md")
    compile_notes(vault, {"a.md": None, "b.md": f"---\ntitle: other\n---\n\n{TEXT}"})
    compile_notes(vault, {"a.md": "quite another thing, long and new in every word of it\n"})
    assert vault.remem.rollback(1, id).snapshot is not None
    assert list_titles(vault) == [("notes", "a.md", "a"), ("notes", "b.md", "a")]


def test_documents_of_a_renamed_root_go_back_where_it_lies(vault: Vault) -> None:
    compile_notes(vault, {"a.md": TEXT, "b.md": "see [[a]]\n"})
    edges = vault.edges
    vault.remem.compile(vault.folder, "docs", moved=True)
    compile_notes(vault, {"a.md": None, "z.md": TEXT, "b.md": None})
    snapshot, after = vault.remem.snapshots(1)[0].id, vault.export
    vault.remem.rollback(1)
    assert list_titles(vault) == [("docs", "a.md", "a"), ("docs", "b.md", "b")]
    assert vault.edges == edges == ["b.md -> a.md"]
    assert vault.remem.compile(vault.folder).snapshot is None
    vault.remem.rollback(snapshot)
    assert (vault.export.nodes, vault.export.edges) == (after.nodes, after.edges)


def test_documents_of_a_root_that_was_taken_over_go_back_within_the_other(vault: Vault) -> None:
    compile_notes(vault, {"a.md": TEXT, "b.md": "see [[a]]\n"})
    state = vault.remem.snapshots(1)[0].state_hash
    vault.remem.compile(vault.place, "all of it")
    vault.write({"a.md": None, "z.md": TEXT})
    vault.remem.compile(vault.place)
    vault.remem.rollback(1, "notes/a.md")
    assert ("all of it", "notes/a.md", "a") in list_titles(vault)
    vault.remem.rollback(1)
    assert vault.remem.snapshots(1)[0].state_hash == state
    assert vault.remem.compile(vault.place).snapshot is None


def test_the_past_is_read_whatever_became_of_the_root(vault: Vault) -> None:
    compile_notes(vault, {"a.md": f"# A\n\n{TEXT}", "b.html": f"<h1>B</h1><p>{TEXT}", "c.yaml": "k: some words\n"})
    before = [(line.id, line.kind, line.label, line.parent_id) for line in vault.remem.tree(depth=9)]
    vault.remem.compile(vault.folder, "docs", moved=True)
    compile_notes(vault, {"a.md": None, "b.html": None, "c.yaml": "other: some words\n"})
    vault.remem.drop("docs")
    then = vault.remem.tree(depth=9, as_of=1)
    assert [(line.id, line.kind, line.label, line.parent_id) for line in then] == before
    id = next(line.id for line in then if line.kind == "heading" and line.label == "A")
    assert vault.remem.show(id, as_of=1)[0].text == f"# A\n\n{TEXT.strip()}"
