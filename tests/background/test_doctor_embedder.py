"""The doctor tells what is the matter with the embedder: findings, never faults, since words and graph go on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from remem import Remem
from remem.embedding import minilm
from tests.background.conftest import Opening, write_config
from tests.background.embedders import Counting, Spoiling
from tests.background.services import Embedding
from tests.embedding.test_folder import make_tensors, write_folder, write_tensors


async def list_told(remem: Remem, check: str = "embedder") -> list[str]:
    report = await remem.doctor()
    assert report.healthy
    assert (await remem.doctor(fix=True)).healthy
    return [finding.message for finding in report.findings if finding.check == check]


def ask(path: Path, settings: Path, check: str = "embedder") -> list[str]:
    async def run() -> list[str]:
        async with Remem.open(path, config=settings) as remem:
            await remem.store("puffins nest in burrows")
            return await list_told(remem, check)

    return asyncio.run(run())


def test_a_working_embedder_is_no_matter(path: Path, config: Path) -> None:
    assert ask(path, config) == []


def test_embedding_that_is_switched_off_is_no_matter(path: Path, tmp_path: Path) -> None:
    assert ask(path, write_config(tmp_path, "", "none")) == []


def test_another_embedder_than_that_of_the_store_is_told_with_both_names(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            await remem.store("puffins nest in burrows")
            await remem.settle()
        async with open_store(Counting(64)) as remem:
            (message,) = await list_told(remem)
            assert "hashing/384" in message and "hashing/64" in message and "remem reembed" in message

    asyncio.run(run())


def test_a_model_file_that_is_missing_or_altered_is_told(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = write_config(tmp_path, "", "minilm")
    monkeypatch.setattr(minilm, "find_weights", lambda: tmp_path / "gone.onnx")
    (message,) = ask(path, settings)
    assert "gone.onnx cannot be read" in message and "Search by words and the graph go on" in message
    (tmp_path / "gone.onnx").write_bytes(b"altered")
    (message,) = ask(path, settings)
    assert "is not the model file" in message


def test_a_model_folder_that_is_missing_altered_or_broken_is_told(path: Path, tmp_path: Path) -> None:
    settings = write_config(tmp_path, f'folder = "{tmp_path / "tiny"}"\n', "folder")
    (message,) = ask(path, settings)
    assert "config.json cannot be read" in message
    folder = write_folder(tmp_path / "tiny")
    with Remem.open_sync(path, config=settings) as remem:
        remem.settle()
    assert ask(path, settings) == []
    write_tensors(folder / "model.safetensors", make_tensors(seed=2))
    (message,) = ask(path, settings)
    assert "the vectors of this store are of tiny/24/" in message
    (folder / "model.safetensors").write_bytes(b"broken")
    assert any("cannot be used" in message for message in ask(path, settings))


def test_a_service_that_does_not_answer_is_told_and_asked_once(path: Path, tmp_path: Path) -> None:
    with Embedding() as service:
        settings = write_config(tmp_path, f'model = "m"\nurl = "{service.url}"\nnotes = false\n', "ollama")
        assert ask(path, settings) == []
        service.status = 500

        async def run() -> None:
            async with Remem.open(path, config=settings) as remem:
                before = len(service.requests)
                report = await remem.doctor()
                assert report.healthy and len(service.requests) == before + 1
                (message,) = [finding.message for finding in report.findings if finding.check == "embedder"]
                assert "500" in message

        asyncio.run(run())
    (message,) = ask(path, settings)
    assert "no connection" in message


def test_texts_that_got_no_vector_are_counted(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store(Spoiling(None)) as remem:
            await remem.store("spoil these words")
            await remem.settle()
            assert any(message.startswith("1 text got no vector;") for message in await list_told(remem))

    asyncio.run(run())


def test_a_threshold_that_does_not_fit_is_told_before_anything_is_embedded(path: Path, tmp_path: Path) -> None:
    with Embedding() as service:
        model = f'model = "multilingual-e5-small"\nurl = "{service.url}"\n'
        (message,) = ask(path, write_config(tmp_path, model, "ollama"), "discovery")
        assert "is 0.7, but 0.92 fits multilingual-e5-small, which the settings name" in message
        low = f"{model}[connections]\nauto_discovery_threshold = 0.8\n"
        assert len(ask(path, write_config(tmp_path, low, "ollama"), "discovery")) == 1
        fit = f"{model}[connections]\nauto_discovery_threshold = 0.92\n"
        assert ask(path, write_config(tmp_path, fit, "ollama"), "discovery") == []


def test_settings_that_contradict_themselves_are_told(path: Path, tmp_path: Path) -> None:
    async def run() -> list[str]:
        async with Remem.open(path, config=write_config(tmp_path, "", "folder")) as remem:
            return await list_told(remem)

    (message,) = asyncio.run(run())
    assert "needs a folder" in message
