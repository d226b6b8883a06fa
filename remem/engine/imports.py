"""The calls of class `Remem` that take in what another store or program wrote. It knows no SQL and no face."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from remem import records
from remem.checks import check_path
from remem.clock import read_clock
from remem.engine.notes import NoteCalls
from remem.errors import NotFoundError, RememError
from remem.scratch import make_scratch
from remem.storage.threads import run_stoppable

if TYPE_CHECKING:
    from remem.records import ImportedText, ImportFile, ImportProblem, ImportReport


class ImportCalls(NoteCalls):
    """How a store is filled from a file. All methods raise subclasses of `remem.errors.RememError`."""

    async def import_file(self, path: str | os.PathLike[str]) -> ImportReport:
        """Takes in what a file holds: an export (JSON or JSONL), or the knowledge graph of the MCP reference server
        (JSONL of entities and relations), of which each entity becomes a memory.

        Memories keep ids, times, tags and metadata; manual edges are made again, all others follow from the texts.
        Files of notes become a root of their name, which a compile of the folder takes over wherever it lies. What is
        there already stays as it is; a second import of the same file changes nothing, and one that was interrupted can
        be run again. Bad lines are told (`problems`), all others taken in.
        Raises NotFoundError, InvalidInputError for a file that is none of these.
        """
        from remem.ingest.imports import read_import
        from remem.writing.importing import check_memories, take_in

        given = Path(check_path("path", path))
        file = await asyncio.to_thread(lambda: read_import(_read_file(given)))
        problems = list(file.problems)
        guard = await self._load_guard()
        checked = await asyncio.to_thread(check_memories, file.memories, problems, guard)
        documents = await self._import_texts(file, given, problems)
        taken = await self.storage.write_alone(take_in, file, checked, read_clock(), self.uses, guard)
        self._note_work()
        counts = taken.counts
        return records.ImportReport(
            form=file.form,
            stored=counts["stored"],
            updated=counts["updated"],
            unchanged=counts["unchanged"],
            documents=documents,
            edges=counts["edges"],
            waiting=counts["waiting"],
            problems=tuple(sorted([*problems, *taken.problems], key=lambda problem: problem.line)),
        )

    async def _import_texts(self, file: ImportFile, given: Path, problems: list[ImportProblem]) -> int:
        """Compiles the files of notes, root by root; returns how many are new."""
        by_root: dict[str, list[ImportedText]] = {}
        for text in file.texts:
            by_root.setdefault(text.root, []).append(text)
        known = {root.name: root for root in await self.roots()}
        made = 0
        folder = await asyncio.to_thread(lambda: Path(os.path.abspath(given)).parent)
        for name, texts in by_root.items():
            if name in known:
                await self._compare_texts(name, texts, problems)
            else:
                made += await self._compile_texts(name, texts, problems)
            if name not in known or not await asyncio.to_thread(os.path.isdir, known[name].path):
                await self._place_root(name, str(folder / name))
        return made

    async def _compare_texts(self, name: str, texts: Sequence[ImportedText], problems: list[ImportProblem]) -> None:
        from remem.reading.export import load_texts

        there = await self.storage.read(load_texts, name)
        for text in texts:
            if there.get(text.source) != text.text:
                message = f"{name}/{text.source}: the store has a root {name} already; compile its folder to change it"
                problems.append(records.ImportProblem(text.line, message))

    async def _compile_texts(self, name: str, texts: Sequence[ImportedText], problems: list[ImportProblem]) -> int:
        from remem.writing.compile import CompileRequest

        with make_scratch("import") as folder:
            place = folder / "notes"
            await run_stoppable(partial(_write_texts, place, texts, problems))
            try:
                return (await self._compile(CompileRequest(place, name, part_of="import"))).files_added
            except RememError as error:
                problems.append(records.ImportProblem(texts[0].line, f"root {name[:80]}: {error.message}"))
                return 0

    async def _place_root(self, name: str, place: str) -> None:
        """Says where the root would lie beside the file; where nothing lies there, it may come to lie anywhere."""
        from remem.storage.transfer import move_root

        await self.storage.write(move_root, name, place)


def _read_file(path: Path) -> bytes:
    try:
        # A pipe that nobody writes to ends at once instead of keeping this thread for ever.
        with open(path, "rb", opener=_open_unblocked) as file:
            kind = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(kind) and not stat.S_ISFIFO(kind):
                raise NotFoundError(f"{path} is neither a file nor a pipe", path=os.fspath(path))
            return file.read()
    except OSError as error:
        raise NotFoundError(f"{path} cannot be read: {error.strerror}", path=os.fspath(path)) from None


def _open_unblocked(path: str, flags: int) -> int:
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if os.name == "posix":
        os.set_blocking(handle, True)
    return handle


def _write_texts(
    folder: Path, texts: Sequence[ImportedText], problems: list[ImportProblem], is_stopped: Callable[[], bool]
) -> None:
    """Writes the texts below the folder; one that would lie elsewhere is a problem."""
    from remem.reading.export import DocumentText, write_text

    folder.mkdir()
    for text in texts:
        if is_stopped():
            return
        try:
            write_text(folder, DocumentText("", text.source, text.text))
        except (RememError, OSError, ValueError) as error:
            reason = error.message if isinstance(error, RememError) else "it cannot be written here"
            problems.append(records.ImportProblem(text.line, f"{text.source[:200]}: {reason}"))
