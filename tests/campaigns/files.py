"""Files of every format with links among them, and what happens to files: from a seed. Each file that is written gets a
time of its own, so a clock that stands still hides no change."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random

import yaml

from tests.writing.vaults import HEADINGS, NAMES, WORDS, edit_blocks, make_line, make_note

SUFFIXES = ("md", "md", "md", "html", "yaml", "json", "jsonl", "toml", "txt")
LONG_AGO = 1_600_000_000
MOST_FILES = 7


def make_text(suffix: str, chance: Random) -> str:
    """A text of a format."""
    if suffix == "md":
        return make_note(chance)
    if suffix == "html":
        return make_page(chance)
    if suffix == "txt":
        return "\n\n".join(make_line(chance) for _ in range(chance.randint(0, 4)))
    if suffix == "toml":
        return "\n".join(f"{key} = {json.dumps(make_line(chance))}" for key in sorted(set(chance.choices(WORDS, k=3))))
    if suffix == "jsonl":
        return "\n".join(json.dumps(make_record(chance)) for _ in range(chance.randint(0, 3)))
    data = {chance.choice([*WORDS, *HEADINGS]): make_value(chance, 2) for _ in range(chance.randint(0, 4))}
    return json.dumps(data, indent=1) if suffix == "json" else yaml.safe_dump(data, sort_keys=False)


def make_page(chance: Random) -> str:
    """A page of HTML."""
    blocks = []
    for _ in range(chance.randint(0, 5)):
        name, heading = chance.choice(NAMES), chance.choice(HEADINGS)
        blocks.append(
            chance.choice(
                (
                    f"<h{chance.randint(1, 3)} id='part'>{heading}</h1>",
                    f"<p>{make_line(chance)} <a href='{name}.html#part'>x</a></p>",
                    f"<p><a href='{name}.md'>x</a> <knowledge weight='2'>{name}</knowledge></p>",
                    f"<ul><li>{make_line(chance)}<li>{make_line(chance)}</ul>",
                    f"<table><tr><th>a<td>{make_line(chance)}</table>",
                )
            )
        )
    return f"<title>{chance.choice(WORDS)}</title>" + "\n".join(blocks)


def make_record(chance: Random) -> dict[str, object]:
    """One line of JSONL."""
    return {"id": chance.randrange(5), chance.choice(WORDS): make_line(chance)}


def make_value(chance: Random, depth: int) -> object:
    """A value of data, nested up to `depth`."""
    kind = chance.random()
    if depth and kind < 0.2:
        return {chance.choice(WORDS): make_value(chance, depth - 1) for _ in range(chance.randint(0, 3))}
    if depth and kind < 0.35:
        return [make_value(chance, depth - 1) for _ in range(chance.randint(0, 3))]
    if kind < 0.5:
        return chance.choice((None, True, 7, -1.5, ""))
    return make_line(chance)


def list_files(folder: Path) -> list[Path]:
    """All files below a folder, in order."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


class Clerk:
    """Writes, edits, renames, moves and deletes files below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._written = 0

    def write(self, path: Path, text: str) -> None:
        """Writes a file a second later than the one before."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self._written += 1
        os.utime(path, (LONG_AGO + self._written, LONG_AGO + self._written))

    def disturb(self, chance: Random) -> str:
        """One event; what happened."""
        files, event = list_files(self.folder), chance.random()
        free = self.folder / f"{chance.choice(NAMES)}.{chance.choice(SUFFIXES)}"
        if not files or (event < 0.3 and len(files) < MOST_FILES and not free.exists()):
            self.write(free, make_text(free.suffix[1:], chance))
            return f"create {free.relative_to(self.folder)}"
        path = chance.choice(files)
        if event < 0.4:
            path.unlink()
            return f"delete {path.relative_to(self.folder)}"
        if event < 0.55:
            return self._rename(path, chance)
        if path.suffix in (".md", ".txt"):
            self.write(path, "\n\n".join(edit_blocks(path.read_text(encoding="utf-8").split("\n\n"), event, chance)))
        else:
            self.write(path, make_text(path.suffix[1:], chance))
        return f"edit {path.relative_to(self.folder)}"

    def _rename(self, path: Path, chance: Random) -> str:
        target = self.folder / f"{chance.choice(NAMES)}{path.suffix}"
        if target.exists():
            content = path.read_text(encoding="utf-8")
            self.write(path, target.read_text(encoding="utf-8"))
            self.write(target, content)
            return f"swap {path.relative_to(self.folder)} and {target.relative_to(self.folder)}"
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
        return f"rename {path.relative_to(self.folder)} to {target.relative_to(self.folder)}"
