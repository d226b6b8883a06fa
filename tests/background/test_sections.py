"""Discovered edges of sections whose text becomes something else: only what is a section is like others."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from remem import Remem
from tests.background.conftest import Opening, write_config
from tests.background.test_discovery import list_discovered
from tests.guard import guard_hang

LINES = (
    '{"id": 0, "t": "harbour light fog tide anchor rope"}\n'
    '{"id": 1, "t": "harbour light fog tide anchor rope keeper"}\n'
)
QUOTED = (
    "# T\n\nintro\n\n## Fog tide anchor\n\nfog tide anchor rope keeper\n\n## Fog tide rope\n\nfog tide rope keeper\n"
)
ALL = "notes = {notes}\n[connections]\nscope = 'all'\nauto_discovery_threshold = 0.3\n"


def write_all(folder: Path, files: Mapping[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for source, text in files.items():
        (folder / source).write_text(text, encoding="utf-8")
    return folder


async def count_faults(remem: Remem) -> int:
    return sum(finding.fault for finding in (await remem.doctor()).findings)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"d.jsonl": LINES}, {"d.txt": LINES}),
        ({"d.jsonl": LINES}, {"d.md": LINES}),
        ({"d.md": QUOTED}, {"d.md": QUOTED.replace("## ", "> ## ")}),
        ({"d.md": QUOTED}, {"d.txt": QUOTED}),
    ],
)
@pytest.mark.parametrize("notes", ["true", "false"])
def test_what_is_no_section_any_more_is_like_nothing(
    path: Path, tmp_path: Path, before: Mapping[str, str], after: Mapping[str, str], notes: str
) -> None:
    async def run() -> None:
        async with Remem.open(path, config=write_config(tmp_path, ALL.format(notes="true"))) as remem:
            await remem.compile(write_all(tmp_path / "notes", before))
            await remem.settle()
            assert len(await list_discovered(remem)) >= 1
        async with Remem.open(path, config=write_config(tmp_path, ALL.format(notes=notes))) as remem:
            await remem.compile(write_all(tmp_path / "notes", after))
            assert await count_faults(remem) == 0
            await remem.settle()
            assert await count_faults(remem) == 0

    with guard_hang("settling"):
        asyncio.run(run())


def test_sections_that_are_there_again_are_related_again(open_store: Opening, tmp_path: Path) -> None:
    settings = write_config(tmp_path, ALL.format(notes="true"))

    async def run() -> None:
        async with open_store(settings=settings) as remem:
            await remem.compile(write_all(tmp_path / "notes", {"d.jsonl": LINES}))
            await remem.settle()
            related = await list_discovered(remem)
            snapshot = (await remem.stats()).snapshots
            await remem.compile(write_all(tmp_path / "notes", {"d.txt": LINES}))
            await remem.settle()
            assert await list_discovered(remem) != related
            await remem.rollback(snapshot)
            await remem.settle()
            assert {frozenset(edge) for edge in await list_discovered(remem)} == set(map(frozenset, related))
            assert await count_faults(remem) == 0

    with guard_hang("settling"):
        asyncio.run(run())
