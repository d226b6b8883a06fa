"""One run of `remem bench`: copies the notes, compiles the copies into a store of their own, measures, and throws both
away. It writes nowhere else."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from remem.benching.measure import measure_tasks
from remem.benching.notes import Note, copy_notes
from remem.config import load_settings
from remem.engine import Remem
from remem.errors import NotFoundError
from remem.records import Bench
from remem.rendering.lines import show_count
from remem.scratch import make_scratch
from remem.storage.threads import run_stoppable

METHOD = (
    "all on copies of the notes and a store made of them, with nothing embedded: search goes by words and links",
    "tokens (cl100k) are those of the text that comes back; times are those of the calls and of reading the files in"
    " one warm process; all are medians; × is how many times the tokens of Remem a way takes",
    "what is looked for comes from the notes as they write it, which is what grep is best at; what search does not find"
    " counts with the files that grep names on top",
    "a tree of 2000 tokens tells the upper levels and how much lies below; all files whole tell everything",
)


async def run_bench(
    folders: Sequence[tuple[str, Path]], config: str | None, questions: int, tell: Callable[[str], object]
) -> Bench:
    """Measures on the notes of some folders, each with the name of its root. `tell` hears what is going on.

    Raises NotFoundError where a folder or all notes are missing, InvalidInputError where it is no folder, and whatever
    a call of the engine raises.
    """
    with make_scratch("bench") as scratch:
        overrides = {"storage.path": str(scratch / "bench.db"), "embedding.notes": False}
        settings = load_settings(Path(config) if config else None, overrides=overrides)
        notes: list[Note] = []
        copies = []
        for number, (root, folder) in enumerate(folders):
            copies.append((root, scratch / f"notes{number}"))
            copies[-1][1].mkdir()
            copy = partial(copy_notes, folder, root, copies[-1][1], settings.compile.max_file_bytes)
            notes += await run_stoppable(copy)
        if not notes:
            named = ", ".join(str(folder) for _, folder in folders)
            raise NotFoundError(f"there are no notes in {named}", path=named)
        tell(f"{show_count(len(notes), 'file')} copied; compiling")
        async with Remem(settings) as remem:
            return await _measure(remem, notes, copies, [str(folder) for _, folder in folders], questions, tell)


async def _measure(
    remem: Remem,
    notes: Sequence[Note],
    copies: Sequence[tuple[str, Path]],
    folders: Sequence[str],
    questions: int,
    tell: Callable[[str], object],
) -> Bench:
    started = time.perf_counter()
    for root, place in copies:
        await remem.compile(place, root)
    seconds = time.perf_counter() - started
    size = sum(note.path.stat().st_size for note in notes)
    stats = await remem.stats()
    tell("measuring")
    tasks, left_out = await measure_tasks(remem, notes, copies, questions)
    return Bench(
        folders=tuple(folders),
        files=len(notes),
        bytes=size,
        tokens=sum(note.tokens for note in notes),
        nodes=stats.nodes,
        seconds=round(seconds, 3),
        store_bytes=stats.bytes,
        tasks=tuple(tasks),
        left_out=tuple(left_out),
        method=METHOD,
    )
