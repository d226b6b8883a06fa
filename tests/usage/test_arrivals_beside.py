"""When a node was first seen is told right, whoever writes while a large compile goes in slices."""

from __future__ import annotations

import asyncio
from pathlib import Path

from remem import Remem
from remem.writing.compile import CompileOptions, CompileRequest, compile_path
from tests.usage.clock import START, Clock, look


def test_what_is_stored_before_a_compile_is_through_arrives_then(tmp_path: Path, clock: Clock) -> None:
    store, notes = tmp_path / "memory.db", tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# A note\n\nSome words.\n")

    async def run() -> None:
        async with Remem.open(store) as remem:
            options = CompileOptions(max_node_tokens=100, max_file_bytes=1000, slice_bytes=1000)
            await compile_path(remem.storage, options, CompileRequest(notes, part_of="the first slice"))
            clock.now = START + 5000
            await remem.store("A fact.")
            assert [found.message for found in (await remem.doctor()).findings if found.fault] == []

    asyncio.run(run())
    assert look(store, "SELECT at FROM arrivals ORDER BY last") == [(START,), (START + 5000,)]
