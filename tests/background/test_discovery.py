"""Memories that are alike find each other: the best few, above a threshold, never twice, and following their texts."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from remem import Remem
from remem.errors import ConfigError, NotFoundError
from tests.background.conftest import Opening, write_config

WRITER = """
import asyncio, os, signal, sys
from remem import Remem

async def run():
    async with Remem.open(sys.argv[1], config=sys.argv[2]) as remem:
        await remem.store("puffins nest in deep burrows", id="one")
        await remem.store("puffins nest in deep old burrows", id="two")
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(run())
"""


async def list_discovered(remem: Remem) -> set[tuple[str, str]]:
    """(source, target) of the discovered edges."""
    return {(edge.source_id, edge.target_id) for edge in (await remem.export()).edges if edge.origin == "discovered"}


async def store_alike(remem: Remem, count: int) -> list[str]:
    """Memories that share most of their words."""
    stored = [await remem.store(f"puffins nest in deep burrows number {number}") for number in range(count)]
    return [memory.id for memory in stored]


def test_a_new_memory_is_related_to_those_that_are_alike_with_their_similarity_as_weight(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            one = await remem.store("puffins nest in deep burrows", id="one")
            await remem.store("invoices are due on Friday", id="other")
            await remem.settle()
            await remem.store("puffins nest in deep old burrows", id="two")
            await remem.settle()
            (edge,) = [edge for edge in (await remem.export()).edges if edge.origin == "discovered"]
            assert (edge.source_id, edge.target_id, edge.relationship_type) == ("two", "one", "related_to")
            (hit,) = [hit for hit in await remem.search(one.content, mode="semantic") if hit.id == "two"]
            assert 0.7 <= edge.weight < 1 and edge.weight == pytest.approx(hit.score, abs=2e-3)

    asyncio.run(run())


def test_at_most_so_many_relations_are_made_for_a_memory_and_none_twice(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            ids = await store_alike(remem, 9)
            await remem.settle()
            edges = await list_discovered(remem)
            assert all(sum(source == id for source, _ in edges) <= 5 for id in ids)
            assert not any((target, source) in edges for source, target in edges)
            for id in ids:
                await remem.update(id, importance=0.9)
            await remem.settle()
            assert await list_discovered(remem) == edges

    asyncio.run(run())


def test_no_node_gets_more_discovered_relations_than_the_setting_says(open_store: Opening, tmp_path: Path) -> None:
    write_config(tmp_path, "[connections]\nauto_discovery_max_degree = 3\n")

    async def run() -> None:
        async with open_store() as remem:
            ids = await store_alike(remem, 12)
            await remem.settle()
            edges = await list_discovered(remem)
            assert edges and all(sum(id in edge for edge in edges) <= 3 for id in ids)

    asyncio.run(run())


def test_the_threshold_and_the_number_are_settings_of_the_file_alone(
    open_store: Opening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config(tmp_path, "[connections]\nauto_discovery_threshold = 0.999\nauto_discovery_top_k = 1\n")

    async def run() -> None:
        async with open_store() as remem:
            await store_alike(remem, 3)
            await remem.settle()
            assert await list_discovered(remem) == set()

    asyncio.run(run())
    monkeypatch.setenv("REMEM_CONNECTIONS__AUTO_DISCOVERY_THRESHOLD", "0.5")
    with pytest.raises(ConfigError, match="file or an argument only"):
        Remem.open(tmp_path / "other.db")


def test_discovered_relations_follow_an_edit(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            await remem.store("puffins nest in deep burrows", id="one")
            await remem.store("puffins nest in deep old burrows", id="two")
            await remem.settle()
            await remem.update("one", content="invoices are due on Friday")
            await remem.settle()
            assert await list_discovered(remem) == set()
            await remem.update("one", content="puffins nest in deep burrows")
            await remem.settle()
            assert len(await list_discovered(remem)) == 1

    asyncio.run(run())


def test_an_authored_relation_neither_stops_discovery_nor_is_touched_by_it(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            await remem.store("puffins nest in deep burrows", id="one")
            await remem.store("puffins nest in deep old burrows", id="two")
            await remem.relate("two", "one", weight=2.5)
            await remem.settle()
            edges = {(edge.origin, edge.weight) for edge in (await remem.export()).edges if edge.weight > 0}
            assert ("manual", 2.5) in edges and len(edges) == 2

    asyncio.run(run())


def test_a_removed_discovery_stays_away_until_one_of_the_texts_changes(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            await remem.store("puffins nest in deep burrows", id="one")
            await remem.store("puffins nest in deep old burrows", id="two")
            await remem.settle()
            ((source, target),) = await list_discovered(remem)
            await remem.unrelate(source, target)
            with pytest.raises(NotFoundError):
                await remem.unrelate(source, target)
            await remem.store("puffins nest in very deep burrows", id="three")
            await remem.settle()
            assert {frozenset(edge) for edge in await list_discovered(remem)} == {
                frozenset(("one", "three")),
                frozenset(("two", "three")),
            }
            await remem.update("one", content="puffins nest in deep dry burrows")
            await remem.settle()
            assert {"one", "two"} in map(set, await list_discovered(remem))

    asyncio.run(run())


def test_an_archived_memory_loses_its_discoveries_and_finds_them_again(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            await remem.store("puffins nest in deep burrows", id="one")
            await remem.store("puffins nest in deep old burrows", id="two")
            await remem.settle()
            await remem.forget("one")
            await remem.settle()
            assert await list_discovered(remem) == set()
            await remem.unarchive("one")
            await remem.settle()
            assert len(await list_discovered(remem)) == 1

    asyncio.run(run())


def test_sections_of_notes_take_part_where_the_scope_is_all(open_store: Opening, tmp_path: Path) -> None:
    write_config(tmp_path, "[connections]\nscope = 'all'\nauto_discovery_threshold = 0.6\n")
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "birds.md").write_text("# Puffins\n\nPuffins nest in deep burrows.\n")

    async def run() -> None:
        async with open_store() as remem:
            await remem.compile(notes)
            await remem.embed()
            await remem.store("puffins nest in deep burrows", id="one")
            await remem.settle()
            ((source, target),) = await list_discovered(remem)
            assert source == "one" and target != "one"

    asyncio.run(run())


def test_a_process_killed_between_store_and_discovery_loses_nothing(
    open_store: Opening, path: Path, config: Path
) -> None:
    done = subprocess.run([sys.executable, "-c", WRITER, str(path), str(config)], check=False)
    assert done.returncode == -signal.SIGKILL

    async def run() -> None:
        async with open_store() as remem:
            await remem.settle()
            assert {frozenset(edge) for edge in await list_discovered(remem)} == {frozenset(("one", "two"))}

    asyncio.run(run())


def test_near_duplicates_are_told_as_groups(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            for source in ("a", "b", "c"):
                await remem.store("puffins nest in deep burrows", source=source, id=f"same-{source}")
            await remem.store("puffins nest in burrows", id="alike")
            await remem.store("invoices are due on Friday", id="other")
            await remem.settle()
            (group,) = await remem.near_duplicates()
            assert group.ids == ("same-a", "same-b", "same-c") and group.similarity == pytest.approx(1.0, abs=1e-4)
            (wider,) = await remem.near_duplicates(0.7)
            assert wider.ids == ("same-a", "same-b", "same-c", "alike")

    asyncio.run(run())
