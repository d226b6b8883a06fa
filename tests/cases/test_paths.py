"""Files as a disk can hold them: links, circles, folders that cannot be read, odd names, targets outside of a root."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remem import Remem
from remem.errors import InvalidInputError, NotFoundError
from tests.cases.vault import Vault, codes
from tests.faces.server_process import make_environment

OUTSIDE = (
    "[[../../outside]] ![[/etc/hosts]] [x](../../secret.md) [y](%2e%2e/x.md) [z](file:///etc/passwd) [[a/../../b]]"
    " [[C:\\x]] [[~/.ssh/k]] [[..]] [[.]] [[../secret]]"
)


def close_folder(monkeypatch: pytest.MonkeyPatch, closed: Path) -> None:
    """Makes listing one folder fail, as a missing right or a lost drive would."""
    real: Callable[..., Any] = os.scandir

    def scandir(path: str | os.PathLike[str] = ".") -> Any:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)


def test_unreadable_folder_removes_nothing(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 47"""
    vault.compile(
        {"d/a.md": "in it\n", "d/e/b.md": "below it\n", "f/c.md": "some words elsewhere\n", "f/d.md": "old\n"}
    )
    ids = vault.ids()
    vault.write({"f/c.md": "other words elsewhere\n", "f/d.md": None})
    close_folder(monkeypatch, vault.folder / "d")
    report = vault.remem.compile(vault.folder)
    assert codes(report.diagnostics) == ["d:0 unreadable"]
    assert (report.files_changed, report.files_removed) == (1, 1)
    assert vault.texts("d/e/b.md", "text") == ["below it"]
    assert vault.texts("f/c.md", "text") == ["other words elsewhere"]
    monkeypatch.undo()
    vault.compile()
    assert len(vault.ids().keys() & ids.keys()) == len(ids) - 2


