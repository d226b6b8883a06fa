"""Seeded notes for benchmarks: a folder of Markdown files that link to each other, shaped like real vaults (median
block 70 bytes, one link in three blocks). It writes files and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

_SYLLABLES = ("ka", "ro", "mi", "ten", "sul", "da", "ver", "no", "li", "pra", "est", "on", "ber", "ti", "gal", "sen")


def make_words(count: int, chance: random.Random) -> list[str]:
    """Different words of two to four syllables."""
    words: set[str] = set()
    while len(words) < count:
        words.add("".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))))
    return sorted(words)


def write_notes(folder: Path, files: int, bytes_each: int, seed: int = 7) -> int:
    """Writes `files` notes of about `bytes_each` bytes below `folder`, 100 in a subfolder. Returns the bytes."""
    chance = random.Random(seed)
    words = make_words(4000, chance)
    names = [f"{chance.choice(words)} {chance.choice(words)} {number}".title() for number in range(files)]
    total = 0
    for number, name in enumerate(names):
        place = folder / f"part{number // 100:03d}"
        place.mkdir(parents=True, exist_ok=True)
        text = _write_note(name, names, words, bytes_each, chance)
        (place / f"{name}.md").write_text(text, encoding="utf-8")
        total += len(text)
    return total


def _write_note(name: str, names: list[str], words: list[str], size: int, chance: random.Random) -> str:
    blocks = [f"# {name}"]
    length = len(name)
    while length < size:
        block = _write_block(names, words, chance)
        blocks.append(block)
        length += len(block) + 2
    return "\n\n".join(blocks) + "\n"


def _write_block(names: list[str], words: list[str], chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.18:
        return "## " + " ".join(chance.choices(words, k=2)).title()
    if kind < 0.30:
        return "\n".join("- " + _write_line(names, words, chance, 7) for _ in range(chance.randint(2, 5)))
    if kind < 0.33:
        return "```python\n" + "\n".join(" = ".join(chance.choices(words, k=2)) for _ in range(4)) + "\n```"
    if kind < 0.35:
        row = " | ".join(chance.choices(words, k=3))
        return f"| a | b | c |\n|---|---|---|\n| {row} |\n| {row} |"
    return _write_line(names, words, chance, chance.choice((6, 8, 10, 14, 30))) + "."


def _write_line(names: list[str], words: list[str], chance: random.Random, count: int) -> str:
    line = " ".join(chance.choices(words, k=count)).capitalize()
    if chance.random() < 0.3:
        line += f" [[{chance.choice(names)}]]"
    return line
