"""Compiles of a part of a root, a folder or a lone file: what moved into it from elsewhere, and what stays as it is."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.vault import Vault
from tests.writing.notes import NOTE as HELD_NOTE
from tests.writing.notes import compile_files, id_of, open_notes

NOTE = """# Deploy

How the service goes out, step by step.

## Before

Tell the people on call that a release is coming.

Look at the dashboards for anything that is red.
"""
OTHER = "# Harbor\n\nThe harbor lies in the north.\n\nIts light is seen from afar.\n"


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """Notes that lead to `a.md`, by a link and by a call."""
    made = Vault(tmp_path)
    with made.remem:
        made.compile({"a.md": NOTE, "d/b.md": OTHER, "c.md": "see [[Before]]\n"})
        look = made.id_of("Look at the dashboards for anything that is red.")
        made.remem.relate(made.id_of("Its light is seen from afar."), look, type="supports")
        made.remem.pin(look)
        yield made


def ids_of(vault: Vault, source: str) -> list[str]:
    return [node.id for node in vault.nodes(source)]


@pytest.mark.parametrize(
    ("target", "part"), [("b.md", "b.md"), ("d/a.md", "d"), ("d/e/x.md", "d/e/x.md"), ("e/a.md", "e")]
)
@pytest.mark.parametrize("edit", ["", "\nOne paragraph more.\n"])
def test_renamed_file_keeps_its_ids_where_only_its_new_place_is_compiled(
    vault: Vault, target: str, part: str, edit: str
) -> None:
    ids = ids_of(vault, "a.md")
    vault.write({"a.md": None, target: NOTE + edit})
    dry = vault.remem.compile(vault.folder / part, dry_run=True)
    assert ids_of(vault, "a.md") == ids
    report = vault.remem.compile(vault.folder / part)
    assert (report.files_added, report.files_changed, report.removed, report.added) == (0, 1, 0, bool(edit))
    assert (dry.files_changed, dry.removed, dry.added) == (1, 0, bool(edit))
    assert ids_of(vault, target)[: len(ids)] == ids
    assert vault.manual == [f"d/b.md -> {target}#Look at the dashboards for anything that is red. supports"]
    assert vault.edges == [f"c.md -> {target}#Before"]
    assert vault.remem.stats().pinned == 1
    report = vault.compile()
    assert (report.added, report.removed, report.snapshot) == (0, 0, None)


def test_file_that_took_the_place_of_another_one_keeps_its_ids(vault: Vault) -> None:
    ids = ids_of(vault, "a.md")
    (vault.folder / "a.md").replace(vault.folder / "d/b.md")
    report = vault.remem.compile(vault.folder / "d/b.md")
    assert (report.files_changed, report.files_removed) == (1, 1)
    vault.compile()
    assert ids_of(vault, "d/b.md") == ids


def test_copy_leaves_the_ids_to_the_file_that_is_still_there(vault: Vault) -> None:
    ids = ids_of(vault, "a.md")
    vault.write({"d/a.md": NOTE})
    vault.remem.compile(vault.folder / "d")
    assert ids_of(vault, "a.md") == ids
    assert set(ids_of(vault, "d/a.md")).isdisjoint(ids)


@pytest.mark.skipif(os.name == "nt", reason="no symbolic links")
def test_link_that_was_left_in_the_old_place_is_no_file(vault: Vault) -> None:
    ids = ids_of(vault, "a.md")
    (vault.folder / "a.md").rename(vault.folder / "d/x.md")
    (vault.folder / "a.md").symlink_to("d/x.md")
    vault.remem.compile(vault.folder / "d/x.md")
    assert ids_of(vault, "d/x.md") == ids
    assert ids_of(vault, "a.md") == []


def test_what_is_gone_elsewhere_and_came_nowhere_stays(vault: Vault) -> None:
    notes = {f"e/{n}.md": f"# Number {n}\n\nwords of note {n} alone, {'xyz'[n % 3] * n}\n" for n in range(30)}
    vault.compile({**notes})
    shutil.rmtree(vault.folder / "e")
    vault.write({"a.md": None, "d/new.md": "# New\n\nnothing of what was there\n", "d/a.md": NOTE})
    before = {node.id for node in vault.export.nodes}
    for part in ("d/new.md", "d"):
        report = vault.remem.compile(vault.folder / part, prune=True)
        assert (report.files_removed, report.removed, report.kept) == (0, 0, ())
    assert before < {node.id for node in vault.export.nodes}
    assert vault.nodes("a.md") == []
    report = vault.remem.compile(vault.folder)
    assert (report.files_removed, len(report.kept)) == (0, 30)


def test_file_that_moved_into_a_part_of_many_slices_keeps_its_ids(tmp_path: Path) -> None:
    vault = Vault(tmp_path, config="[compile]\nslice_bytes = 200\n")
    with vault.remem:
        notes = {
            f"d/{n}.md": f"# Number {n}\n\n{n} words of a note of its own, {'xyz'[n % 3] * 20 * n}\n" for n in range(9)
        }
        vault.compile({"a.md": NOTE, **notes})
        ids = ids_of(vault, "a.md")
        vault.write({source: f"{text}\nmore\n" for source, text in notes.items()} | {"a.md": None, "d/z.md": NOTE})
        vault.remem.compile(vault.folder / "d")
        vault.compile()
        assert ids_of(vault, "d/z.md") == ids


@pytest.mark.parametrize("edit", ["", "\nmore\n"])
def test_file_that_moved_takes_what_calls_changed_along(tmp_path: Path, edit: str) -> None:
    with open_notes(tmp_path) as vault:
        ids = ids_of(vault, "a.md")
        pay, deep = id_of(vault, "We pay"), id_of(vault, "A deep text")
        vault.remem.write("Other words, see [[b]].", anchor=pay)
        vault.remem.forget(deep)
        (vault.folder / "a.md").rename(vault.folder / "c.md")
        if edit:
            vault.write({"c.md": HELD_NOTE + edit})
        report = vault.remem.compile(vault.folder / "c.md")
        found = {node.id: node.content for node in vault.nodes("c.md")}
        assert deep not in found
        assert set(ids) - {deep} <= found.keys()
        assert (found[pay] == "Other words, see [[b]].") == (not edit)
        assert [found.code for found in report.diagnostics] == ["conflict"] * bool(edit)
        assert vault.nodes("a.md") == []
        compile_files(vault, {})


def test_document_that_calls_changed_stays_while_its_file_is_gone_elsewhere(tmp_path: Path) -> None:
    with open_notes(tmp_path) as vault:
        vault.remem.write("Other words, see [[b]].", anchor=id_of(vault, "We pay"))
        before = vault.nodes("a.md")
        vault.write({"a.md": None, "new.md": "# New\n\nnothing of what was there\n"})
        report = vault.remem.compile(vault.folder / "new.md")
        assert report.diagnostics == ()
        assert vault.nodes("a.md") == before
        vault.write({"a.md": HELD_NOTE})
        report = vault.remem.compile(vault.folder)
        assert (report.diagnostics, vault.nodes("a.md")) == ((), before)
