"""Random vaults and random edits of them, from a seed: the events that a folder of notes goes through."""

from __future__ import annotations

from pathlib import Path
from random import Random

WORDS = (
    *("alpha", "beta", "gamma", "delta", "river", "plan", "costs", "harbor"),
    *("light", "engine", "deploy", "rotate", "key", "budget", "north", "south"),
)
HEADINGS = ("Costs", "River Plan", "Usage", "alpha beta", "Light")
NAMES = ("a", "b", "c", "Plan", "plan", "x/a", "x/b", "x/index", "y/Plan", "y/z/c")
LINKS = (
    "[[{0}]]",
    "[[{0}#Costs]]",
    "[[{0}#River Plan|shown]]",
    "![[{0}]]",
    "[[{0}; w=2]]",
    "[t]({0}.md)",
    "[[{0}; type=supports]]",
    "[[#Costs]]",
    "[[#^mark]]",
    "#tag",
)


def make_line(chance: Random) -> str:
    """A few words with at most two links."""
    parts = [chance.choice(WORDS) for _ in range(chance.randint(1, 9))]
    for _ in range(chance.randint(0, 2)):
        name = chance.choice([*NAMES, "Nope", "Costs", "River Plan"])
        name = name.rpartition("/")[2] if chance.random() < 0.6 else name
        parts.insert(chance.randint(0, len(parts)), chance.choice(LINKS).format(name))
    return " ".join(parts)


def make_block(chance: Random) -> str:
    """A heading, list, quote, code block, list with a table, very long paragraph, or paragraph."""
    kind = chance.random()
    if kind < 0.25:
        return "#" * chance.randint(1, 3) + " " + chance.choice([*HEADINGS, "Deploy " + chance.choice(WORDS)])
    if kind < 0.40:
        return "\n".join("- " + make_line(chance) for _ in range(chance.randint(1, 4)))
    if kind < 0.45:
        return "> " + make_line(chance)
    if kind < 0.50:
        return "```\n" + make_line(chance) + "\n```"
    if kind < 0.53:
        return f"- x\n\n  | a | b |\n  |---|---|\n  | {chance.choice(WORDS)} | y |"
    if kind < 0.56:
        return "\n".join(make_line(chance) for _ in range(90))
    return make_line(chance) + (" ^mark" if chance.random() < 0.1 else "")


def make_note(chance: Random) -> str:
    """A whole note, perhaps with front matter."""
    blocks = []
    if chance.random() < 0.3:
        blocks.append(f"---\ntitle: {chance.choice(WORDS)}\naliases: [{chance.choice(['Costs', 'B', 'QBR'])}]\n---")
    blocks += [make_block(chance) for _ in range(chance.randint(0, 7))]
    return "\n\n".join(blocks) + ("\n" if chance.random() < 0.8 else "")


def list_notes(folder: Path) -> list[Path]:
    """The notes of a vault, in order."""
    return sorted(folder.rglob("*.md"))


def write_note(path: Path, text: str) -> None:
    """Writes a note and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def make_vault(folder: Path, chance: Random) -> None:
    """A vault of up to four notes."""
    for _ in range(4):
        write_note(folder / f"{chance.choice(NAMES)}.md", make_note(chance))


def edit_vault(folder: Path, chance: Random) -> str:
    """One event: a note is created, deleted, renamed or edited. Returns what happened."""
    notes = list_notes(folder)
    free = [folder / f"{name}.md" for name in NAMES if not (folder / f"{name}.md").exists()]
    event = chance.random()
    if not notes or (event < 0.2 and free):
        path = chance.choice(free)
        write_note(path, make_note(chance))
        return f"create {path.relative_to(folder)}"
    path = chance.choice(notes)
    if event < 0.3:
        path.unlink()
        return f"delete {path.relative_to(folder)}"
    if event < 0.42 and free:
        target = chance.choice(free)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
        return f"rename {path.relative_to(folder)} to {target.relative_to(folder)}"
    write_note(path, "\n\n".join(edit_blocks(path.read_text(encoding="utf-8").split("\n\n"), event, chance)))
    return f"edit {path.relative_to(folder)}"


def edit_blocks(blocks: list[str], event: float, chance: Random) -> list[str]:
    """The blocks with one inserted, removed, moved or reworded."""
    place = chance.randrange(len(blocks) + 1)
    if event < 0.6 or not blocks:
        blocks.insert(place, make_block(chance))
    elif event < 0.72:
        blocks.pop(min(place, len(blocks) - 1))
    elif event < 0.82:
        block = blocks.pop(chance.randrange(len(blocks)))
        blocks.insert(chance.randrange(len(blocks) + 1), block)
    else:
        place = min(place, len(blocks) - 1)
        words = blocks[place].split(" ")
        words[chance.randrange(len(words))] = chance.choice(WORDS)
        blocks[place] = " ".join(words)
    return blocks
