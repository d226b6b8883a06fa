"""On a machine without sqlite-vec everything but vectors goes on, and what they are owed is done by another one."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from remem import Remem
from tests.background.conftest import Opening, wait_until, write_config

WITHOUT = """
import asyncio, json, sys

class Hiding:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] == "sqlite_vec" else self.finder.find_spec(name, path, target)

sys.meta_path[:] = map(Hiding, sys.meta_path)
from remem import Remem
from remem.errors import EmbedderError

async def fail(call):
    try:
        await call
    except EmbedderError as error:
        return error.message

async def run():
    async with Remem.open(sys.argv[1], config=sys.argv[2]) as remem:
        await remem.store("puffins dig for days", id="new")
        await remem.store("See [[Puffins]], says Ada Byron.", id="link", graph_extraction={"entities": [{"name": "X"}]})
        await remem.store("# Puffins\\n\\nthey nest in burrows, as the Ada Byron museum says", id="title")
        state = await remem.settle()
        stats = await remem.stats()
        found = {
            "problem": state.problem, "embed": state.embed, "mentions": state.mentions,
            "hits": [hit.id for hit in await remem.search("puffins")],
            "recalled": [item.id for item in (await remem.recall("days")).items],
            "related": [item.node.id for item in await remem.related("link")],
            "failures": [await fail(remem.embed()), await fail(remem.reembed()), await fail(remem.near_duplicates())],
            "stats": [stats.vectors, stats.owed_embed, stats.problem, stats.worker],
        }
        await remem.update("new", content="puffins dig for weeks")
        await remem.forget("title", hard=True)
        report = await remem.doctor(fix=True)
        found["healthy"] = report.healthy
        found["findings"] = [finding.message for finding in report.findings if finding.check == "vectors"]
        print(json.dumps(found))

asyncio.run(run())
"""
PROBLEM = "sqlite-vec is not installed. Install the package sqlite-vec to use vectors."


def run_without(path: Path, config: Path) -> Any:
    command = [sys.executable, "-c", WITHOUT, str(path), str(config)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def check_found(found: Any, *, hits: set[str]) -> None:
    assert (found["problem"], found["embed"], found["mentions"]) == (PROBLEM, 3, 0)
    assert set(found["hits"]) >= hits and "new" in found["recalled"] and "title" in found["related"]
    assert found["stats"] == [False, 3, PROBLEM, "waiting"]
    assert found["healthy"] and found["findings"] == [PROBLEM]


def test_a_store_that_never_had_vectors(path: Path, config: Path, open_store: Opening) -> None:
    found = run_without(path, config)
    check_found(found, hits={"new", "link", "title"})
    assert found["failures"] == [PROBLEM] * 3

    async def run() -> None:
        async with open_store() as remem:
            assert (await remem.settle()).embedded == 2
            assert "new" in [hit.id for hit in await remem.search("puffins dig", mode="semantic")]

    asyncio.run(run())


def test_a_store_whose_vectors_are_switched_off_has_its_other_work_done(
    path: Path, tmp_path: Path, open_store: Opening, caplog: pytest.LogCaptureFixture
) -> None:
    settings = write_config(tmp_path, "", "none")

    async def run() -> None:
        async with open_store(settings=settings) as remem:
            await remem.store("puffins nest in burrows", id="old")

            async def is_told() -> bool:
                return bool((await remem.work()).problem)

            await wait_until(is_told)
            state = await remem.settle()
            assert (state.embed, state.discover, state.mentions) == (1, 0, 0)
            assert state.problem == "vectors are switched off by [embedding] provider"
            assert (await remem.stats()).problem == state.problem

    asyncio.run(run())
    assert "failed" not in caplog.text


def test_a_store_that_has_vectors_keeps_them(path: Path, config: Path, open_store: Opening) -> None:
    async def fill() -> None:
        async with open_store() as remem:
            await remem.store("puffins nest in burrows", id="old")
            await remem.settle()

    async def look(remem: Remem) -> None:
        assert (await remem.settle()).embedded == 3
        hits = [hit.id for hit in await remem.search("puffins burrows weeks", mode="semantic")]
        assert {"old", "new"} <= set(hits)
        assert (await remem.doctor()).healthy

    async def go_on() -> None:
        async with open_store() as remem:
            await look(remem)

    asyncio.run(fill())
    found = run_without(path, config)
    check_found(found, hits={"old", "new", "link", "title"})
    assert found["failures"] == [PROBLEM] * 3
    asyncio.run(go_on())
