"""Every kind of embedder works through the engine: services on loopback, and a model folder."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from remem import Remem
from remem.errors import EmbedderError
from tests.background.conftest import write_config
from tests.background.services import WIDTH, Embedding
from tests.embedding.test_folder import write_folder


async def use(remem: Remem) -> None:
    """Stores, finds by meaning, relates, and looks whether all is well."""
    await remem.store("puffins nest in deep burrows", id="one")
    await remem.store("puffins nest in deep old burrows", id="two")
    await remem.store("invoices are due on Friday", id="other")
    state = await remem.settle()
    assert (state.embed, state.discover, state.embedded, state.problem) == (0, 0, 3, "")
    hits = [hit.id for hit in await remem.search("deep burrows of puffins", mode="semantic", limit=2)]
    assert set(hits) == {"one", "two"}
    assert {edge.origin for edge in (await remem.export()).edges} == {"discovered"}
    assert [finding for finding in (await remem.doctor()).findings if finding.check == "embedder"] == []


@pytest.mark.parametrize(("provider", "place"), [("openai", "/embeddings"), ("ollama", "/api/embed")])
def test_a_service_embeds_what_is_stored_and_asked(provider: str, place: str, path: Path, tmp_path: Path) -> None:
    async def run() -> None:
        with Embedding() as service:
            more = f'model = "small"\nurl = "{service.url}"\napi_key = "sk-secret"\npassage_prefix = "p: "\n'
            settings = write_config(tmp_path, more, provider)
            async with Remem.open(path, config=settings) as remem:
                await use(remem)
                assert f"small/{WIDTH}/" in (await remem.work()).embedder
            assert {request.path for request in service.requests} == {place}
            assert {request.body["model"] for request in service.requests} == {"small"}
            assert {request.key for request in service.requests} == {"Bearer sk-secret"}
            assert service.count_texts()["p: puffins nest in deep burrows"] == 1

    asyncio.run(run())


def test_a_service_that_fails_for_a_while_is_asked_again(path: Path, tmp_path: Path) -> None:
    async def run() -> None:
        with Embedding() as service:
            settings = write_config(tmp_path, f'model = "m"\nurl = "{service.url}"\nretries = 0\n', "openai")
            async with Remem.open(path, config=settings) as remem:
                service.status = 503
                memory = await remem.store("puffins nest in burrows")
                assert "failed" in (await remem.settle()).problem
                assert [hit.id for hit in await remem.search("puffins")] == [memory.id]
                with pytest.raises(EmbedderError):
                    await remem.embed()
                assert "failed" in (await remem.stats()).problem
                service.status = 200
                assert (await remem.embed()).embedded == 1
                assert (await remem.stats()).problem == ""

    asyncio.run(run())


def test_a_model_folder_embeds_what_is_stored_and_asked(path: Path, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "tiny")
    settings = write_config(tmp_path, f'folder = "{folder}"\n', "folder")

    async def run() -> None:
        async with Remem.open(path, config=settings) as remem:
            await remem.store("the keys a b", id="one")
            await remem.store("the keys a b c", id="two")
            state = await remem.settle()
            assert (state.embedded, state.problem) == (2, "") and state.embedder.startswith("tiny/24/")
            assert (await remem.search("the keys a b", mode="semantic", limit=1))[0].id == "one"
            assert [finding for finding in (await remem.doctor()).findings if finding.check == "embedder"] == []

    asyncio.run(run())
