"""A discovered edge that a call removed stays away until one of the two texts changes, whatever vectors do."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from remem import Remem
from tests.background.conftest import Opening, write_config
from tests.background.embedders import Counting
from tests.background.test_discovery import list_discovered


async def refuse(remem: Remem) -> None:
    """Two memories whose discovered edge a call removed."""
    await remem.store("puffins nest in deep burrows", id="one")
    await remem.store("puffins nest in deep old burrows", id="two")
    await remem.settle()
    ((source, target),) = await list_discovered(remem)
    await remem.unrelate(source, target)


async def archive(remem: Remem) -> None:
    await remem.forget("one")
    await remem.settle()
    await remem.unarchive("one")


async def tell_again(remem: Remem) -> None:
    await remem.store("puffins nest in deep burrows", tags=["birds"], importance=0.9)
    await remem.update("two", tags=["birds"], metadata={"a": 1})


async def relate(remem: Remem) -> None:
    await remem.relate("two", "one", weight=3)
    await remem.unrelate("two", "one")


async def embed_again(remem: Remem) -> None:
    await remem.reembed()


async def edit_and_take_back(remem: Remem) -> None:
    await remem.update("one", content="something else entirely")
    await remem.update("one", content="puffins nest in deep burrows")


LEFT_ALONE = (archive, tell_again, relate, embed_again, edit_and_take_back)


@pytest.mark.parametrize("change", LEFT_ALONE, ids=lambda change: change.__name__)
def test_it_stays_away_while_both_texts_are_as_they_were(open_store: Opening, change: Any) -> None:
    async def run() -> None:
        async with open_store() as remem:
            await refuse(remem)
            await change(remem)
            await remem.settle()
            assert await list_discovered(remem) == set()

    asyncio.run(run())


def test_another_embedder_does_not_bring_it_back(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            await refuse(remem)
        async with open_store(Counting(128)) as remem:
            await remem.reembed()
            await remem.store("puffins nest in very deep burrows", id="three")
            await remem.settle()
            assert {frozenset(edge) for edge in await list_discovered(remem)} == {
                frozenset(("one", "three")),
                frozenset(("two", "three")),
            }

    asyncio.run(run())


@pytest.mark.parametrize("changed", ["one", "two"])
def test_it_comes_back_when_either_text_changes(open_store: Opening, changed: str) -> None:
    async def run() -> None:
        async with open_store() as remem:
            await refuse(remem)
            await remem.reembed()
            await remem.update(changed, content="puffins nest in deep dry burrows")
            await remem.settle()
            assert len(await list_discovered(remem)) == 1

    asyncio.run(run())


def test_what_an_older_file_remembers_without_texts_holds_until_one_changes(open_store: Opening) -> None:
    def forget_texts(connection: Any) -> None:
        connection.execute("UPDATE discovery_refusals SET source_text = NULL, target_text = NULL")

    async def run() -> None:
        async with open_store() as remem:
            await refuse(remem)
            await remem.storage.write(forget_texts)
            await remem.reembed()
            assert await list_discovered(remem) == set()
            await remem.update("two", content="puffins nest in deep dry burrows")
            await remem.settle()
            assert len(await list_discovered(remem)) == 1

    asyncio.run(run())


def test_a_section_of_a_note_is_a_text_too(open_store: Opening, tmp_path: Path) -> None:
    write_config(tmp_path, "notes = true\n[connections]\nscope = 'all'\nauto_discovery_threshold = 0.6\n")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "birds.md").write_text("# Puffins\n\nPuffins nest in deep burrows.\n")

    async def run() -> None:
        async with open_store() as remem:
            await remem.compile(notes)
            await remem.store("puffins nest in deep burrows", id="one")
            await remem.settle()
            ((source, target),) = await list_discovered(remem)
            await remem.unrelate(source, target)
            await remem.reembed()
            (notes / "terns.md").write_text("# Terns\n\nThey dive.\n")
            await remem.compile(notes)
            await remem.settle()
            assert await list_discovered(remem) == set()
            (notes / "birds.md").write_text("# Puffins\n\nPuffins nest in very deep burrows.\n")
            await remem.compile(notes)
            await remem.settle()
            assert len(await list_discovered(remem)) == 1

    asyncio.run(run())


def test_an_edge_stands_while_its_other_end_has_no_vector_for_a_moment(open_store: Opening) -> None:
    def owe(connection: Any) -> None:
        (key,) = connection.execute("SELECT key FROM nodes WHERE id = 'one'").fetchone()
        connection.execute(
            "UPDATE vectors SET passage = NULL WHERE passage IN (SELECT key FROM passages WHERE document = ?)", (key,)
        )
        connection.execute(
            "INSERT INTO jobs (kind, node, due_at) SELECT 'embed', key, 1 << 60 FROM nodes WHERE id = 'one'"
        )

    async def run() -> None:
        async with open_store() as remem:
            await remem.store("puffins nest in deep burrows", id="one")
            await remem.store("puffins nest in deep old burrows", id="two")
            await remem.settle()
            edges = await list_discovered(remem)
            await remem.storage.write(owe)
            await remem.update("two", content="puffins nest in deep old dry burrows")
            await remem.settle()
            assert await list_discovered(remem) == edges != set()

    asyncio.run(run())