def test_unreadable_root_removes_nothing(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 47"""
    vault.compile({"a.md": "x\n"})
    before = vault.export
    close_folder(monkeypatch, vault.folder)
    report = vault.remem.compile(vault.folder)
    assert codes(report.diagnostics) == [":0 unreadable"]
    assert report.snapshot is None
    assert vault.export == before


def test_unreadable_file_keeps_what_is_known_of_it(vault: Vault) -> None:
    vault.compile({"a.md": "known\n", "b.md": "[[a]]\n"})
    (vault.folder / "a.md").write_bytes(bytes(range(256)) * 20)
    report = vault.remem.compile(vault.folder)
    assert codes(report.diagnostics) == ["a.md:0 binary"]
    assert vault.texts("a.md", "text") == ["known"]
    assert vault.edges == ["b.md -> a.md"]


def test_link_to_a_file_gives_one_note(vault: Vault) -> None:
    """Case 52"""
    vault.write({"AGENTS.md": "read this\n", "d/x.md": "[[AGENTS]]\n"})
    (vault.folder / "CLAUDE.md").symlink_to("AGENTS.md")
    report = vault.compile()
    assert sorted(node.source for node in vault.export.nodes if node.kind == "document") == ["AGENTS.md", "d/x.md"]
    assert report.diagnostics == ()


def test_links_out_of_the_root_are_not_followed(vault: Vault, tmp_path: Path) -> None:
    """Case 130"""
    (tmp_path / "secret.md").write_text("secret words\n")
    vault.write({"important.md": "keep me\n"})
    (vault.folder / "link.md").symlink_to(tmp_path / "secret.md")
    (vault.folder / "hosts.md").symlink_to("/etc/hosts")
    (vault.folder / "d").symlink_to("/")
    (vault.folder / "alias.md").symlink_to("important.md")
    report = vault.compile()
    assert {node.source for node in vault.export.nodes} == {"important.md"}
    assert codes(report.diagnostics) == ["d:0 link-outside", "hosts.md:0 link-outside", "link.md:0 link-outside"]
    (vault.folder / "alias.md").unlink()
    vault.compile()
    assert vault.texts("important.md", "text") == ["keep me"]


def test_links_in_a_circle_end(vault: Vault) -> None:
    """Case 131"""
    vault.write({"a/note.md": "x\n", "top.md": "y\n"})
    (vault.folder / "a/b").symlink_to("../../notes/a", target_is_directory=True)
    (vault.folder / "self").symlink_to(".", target_is_directory=True)
    (vault.folder / "loop.md").symlink_to("loop.md")
    vault.compile()
    assert {node.source for node in vault.export.nodes} == {"a/note.md", "top.md"}


def test_file_that_becomes_a_link_is_gone(vault: Vault) -> None:
    """Case 130"""
    vault.compile({"a.md": "first\n", "b.md": "second\n"})
    vault.write({"b.md": None})
    (vault.folder / "b.md").symlink_to("a.md")
    report = vault.remem.compile(vault.folder)
    assert report.files_removed == 1
    vault.check()


def test_targets_outside_of_the_root_wait(vault: Vault, tmp_path: Path) -> None:
    """Case 128"""
    for name in ("outside.md", "secret.md", "x.md", "b.md"):
        (tmp_path / name).write_text("secret words\n")
    vault.compile({"d/x.md": OUTSIDE + "\n", "y.md": OUTSIDE + "\n"})
    assert vault.edges == []
    assert not any("secret words" in node.content for node in vault.export.nodes)
    assert {"d/x.md: ../../outside", "y.md: ../secret", "y.md: ../../secret.md"} <= set(vault.pending)


@pytest.mark.parametrize("title", ["../../etc/x", "/abs", "C:\\\\x", "a/../../b", ".", "..", "CON", "~/.ssh/k", "x/"])
def test_title_never_decides_where_a_file_is_written(vault: Vault, title: str, tmp_path: Path) -> None:
    """Case 128"""
    vault.compile({"x.md": f'---\ntitle: "{title}"\n---\n\ntext\n'})
    written = vault.remem.export_markdown(tmp_path / "out")
    assert written == [tmp_path / "out" / "notes" / "x.md"]


@pytest.mark.parametrize(
    "name", ["a b.md", "a%20b.md", "a#b.md", "[a].md", "a|b.md", "a;w=2.md", "a\\b.md", "'.md", "a\nb.md"]
)
def test_odd_file_names_are_compiled_and_given_back(vault: Vault, name: str, tmp_path: Path) -> None:
    """Case 128"""
    vault.compile({f"d {name}/{name}": "text\n"})
    written = vault.remem.export_markdown(tmp_path / "out")
    assert [path.read_text() for path in written] == ["text\n"]
    assert written[0].name == name


def test_file_name_that_is_no_unicode_is_reported(vault: Vault) -> None:
    name = os.fsencode(vault.folder) + b"/\xff\xfe.md"
    try:
        Path(os.fsdecode(name)).write_text("x\n")
    except OSError:  # some disks refuse such names
        return
    report = vault.compile({"a.md": "y\n"})
    assert [found.code for found in report.diagnostics] == ["bad-name"]
    assert {node.source for node in vault.export.nodes} == {"a.md"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always read names as UTF-8")
def test_names_that_a_process_cannot_read_are_not_taken_for_deleted(tmp_path: Path) -> None:
    """Case 47"""
    for name in ("ä.md", "ö/u.md", "gone.md", "a.md"):
        (tmp_path / "notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / name).write_text("text\n")
    with Remem.open_sync(tmp_path / "m.db") as remem:
        remem.compile(tmp_path / "notes")
    (tmp_path / "notes" / "gone.md").unlink()
    narrow = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "remem", "--db", "m.db", "compile", "notes", "--strict"]
    environ = {**make_environment(), **narrow}
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stderr.count(b": bad-name: ") == 2, done.stderr
    with Remem.open_sync(tmp_path / "m.db") as remem:
        assert {node.source for node in remem.export().nodes} == {"ä.md", "ö/u.md", "a.md"}


def test_atomic_save_is_an_edit(vault: Vault) -> None:
    """Case 46"""
    vault.compile({"a.md": "# A\n\nkept\n\nold words of it\n"})
    ids = {node.content: node.id for node in vault.nodes("a.md")}
    draft = vault.folder / ".a.md.tmp"
    draft.write_text("# A\n\nkept\n\nnew words of it\n")
    (vault.folder / "a.md").unlink()
    draft.rename(vault.folder / "a.md")
    report = vault.compile()
    assert (report.added, report.modified, report.removed) == (0, 1, 0)
    assert {node.id for node in vault.nodes("a.md")} == set(ids.values())


def test_compile_without_changes_writes_nothing(vault: Vault) -> None:
    """Case 58"""
    vault.compile({"a.md": "# A\n\n[[b]] text\n", "b.md": "x\n"})
    before = vault.export
    for _ in range(3):
        assert vault.remem.compile(vault.folder).snapshot is None
    assert vault.export == before
    report = vault.compile({"a.md": "# A\n\n[[b]] text \n"})
    assert report.added + report.removed + report.modified + report.moved <= 1
    assert [node.id for node in vault.export.nodes] == [node.id for node in before.nodes]
    assert vault.export.edges == before.edges


def test_moved_file_is_one_note(vault: Vault) -> None:
    """Case 59"""
    vault.compile({"a.md": "# A\n\ntext\n", "x.md": "[[a]]\n"})
    ids = vault.ids().keys()
    (vault.folder / "b").mkdir()
    (vault.folder / "a.md").rename(vault.folder / "b/a.md")
    report = vault.compile()
    assert (report.added, report.removed) == (0, 0)
    assert vault.ids().keys() == ids
    assert vault.edges == ["x.md -> b/a.md"]


def test_note_that_was_deleted_may_come_back(vault: Vault) -> None:
    """Case 50"""
    files = {"a.md": "alpha fact\n", "x.md": "[[a]]\n"}
    vault.compile(files)
    before = vault.export
    vault.compile({"a.md": None})
    assert (vault.edges, vault.pending) == ([], ["x.md: a"])
    vault.compile({"a.md": "alpha fact\n"})
    assert vault.export.nodes == before.nodes
    assert vault.edges == ["x.md -> a.md"]


@pytest.mark.parametrize("folder", ["missing", "a.md/x", "."])
def test_path_that_is_no_folder_of_notes_changes_nothing(vault: Vault, folder: str, tmp_path: Path) -> None:
    vault.compile({"a.md": "x\n"})
    before = vault.export
    if folder == ".":
        (vault.folder / "b.png").write_bytes(b"x")
        folder = "b.png"
    with pytest.raises((NotFoundError, InvalidInputError)):
        vault.remem.compile(vault.folder / folder)
    assert vault.export == before


def test_store_inside_its_own_root_is_no_note(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x\n")
    with Remem.open_sync(tmp_path / "memory.db") as remem:
        assert remem.compile(tmp_path, "own").files == 1
        assert remem.compile(tmp_path, "own").snapshot is None
