"""Damages files of stores, and uses them: a clear error or a store that works."""

from __future__ import annotations

from pathlib import Path
from random import Random

from remem import Remem
from remem.engine.sync import RememSync
from remem.errors import RememError
from tests.guard import guard_hang

PAGE = 4096


def damage(path: Path, chance: Random) -> str:
    """Does one bad thing to a file; what it was."""
    data = bytearray(path.read_bytes())
    kind = chance.choice(("flip", "flip", "flip", "page", "zero", "cut", "swap", "head"))
    page = chance.randrange(len(data) // PAGE) * PAGE
    if kind == "flip":
        for _ in range(chance.choice((1, 1, 3, 20))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif kind == "page":
        data[page : page + PAGE] = chance.randbytes(PAGE)
    elif kind == "zero":
        data[page : page + PAGE] = bytes(PAGE)
    elif kind == "cut":
        del data[chance.randrange(len(data)) :]
    elif kind == "swap":
        other = chance.randrange(len(data) // PAGE) * PAGE
        data[page : page + PAGE], data[other : other + PAGE] = data[other : other + PAGE], data[page : page + PAGE]
    else:
        data[chance.randrange(100)] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    return f"{kind} at {page}"


def use_store(remem: RememSync, notes: Path) -> None:
    """Reads and writes of all kinds. Each may be refused, with an error of ours."""
    calls = (
        lambda: remem.stats(),
        lambda: remem.tree(depth=9),
        lambda: remem.search("river spring"),
        lambda: remem.export(),
        lambda: remem.related("m0", depth=3),
        lambda: remem.store("a new fact [[costs]]", id="new"),
        lambda: remem.update("m1", content="told anew"),
        lambda: remem.compile(notes),
        lambda: remem.history("m0"),
        lambda: remem.pending(),
        lambda: remem.forget("m2", hard=True),
        lambda: remem.rollback(1),
    )
    for call in calls:
        try:
            call()
        except RememError as error:
            assert error.message


def treat_damage(path: Path, seed: int) -> str:
    """Damages a store in a folder of its own, with its notes and settings beside it, and uses it; what it came to.
    Raises AssertionError for what must not be."""
    chance, notes = Random(seed), path.parent / "notes"
    told = damage(path, chance)
    with guard_hang(f"a store with {told}"):
        try:
            with Remem.open_sync(path, config=path.parent / "settings.toml") as remem:
                if chance.random() < 0.5:
                    use_store(remem, notes)
                remem.doctor()
                if not remem.doctor(fix=True).healthy:
                    return "told"
                use_store(remem, notes)
                assert [finding for finding in remem.doctor().findings if finding.fault] == [], told
        except RememError as error:
            assert error.message and error.code
            return "refused"
    return "works"
