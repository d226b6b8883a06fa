"""The doctor finds vectors that belong to nothing, owes those that are missing, and warns of a threshold that does not
fit the embedder."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from remem import Remem
from tests.background.conftest import Opening, write_config
from tests.background.embedders import Crowding

DAMAGES = {
    "a vector is gone": "DELETE FROM node_vectors WHERE key = (SELECT min(key) FROM vectors)",
    "a row is gone": "DELETE FROM vectors WHERE key = (SELECT min(key) FROM vectors)",
    "a passage is another": "UPDATE vectors SET passage = 999 WHERE key = (SELECT min(key) FROM vectors)",
}


async def list_faults(remem: Remem) -> list[str]:
    return [finding.check for finding in (await remem.doctor()).findings if finding.fault]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_vectors_are_found_and_made_again(open_store: Opening, damage: str) -> None:
    def break_store(connection: Any) -> None:
        connection.execute(DAMAGES[damage])

    async def run() -> None:
        async with open_store() as remem:
            ids = {(await remem.store(f"puffins nest in burrow {number}")).id for number in range(3)}
            await remem.settle()
            assert await list_faults(remem) == []
            await remem.storage.write(break_store)
            assert await list_faults(remem) == ["vectors"]
            await remem.doctor(fix=True)
            await remem.settle()
            assert await list_faults(remem) == []
            assert {hit.id for hit in await remem.search("puffins nest", mode="semantic")} == ids

    asyncio.run(run())


async def list_misfits(remem: Remem) -> list[str]:
    await remem.store("puffins nest in burrows")
    await remem.settle()
    report = await remem.doctor()
    assert report.healthy
    return [finding.message for finding in report.findings if finding.check == "discovery"]


@pytest.mark.parametrize(("setting", "warns"), [("", True), ("0.7", True), ("0.92", False), ("0.88", False)])
def test_a_threshold_that_was_left_for_another_embedder_is_told_with_the_number_that_fits(
    setting: str, warns: bool, open_store: Opening, tmp_path: Path
) -> None:
    more = f"[connections]\nauto_discovery_threshold = {setting}\n" if setting else ""

    async def run() -> None:
        async with open_store(Crowding(), settings=write_config(tmp_path, more)) as remem:
            found = await list_misfits(remem)
            assert len(found) == warns
            assert all("is 0.7, but 0.92 fits intfloat/e5-small" in message for message in found)

    asyncio.run(run())


def test_a_threshold_for_crowded_cosines_is_told_where_they_are_not(open_store: Opening, tmp_path: Path) -> None:
    async def run() -> None:
        more = "[connections]\nauto_discovery_threshold = 0.92\n"
        async with open_store(settings=write_config(tmp_path, more)) as remem:
            (message,) = await list_misfits(remem)
            assert "is 0.92, but 0.7 fits hashing" in message
            assert (await remem.doctor(fix=True)).healthy
        async with open_store(settings=write_config(tmp_path, "")) as remem:
            assert await list_misfits(remem) == []

    asyncio.run(run())
