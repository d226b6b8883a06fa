"""Which changes below a folder matter, and that the system tells of them."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from remem.sources.watch import FolderEvents, Pace, find_identity, is_relevant

FAST = Pace(quiet=0.05, longest=0.5, heartbeat=0.1)


@pytest.mark.parametrize(
    ("source", "matters"),
    [
        ("a.md", True), ("sub/a.html", True), ("gone.md", True), (".rememignore", True), ("sub/.rememignore", True),
        (".gitignore", True), ("gone-folder", True), ("", True), ("there.bin", False), ("memory.db-wal", False),
        ("a.md.swp", False), ("a.md~", False), (".git/index", False), (".hidden/a.md", False), (".a.md", False),
        ("../outside.md", False), (".hidden/.gitignore", False),
    ],
)  # fmt: skip
def test_changes_of_notes_folders_and_ignore_rules_matter(tmp_path: Path, source: str, matters: bool) -> None:
    (tmp_path / "there.bin").write_bytes(b"x")
    assert is_relevant(str(tmp_path), os.path.join(tmp_path, source)) is matters


def test_a_folder_that_is_there_again_is_another_one(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    assert find_identity(str(folder)) is None
    folder.mkdir()
    first = find_identity(str(folder))
    folder.rename(tmp_path / "old")
    folder.mkdir()
    assert first is not None and find_identity(str(folder)) not in (None, first)
    (tmp_path / "file").write_text("x")
    assert find_identity(str(tmp_path / "file")) is None


def test_the_system_tells_of_a_change_and_the_thread_ends_when_it_is_closed(tmp_path: Path) -> None:
    async def follow() -> frozenset[str]:
        events = FolderEvents(str(tmp_path), FAST)
        try:
            (tmp_path / "a.md").write_text("x")
            return await events.wait(30.0)
        finally:
            await events.close()
            await events.close()

    assert str(tmp_path / "a.md") in asyncio.run(follow())
    assert not [thread for thread in threading.enumerate() if thread.name == "remem-watch"]


def test_a_folder_that_is_not_there_cannot_be_followed(tmp_path: Path) -> None:
    async def follow() -> None:
        FolderEvents(str(tmp_path / "none"), FAST)

    with pytest.raises(OSError):
        asyncio.run(follow())
