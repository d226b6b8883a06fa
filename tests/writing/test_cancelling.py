"""A compile that is cancelled ends: nothing goes on behind the call, and nothing of it stands in the store."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from remem import Remem
from remem.records import CompileProgress
from tests.guard import guard_hang


def test_a_cancelled_compile_reads_no_file_more_and_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(50):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nSee [[{number + 1}]].\n")
    read: list[CompileProgress] = []

    async def run() -> None:
        loop, is_cancelled = asyncio.get_running_loop(), threading.Event()

        def cancel() -> None:
            work.cancel()
            loop.call_later(0.01, is_cancelled.set)  # after the call has been told

        def follow(progress: CompileProgress) -> None:
            if progress.phase == "parse":
                read.append(progress)
                loop.call_soon_threadsafe(cancel)
                is_cancelled.wait()

        async with Remem.open(tmp_path / "memory.db") as remem:
            work = asyncio.ensure_future(remem.compile(notes, progress=follow))
            with pytest.raises(asyncio.CancelledError):
                await work
            assert len(read) == 1
            assert (await remem.stats()).snapshots == 0
            assert (await remem.compile(notes)).files_added == 50

    with guard_hang("the cancelled compile"):
        asyncio.run(run())
