"""Which known files are gone, as a walk would see it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remem.sources.absence import list_gone
from remem.sources.scan import scan_folder

needs_links = pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="no symbolic links")


def gone(top: Path, *sources: str) -> set[str]:
    return set(list_gone(top, sources, scan_folder(top).files))


def test_what_is_not_there_is_gone_and_what_cannot_be_looked_at_is_not(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a\n")
    (tmp_path / "folder.md").mkdir()
    too_long = "x" * 300 + ".md"
    assert gone(tmp_path, "a.md", "b.md", "a.md/c.md", "d/e.md", "folder.md", too_long, "nul\0.md") == {
        "b.md", "a.md/c.md", "d/e.md", "folder.md",
    }  # fmt: skip


@needs_links
def test_a_link_that_was_left_in_the_place_of_a_file_or_its_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new/a.md").write_text("a\n")
    (tmp_path / "new/b.md").write_text("b\n")
    (tmp_path / "old").symlink_to("new")
    (tmp_path / "a.md").symlink_to("new/a.md")
    os.link(tmp_path / "new/b.md", tmp_path / "b.md")
    assert gone(tmp_path, "old/a.md", "a.md", "new/a.md", "b.md") == {"old/a.md", "a.md"}
