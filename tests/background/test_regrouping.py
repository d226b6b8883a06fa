"""Texts that are indexed alike but embedded otherwise: blocks that part elsewhere, escapes, other titles."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from remem import Remem
from remem.background.embed import load_texts
from remem.embedding.chunks import split_chunks
from remem.ids import text_hash
from remem.storage import embedded, vector_checks
from remem.storage.sqlite import Connection
from tests.background.conftest import write_config

LONG = " ".join(["harbour"] * 40)
"""More than a label shows."""

REGROUPED = {
    "lines go to the block before": (
        "d.md",
        "# T\n\nharbour light\n\nfog Tide\nanchor Rope\n",
        "# T\n\nharbour light\nfog Tide\n\nanchor Rope\n",
    ),
    "a paragraph is parted": ("d.md", "# T\n\nharbour light\nfog tide\n", "# T\n\nharbour light\n\nfog tide\n"),
    "paragraphs are joined": ("d.txt", "harbour light\n\nfog tide\n", "harbour light\nfog tide\n"),
    "an escape becomes blanks": (
        "d.jsonl",
        f'{{"id": 1, "t": "{LONG}\\nlight"}}\n',
        f'{{"id": 1, "t": "{LONG}  light"}}\n',
    ),
    "a title is told in another place": (
        "d.md",
        "---\ntitle: Fog\n---\n# Tide\n\nharbour light\n",
        "---\ntitle: Fog Tide\n---\n\nharbour light\n",
    ),
}


def list_keys(connection: Connection) -> list[int]:
    return [row[0] for row in connection.execute("SELECT key FROM passages ORDER BY key")]


def find_others(connection: Connection) -> list[str]:
    """Texts of passages that have other vectors than their own."""
    rows = vector_checks.load_passages(connection, list_keys(connection))
    texts = load_texts(connection, rows)
    chunks = {key: [text_hash(chunk) for chunk in split_chunks(text)] for key, text in texts.items()}
    have: dict[int, list[bytes]] = {key: [] for key in texts}
    for chunk in embedded.load_chunks(connection, texts):
        have[chunk.passage].append(chunk.hash)
    return [texts[key] for key in texts if have[key] != chunks[key]]


@pytest.mark.parametrize("case", REGROUPED)
def test_what_is_embedded_otherwise_gets_vectors_of_its_own(case: str, path: Path, tmp_path: Path) -> None:
    source, before, after = REGROUPED[case]
    file = tmp_path / "notes" / source
    file.parent.mkdir()

    async def check(remem: Remem) -> None:
        await remem.compile(file.parent)
        assert (await remem.doctor()).healthy
        await remem.settle()
        assert (await remem.doctor()).healthy
        assert await remem.storage.read(find_others) == []

    async def run() -> None:
        async with Remem.open(path, config=write_config(tmp_path, "notes = true\n")) as remem:
            for text in (before, after, before):
                file.write_text(text, encoding="utf-8")
                await check(remem)
            await remem.rollback(2)
            assert (await remem.doctor()).healthy
            await remem.settle()
            assert await remem.storage.read(find_others) == []

    asyncio.run(run())


def test_no_vector_of_another_text_stays_where_notes_are_embedded_no_more(path: Path, tmp_path: Path) -> None:
    source, before, after = REGROUPED["lines go to the block before"]
    file = tmp_path / "notes" / source
    file.parent.mkdir()

    async def run() -> None:
        for text, notes in ((before, "true"), (after, "false")):
            file.write_text(text, encoding="utf-8")
            async with Remem.open(path, config=write_config(tmp_path, f"notes = {notes}\n")) as remem:
                await remem.compile(file.parent)
                done = await remem.settle()
                assert (await remem.doctor()).healthy
        assert done.embedded == 0

    asyncio.run(run())


def test_passages_whose_text_stays_keep_their_vectors(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "notes" / "d.md"
    file.parent.mkdir()
    text = "# T\n\nintro\n\n## Light\n\nharbour light\n\nfog tide\nanchor\n\n## Rope\n\nrope\n"

    async def run() -> None:
        async with Remem.open(path, config=write_config(tmp_path, "notes = true\n")) as remem:
            file.write_text(text, encoding="utf-8")
            await remem.compile(file.parent)
            keys = await remem.storage.read(list_keys)
            # A heading of another level, more blank lines, another place: none is a word of what is embedded.
            for changed in (
                text.replace("## Light", "### Light"),
                text.replace("\n\nfog", "\n\n\n\nfog"),
                "# T\n\nintro\n\n## Rope\n\nrope\n\n## Light\n\nharbour light\n\nfog tide\nanchor\n",
            ):
                file.write_text(changed, encoding="utf-8")
                await remem.compile(file.parent)
                assert await remem.storage.read(list_keys) == keys

    asyncio.run(run())
