"""Stores for the tests of the faces: the sample notes, compiled once, and copied for whoever changes them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from remem.datafiles import find_samples
from remem.engine import Remem
from remem.storage import sqlite


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the sample notes that nobody changes."""
    folder = tmp_path_factory.mktemp("compiled")
    shutil.copytree(find_samples(), folder / "gangway")
    with Remem.open_sync(folder / "memory.db") as remem:
        remem.compile(folder / "gangway")
    return folder / "memory.db"


@pytest.fixture
def store(compiled: Path, tmp_path: Path) -> Path:
    """A copy of that store."""
    return Path(shutil.copy(compiled, tmp_path / "memory.db"))


@pytest.fixture
def folder(compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: the notes as `gangway`, and their store as `memory.db`."""
    shutil.copytree(compiled.parent / "gangway", tmp_path / "gangway")
    connection = sqlite.choose().connect(shutil.copy(compiled, tmp_path / "memory.db"))
    connection.execute("UPDATE roots SET path = :path", {"path": str((tmp_path / "gangway").resolve())})
    connection.commit()
    connection.close()
    monkeypatch.chdir(tmp_path)
    return tmp_path
