"""A vault whose mentions are seen as lines: which block names what, with which weight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from remem import Remem
from remem.engine.sync import RememSync
from remem.records import Finding, Mention


class Vault:
    """A folder of notes with its store."""

    def __init__(self, place: Path, settings: str = "") -> None:
        self.place = place
        self.notes = place / "notes"
        self.notes.mkdir()
        self._config = place / "settings.toml"
        self.configure(settings)

    def configure(self, settings: str) -> None:
        """Writes the settings of the next opening."""
        self._config.write_text(f'[embedding]\nprovider = "none"\n\n{settings}', encoding="utf-8")

    def open(self) -> RememSync:
        """The open store."""
        return Remem.open_sync(self.place / "store.db", config=self._config)

    def write(self, **texts: str) -> None:
        """Writes notes: `a_b="…"` is the file `a b.md`, `a__b` is `a/b.md`."""
        for name, text in texts.items():
            path = self.notes / f"{name.replace('__', '/').replace('_', ' ')}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def compile(self, remem: RememSync, **options: Any) -> list[str]:
        """Compiles; the mentions as lines."""
        remem.compile(self.notes, **options)
        return show(remem)


def show(remem: RememSync) -> list[str]:
    """`path: name -> target label weight` of each mention, in order."""
    return [f"{m.path or 'memory'}: {m.name} -> {m.target_label} {m.weight:g}" for m in remem.mentions()]


def find(remem: RememSync, path: str, label: str) -> Mention:
    """The mention of what is so called in a file."""
    return next(m for m in remem.mentions() if (m.path, m.target_label) == (path, label))


def faults(remem: RememSync) -> list[Finding]:
    """What the doctor calls broken, and what it says of mentions."""
    return [finding for finding in remem.doctor().findings if finding.fault or finding.check == "mentions"]
