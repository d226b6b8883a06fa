"""Passages of notes are embedded in the background as the setting and the use of the store say."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from remem import Remem
from remem.engine import work
from tests.background.conftest import Opening, wait_until, write_config
from tests.background.test_discovery import list_discovered
from tests.guard import guard_hang


def write_notes(folder: Path, *names: str) -> Path:
    notes = folder / "notes"
    notes.mkdir(exist_ok=True)
    for name in names:
        (notes / f"{name}.md").write_text(f"# {name}\n\nWords about {name}.\n\n## More\n\nMore about {name}.\n")
    return notes


@pytest.mark.parametrize(
    ("setting", "serving", "embedded"),
    [('"auto"', False, 0), ('"auto"', True, 4), ("true", False, 4), ("false", True, 0)],
)
def test_who_embeds_notes(setting: str, serving: bool, embedded: int, path: Path, tmp_path: Path) -> None:
    settings = write_config(tmp_path, f"notes = {setting}\n")
    notes = write_notes(tmp_path, "Puffins", "Terns")

    async def run() -> None:
        async with Remem.open(path, config=settings, serving=serving) as remem:
            await remem.compile(notes)
            assert (await remem.settle()).embedded == embedded

    asyncio.run(run())


def test_a_server_embeds_what_is_compiled_while_it_runs(path: Path, tmp_path: Path) -> None:
    settings = write_config(tmp_path, "")

    async def run() -> None:
        async with Remem.open(path, config=settings, serving=True) as remem:
            await remem.compile(write_notes(tmp_path, "Puffins"))
            remem.worker.kick()

            async def is_embedded() -> bool:
                return (await remem.work()).embedded == 2

            await wait_until(is_embedded)
            (hit,) = await remem.search("More about Puffins", mode="semantic", limit=1)
            assert hit.label == "More"

    with guard_hang("embedding"):
        asyncio.run(run())


def test_a_server_embeds_whole_documents_up_to_its_limit(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "MOST_NOTES", 5)
    settings = write_config(tmp_path, "")

    async def run() -> None:
        async with Remem.open(path, config=settings, serving=True) as remem:
            await remem.compile(write_notes(tmp_path, "a", "b", "c"))
            await remem.store("a memory is embedded whatever the notes are")
            assert (await remem.settle()).embedded == 4 + 1
            await remem.compile(write_notes(tmp_path, "d"))
            assert (await remem.settle()).embedded == 4 + 1
            assert (await remem.embed()).embedded == 8 + 1

    asyncio.run(run())


def test_sections_that_have_vectors_are_related_once_the_scope_becomes_all(open_store: Opening, tmp_path: Path) -> None:
    notes = write_notes(tmp_path, "Puffins")
    (notes / "again.md").write_text("# Puffins again\n\nWords about Puffins.\n")

    async def run() -> None:
        async with open_store() as remem:
            await remem.compile(notes)
            await remem.embed()
            assert await list_discovered(remem) == set()
        more = "notes = true\n[connections]\nscope = 'all'\nauto_discovery_threshold = 0.5\n"
        async with open_store(settings=write_config(tmp_path, more)) as remem:
            await remem.settle()
            assert len(await list_discovered(remem)) >= 1
            assert [finding for finding in (await remem.doctor()).findings if finding.fault] == []

    with guard_hang("settling"):
        asyncio.run(run())
