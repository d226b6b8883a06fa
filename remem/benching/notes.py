"""The notes that are measured: copied away from where they lie, and read. It never writes where the originals are."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from remem.errors import InvalidInputError, NotFoundError
from remem.ingest.tokens import count_tokens
from remem.records import SourceFile, SourceText
from remem.sources.formats import find_format
from remem.sources.read import read_source
from remem.sources.scan import scan_folder

CHANGEABLE = frozenset(("markdown", "text"))
"""Formats in which a line more at the end is a paragraph more."""


@dataclass(frozen=True, slots=True)
class Note:
    """A file of the copy. `source` is its path below the folder, `path` where the copy lies."""

    root: str
    source: str
    path: Path
    text: str
    tokens: int

    @property
    def may_grow(self) -> bool:
        """Whether a line can be added at its end."""
        return find_format(self.source) in CHANGEABLE


def copy_notes(
    folder: Path, root: str, place: Path, max_bytes: int, is_stopped: Callable[[], bool] = lambda: False
) -> list[Note]:
    """Copies the notes of a folder, and what a compile would take of it alone, below `place`; reads the copies. Ends
    early where `is_stopped()`.

    Raises NotFoundError where there is no such folder, InvalidInputError where it is none.
    """
    if not folder.exists():
        raise NotFoundError(f"there is no folder {folder}", path=str(folder))
    if not folder.is_dir():
        raise InvalidInputError(f"{folder} is no folder; give the folder that holds the notes", field="folder")
    files = scan_folder(folder, max_bytes=max_bytes).files
    notes = [_copy_note(file, root, place, max_bytes) for file in files if not is_stopped()]
    return [note for note in notes if note is not None]


def _copy_note(file: SourceFile, root: str, place: Path, max_bytes: int) -> Note | None:
    """The copy of a note, with its time; None where the note cannot be read as text."""
    found = read_source(file, max_bytes=max_bytes)
    if not isinstance(found, SourceText):
        return None
    path = place / file.source
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file.path, path)
    os.utime(path, ns=(found.stat.mtime, found.stat.mtime))
    return Note(root, file.source, path, found.text, count_tokens(found.text))


def choose_growing(notes: Sequence[Note]) -> list[Note]:
    """The notes that are changed to see what a change costs: one in a hundred, one at least and twenty at most, spread
    over the folder; none where no note can take a line more."""
    able = [note for note in notes if note.may_grow]
    count = min(max(len(notes) // 100, 1), 20, len(able))
    return [able[(2 * number + 1) * len(able) // (2 * count)] for number in range(count)]


def grow_note(note: Note, number: int) -> None:
    """Adds a paragraph to the copy of a note."""
    with note.path.open("a", encoding="utf-8", newline="") as file:
        file.write(f"\n\nA paragraph that was added to see what a change costs, number {number}.\n")
