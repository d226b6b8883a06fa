"""A store and a folder of notes with secrets in them, and a look into every file that a store leaves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync

SECRET = "hunter" + "2Zq9" + "Xk"
"""A password that stands nowhere else."""
TOKEN = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0" * 2


class Secrets:
    """A store below `place`, and its folder `notes`."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.folder = place / "notes"
        self.folder.mkdir()
        self.store = place / "store.db"
        self.config = place / "settings.toml"
        self.config.write_text("")
        self.remem: RememSync = self.open()

    def open(self, config: str | None = None) -> RememSync:
        """The store, opened; with other settings where a text of them is given."""
        if config is not None:
            self.config.write_text(config)
        return Remem.open_sync(self.store, config=self.config)

    def write(self, source: str, text: str) -> Path:
        """Writes a note."""
        path = self.folder / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def find_traces(self, *texts: str) -> list[tuple[str, str]]:
        """Which files of the store hold which of the texts, in any case: an index keeps words in lower case."""
        return [
            (path.name, text)
            for path in self.place.glob("store.db*")
            for text in texts
            if text.lower().encode() in path.read_bytes().lower()
        ]


@pytest.fixture
def secrets(tmp_path: Path) -> Iterator[Secrets]:
    """A new store, open."""
    made = Secrets(tmp_path)
    with made.remem:
        yield made
