"""The ways without Remem: listing, looking into, searching and reading the files, as an agent with a shell would. Each
gives the text that the agent gets to read. The files are read anew each time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from remem.benching.notes import Note

HEAD_LINES = 10
CONTEXT_LINES = 5


def read_note(path: Path) -> str:
    """The whole text of a file."""
    return path.read_text(encoding="utf-8", errors="replace")


def read_notes(notes: Iterable[Note]) -> str:
    """The whole of some files, each below its name."""
    return "\n".join(f"{note.source}\n{read_note(note.path)}" for note in notes)


def list_heads(notes: Sequence[Note]) -> str:
    """The names of all files, and the first ten lines of each."""
    parts = []
    for note in notes:
        with note.path.open(encoding="utf-8", errors="replace") as file:
            parts.append(f"{note.source}\n{''.join(islice(file, HEAD_LINES))}")
    return "\n".join(parts)


def list_headings(notes: Sequence[Note]) -> str:
    """All lines that begin with `#`, as `grep '^#'` prints them, below the names of all files."""
    lines = [note.source for note in notes]
    for note in notes:
        lines += [f"{note.source}:{line}" for line in read_note(note.path).splitlines() if line.startswith("#")]
    return "\n".join(lines)


def find_notes(notes: Sequence[Note], words: Sequence[str]) -> list[Note]:
    """The files that hold all the words, in any case, as `grep -il` does."""
    wanted = [word.casefold() for word in words]
    found = []
    for note in notes:
        text = read_note(note.path).casefold()
        if all(word in text for word in wanted):
            found.append(note)
    return found


def show_lines(notes: Sequence[Note], words: Sequence[str]) -> str:
    """The lines of the files that hold one of the words, with five lines around each, as `grep -n -C 5` prints them."""
    wanted = [word.casefold() for word in words]
    parts = []
    for note in notes:
        text = read_note(note.path)
        folded = text.casefold()
        if not any(word in folded for word in wanted):
            continue
        lines = text.splitlines()
        near: set[int] = set()
        for number, line in enumerate(lines):
            if any(word in line.casefold() for word in wanted):
                near.update(range(max(number - CONTEXT_LINES, 0), min(number + CONTEXT_LINES + 1, len(lines))))
        parts += [f"{note.source}-{number + 1}-{lines[number]}" for number in sorted(near)]
    return "\n".join(parts)
