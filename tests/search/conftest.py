"""A store of notes without vectors and memories with them, by an embedder that hashes words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from remem import Remem
from remem.engine.sync import RememSync

NOTES = {
    "deploy.md": "# Deploy\n\nWe push on Fridays. See [[Key rotation]].\n\n## Rollback\n\nAsk Amina first.\n",
    "key-rotation.md": "# Key rotation\n\nThe secret is renewed by a script every quarter.\n",
    "birds.md": "# Birds\n\n## Puffins\n\nThey nest in burrows.\n\n## Terns\n\nThey dive for sand eels.\n",
}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Settings with the hashing embedder."""
    file = tmp_path / "settings.toml"
    file.write_text('[storage]\nsynchronous = "normal"\n[embedding]\nprovider = "hashing"\n', encoding="utf-8")
    return file


@pytest.fixture
def remem(tmp_path: Path, config: Path) -> Iterator[RememSync]:
    """Notes without vectors, and memories with them."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Remem.open_sync(tmp_path / "store.db", config=config) as opened:
        opened.compile(folder)
        for number, text in enumerate(("Amina: the pier is closed", "Bo: since when?", "Amina: since the flood")):
            opened.store(text, id=f"turn-{number}", source="chat")
        opened.store("Puffins nest in old burrows", id="puffins", importance=0.9, tags=["birds"])
        opened.store("Ferry tickets cost ten crowns", id="tickets", memory_type="short_term", ttl=5000)
        opened.settle()
        yield opened
