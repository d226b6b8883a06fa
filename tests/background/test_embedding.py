"""What is owed is embedded: durably, once, what still stands, and in spite of bad days."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from remem import Remem
from remem.embedding.keeper import EmbedderKeeper
from remem.errors import EmbedderError
from remem.records import EmbedderOptions, Refusal
from tests.background.conftest import Opening, write_config
from tests.background.embedders import Counting, Failing, Spoiling, Waiting

if TYPE_CHECKING:
    from remem.embedding.base import Vector


async def list_meaning(remem: Remem, query: str) -> list[str]:
    """The ids that a search by meaning alone finds."""
    return [hit.id for hit in await remem.search(query, mode="semantic")]


async def count_vectors(remem: Remem) -> tuple[int, int]:
    """Vectors in the table, and passages that are embedded."""

    def count(connection: object) -> tuple[int, int]:
        execute = connection.execute  # type: ignore[attr-defined]
        rows = execute("SELECT count(*) FROM node_vectors").fetchone()[0]
        return rows, execute("SELECT count(DISTINCT passage) FROM vectors WHERE passage IS NOT NULL").fetchone()[0]

    return await remem.storage.read(count)


def test_a_stored_memory_is_found_by_meaning_once_the_store_has_settled(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            memory = await remem.store("Puffins nest in burrows")
            assert (await remem.work()).embed == 1
            state = await remem.settle()
            assert (state.embed, state.discover, state.embedded, state.problem) == (0, 0, 1, "")
            assert await list_meaning(remem, "burrows of puffins") == [memory.id]

    asyncio.run(run())


def test_what_one_process_owes_another_does(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            memory = await remem.store("Puffins nest in burrows")
        async with open_store() as remem:
            await remem.settle()
            assert await list_meaning(remem, "puffins") == [memory.id]

    asyncio.run(run())


def test_two_open_stores_see_each_others_vectors_and_do_the_work_once(open_store: Opening) -> None:
    async def run() -> None:
        first, second = Counting(), Counting()
        async with open_store(first) as one, open_store(second) as other:
            await one.store("Terns dive for sand eels")
            await asyncio.gather(one.settle(), other.settle())
            assert await list_meaning(other, "sand eels") == await list_meaning(one, "sand eels") != []
            memory = await other.store("Gannets dive from a great height")
            await other.settle()
            assert (await list_meaning(one, "gannets height"))[0] == memory.id
            assert sorted(first.texts + second.texts) == [
                "Gannets dive from a great height",
                "Terns dive for sand eels",
            ]

    asyncio.run(run())


def test_equal_texts_are_embedded_once_and_unchanged_ones_not_again(open_store: Opening) -> None:
    async def run() -> None:
        embedder = Counting()
        async with open_store(embedder) as remem:
            await remem.store("The same words", source="a")
            await remem.settle()
            await remem.store("The same words", source="b")
            memory = await remem.store("Others")
            await remem.settle()
            await remem.update(memory.id, tags=["tagged"])
            await remem.settle()
            assert sorted(embedder.texts) == ["Others", "The same words"]
            assert len(await list_meaning(remem, "the same words")) == 3

    asyncio.run(run())


def test_edits_and_removals_leave_no_vector_behind(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            kept = await remem.store("kept for good")
            for number in range(8):
                await remem.update(kept.id, content=f"kept for good, edition {number}")
                await remem.settle()
            gone = await remem.store("old words")
            await remem.settle()
            await remem.forget(gone.id, hard=True)
            await remem.settle()
            await remem.store("new words", id=gone.id)
            assert gone.id not in await list_meaning(remem, "old words")
            await remem.settle()
            assert await count_vectors(remem) == (2, 2)

    asyncio.run(run())


def test_a_long_memory_is_found_by_any_part_of_it(open_store: Opening) -> None:
    async def run() -> None:
        async with open_store() as remem:
            filler = "\n\n".join(
                f"Paragraph {number} of harbour regulations and nothing else." for number in range(900)
            )
            long = await remem.store(filler + "\n\nThe lighthouse keeper owns a parrot.")
            await remem.store("parrots are birds")
            await remem.settle()
            assert (await list_meaning(remem, "the lighthouse keeper owns a parrot"))[0] == long.id
            vectors, passages = await count_vectors(remem)
            assert vectors > 40 and passages == 2

    asyncio.run(run())


@pytest.mark.parametrize(
    "output", [[float("nan")] * 384, [float("inf")] * 384, [], [1.0, 2.0], None, ["a"] * 384, [0.0] * 384]
)
def test_what_is_no_vector_is_refused_alone_and_tried_again(open_store: Opening, output: object) -> None:
    async def run() -> None:
        embedder = Spoiling(output)
        async with open_store(embedder) as remem:
            good = await remem.store("good words")
            bad = await remem.store("spoil these words")
            state = await remem.settle()
            assert (state.embed, state.waiting) == (1, 1)
            assert await list_meaning(remem, "words") == [good.id]
            assert bad.id in [hit.id for hit in await remem.search("spoil")]
            embedder.ill = False
            await remem.embed()
            assert set(await list_meaning(remem, "words")) == {good.id, bad.id}

    asyncio.run(run())


def test_without_a_working_model_search_goes_on_by_words_with_one_warning(
    open_store: Opening, caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> None:
        async with open_store(Failing()) as remem:
            memory = await remem.store("Puffins nest in burrows")
            await remem.store("Terns dive")
            state = await remem.settle()
            assert state.embed == 2 and "does not answer" in state.problem
            assert [hit.id for hit in await remem.search("puffins")] == [memory.id]
            with pytest.raises(EmbedderError):
                await remem.embed()

    asyncio.run(run())
    assert len([record for record in caplog.records if "vectors are not used" in record.message]) == 1


def test_with_embedding_switched_off_the_work_stays_owed(open_store: Opening, tmp_path: Path) -> None:
    async def run() -> None:
        off = write_config(tmp_path, "", "none")
        async with open_store(settings=off) as remem:
            memory = await remem.store("Puffins nest in burrows")
            state = await remem.settle()
            assert state.embed == 1 and "switched off" in state.problem
            assert [hit.id for hit in await remem.search("burrows")] == [memory.id]
            assert list(await remem.search("burrows", mode="semantic")) == []
        write_config(tmp_path, "")
        async with open_store() as remem:
            assert (await remem.settle()).embedded == 1

    asyncio.run(run())


def test_another_embedder_is_refused_with_both_names_until_the_vectors_are_made_anew(
    open_store: Opening,
) -> None:
    async def run() -> None:
        async with open_store() as remem:
            old = await remem.store("Puffins nest in burrows")
            await remem.settle()
        async with open_store(Counting(64)) as remem:
            new = await remem.store("Puffins eat sand eels")
            state = await remem.settle()
            assert state.embed == 1 and "hashing/384" in state.problem and "hashing/64" in state.problem
            with pytest.raises(EmbedderError, match=r"hashing/384.*hashing/64"):
                await remem.search("puffins", mode="semantic")
            answer = await remem.search("puffins")
            assert {hit.id for hit in answer} == {old.id, new.id} and "reembed" in answer.notes[0]
            with pytest.raises(EmbedderError, match="reembed"):
                await remem.embed()
            state = await remem.reembed()
            assert (state.embedded, state.problem) == (2, "") and "hashing/64" in state.embedder
            assert set(await list_meaning(remem, "puffins")) == {old.id, new.id}
            await remem.forget(old.id)
            assert await list_meaning(remem, "puffins") == [new.id]

    asyncio.run(run())


def test_what_is_edited_or_removed_while_it_is_embedded_gets_no_old_vector(open_store: Opening) -> None:
    async def run() -> None:
        embedder = Waiting()
        async with open_store(embedder) as remem:
            edited, removed = await remem.store("first words"), await remem.store("to be removed")
            settling = asyncio.create_task(remem.settle())
            await asyncio.to_thread(embedder.begun.wait, 20)
            await remem.update(edited.id, content="second thoughts")
            await remem.forget(removed.id, hard=True)
            embedder.let.set()
            await settling
            hits = list(await remem.search("second thoughts", mode="semantic"))
            assert [hit.id for hit in hits] == [edited.id] and hits[0].score > 0.99
            assert await count_vectors(remem) == (1, 1)

    asyncio.run(run())


def test_a_store_closes_at_once_while_a_model_is_busy_and_nothing_is_lost(open_store: Opening) -> None:
    async def run() -> None:
        embedder = Waiting()
        async with open_store(embedder) as remem:
            await remem.store("some words")
            settling = asyncio.create_task(remem.settle())
            await asyncio.to_thread(embedder.begun.wait, 20)
            settling.cancel()
            worker = remem.worker
        assert worker._task is None
        embedder.let.set()
        async with open_store() as remem:
            assert (await remem.settle()).embedded == 1

    asyncio.run(run())


def test_passages_of_notes_are_embedded_when_asked_for_and_only_what_changed_again(
    open_store: Opening, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "birds.md").write_text("# Birds\n\n## Puffins\n\nThey nest in burrows.\n\n## Terns\n\nThey dive.\n")
    embedder = Counting()

    async def run() -> None:
        async with open_store(embedder) as remem:
            await remem.compile(notes)
            await remem.settle()
            assert embedder.texts == []
            assert (await remem.embed()).embedded == 3
            assert [hit.label for hit in await remem.search("burrows", mode="semantic", limit=1)] == ["Puffins"]
            assert embedder.texts[1].splitlines()[0] == "Birds › Puffins"
            (notes / "birds.md").write_text(
                "# Birds\n\n## Puffins\n\nThey nest in burrows.\n\n## Terns\n\nThey scream.\n"
            )
            await remem.compile(notes)
            await remem.embed()
            assert len(embedder.texts) == 4 and "scream" in embedder.texts[3]

    asyncio.run(run())


def test_a_query_is_embedded_once(open_store: Opening) -> None:
    class Asked(Counting):
        def embed_queries(self, texts: Sequence[str]) -> list[Vector | Refusal]:
            return self.embed_passages(texts)

    async def run() -> None:
        embedder = Asked()
        keeper = EmbedderKeeper(EmbedderOptions(), embedder)
        for _ in range(3):
            await keeper.embed_query("puffins")
        assert embedder.texts == ["puffins"]

    asyncio.run(run())
