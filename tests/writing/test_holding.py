"""What a compile makes of documents that calls have changed: they stay while their files stay; else the file wins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.records import CompileProgress, Diagnostic
from tests.cases.vault import Vault
from tests.writing.describe import connect
from tests.writing.notes import NOTE, OTHER, compile_files, document_of, export, id_of, open_notes


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """Two notes."""
    with open_notes(tmp_path) as made:
        yield made


def conflicts(diagnostics: tuple[Diagnostic, ...]) -> list[tuple[str, int]]:
    return [(found.source, found.line) for found in diagnostics if found.code == "conflict"]


def seen_at(vault: Vault) -> list[object]:
    connection = connect(vault.store)
    try:
        rows: list[object] = connection.execute("SELECT source, seen_at FROM held ORDER BY source").fetchall()
        return [*rows, *connection.execute("SELECT source, seen_at FROM documents ORDER BY source").fetchall()]
    finally:
        connection.close()


def test_compile_of_unchanged_files_keeps_what_calls_changed_and_reads_none(vault: Vault) -> None:
    vault.remem.write("Other words.", anchor=id_of(vault, "We pay"))
    vault.remem.forget(document_of(vault, "b.md"), "cascade")
    before, seen = vault.export, seen_at(vault)
    for _ in range(2):
        report = vault.remem.compile(vault.folder)
        assert (report.snapshot, report.files_changed, report.files_added, report.diagnostics) == (None, 0, 0, ())
    assert (vault.export, seen_at(vault)) == (before, seen)


def test_file_that_is_touched_but_not_changed_keeps_them_too(vault: Vault) -> None:
    vault.remem.write("Other words.", anchor=id_of(vault, "We pay"))
    vault.remem.forget(document_of(vault, "b.md"), "cascade")
    before = vault.export
    assert compile_files(vault, {"a.md": NOTE, "b.md": OTHER}).snapshot is None
    assert vault.export == before
    seen = seen_at(vault)
    vault.remem.compile(vault.folder)
    assert seen_at(vault) == seen


def test_changed_file_wins_and_says_what_gave_way(vault: Vault) -> None:
    pay, use = id_of(vault, "We pay"), id_of(vault, "How to use")
    vault.remem.write("We pay nothing at all any more.", anchor=pay)
    vault.remem.summarise(use, "Use it.")
    added = vault.remem.write("Added by a call.", parent=id_of(vault, "Usage")).id
    text = NOTE.replace("harbor", "bay")
    report = compile_files(vault, {"a.md": text})
    assert sorted(conflicts(report.diagnostics)) == [("a.md", 13), ("a.md", 24), ("a.md", 24)]
    assert all(id in " ".join(found.message for found in report.diagnostics) for id in (pay, use, added))
    assert export(vault) == text
    assert {pay, use} <= {node.id for node in vault.nodes("a.md")}
    assert id_of(vault, "We pay ten") == pay
    assert conflicts(vault.remem.compile(vault.folder).diagnostics) == []


def test_file_that_says_what_the_call_said_is_no_conflict(vault: Vault) -> None:
    pay = id_of(vault, "We pay")
    vault.remem.write("We pay nothing at all any more.", anchor=pay)
    report = compile_files(
        vault, {"a.md": NOTE.replace("We pay ten, see [[b#Two]].", "We pay nothing at all any more.")}
    )
    assert (report.snapshot, report.diagnostics) == (None, ())
    assert id_of(vault, "We pay") == pay


def test_what_a_call_replaced_comes_back_with_the_file_under_its_ids(vault: Vault) -> None:
    before = {node.content: node.id for node in vault.nodes("a.md")}
    vault.remem.write("# All is new\n\nin this note", anchor=document_of(vault))
    vault.remem.summarise(document_of(vault, "b.md"), "short")
    compile_files(vault, {"a.md": NOTE + "\nmore\n", "b.md": OTHER + "\nmore\n"})
    after = {node.content: node.id for node in vault.nodes("a.md")}
    assert {content: after.get(content) for content in before} == before


def test_dry_run_tells_of_conflicts_and_changes_nothing(vault: Vault) -> None:
    vault.remem.write("Other words.", anchor=id_of(vault, "We pay"))
    vault.write({"a.md": NOTE + "\nmore\n"})
    before = vault.export
    assert conflicts(vault.remem.compile(vault.folder, dry_run=True).diagnostics)
    assert vault.export == before
    assert conflicts(vault.remem.compile(vault.folder).diagnostics)


def test_renamed_file_takes_what_calls_changed_along(vault: Vault) -> None:
    document, pay = document_of(vault), id_of(vault, "We pay")
    vault.remem.write("Other words, see [[b]].", anchor=pay)
    vault.remem.forget(id_of(vault, "A deep text"))
    ids = [node.id for node in vault.nodes("a.md")]
    (vault.folder / "sub").mkdir()
    (vault.folder / "a.md").rename(vault.folder / "sub/c.md")
    report = vault.remem.compile(vault.folder)
    assert (conflicts(report.diagnostics), report.removed, report.added) == ([], 0, 0)
    assert [node.id for node in vault.nodes("sub/c.md")] == ids
    assert document == ids[0]
    assert "Other words, see b." in [node.label for node in vault.nodes("sub/c.md")]
    report = compile_files(vault, {"sub/c.md": NOTE + "\nmore\n"})
    assert conflicts(report.diagnostics) == [("sub/c.md", 13)]
    assert "A deep text about the harbor." not in export(vault, "sub/c.md")


def test_file_that_is_renamed_and_edited_wins_under_the_same_ids(vault: Vault) -> None:
    pay, deep = id_of(vault, "We pay"), id_of(vault, "A deep text")
    vault.remem.write("Other words, see [[b]].", anchor=pay)
    vault.remem.forget(deep)
    (vault.folder / "a.md").rename(vault.folder / "c.md")
    report = compile_files(vault, {"c.md": NOTE + "\nmore\n"})
    assert conflicts(report.diagnostics) == [("c.md", 13)]
    found = {node.id: node.content for node in vault.nodes("c.md")}
    assert (found[pay], deep in found) == ("We pay ten, see [[b#Two]].", False)


def test_document_whose_file_is_deleted_goes_with_what_calls_wrote(vault: Vault) -> None:
    vault.remem.write("Other words.", anchor=id_of(vault, "We pay"))
    report = compile_files(vault, {"a.md": None})
    assert conflicts(report.diagnostics) == [("a.md", 1)]
    assert vault.nodes("a.md") == []
    compile_files(vault, {"a.md": NOTE})
    assert export(vault) == NOTE


def test_documents_that_calls_changed_stand_as_they_are_under_other_settings(tmp_path: Path) -> None:
    with open_notes(tmp_path) as vault:
        vault.remem.summarise(id_of(vault, "Costs"), "One.\n\nTwo [[Nope]].")
        before = vault.export
    config = tmp_path / "other.toml"
    config.write_text("[compile]\nmax_node_tokens = 64\n", encoding="utf-8")
    with Remem.open_sync(tmp_path / "store.db", config=config) as remem:
        assert remem.compile(tmp_path / "notes").snapshot is None
        assert remem.export() == before
        again = remem.compile(tmp_path / "notes")
        assert (again.files_changed, again.files_unchanged) == (0, 2)


def test_dropped_root_holds_nothing_any_more(vault: Vault) -> None:
    vault.remem.write("Other words.", anchor=id_of(vault, "We pay"))
    vault.remem.forget(document_of(vault, "b.md"), "cascade")
    vault.remem.drop("notes")
    vault.remem.compile(vault.folder)
    assert (export(vault), export(vault, "b.md")) == (NOTE, OTHER)


def test_root_that_is_taken_over_keeps_what_calls_changed(vault: Vault) -> None:
    vault.remem.write("Other words.", anchor=id_of(vault, "We pay"))
    vault.remem.forget(document_of(vault, "b.md"), "cascade")
    (vault.place / "all").mkdir()
    vault.folder.rename(vault.place / "all/notes")
    vault.remem.compile(vault.place / "all/notes", moved=True)
    vault.remem.compile(vault.place / "all")
    labels = [node.label for node in vault.export.nodes if node.source == "notes/a.md"]
    assert "Other words." in labels
    assert [node for node in vault.export.nodes if node.source == "notes/b.md"] == []
    assert vault.remem.compile(vault.place / "all").snapshot is None
    (vault.place / "all/notes").rename(vault.folder)
    vault.remem.drop("all")
    vault.remem.compile(vault.folder)


def test_accident_that_empties_the_folder_keeps_what_calls_changed(vault: Vault) -> None:
    compile_files(vault, {f"n{number}.md": f"words of note {number}\n" for number in range(25)})
    vault.remem.write("Other words.", anchor=id_of(vault, "We pay"))
    texts = {path.name: path.read_bytes() for path in vault.folder.iterdir()}
    for name in texts:
        (vault.folder / name).unlink()
    assert vault.remem.compile(vault.folder).kept
    for name, text in texts.items():
        (vault.folder / name).write_bytes(text)
    vault.remem.compile(vault.folder)
    assert "Other words." in [node.label for node in vault.nodes("a.md")]


def test_doctor_rebuilds_a_changed_document_as_it_stands(vault: Vault) -> None:
    vault.remem.summarise(id_of(vault, "Costs"), "One.\n\nTwo [[Nope]].")
    vault.remem.forget(id_of(vault, "Usage"), "reparent")
    before = vault.export
    connection = connect(vault.store)
    connection.execute("DELETE FROM links")
    connection.execute("DELETE FROM edges")
    connection.close()
    vault.remem.doctor(fix=True)
    assert [node.content for node in vault.export.nodes] == [node.content for node in before.nodes]


def test_unchanged_documents_export_byte_for_byte_beside_changed_ones(vault: Vault) -> None:
    odd = "\n\n# Odd   \n\n\n\ttext  \n***\n\n\nend\n\n\n"
    compile_files(vault, {"odd.md": odd})
    vault.remem.write("Other words.", anchor=id_of(vault, "We pay"))
    assert (export(vault, "odd.md"), export(vault, "b.md")) == (odd, OTHER)


def test_calls_while_a_compile_is_under_way_are_respected(vault: Vault) -> None:
    pay, code = id_of(vault, "We pay"), id_of(vault, "code", "b.md")
    vault.write({"b.md": OTHER + "\nmore\n"})
    with Remem.open_sync(vault.store) as other:
        phases: list[str] = []

        def interfere(progress: CompileProgress) -> None:
            if progress.phase == "parse" and "parse" not in phases:
                other.write("Other words.", anchor=pay)
                other.forget(code)
                other.write("Lost words, said by nobody else.", parent=document_of(vault, "b.md"))
            phases.append(progress.phase)

        report = vault.remem.compile(vault.folder, progress=interfere)
    assert conflicts(report.diagnostics) == [("b.md", 1)]
    assert "Other words." in [node.content for node in vault.nodes("a.md")]
    contents = [node.content for node in vault.nodes("b.md")]
    assert ("more" in contents, code in [node.id for node in vault.nodes("b.md")]) == (True, False)


@pytest.mark.parametrize("tree", ["x", "[]", "{}", "[[1]]", '[[1,"document","zz",-1,0,0,0]]'])
def test_doctor_mends_what_cannot_be_read_of_a_held_file(vault: Vault, tree: str) -> None:
    vault.remem.write("Other words.", anchor=id_of(vault, "We pay"))
    connection = connect(vault.store)
    connection.execute("UPDATE held SET tree = ?", (tree,))
    connection.execute("INSERT INTO held (root, source, hash) VALUES (99, 'z.md', x'00')")
    connection.close()
    assert [finding.check for finding in vault.remem.doctor().findings if finding.fault] == ["held", "held"]
    assert vault.remem.doctor(fix=True).healthy
    assert vault.remem.compile(vault.folder).snapshot is None
    report = compile_files(vault, {"a.md": NOTE + "\nmore\n"})
    assert conflicts(report.diagnostics) == [("a.md", 1)]
